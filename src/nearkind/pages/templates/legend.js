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
  const counted = FACTS.class_counts.reduce((sum, n) => sum + n, 0);
  const countOf = (c) => (c < 0 ? FACTS.rows.n_all - counted : FACTS.class_counts[c]);
  const present = [...new Set(Array.from(NUMBERS, (_, row) => classOfRow(row)))]
    .sort((a, b) => countOf(b) - countOf(a));
  if (present.length === 1 && present[0] < 0) return;
  const chips = present.map((c) => toggle(
    [swatch(c), `${className(c)} `, make('span', { class: 'dim' }, whole(countOf(c)))], true, () => {
      if (!MAP.hidden.delete(c)) MAP.hidden.add(c);
      return !MAP.hidden.has(c);
    }));
  const { n_known: nKnown, n_right: nRight } = FACTS.confusions || { n_known: 0, n_right: 0 };
  const nWrong = nKnown - nRight;
  const wrong = toggle(['errors only ', make('span', { class: 'dim' }, whole(nWrong))], false, () => {
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
  const colours = `Colours: ${FACTS.counted.toLowerCase()}`;
  const rings = RINGS ? '; a ring marks a row that is predicted to be of another class.' : '.';
  const same = BOUNDS.left === BOUNDS.right && BOUNDS.top === BOUNDS.bottom && NUMBERS.length > 1
    ? ' The distance between all of these rows is zero, so they are at one place.' : '';
  const near = FACTS.rows.lanes
    ? 'One axis is enough: rows close to each other from left to right are similar, and each class has a lane of its own.'
    : 'Rows close to each other are similar, as far as two dimensions can show it.';
  return `${some} ${near} ${
    HAS_TRUTH || HAS_SAID || TARGET ? colours + rings : ''} Click a row to explore it.${same}`;
}
