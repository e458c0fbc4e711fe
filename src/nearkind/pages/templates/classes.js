// Classes by name and colour.

// Of middle lightness, so that they stand out on light and dark alike.
const COLOURS = [
  '#3b7dd8', '#d9641e', '#1c9a6c', '#c2559d', '#a67c00',
  '#7a68d6', '#1f94ad', '#c8453f', '#6b8e23', '#8d6e63',
];

// By the order of the model's classes: a class has one colour on all pages of a model.
function colourOf(number) {
  if (number < 0) return '#7d848c';
  if (number < COLOURS.length) return COLOURS[number];
  return `hsl(${Math.round(137.5 * number) % 360}, 40%, 50%)`;
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
