// Distances from a row to many others, each kind from its own tables.
//
// A row is a list of codes; others are given column by column. Every maker below takes
// the tables of a distance and the columns' numbers of places, and returns
// distances(codes, columns, n, sizes).

function startsOf(lengths) {
  const starts = [0];
  lengths.forEach((length) => starts.push(starts[starts.length - 1] + length));
  return starts;
}

function addUp(table, starts, widths, codes, columns, n) {
  const sums = new Float64Array(n);
  codes.forEach((code, d) => {
    const column = columns[d];
    const start = starts[d] + code * widths[d];
    for (let i = 0; i < n; i += 1) sums[i] += table[start + column[i]];
  });
  return sums;
}

const NO_SIMILARITY = 1e-12;
const FINISHES = {
  plain: (x) => x,
  complement: (s) => Math.max(1 - s, 0),
  reciprocal: (s) => (s > NO_SIMILARITY ? Math.max(1 / s - 1, 0) : Infinity),
  shifted: (s) => 1 / (1 + s),
};

function bySums(tables, widths) {
  const starts = startsOf(widths.map((width) => width * width));
  const finish = FINISHES[tables.finish];
  return (codes, columns, n) => addUp(tables.above, starts, widths, codes, columns, n).map(finish);
}

function byRatios(tables, widths) {
  const starts = startsOf(widths.map((width) => width * width));
  const finish = FINISHES[tables.finish];
  return (codes, columns, n) => {
    const above = addUp(tables.above, starts, widths, codes, columns, n);
    const below = addUp(tables.below, starts, widths, codes, columns, n);
    return above.map((x, i) => finish(below[i] === 0 ? 1 : x / below[i]));
  };
}

function byMismatches({ weights }) {
  return (codes, columns, n) => {
    const differing = new Float64Array(n);
    codes.forEach((code, d) => {
      const column = columns[d];
      for (let i = 0; i < n; i += 1) if (column[i] !== code) differing[i] += weights[d];
    });
    return differing;
  };
}

const ROUNDING = 1e-12;

// d = sum of w_r D_r / sum of w_r; D_r adds, over the columns l related to r, how often
// two rows share the values of r and l, where these two rows differ in either.
function byDependence(tables) {
  const { left, right, offsets, widths, chances, dependence, differing, equal } = tables;
  function between(codes, columns, i) {
    let apart = 0;
    let whole = 0;
    let weights = 0;
    const weight = codes.map((code, r) => (code === columns[r][i] ? equal[r] : differing[r]));
    weight.forEach((w) => { weights += w; });
    for (let p = 0; p < left.length; p += 1) {
      const [l, r] = [left[p], right[p]];
      const [a, b] = [columns[l][i], columns[r][i]];
      const here = chances[offsets[p] + codes[l] * widths[p] + codes[r]];
      const there = chances[offsets[p] + a * widths[p] + b];
      const both = dependence[p] * (here + there) * (weight[l] + (l === r ? 0 : weight[r]));
      whole += both;
      if (codes[l] !== a || codes[r] !== b) apart += both;
    }
    return apart < ROUNDING * whole ? 0 : apart / (weights > 1e-15 ? weights : 1);
  }
  return (codes, columns, n) => Float64Array.from({ length: n }, (_, i) => between(codes, columns, i));
}

// A bit of a row is the sign of the sum of its values' numbers.
function byBits(tables, widths) {
  const { vectors, size } = tables;
  const starts = startsOf(widths);
  function bitsOf(codes) {
    const sums = new Float64Array(size);
    codes.forEach((code, d) => {
      const at = (starts[d] + code) * size;
      for (let q = 0; q < size; q += 1) sums[q] += vectors[at + q];
    });
    return sums.map((sum) => (sum >= 0 ? 1 : 0));
  }
  return (codes, columns, n) => {
    const here = bitsOf(codes);
    return Float64Array.from({ length: n }, (_, i) => {
      const there = bitsOf(columns.map((column) => column[i]));
      return here.filter((bit, q) => bit !== there[q]).length / size;
    });
  };
}

const SMALL = 1e-6;

// A row's vector is the sum of those of its values, so its product with another row is
// a sum of products with single values: one short table, then a lookup a cell.
function byVectors(tables, widths) {
  const { vectors, size } = tables;
  const starts = startsOf(widths);

  function vectorOf(codes) {
    const u = new Float64Array(size);
    codes.forEach((code, d) => addVector(u, starts[d] + code, 1));
    return u;
  }
  function addVector(u, place, sign) {
    const at = place * size;
    for (let q = 0; q < size; q += 1) u[q] += sign * vectors[at + q];
  }
  function stepsOf(codes, columns, i) {
    const u = new Float64Array(size);
    codes.forEach((code, d) => {
      if (code === columns[d][i]) return; // so that equal rows are at zero exactly
      addVector(u, starts[d] + code, 1);
      addVector(u, starts[d] + columns[d][i], -1);
    });
    return u;
  }
  function productsWith(u) {
    const products = new Float64Array(vectors.length / size);
    for (let place = 0; place < products.length; place += 1) {
      let sum = 0;
      for (let q = 0, at = place * size; q < size; q += 1) sum += u[q] * vectors[at + q];
      products[place] = sum;
    }
    return products;
  }
  function sizesOf(columns, n) {
    return Float64Array.from({ length: n }, (_, i) => square(vectorOf(columns.map((c) => c[i]))));
  }

  function distances(codes, columns, n, known) {
    const u = vectorOf(codes);
    const own = square(u);
    const flat = new Array(widths.length).fill(0);
    const products = addUp(productsWith(u), starts, flat, codes, columns, n);
    const sizes = known || sizesOf(columns, n);
    for (let i = 0; i < n; i += 1) {
      let d2 = sizes[i] + own - 2 * products[i];
      // What rounding may have eaten is computed anew from differences.
      if (d2 <= SMALL * (own + sizes[i])) d2 = square(stepsOf(codes, columns, i));
      products[i] = Math.sqrt(d2);
    }
    return products;
  }
  function contributions(codes, others) {
    const whole = stepsOf(codes, others.map((code) => [code]), 0);
    return codes.map((code, d) => {
      if (code === others[d]) return 0;
      const step = new Float64Array(size);
      addVector(step, starts[d] + code, 1);
      addVector(step, starts[d] + others[d], -1);
      return step.reduce((sum, x, q) => sum + x * whole[q], 0);
    });
  }
  return Object.assign(distances, { contributions, sizesOf });
}

function square(u) {
  let sum = 0;
  for (let q = 0; q < u.length; q += 1) sum += u[q] * u[q];
  return sum;
}

// A row is the sum of the histograms of its values; rows are compared by chi-square.
function byHistograms({ vectors, size }, widths) {
  const starts = startsOf(widths);

  function histogramOf(codeOfColumn) {
    const u = new Float64Array(size);
    widths.forEach((_, d) => {
      const at = (starts[d] + codeOfColumn(d)) * size;
      for (let q = 0; q < size; q += 1) u[q] += vectors[at + q];
    });
    return u;
  }
  return (codes, columns, n) => {
    const u = histogramOf((d) => codes[d]);
    return Float64Array.from({ length: n }, (_, i) => {
      const v = histogramOf((d) => columns[d][i]);
      let sum = 0;
      u.forEach((x, q) => { if (x !== v[q]) sum += ((x - v[q]) ** 2) / (x + v[q]); });
      return Math.sqrt(0.5 * sum);
    });
  };
}

// A weighted mean over columns; missing cells, NaN, leave their column out.
function byMixed(tables, widths) {
  const starts = startsOf(widths);
  const limit = tables.limit === null ? Infinity : tables.limit;
  // A number between two of fit has a code between theirs.
  function between(table, d, code) {
    const at = starts[d] + Math.floor(code);
    const part = code % 1;
    return part ? (1 - part) * table[at] + part * table[at + 1] : table[at];
  }
  // Adds weight * difference and weight of one column.
  function part(d, code, other) {
    const [x, y] = [code, other].map((each) => between(tables.starts, d, each));
    if (Number.isNaN(x) || Number.isNaN(y)) return [0, 0];
    if (tables.asymmetric[d] && x === 0 && y === 0) return [0, 0];
    const [xEnd, yEnd] = [code, other].map((each) => between(tables.ends, d, each));
    const apart = tables.nominal[d] ? Number(x !== y)
      : Math.min(xEnd === x && yEnd === y ? Math.abs(x - y) : Math.max(x - yEnd, y - xEnd, 0), limit);
    return [tables.weights[d] * tables.scales[d] * apart, tables.weights[d]];
  }
  function distances(codes, columns, n) {
    const total = new Float64Array(n);
    const known = new Float64Array(n);
    codes.forEach((code, d) => {
      const parts = Array.from({ length: widths[d] }, (_, other) => part(d, code, other));
      const column = columns[d];
      for (let i = 0; i < n; i += 1) {
        const [apart, weight] = parts[column[i]] || part(d, code, column[i]);
        total[i] += apart;
        known[i] += weight;
      }
    });
    return total.map((apart, i) => {
      if (known[i]) return apart / known[i];
      return codes.every((code, d) => code === columns[d][i]) ? 0 : 1;
    });
  }
  function parts(codes, others) {
    const each = codes.map((code, d) => part(d, code, others[d]));
    const known = each.reduce((sum, [, weight]) => sum + weight, 0) || 1;
    return each.map(([apart]) => apart / known);
  }
  return Object.assign(distances, { parts });
}

// The share of the trees in which two rows reach different leaves. A row shares the leaf
// of another if it goes the same way at every node on that one's path.
function byLeaves(tables) {
  const { coding, starts, roots, columns: looks, thresholds, left, right, owners, widths, drawn } = tables;
  const nTrees = roots.length;
  const numberOf = (look, code) => coding[starts[look] + code * widths[look]];

  function pathOf(codes, root) {
    const path = [];
    for (let node = root; left[node] !== node;) {
      const look = looks[node];
      const isLeft = numberOf(look, codes[owners[look]]) <= thresholds[node];
      path.push({ look, d: owners[look], threshold: thresholds[node], isLeft });
      node = isLeft ? left[node] : right[node];
    }
    return path;
  }
  // Calls back with each tree and the rows that share the leaf of a row in it.
  function visitShared(codes, columns, n, visit) {
    roots.forEach((root, t) => {
      const path = pathOf(codes, root);
      const shared = [];
      for (let i = 0; i < n; i += 1) {
        if (path.every(({ look, d, threshold, isLeft }) => (numberOf(look, columns[d][i]) <= threshold) === isLeft)) {
          shared.push(i);
        }
      }
      visit(t, shared);
    });
  }
  function distances(codes, columns, n) {
    const found = new Float64Array(n).fill(nTrees);
    visitShared(codes, columns, n, (_, shared) => shared.forEach((i) => { found[i] -= 1; }));
    return found.map((different) => different / nTrees);
  }
  // Votes in each tree in proportion to how often it drew a row.
  function votes(codes, columns, counts) {
    const found = new Float64Array(counts.length);
    visitShared(codes, columns, counts.length, (t, shared) => {
      const parts = shared.map((i) => drawn[i * nTrees + t] * counts[i]);
      const total = parts.reduce((sum, part) => sum + part, 0);
      if (total) shared.forEach((i, at) => { found[i] += parts[at] / total; });
    });
    return found.some((vote) => vote > 0) ? found : Float64Array.from(counts);
  }
  return Object.assign(distances, { votes });
}

const MAKERS = {
  leaves: byLeaves,
  mixed: byMixed,
  vectors: byVectors,
  histograms: byHistograms,
  sums: bySums,
  ratios: byRatios,
  mismatches: byMismatches,
  bits: byBits,
  dependent: byDependence,
};

// What the distance loses if the other row had this one's value.
function lossesOf(distances, codes, others) {
  const columns = others.map((code, d) => [code, ...codes.map((own, e) => (d === e ? own : code))]);
  const found = distances(codes, columns, codes.length + 1);
  return codes.map((_, d) => found[0] - found[d + 1] || 0);
}
