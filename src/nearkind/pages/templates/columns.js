// Cells of a column as people read them, and as the model codes them.

const MISSING = 'missing';
const UNSEEN = 'not seen in training';

// Python takes 1, 1.0 and true for one value, and "1" for another.
function keyOf(value) {
  return typeof value === 'string' ? `text ${value}` : `number ${Number(value)}`;
}

function indexed(feature) {
  const place = new Map();
  if (feature.kind === 'listed') feature.values.forEach((value, i) => place.set(keyOf(value), i));
  if (feature.kind === 'pair') feature.pairs.forEach((pair, i) => place.set(pair, i));
  const numbers = feature.kind === 'numbers' ? feature.values.filter((value) => value !== null) : [];
  return { ...feature, place, numbers };
}

function countUpTo(edges, x) {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Infinite numbers have no place in JSON and come as text.
function numberOf(value) {
  return value === 'inf' ? Infinity : value === '-inf' ? -Infinity : Number(value);
}

const CODERS = {
  numbers(feature, value) { // between two of fit in between, beyond the ends at the end
    const all = feature.numbers;
    const x = numberOf(value);
    const place = countUpTo(all, x) - 1;
    if (place < 0) return 0;
    return place === all.length - 1 ? place : place + (x - all[place]) / (all[place + 1] - all[place]);
  },
  listed(feature, value) {
    const place = feature.place.get(keyOf(value));
    return place === undefined ? feature.n_places - 1 : place;
  },
  ranged(feature, value) {
    return countUpTo(feature.edges, numberOf(value));
  },
};

// undefined stands for a value that was not seen, null for a missing one.
function codeOf(feature, value) {
  if (value === null) return feature.missing;
  if (value === undefined) return feature.n_places - 1;
  return CODERS[feature.kind](feature, value);
}

// A cross has a code for each pair of codes of its two columns.
function codeOfPair(feature, codes) {
  const place = feature.place.get(feature.parts.map((part) => codes[part]).join(' '));
  return place === undefined ? feature.n_places - 1 : place;
}

// The codes of a row's cells, and of the crosses, which come after the columns.
function codesOfCells(features, cells) {
  const codes = [];
  features.forEach((feature, d) => codes.push(
    feature.kind === 'pair' ? codeOfPair(feature, codes) : codeOf(feature, cells[d])));
  return codes;
}

function textOf(value) {
  if (value === null) return MISSING;
  return value === undefined ? UNSEEN : String(value);
}

function textOfCode(feature, code) {
  if (code % 1) { // a number between two of fit
    const [a, b] = [feature.numbers[Math.floor(code)], feature.numbers[Math.ceil(code)]];
    return String(Number((a + (code % 1) * (b - a)).toPrecision(8)));
  }
  if (code < feature.values.length) return textOf(feature.values[code]);
  const isMissing = code === feature.missing && code !== feature.n_places - 1;
  return isMissing ? MISSING : UNSEEN;
}

const COLUMNS = FACTS.features.map((features) => features.map(indexed));
const FEATURES = COLUMNS[FACTS.members[0].features];
const BY_RELEVANCE = FEATURES.map((feature, d) => d)
  .sort((a, b) => FACTS.relevance[b] - FACTS.relevance[a] || a - b);
const CELLS_BY_RELEVANCE = BY_RELEVANCE.filter((d) => FEATURES[d].kind !== 'pair');

function cellsOfRow(row) {
  return FACTS.rows.columns.map((column) => column.values[column.at[row]]);
}
