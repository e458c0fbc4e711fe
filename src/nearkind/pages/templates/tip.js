// The row that a pointer or the keyboard stands at, and what is told of it.

function classesText(row) {
  const [truth, said] = [FACTS.rows.true[row] - 1, FACTS.rows.said[row] - 1];
  const parts = [];
  if (TARGET) parts.push(`true ${numberText(TARGET.true[row])}`, `predicted ${numberText(TARGET.said[row])}`);
  if (truth >= 0) parts.push(`class ${className(truth)}`);
  if (said >= 0) parts.push(`predicted ${className(said)}`);
  return parts.join(', ');
}

function showTip(row) {
  const tip = byId('rows-tip');
  const cells = cellsOfRow(row);
  const lines = CELLS_BY_RELEVANCE.slice(0, 8).map((d) => make('div', {},
    make('span', { class: 'dim' }, `${clipped(FEATURES[d].name, 28)} `), clipped(textOf(cells[d]), 32)));
  tip.replaceChildren(make('strong', {}, `Row ${NUMBERS[row]}`), make('div', {}, classesText(row)), ...lines);
  tip.hidden = false;
  const { scale, left, top } = MAP.view;
  const [x, y] = [scale * XS[row] + left, scale * YS[row] + top];
  const box = MAP.canvas.getBoundingClientRect();
  tip.style.left = `${Math.max(0, Math.min(x + 14, box.width - tip.offsetWidth - 4))}px`;
  tip.style.top = `${Math.max(0, Math.min(y + 14, box.height - tip.offsetHeight - 4))}px`;
}

function hideTip() {
  byId('rows-tip').hidden = true;
}

function standAt(row, byKey = false) {
  MAP.byKey = byKey;
  if (row === MAP.at) return;
  MAP.at = row;
  MAP.canvas.style.cursor = row < 0 ? 'grab' : 'pointer';
  if (row < 0) hideTip();
  else showTip(row);
  redraw();
}

function pickOnMap(row) {
  MAP.picked = row;
  redraw();
}
