// The values of a column as dots with their names.

const PLOT = { width: 640, least: 170, most: 420, margin: 46 };
const TEXT = document.createElement('canvas').getContext('2d');

function textWidth(text) {
  TEXT.font = `12.5px ${getComputedStyle(document.body).fontFamily}`;
  return TEXT.measureText(text).width + 3;
}

// Labels stand beside their dots, or above or below; those that would cover another dot
// or label are left out.
function placeLabels(dots) {
  const taken = dots.map(({ px, py, radius }) => ({
    left: px - radius, right: px + radius, top: py - radius, bottom: py + radius,
  }));
  const free = (box) => taken.every((other) => (
    box.right < other.left || other.right < box.left || box.bottom < other.top || other.bottom < box.top));
  return dots.map((dot) => {
    const width = textWidth(clipped(dot.text));
    const away = dot.radius + 4;
    const sides = [
      { anchor: 'start', x: dot.px + away, y: dot.py, left: dot.px + away },
      { anchor: 'end', x: dot.px - away, y: dot.py, left: dot.px - away - width },
      { anchor: 'middle', x: dot.px, y: dot.py - away - 7, left: dot.px - width / 2 },
      { anchor: 'middle', x: dot.px, y: dot.py + away + 7, left: dot.px - width / 2 },
    ];
    const fits = sides.find(({ left, y }) => {
      const box = { left, right: left + width, top: y - 7, bottom: y + 7 };
      const inside = left >= 2 && box.right <= PLOT.width - 2;
      if (!inside || !free(box)) return false;
      taken.push(box);
      return true;
    });
    return fits ? { dot, ...fits } : null;
  }).filter((label) => label !== null);
}

function scaled(values) {
  const xs = values.map((v) => v.x);
  const ys = values.map((v) => v.y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const room = { x: PLOT.width - Math.min(4 * PLOT.margin, PLOT.width / 3), y: PLOT.most - 2 * PLOT.margin };
  const scale = Math.min(wide ? room.x / wide : Infinity, high ? room.y / high : Infinity);
  const unit = Number.isFinite(scale) ? scale : 0;
  const height = Math.max(PLOT.least, unit * high + 2 * PLOT.margin);
  const most = Math.max(...values.map((v) => v.rows), 1);
  const dots = values.map((v) => ({
    ...v,
    px: PLOT.width / 2 + unit * (v.x - left - wide / 2),
    py: height / 2 - unit * (v.y - top - high / 2),
    radius: 3.5 + 12 * Math.sqrt(v.rows / most),
  }));
  return { dots, height };
}

function drawValues(d, values) {
  PLOT.width = Math.min(byId('values-map').clientWidth || 640, 720);
  const { dots, height } = scaled(values);
  const picture = makeSvg('svg', {
    viewBox: `0 0 ${PLOT.width} ${height.toFixed(1)}`,
    role: 'img',
    'aria-label': `Values of ${FEATURES[d].name}; the table beside says what is near to what.`,
  });
  dots.forEach((dot) => picture.append(makeSvg('circle', {
    cx: dot.px, cy: dot.py, r: dot.radius, fill: dot.colour, 'fill-opacity': 0.75,
  }, makeSvg('title', {}, `${dot.text}, ${someRows(dot.rows)}`))));
  placeLabels(dots).forEach(({ dot, anchor, x, y }) => picture.append(makeSvg('text', {
    x, y: y + 4.5, 'text-anchor': anchor,
  }, clipped(dot.text))));
  return picture;
}
