// The contribution of each column to the probability of the predicted class: Shapley
// values of the same subsets of columns as in Python.

const SUBSETS = FACTS.coalitions;
const PLAYERS = SUBSETS ? SUBSETS.names : [];

// Columns in which all training rows have the row's value tell none from another.
function sharesOver(member, codes, isKept) {
  const n = member.memory.counts.length;
  const columns = codes.map((code, d) => (
    isKept(member.features[d].name) ? member.memory.codes[d] : new Array(n).fill(code)));
  return tally(member, member.near(codes, columns, null));
}

// Returns base value and contributions; yields after each subset.
function* searchContributions(cells, { best, shares: whole }) {
  const place = new Map(PLAYERS.map((name, d) => [name, d]));
  const all = MEMBERS.map((member) => codesOf(member, cells));
  const n = PLAYERS.length;
  const nSubsets = SUBSETS.kept.length / n;
  const parts = new Float64Array(n);
  let base = 0;
  for (let e = 0; e < nSubsets; e += 1) {
    const shares = new Float64Array(FACTS.classes.length);
    MEMBERS.forEach((member, m) => {
      sharesOver(member, all[m], (name) => SUBSETS.kept[e * n + place.get(name)])
        .forEach((share, c) => { shares[c] += share * member.part; });
    });
    const worth = e === nSubsets - 1 ? whole[best] : calibrated(shares)[best];
    if (!e) base = worth;
    for (let d = 0; d < n; d += 1) parts[d] += SUBSETS.weights[d * nSubsets + e] * worth;
    yield;
  }
  return { base, parts };
}

const CONTRIBUTIONS = 'Contribution of each column, in percentage points';

let explaining = 0;

function tryContributions(cells, answer) {
  explaining += 1;
  const run = explaining;
  fill('contributions');
  if (!FACTS.votes) return;
  fill('contributions', make('h3', {}, CONTRIBUTIONS), make('p', { class: 'note' }, 'Computing ...'));
  const search = searchContributions([...cells], answer);
  setTimeout(() => inSlices(search, () => run === explaining,
    (found) => showContributions(cells, answer, found)), 60);
}

function showContributions(cells, answer, { base, parts }) {
  const columns = new Map(FEATURES.map((feature, d) => [feature.name, d]));
  const order = PLAYERS.map((_, d) => d).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]) || a - b);
  const items = order.map((d) => {
    const value = cells[columns.get(PLAYERS[d])];
    const known = columns.has(PLAYERS[d]) && FEATURES[columns.get(PLAYERS[d])].kind !== 'pair';
    return {
      name: make('span', {}, nameOf(PLAYERS[d]),
        make('span', { class: 'dim' }, known ? ` ${clipped(textOf(value), 40)}` : '')),
      value: parts[d],
      text: signed(100 * parts[d], 1),
    };
  });
  const draw = (some) => bars('Contributions', ['Column', 'Percentage points'], some, 'long-names');
  fill('contributions',
    make('h3', {}, CONTRIBUTIONS),
    make('p', { class: 'note' }, `They add up from the base value ${percent(base)}, the probability of `
      + `${className(answer.best)} if no column is known, to ${percent(answer.shares[answer.best])}.`),
    firstOf(items, 8, draw, 'columns'));
}
