// The values of one column: where they stand, and how far apart they are.

const MOST_VALUES = 300;
const MOST_IN_TABLE = 40;

// All else being as in the most frequent values of the other columns.
function valueDistances(d, codes) {
  const columns = FACTS.typical.map((code, e) => (
    e === d ? Uint32Array.from(codes) : new Uint32Array(codes.length).fill(code)));
  const { distances } = MEMBERS[0];
  const sizes = distances.sizesOf && distances.sizesOf(columns, codes.length);
  return codes.map((own) => {
    const row = FACTS.typical.map((code, e) => (e === d ? own : code));
    return distances(row, columns, codes.length, sizes);
  });
}

function valuesOf(d) {
  const places = FACTS.value_places[d];
  const often = FACTS.value_rows[d];
  const all = Array.from({ length: places.length / 2 }, (_, code) => ({
    code,
    text: textOfCode(FEATURES[d], code),
    rows: often[code],
    colour: colourOf(FACTS.value_class[d][code] - 1),
    x: places[2 * code],
    y: places[2 * code + 1],
  }));
  // Under a mean over columns without gaps a missing value has no distances.
  const told = all.filter(({ code }) => FACTS.members[0].distance.kind !== 'mixed' || FEATURES[d].values[code] !== null);
  const shown = told.sort((a, b) => b.rows - a.rows || a.code - b.code).slice(0, MOST_VALUES);
  return { shown, n: all.length };
}

function nearestTable(values, distances) {
  const decimals = decimalsOf(distances.flatMap((row) => [...row]));
  const lines = values.map((value, i) => {
    let best = -1;
    distances[i].forEach((x, j) => { if (j !== i && (best < 0 || x < distances[i][best])) best = j; });
    return make('tr', {},
      make('th', { scope: 'row' }, value.text),
      make('td', { class: 'number' }, Number.isInteger(value.rows) ? whole(value.rows) : value.rows.toFixed(2)),
      make('td', {}, best < 0 ? '' : values[best].text),
      make('td', { class: 'number' }, best < 0 ? '' : amount(distances[i][best], decimals)));
  });
  return make('table', {},
    make('thead', {}, make('tr', {},
      make('th', { scope: 'col' }, 'Value'),
      make('th', { scope: 'col', class: 'number' }, 'Rows'),
      make('th', { scope: 'col' }, 'Nearest'),
      make('th', { scope: 'col', class: 'number' }, 'Distance'))),
    make('tbody', {}, ...lines));
}

function squareTable(values, distances) {
  const finite = distances.flatMap((row) => [...row]).filter(Number.isFinite);
  const most = finite.reduce((a, b) => Math.max(a, b), 0) || 1;
  const decimals = decimalsOf(finite);
  const shade = (x) => {
    const cell = make('td', { class: 'number shaded' }, amount(x, decimals));
    cell.style.setProperty('--depth', `${Math.round(40 * Math.max(0, 1 - x / most))}%`);
    return cell;
  };
  return make('table', { class: 'dense' },
    make('thead', {}, make('tr', {}, make('td'),
      ...values.map((value) => make('th', { scope: 'col', title: value.text }, clipped(value.text, 14))))),
    make('tbody', {}, ...values.map((value, i) => make('tr', {},
      make('th', { scope: 'row' }, value.text), ...values.map((_, j) => shade(distances[i][j]))))));
}

function showValues(d) {
  const { shown, n } = valuesOf(d);
  if (!shown.length) {
    fill('values-map', make('p', { class: 'note' }, 'This column had no value in training.'));
    ['values-nearest', 'values-table'].forEach((id) => fill(id));
    return;
  }
  const distances = valueDistances(d, shown.map((value) => value.code));
  const isFlat = distances.every((row) => row.every((x) => x === 0));
  fill('values-map', isFlat && shown.length > 1
    ? make('p', { class: 'note' }, 'The model makes no difference between the values of this column.')
    : drawValues(d, shown));
  fill('values-nearest',
    scrolling(`Nearest values of ${FEATURES[d].name}`, nearestTable(shown, distances)),
    frequentNote(shown, n));
  showSquare(shown.slice(0, MOST_IN_TABLE), distances, n);
}

function frequentNote(values, n) {
  const text = `The ${values.length} most frequent of ${whole(n)} values.`;
  return n > values.length ? make('p', { class: 'note' }, text) : null;
}

// Made only once it is looked at.
function showSquare(values, distances, n) {
  const details = byId('values-details');
  const part = distances.slice(0, values.length).map((row) => row.slice(0, values.length));
  const open = () => details.open && fill('values-table',
    scrolling('Distances between values', squareTable(values, part)), frequentNote(values, n));
  details.ontoggle = open;
  open();
}

function chooseColumn(d) {
  byId('values-column').value = String(d);
  showValues(d);
}

function startValues() {
  const choose = byId('values-column');
  choose.append(...BY_RELEVANCE.map((d) => make('option', { value: d }, clipped(FEATURES[d].name, 60))));
  choose.addEventListener('change', () => showValues(Number(choose.value)));
  chooseColumn(BY_RELEVANCE[0]);
  let { clientWidth: width } = byId('values');
  new ResizeObserver(() => {
    if (byId('values').clientWidth === width) return;
    width = byId('values').clientWidth;
    showValues(Number(choose.value));
  }).observe(byId('values'));
}
