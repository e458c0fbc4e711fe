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
    fill('confusions-rows',
    make('h3', {}, `${rowsText(count)} of ${className(truth)}, predicted as ${className(said)}`),
    make('ul', { class: 'row-list' }, ...shown.map(rowLine)),
    count > shown.length ? make('p', { class: 'note' }, `${whole(shown.length)} of them are listed.`) : null);
}

function shadedCell(truth, said, count, most, inside) {
  if (!count) return make('td', { class: 'number none' }, '·');
  const cell = make('td', { class: `number shaded ${truth === said ? 'right' : 'wrong'}` }, inside);
  cell.style.setProperty('--depth', `${Math.round(12 + 38 * Math.sqrt(count / most))}%`);
  return cell;
}

function confusionCell(truth, said, count, most) {
  const open = button(whole(count), (event) => {
    document.querySelectorAll('#confusions-table [aria-pressed="true"]')
      .forEach((other) => other.setAttribute('aria-pressed', 'false'));
    event.currentTarget.setAttribute('aria-pressed', 'true');
    listRows(truth, said, count);
  }, {
    'aria-pressed': 'false',
    'aria-label': `${rowsText(count)} of ${className(truth)} predicted as ${className(said)}`,
  });
  return shadedCell(truth, said, count, most, open);
}

function confusionHead(said) {
  const name = className(said);
  return make('th', { scope: 'col', class: 'number', title: name }, make('span', {}, clipped(name, 22)));
}

function confusionTable(facts, cellOf) {
  const { classes, true: truths, counts } = facts;
  const most = Math.max(...counts, 1);
  const lines = [...truths].map((truth, i) => make('tr', {},
    make('th', { scope: 'row' }, classLabel(truth)),
    ...[...classes].map((said, j) => cellOf(truth, said, counts[i * classes.length + j], most))));
  return make('table', { class: classes.length > FEW_CLASSES ? 'dense upright' : 'dense' },
    make('caption', { class: 'hidden' }, 'True classes in rows, predicted classes in columns'),
    make('thead', {}, make('tr', {}, make('td', { class: 'dim' }, 'true \\ predicted'),
      ...[...classes].map(confusionHead))),
    make('tbody', {}, ...lines));
}

function confusionLead(facts) {
  const left = facts.n_left_out ? ` ${whole(facts.n_left_out)} rarer classes are left out.` : '';
  return `${whole(facts.n_right)} of ${rowsText(facts.n_known)} are predicted correctly.${left}`;
}

function showHeldConfusions() {
  const facts = FACTS.held_confusions;
  if (facts === null) return;
  const cellOf = (truth, said, count, most) => shadedCell(truth, said, count, most, whole(count));
  fill('confusions-held',
    make('h3', {}, 'Training rows, cross-validated'),
    make('p', { class: 'lead' }, `${confusionLead(facts)} Each was predicted by a model that was fitted without it.`),
    scrolling('Table of rows held out', confusionTable(facts, cellOf)));
}

function showConfusions() {
  const facts = FACTS.confusions;
  if (facts === null && FACTS.held_confusions === null) {
    byId('confusions').remove();
    return;
  }
  if (facts !== null) {
    fill('confusions-table', scrolling('Table of confusions', confusionTable(facts, confusionCell)));
    byId('confusions-lead').textContent = `${confusionLead(facts)} All rows of the table are counted. `
      + 'Choose a number to see the rows behind it.';
  }
  showHeldConfusions();
}
