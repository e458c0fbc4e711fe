// Classes by name and colour.

// Of middle lightness, so that they stand out on light and dark alike.
const COLOURS = [
  '#3b7dd8', '#d9641e', '#1c9a6c', '#c2559d', '#a67c00',
  '#7a68d6', '#1f94ad', '#c8453f', '#6b8e23', '#8d6e63',
];

// The most frequent classes have the colours that are easiest to tell apart.
const COLOUR_RANK = [...FACTS.class_counts.keys()]
  .sort((a, b) => FACTS.class_counts[b] - FACTS.class_counts[a] || a - b)
  .reduce((ranks, number, rank) => ranks.set(number, rank), new Map());

function colourOf(number) {
  const rank = COLOUR_RANK.get(number);
  if (rank === undefined) return '#7d848c';
  if (rank < COLOURS.length) return COLOURS[rank];
  return `hsl(${Math.round(137.5 * rank) % 360}, 40%, 50%)`;
}

function className(number) {
  if (number < 0) return 'no class';
  return number < FACTS.classes.length ? FACTS.classes[number] : 'a class the model does not know';
}

function swatch(number) {
  const mark = make('span', { class: 'swatch', 'aria-hidden': 'true' });
  mark.style.backgroundColor = colourOf(number);
  return mark;
}

function classLabel(number) {
  return make('span', { class: 'class' }, swatch(number), make('span', {}, className(number)));
}
