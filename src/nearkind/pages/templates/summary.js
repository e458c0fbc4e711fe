// What the head of the page says.

function definitions(lines) {
  return lines.flatMap(([term, text]) => [
    make('dt', {}, nameOf(term)),
    make('dd', { class: term === 'Distance' ? 'code' : null }, text),
  ]);
}

function showClassCounts() {
  const counts = [...FACTS.class_counts];
  const total = counts.reduce((sum, n) => sum + n, 0);
  if (!total) return;
  const items = counts.map((n, c) => ({ n, c })).filter(({ n }) => n)
    .sort((a, b) => b.n - a.n)
    .map(({ n, c }) => ({ name: classLabel(c), value: n, text: whole(n), colour: colourOf(c) }));
  const draw = (some) => bars('Rows of each class', ['Class', 'Rows'], some, 'long-names');
  fill('class-counts',
    make('h3', {}, FACTS.counted),
    firstOf(items, 8, draw, 'classes'));
}

function showSummary() {
  fill('title', nameOf(FACTS.title));
  fill('data-lines', ...definitions(FACTS.lines.data));
  fill('model-lines', ...definitions(FACTS.lines.model));
  const several = FACTS.lines.members.length > 1;
  fill('member-lines', ...FACTS.lines.members.map((lines, i) => make('div', {},
    several ? make('h4', {}, `Voter ${i + 1}`) : null,
    make('dl', {}, ...definitions(lines)))));
  showClassCounts();
  showColumns();
}

function showColumns() {
  const heads = ['Column', 'Distinct values', 'Missing', 'Values'];
  const right = (i) => (i === 1 || i === 2 ? 'number' : null);
  const draw = (some) => scrolling('Values and missing cells', make('table', {},
    make('thead', {}, make('tr', {}, ...heads.map((head, i) => make('th', { scope: 'col', class: right(i) }, head)))),
    make('tbody', {}, ...some.map((cells) => make('tr', {}, ...cells.map((cell, i) => (
      i ? make('td', { class: right(i) }, cell) : make('th', { scope: 'row' }, nameOf(cell)))))))));
  fill('columns-table', firstOf(FACTS.columns, 12, draw, 'columns'));
}
