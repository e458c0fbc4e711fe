// A row to play with: its cells, what the model says of them, and who is near.

const STATE = { row: 0, cells: [] };

function startCells() {
  return cellsOfRow(STATE.row);
}

function isSameCell(a, b, d) {
  return codeOf(FEATURES[d], a) === codeOf(FEATURES[d], b) && (a === b || FEATURES[d].kind === 'listed');
}

function showAnswer(answer) {
  const before = startCells();
  const changed = STATE.cells.map((cell, d) => !isSameCell(cell, before[d], d));
  changed.forEach((isChanged, d) => markChanged(d, isChanged));
  const nChanged = changed.filter(Boolean).length;
  byId('undo').disabled = nChanged === 0;
  const about = nChanged
    ? `Row ${NUMBERS[STATE.row]} with ${nChanged} ${nChanged === 1 ? 'value' : 'values'} changed`
    : `Row ${NUMBERS[STATE.row]}, unchanged`;
  if (!FACTS.votes) {
    const known = TARGET && !nChanged;
    fill('answer', make('p', { class: 'dim' }, about),
      known ? make('p', { class: 'said' }, `Predicted ${numberText(TARGET.said[STATE.row])}`) : null,
      known ? make('p', { class: 'dim' }, `True value: ${numberText(TARGET.true[STATE.row])}`) : null);
    return;
  }
  const shares = [...answer.shares].map((share, c) => ({ share, c }))
    .filter(({ share }) => share > 0).sort((a, b) => b.share - a.share || a.c - b.c);
  const items = shares.map(({ share, c }) => ({
    name: classLabel(c), value: share, text: percent(share), colour: colourOf(c),
  }));
  fill('answer',
    make('p', { class: 'dim' }, about),
    make('p', { class: 'said', id: 'said', 'data-class': className(answer.best) }, classLabel(answer.best)),
    make('p', { class: 'dim' }, beside(answer, nChanged)),
    firstOf(items, 6, (some) => bars('Probabilities', ['Class', 'Probability'], some, 'long-names'), 'classes'));
}

function beside(answer, nChanged) {
  const [truth, said] = [FACTS.rows.true[STATE.row] - 1, FACTS.rows.said[STATE.row] - 1];
  const parts = [];
  if (truth >= 0) parts.push(`Class in the table: ${className(truth)}`);
  if (said >= 0 && (nChanged || said !== answer.best)) {
    parts.push(`predicted ${nChanged ? 'before the changes' : 'from all training rows'}: ${className(said)}`);
  }
  return parts.length ? `${parts.join('; ')}.` : '';
}

function showAll() {
  const answer = answerTo(STATE.cells);
  const codes = codesOf(MEMBERS[0], STATE.cells);
  const cells = FACTS.votes ? decidingCells(answer) : ranked(answer.near);
  const choose = (each) => {
    showNeighbours(codes, cells, each, choose);
    showWhy(codes, each);
    const again = document.querySelector(`#neighbours [data-cell="${each.cell}"]`);
    if (again) again.focus();
  };
  const first = cells.find((each) => each.distance > 0) || cells[0]; // itself needs no reason
  showAnswer(answer);
  showNeighbours(codes, cells, first, choose);
  showWhy(codes, first);
  tryContributions(STATE.cells, answer);
  tryChanges(STATE.cells, answer.best, changeCells);
}

function changeCells(changes) {
  changes.forEach(({ d, value }) => {
    STATE.cells[d] = value;
    setField(d, value);
  });
  showAll();
}

function pickRow(row, comes) {
  STATE.row = row;
  STATE.cells = startCells();
  STATE.cells.forEach((cell, d) => setField(d, cell));
  byId('row-number').value = String(NUMBERS[row]);
  pickOnMap(row);
  showAll();
  if (comes) goTo('explorer');
}

// The shown row whose number is this one, or the next one after it.
function rowWithNumber(number) {
  return Math.min(countUpTo(NUMBERS, number - 1), NUMBERS.length - 1);
}

function startRowChoice() {
  const field = make('input', { id: 'row-number', type: 'number', min: 0, max: FACTS.rows.n_all - 1 });
  field.addEventListener('change', () => pickRow(rowWithNumber(Number(field.value)), false));
  const step = (by) => () => pickRow((STATE.row + by + NUMBERS.length) % NUMBERS.length, false);
  fill('explorer-rows',
    make('label', { for: 'row-number' }, 'Row'), field,
    button('Previous', step(-1)), button('Next', step(1)),
    button('Random', () => pickRow(Math.floor(Math.random() * NUMBERS.length), false), { 'aria-label': 'Random row' }),
    button('Undo', () => pickRow(STATE.row, false), { id: 'undo', disabled: true, 'aria-label': 'Undo changes' }));
  byId('explorer-form').addEventListener('submit', (event) => event.preventDefault());
}

function explorerLead() {
  const sampled = MEMBERS.find(({ memory }) => memory.counts.length < memory.n_distinct);
  const where = FACTS.votes ? 'training rows' : 'rows of the table';
  const live = 'Pick a row, change its values, and see '
    + `${FACTS.votes ? 'the prediction, the contribution of each column and the training rows with the largest votes' : `which ${where} are nearest`}.`;
  if (!sampled) return live;
  const { counts, n_distinct: nDistinct } = sampled.memory;
  return `${live} Of ${whole(nDistinct)} distinct ${where}, ${whole(counts.length)} are on this page, a sample `
    + 'stratified by class. Predictions on this page use this sample; those of the whole model may differ.';
}

function startExplorer() {
  byId('explorer-lead').textContent = explorerLead();
  startRowChoice();
  startForm((d, value) => {
    STATE.cells[d] = value;
    showAll();
  });
  pickRow(0, false);
}
