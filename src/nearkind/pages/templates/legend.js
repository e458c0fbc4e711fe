// What the map shows, in words, and which classes.

function toggle(text, isOn, flip) {
  const made = button('', () => {
    made.setAttribute('aria-pressed', String(flip()));
    standAt(-1);
    redraw();
  }, { class: 'chip', 'aria-pressed': String(isOn) });
  made.append(...text);
  return made;
}

function showLegend() {
  const counts = new Map();
  NUMBERS.forEach((_, row) => counts.set(classOfRow(row), (counts.get(classOfRow(row)) || 0) + 1));
  const present = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  if (present.length === 1 && present[0] < 0) return;
  const chips = present.map((c) => toggle(
    [swatch(c), `${className(c)} `, make('span', { class: 'dim' }, whole(counts.get(c)))], true, () => {
      if (!MAP.hidden.delete(c)) MAP.hidden.add(c);
      return !MAP.hidden.has(c);
    }));
  const wrong = toggle(['only wrong rows ', make('span', { class: 'dim' }, whole(N_WRONG))], false, () => {
    MAP.onlyWrong = !MAP.onlyWrong;
    return MAP.onlyWrong;
  });
  fill('rows-legend', ...chips, N_WRONG ? wrong : null);
}

function mapLead() {
  const { n_all: nAll } = FACTS.rows;
  const some = nAll > NUMBERS.length
    ? `${whole(NUMBERS.length)} of ${whole(nAll)} rows, drawn so that each class keeps its share.`
    : `All ${rowsText(nAll)}.`;
  const colours = HAS_TRUTH ? 'Colours are the classes of the table' : 'Colours are the classes the model says';
  const rings = RINGS ? '; a ring marks a row of which the model says another.' : '.';
  const same = BOUNDS.left === BOUNDS.right && BOUNDS.top === BOUNDS.bottom && NUMBERS.length > 1
    ? ' The model sees no difference between these rows: all stand at one place.' : '';
  const near = FACTS.rows.lanes
    ? 'One direction says it all: rows near each other from left to right are alike to the model, and each class has a lane.'
    : 'Near rows are alike to the model, as far as two dimensions can show it.';
  return `${some} ${near} ${
    HAS_TRUTH || HAS_SAID ? colours + rings : ''} Click a row to explore it.${same}`;
}
