// Which part of the plane is seen: x on screen = scale * x + left, y downwards.

function fitted(bounds, width, height, margin) {
  const wide = bounds.right - bounds.left;
  const high = bounds.bottom - bounds.top;
  const scales = [
    wide > 0 ? (width - 2 * margin) / wide : Infinity,
    high > 0 ? (height - 2 * margin) / high : Infinity,
  ];
  const scale = Number.isFinite(Math.min(...scales)) ? Math.max(Math.min(...scales), 1e-12) : 1;
  return {
    scale,
    left: width / 2 - (scale * (bounds.left + bounds.right)) / 2,
    top: height / 2 - (scale * (bounds.top + bounds.bottom)) / 2,
  };
}

function zoomed(view, factor, x, y) {
  return {
    scale: view.scale * factor,
    left: x + (view.left - x) * factor,
    top: y + (view.top - y) * factor,
  };
}

function moved(view, dx, dy) {
  return { ...view, left: view.left + dx, top: view.top + dy };
}

function boundsOf(xs, ys) {
  const bounds = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (let i = 0; i < xs.length; i += 1) {
    bounds.left = Math.min(bounds.left, xs[i]);
    bounds.right = Math.max(bounds.right, xs[i]);
    bounds.top = Math.min(bounds.top, ys[i]);
    bounds.bottom = Math.max(bounds.bottom, ys[i]);
  }
  return bounds;
}
