// The training rows that decided, each with its share of the votes of all voters; for a
// distance alone the nearest rows.

const MOST_LINES = 10;

function rowsOfCell(cell) {
  const { row_starts: starts, rows } = MEMBERS[0].memory;
  return [...rows.subarray(starts[cell], starts[cell + 1])];
}

function rowsOfCellText(cell) {
  const rest = MEMBERS[0].memory.row_counts[cell] - 1;
  return `row ${rowsOfCell(cell)[0]}${rest > 0 ? ` and ${rowsText(rest)} equal to it` : ''}`;
}

function classesOfCell(cell) {
  const { share_starts: starts, share_class: classes, shares } = MEMBERS[0].memory;
  const found = [];
  for (let s = starts[cell]; s < starts[cell + 1]; s += 1) found.push([classes[s], shares[s]]);
  found.sort((a, b) => b[1] - a[1]);
  return make('span', {}, ...found.flatMap(([c, share], i) => [
    i ? ' ' : '',
    make('span', { class: 'whole' }, classLabel(c), found.length > 1 ? ` ${percent(share)}` : '')]));
}

function neighbourLine(codes, each, chosen, choose, decimals) {
  const pick = button(rowsOfCellText(each.cell), () => choose(each), {
    class: 'link', 'aria-pressed': String(each === chosen), 'data-cell': each.cell,
  });
  return make('tr', {
    class: each === chosen ? 'chosen' : null,
    'data-rows': rowsOfCell(each.cell).join(' '),
    'data-count': MEMBERS[0].memory.row_counts[each.cell],
    'data-distance': each.distance,
  },
  make('th', { scope: 'row' }, pick),
  FACTS.votes ? make('td', {}, classesOfCell(each.cell)) : null,
  make('td', { class: 'number' }, amount(each.distance, decimals)),
  FACTS.votes ? make('td', { class: 'number' }, percent(each.weight)) : null,
  make('td', {}, differsText(codes, each.cell)));
}

function differsText(codes, cell) {
  const others = codesOfCell(cell);
  const names = BY_RELEVANCE.filter((d) => codes[d] !== others[d]).map((d) => FEATURES[d].name);
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return make('span', { class: 'dim' }, names.length ? '' : 'nothing',
    ...names.slice(0, 3).flatMap((name, i) => [i ? ', ' : '', nameOf(name)]), more);
}

function neighbourTable(codes, cells, chosen, choose) {
  const decimals = decimalsOf(cells.map((each) => each.distance));
  return make('table', {},
    make('thead', {}, make('tr', {},
      make('th', { scope: 'col' }, FACTS.votes ? 'Training row' : 'Row'),
      FACTS.votes ? make('th', { scope: 'col' }, 'Class') : null,
      make('th', { scope: 'col', class: 'number' }, 'Distance'),
      FACTS.votes ? make('th', { scope: 'col', class: 'number' }, 'Vote') : null,
      make('th', { scope: 'col' }, 'Differs in'))),
    make('tbody', {}, ...cells.map((each) => neighbourLine(codes, each, chosen, choose, decimals))));
}

function neighbourNote(cells) {
  const { k, memory, weights } = MEMBERS[0];
  if (MEMBERS.length > 1) {
    return make('p', { class: 'note' }, `Votes are means over ${MEMBERS.length} distances that vote together; `
      + 'the column Distance shows the first of them.');
  }
  if (weights === 'soft') return make('p', { class: 'note' }, 'All training rows vote, weighted by distance.');
  const tied = cells.filter((each) => each.isTied);
  const rows = tied.reduce((n, each) => n + memory.counts[each.cell], 0);
  const nearer = cells.filter((each) => !each.isTied)
    .reduce((n, each) => n + memory.counts[each.cell], 0);
  const places = k - nearer;
  if (rows <= places + 1e-9 || !FACTS.votes) return null;
  const [few, all] = [places, k].map((n) => (Number.isInteger(n) ? n : n.toFixed(2)));
  return make('p', { class: 'note' },
    `${someRows(rows)} are equally near at the end of the list and share ${few} of ${all} votes.`);
}

function showNeighbours(codes, cells, chosen, choose) {
  const title = FACTS.votes ? 'Training rows with the largest votes' : 'Nearest rows';
  const draw = (some) => scrolling(title, neighbourTable(codes, some, chosen, choose));
  fill('neighbours',
    make('h3', {}, title),
    firstOf(cells, MOST_LINES, draw, 'listed rows'),
    neighbourNote(cells));
}
