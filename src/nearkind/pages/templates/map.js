// The rows as dots on a canvas: tens of thousands are too many for elements.

const MAP = {
  canvas: byId('rows-map'),
  view: null,
  whole: null,
  hidden: new Set(),
  onlyWrong: false,
  at: -1, // row under the pointer, or where arrow keys stand
  byKey: false,
  picked: -1,
  pointers: new Map(),
  travelled: 0,
};
const NUMBERS = FACTS.rows.numbers;
const XS = NUMBERS.length ? Float32Array.from(NUMBERS, (_, i) => FACTS.rows.places[2 * i]) : [];
const YS = NUMBERS.length ? Float32Array.from(NUMBERS, (_, i) => -FACTS.rows.places[2 * i + 1]) : [];
const BOUNDS = boundsOf(XS, YS);
const MARGIN = 28;
const MOST_RINGS = 400; // more would hide what they mark
const HAS_TRUTH = FACTS.rows.true.some((c) => c > 0);
const HAS_SAID = FACTS.rows.said.some((c) => c > 0);

function classOfRow(row) {
  return (HAS_TRUTH ? FACTS.rows.true[row] : FACTS.rows.said[row]) - 1;
}

function isWrong(row) {
  const [truth, said] = [FACTS.rows.true[row], FACTS.rows.said[row]];
  return truth > 0 && said > 0 && truth !== said;
}

const N_WRONG = NUMBERS.reduce((n, _, row) => n + isWrong(row), 0);
const RINGS = N_WRONG > 0 && N_WRONG <= MOST_RINGS;

function isShown(row) {
  return !MAP.hidden.has(classOfRow(row)) && (!MAP.onlyWrong || isWrong(row));
}

function dotSize() {
  return NUMBERS.length > 5000 ? 1.6 : NUMBERS.length > 800 ? 2.6 : 4;
}

function drawMap() {
  const { canvas, view } = MAP;
  const ratio = window.devicePixelRatio || 1;
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, canvas.width / ratio, canvas.height / ratio);
  drawDots(pen, view);
  [[MAP.picked, 9, 2.5], [MAP.at, 7, 1.5]].forEach(([row, radius, line]) => {
    if (row < 0) return;
    pen.strokeStyle = inkOf('--ink');
    pen.lineWidth = line;
    circle(pen, row, radius);
    pen.stroke();
  });
}

function circle(pen, row, radius) {
  const { scale, left, top } = MAP.view;
  pen.beginPath();
  pen.arc(scale * XS[row] + left, scale * YS[row] + top, radius, 0, 2 * Math.PI);
}

function drawDots(pen, { scale, left, top }) {
  const size = dotSize();
  pen.globalAlpha = 0.75;
  let colour = null;
  for (let row = 0; row < XS.length; row += 1) {
    if (!isShown(row)) continue;
    const own = TARGET ? colourOfNumber(row) : classOfRow(row);
    if (own !== colour) {
      colour = own;
      pen.fillStyle = TARGET ? own : colourOf(own);
    }
    const [x, y] = [scale * XS[row] + left, scale * YS[row] + top];
    if (size < 2) pen.fillRect(x - size, y - size, 2 * size, 2 * size);
    else {
      pen.beginPath();
      pen.arc(x, y, size, 0, 2 * Math.PI);
      pen.fill();
    }
  }
  pen.globalAlpha = 1;
  if (!RINGS) return;
  pen.strokeStyle = inkOf('--ink');
  pen.lineWidth = 1;
  for (let row = 0; row < XS.length; row += 1) {
    if (!isWrong(row) || !isShown(row)) continue;
    circle(pen, row, size + 1.5);
    pen.stroke();
  }
}

let drawing = 0;
function redraw() {
  if (drawing) return;
  drawing = requestAnimationFrame(() => {
    drawing = 0;
    drawMap();
  });
}

// As high as the rows need, for both axes have one scale.
function heightFor(width) {
  const { left, right, top, bottom } = BOUNDS;
  const wanted = right > left ? (width * (bottom - top)) / (right - left) + 2 * MARGIN : width / 2;
  return Math.round(Math.min(Math.max(wanted, 240), 560, 0.75 * window.innerHeight));
}

function resizeMap() {
  const { canvas } = MAP;
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  if (!width) return;
  const height = heightFor(width);
  canvas.style.height = `${height}px`;
  const isWhole = MAP.view === null || MAP.view === MAP.whole;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  MAP.whole = fitted(BOUNDS, width, height, MARGIN);
  if (isWhole) MAP.view = MAP.whole;
  drawMap();
}

function look(view) {
  const { scale } = MAP.whole;
  if (view.scale < 0.5 * scale || view.scale > 2000 * scale) return;
  MAP.view = view;
  hideTip();
  redraw();
}

function nearestTo(x, y, reach) {
  const { scale, left, top } = MAP.view;
  let best = -1;
  let least = reach * reach;
  for (let row = 0; row < XS.length; row += 1) {
    const [dx, dy] = [scale * XS[row] + left - x, scale * YS[row] + top - y];
    const d2 = dx * dx + dy * dy;
    if (d2 < least && isShown(row)) {
      least = d2;
      best = row;
    }
  }
  return best;
}

function startMap() {
  byId('rows-lead').textContent = mapLead();
  showLegend();
  listenToMap();
  new ResizeObserver(resizeMap).observe(MAP.canvas);
  resizeMap();
  onTheme.push(redraw);
}
