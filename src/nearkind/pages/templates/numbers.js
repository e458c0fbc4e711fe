// Predicted against true numbers, and residuals by the values of columns.

const TARGET = FACTS.numbers;
const HAS_NUMBERS = TARGET !== null && TARGET.true.some((x) => Number.isFinite(x));

// Share of the rows with a lower number: from blue to red.
const RANKS = TARGET === null ? [] : ranksOf(HAS_NUMBERS ? TARGET.true : TARGET.said);

function ranksOf(numbers) {
  const order = Array.from(numbers, (_, i) => i).filter((i) => Number.isFinite(numbers[i]))
    .sort((a, b) => numbers[a] - numbers[b]);
  const found = new Float64Array(numbers.length).fill(NaN);
  order.forEach((row, i) => { found[row] = i / (order.length - 1 || 1); });
  return found;
}

function colourOfNumber(row) {
  return Number.isNaN(RANKS[row]) ? '#7d848c' : `hsl(${Math.round(235 - 230 * RANKS[row])}, 65%, 52%)`;
}

function numberText(x) {
  return Number.isFinite(x) ? Number(x.toPrecision(5)).toLocaleString('en-US', { maximumFractionDigits: 6 }) : 'not known';
}

function drawNumbers() {
  const { true: truth, said } = TARGET;
  const width = Math.min(byId('numbers-plot').clientWidth || 640, 720);
  const [height, left, bottom] = [0.7 * width, 64, 40];
  const rows = Array.from(truth, (_, i) => i).filter((i) => Number.isFinite(truth[i]));
  const step = Math.max(1, Math.ceil(rows.length / 2000));
  const all = rows.flatMap((i) => [truth[i], said[i]]);
  const low = all.reduce((a, b) => Math.min(a, b));
  const wide = all.reduce((a, b) => Math.max(a, b)) - low || 1;
  const x = (value) => left + ((width - left - 12) * (value - low)) / wide;
  const y = (value) => height - bottom - ((height - bottom - 12) * (value - low)) / wide;
  const text = (content, at, more = {}) => makeSvg('text', { ...at, ...more }, content);
  const picture = makeSvg('svg', {
    viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Predicted against true values; on the line both are equal.',
  }, makeSvg('line', { x1: x(low), y1: y(low), x2: x(low + wide), y2: y(low + wide), stroke: 'currentColor', 'stroke-opacity': 0.4 }));
  rows.filter((_, i) => i % step === 0).forEach((i) => {
    const dot = makeSvg('circle', { cx: x(truth[i]), cy: y(said[i]), r: 3.5, fill: colourOfNumber(i), 'fill-opacity': 0.7 },
      makeSvg('title', {}, `Row ${NUMBERS[i]}: true ${numberText(truth[i])}, predicted ${numberText(said[i])}`));
    dot.addEventListener('click', () => pickRow(i, true));
    picture.append(dot);
  });
  [low, low + wide].forEach((value, i) => {
    picture.append(text(numberText(value), { x: x(value), y: height - 22 }, { 'text-anchor': i ? 'end' : 'start' }));
    picture.append(text(numberText(value), { x: left - 8, y: y(value) + (i ? 8 : 0) }, { 'text-anchor': 'end' }));
  });
  picture.append(text('True value', { x: (left + width) / 2, y: height - 6 }, { 'text-anchor': 'middle' }));
  picture.append(text('Predicted', { x: 8, y: height / 2 }));
  fill('numbers-plot', picture);
}

function showResiduals(column) {
  const items = column.parts.map(([name, rows, mean]) => ({
    name: make('span', {}, clipped(name, 40), make('span', { class: 'dim' }, ` ${rowsText(rows)}`)),
    value: mean,
    text: `${mean < 0 ? '−' : '+'}${numberText(Math.abs(mean))}`,
  }));
  fill('residuals', bars('Mean residual of each value', ['Value', 'Mean residual'], items, 'long-names'));
}

function showNumbers() {
  if (!HAS_NUMBERS) {
    byId('errors').remove();
    return;
  }
  const choose = byId('residuals-column');
  choose.append(...TARGET.residuals.map(({ column }, i) => make('option', { value: i }, clipped(column, 60))));
  choose.addEventListener('change', () => showResiduals(TARGET.residuals[Number(choose.value)]));
  if (TARGET.residuals.length) showResiduals(TARGET.residuals[0]);
  new ResizeObserver(drawNumbers).observe(byId('numbers-plot'));
}
