// Which classes are taken for which; a count leads to its rows.

const MOST_LISTED = 40;
const FEW_CLASSES = 8; // whose names stand side by side

function rowsBehind(truth, said) {
  const found = [];
  NUMBERS.forEach((_, row) => {
    if (FACTS.rows.true[row] === truth + 1 && FACTS.rows.said[row] === said + 1) found.push(row);
  });
  return found;
}

function rowLine(row) {
  const cells = cellsOfRow(row);
  return make('li', {},
    button(`Row ${NUMBERS[row]}`, () => pickRow(row, true), { class: 'link' }),
    make('span', { class: 'dim' }, ` ${CELLS_BY_RELEVANCE.slice(0, 5)
      .map((d) => `${clipped(FEATURES[d].name, 20)} ${clipped(textOf(cells[d]), 20)}`).join(', ')}`));
}

function listRows(truth, said, count) {
  const rows = rowsBehind(truth, said);
  const shown = rows.slice(0, MOST_LISTED);
  const right = truth === said ? 'rightly said' : 'said';
  fill('confusions-rows',
    make('h3', {}, `${rowsText(count)} of ${className(truth)}, ${right} to be ${className(said)}`),
    make('ul', { class: 'row-list' }, ...shown.map(rowLine)),
    count > shown.length ? make('p', { class: 'note' }, `${whole(shown.length)} of them are listed.`) : null);
}

function confusionCell(truth, said, count, most) {
  const isRight = truth === said;
  if (!count) return make('td', { class: 'number none' }, '·');
  const open = button(whole(count), (event) => {
    document.querySelectorAll('#confusions-table [aria-pressed="true"]')
      .forEach((other) => other.setAttribute('aria-pressed', 'false'));
    event.currentTarget.setAttribute('aria-pressed', 'true');
    listRows(truth, said, count);
  }, {
    'aria-pressed': 'false',
    'aria-label': `${rowsText(count)} of ${className(truth)} said to be ${className(said)}`,
  });
  const cell = make('td', { class: `number shaded ${isRight ? 'right' : 'wrong'}` }, open);
  cell.style.setProperty('--depth', `${Math.round(12 + 38 * Math.sqrt(count / most))}%`);
  return cell;
}

function confusionHead(said) {
  const name = className(said);
  return make('th', { scope: 'col', class: 'number', title: name }, make('span', {}, clipped(name, 22)));
}

function showConfusions() {
  const facts = FACTS.confusions;
  if (facts === null) {
    byId('confusions').remove();
    return;
  }
  const { classes, true: truths, counts } = facts;
  const most = Math.max(...counts, 1);
  const lines = [...truths].map((truth, i) => make('tr', {},
    make('th', { scope: 'row' }, classLabel(truth)),
    ...[...classes].map((said, j) => confusionCell(truth, said, counts[i * classes.length + j], most))));
  const table = make('table', { class: classes.length > FEW_CLASSES ? 'dense upright' : 'dense' },
    make('caption', { class: 'hidden' }, 'Classes of the table in rows, classes said in columns'),
    make('thead', {}, make('tr', {}, make('td', { class: 'dim' }, 'is \\ said'),
      ...[...classes].map(confusionHead))),
    make('tbody', {}, ...lines));
  fill('confusions-table', scrolling('Table of confusions', table));
  const left = facts.n_left_out ? ` ${whole(facts.n_left_out)} rarer classes are left out.` : '';
  const right = `${whole(facts.n_right)} of ${rowsText(facts.n_known)} are right, counted over all rows.`;
  byId('confusions-lead').textContent = `${right} `
    + `Choose a number to see the rows behind it.${left}`;
}
