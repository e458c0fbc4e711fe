// Hands on the map: pointers, wheel and keys.

const REACH = 14; // pixels between a pointer and a row it means

// The nearest row in the direction of an arrow key.
function neighbourTowards(dx, dy) {
  if (MAP.at < 0) return nearestTo(MAP.canvas.clientWidth / 2, MAP.canvas.clientHeight / 2, Infinity);
  let best = MAP.at;
  let least = Infinity;
  for (let row = 0; row < XS.length; row += 1) {
    const [x, y] = [XS[row] - XS[MAP.at], YS[row] - YS[MAP.at]];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead > 0 && ahead >= aside && ahead + 2 * aside < least && isShown(row)) {
      least = ahead + 2 * aside;
      best = row;
    }
  }
  return best;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onKey(event) {
  const [x, y] = [MAP.canvas.clientWidth / 2, MAP.canvas.clientHeight / 2];
  if (event.key in ARROWS) {
    standAt(neighbourTowards(...ARROWS[event.key]), true);
    if (MAP.at >= 0) byId('rows-said').textContent = `Row ${NUMBERS[MAP.at]}, ${classesText(MAP.at)}`;
  } else if (event.key === '+' || event.key === '=') look(zoomed(MAP.view, 1.4, x, y));
  else if (event.key === '-') look(zoomed(MAP.view, 1 / 1.4, x, y));
  else if (event.key === 'Enter' && MAP.at >= 0) pickRow(MAP.at, true);
  else if (event.key === 'Escape') standAt(-1);
  else return;
  event.preventDefault();
}

function placeIn(event) {
  const box = MAP.canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function onMove(event) {
  const here = placeIn(event);
  const before = MAP.pointers.get(event.pointerId);
  if (!before) {
    const rests = event.movementX === 0 && event.movementY === 0; // the page moved, not it
    if (!rests || !MAP.byKey) standAt(nearestTo(here.x, here.y, REACH));
    return;
  }
  const other = [...MAP.pointers.entries()].find(([id]) => id !== event.pointerId);
  MAP.pointers.set(event.pointerId, here);
  MAP.travelled += Math.abs(here.x - before.x) + Math.abs(here.y - before.y);
  if (other) {
    const apart = (p) => Math.hypot(p.x - other[1].x, p.y - other[1].y) || 1;
    look(zoomed(MAP.view, apart(here) / apart(before), other[1].x, other[1].y));
  } else if (MAP.travelled > 4) look(moved(MAP.view, here.x - before.x, here.y - before.y));
}

function onUp(event) {
  if (!MAP.pointers.delete(event.pointerId) || MAP.travelled > 4) return;
  const { x, y } = placeIn(event);
  const row = nearestTo(x, y, event.pointerType === 'touch' ? 2 * REACH : REACH);
  if (row >= 0) pickRow(row, event.pointerType !== 'touch');
}

function listenToMap() {
  const { canvas } = MAP;
  canvas.addEventListener('pointerdown', (event) => {
    if (!MAP.pointers.size) MAP.travelled = 0;
    MAP.pointers.set(event.pointerId, placeIn(event));
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', onMove);
  canvas.addEventListener('pointerup', onUp);
  canvas.addEventListener('pointercancel', (event) => MAP.pointers.delete(event.pointerId));
  canvas.addEventListener('pointerleave', () => { if (!MAP.byKey) standAt(-1); });
  canvas.addEventListener('keydown', onKey);
  canvas.addEventListener('wheel', (event) => {
    const { x, y } = placeIn(event);
    look(zoomed(MAP.view, Math.exp(-0.0015 * event.deltaY), x, y));
    event.preventDefault();
  }, { passive: false });
  const middle = (factor) => () => look(
    zoomed(MAP.view, factor, canvas.clientWidth / 2, canvas.clientHeight / 2));
  byId('zoom-in').addEventListener('click', middle(1.6));
  byId('zoom-out').addEventListener('click', middle(1 / 1.6));
  byId('zoom-all').addEventListener('click', () => look(MAP.whole));
}
