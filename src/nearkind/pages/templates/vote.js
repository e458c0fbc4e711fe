// Who votes and how, as nearkind.neighbors and CPMLClassifier have it.

const TIE = 1e-7;
const ENOUGH = 1 - 1e-9;
const SAME_SHARE = 1e-9;

function largestFinite(distances) {
  let largest = 0;
  for (let i = 0; i < distances.length; i += 1) {
    if (distances[i] > largest && distances[i] < Infinity) largest = distances[i];
  }
  return largest;
}

// The distance at which the counts first add up to k: a short sorted list of the
// nearest so far, from whose end all that are not needed drop off.
function kth(distances, counts, k) {
  const near = [];
  let total = 0;
  for (let i = 0; i < distances.length; i += 1) {
    const full = total >= k * ENOUGH;
    if (full && distances[i] >= distances[near[near.length - 1]]) continue;
    let at = near.length;
    while (at > 0 && distances[near[at - 1]] > distances[i]) at -= 1;
    near.splice(at, 0, i);
    total += counts[i];
    while (near.length > 1 && total - counts[near[near.length - 1]] >= k * ENOUGH) {
      total -= counts[near.pop()];
    }
  }
  return distances[near[near.length - 1]];
}

// Cells within reach, with their votes, which add up to k; those tied at the k-th
// distance share what is left.
function within(distances, counts, k) {
  const tie = TIE * largestFinite(distances);
  const last = kth(distances, counts, k);
  const cells = [];
  let nearer = 0;
  let tied = 0;
  for (let i = 0; i < distances.length; i += 1) {
    if (!(distances[i] <= last + tie)) continue;
    const isTied = distances[i] >= last - tie;
    if (isTied) tied += counts[i];
    else nearer += counts[i];
    cells.push({ cell: i, distance: distances[i], votes: counts[i], isTied });
  }
  const share = (k - nearer) / tied;
  cells.forEach((each) => { if (each.isTied) each.votes *= share; });
  return { cells, tie, distances };
}

const WEIGHTS = {
  uniform: (cells) => cells.map((each) => each.votes),
  // An infinite weight drowns all others; where none has a weight they vote alike.
  distance(cells) {
    const anyAtZero = cells.some((each) => each.distance === 0);
    if (anyAtZero) return cells.map((each) => (each.distance === 0 ? each.votes : 0));
    const votes = cells.map((each) => each.votes / each.distance);
    return votes.some((vote) => vote > 0) ? votes : cells.map((each) => each.votes);
  },
};

// Soft votes of all rows: each by how far its squared distance is beyond the least.
function softVotes(distances, counts, temperature) {
  const nearest = distances.reduce((least, d) => Math.min(least, d), Infinity);
  if (nearest === Infinity) return Float64Array.from(counts);
  return Float64Array.from(counts, (count, i) => {
    const beyond = (distances[i] - nearest) * (distances[i] + nearest);
    return count * Math.exp(-beyond / temperature);
  });
}

// The vote of every cell, zero for those that do not vote.
function votesOf(member, { cells, distances, codes, columns }) {
  if (member.weights === 'leaves') {
    return member.distances.votes(codes, columns, member.memory.counts);
  }
  if (member.weights === 'soft') {
    return softVotes(distances, member.memory.counts, member.temperature);
  }
  const votes = new Float64Array(distances.length);
  WEIGHTS[member.weights](cells).forEach((vote, i) => { votes[cells[i].cell] = vote; });
  return votes;
}

function tally(member, found) {
  const { memory } = member;
  const shares = new Float64Array(FACTS.classes.length);
  const votes = votesOf(member, found);
  let total = 0;
  found.votes = votes;
  votes.forEach((vote, cell) => {
    if (!vote) return;
    total += vote;
    for (let s = memory.share_starts[cell]; s < memory.share_starts[cell + 1]; s += 1) {
      shares[memory.share_class[s]] += vote * memory.shares[s];
    }
  });
  found.total = total;
  return shares.map((share) => share / total);
}

// From shares of votes to probabilities, as rows held out were right by them.
function calibrated(shares) {
  if (!FACTS.calibration) return shares;
  const { sharpness, prior_share: part, prior } = FACTS.calibration;
  const most = Math.max(...shares);
  const sharp = shares.map((share) => (share / most) ** sharpness);
  const total = sharp.reduce((sum, share) => sum + share, 0);
  return sharp.map((share, c) => ((1 - part) * share) / total + part * prior[c]);
}

function memberOf(facts) {
  const features = COLUMNS[facts.features];
  const memory = FACTS.memories[facts.memory];
  const distances = MAKERS[facts.distance.kind](facts.distance, features.map((f) => f.n_places));
  const n = memory.counts.length;
  const k = Math.min(facts.k, memory.counts.reduce((sum, count) => sum + count, 0));
  return {
    features,
    memory,
    weights: facts.weights,
    temperature: facts.temperature,
    k,
    distances,
    part: facts.part,
    near: (codes, columns = memory.codes, sizes = facts.distance.sizes) => (
      { ...within(distances(codes, columns, n, sizes), memory.counts, k), codes, columns }),
  };
}

const MEMBERS = FACTS.members.map(memberOf);

function codesOf(member, cells) {
  return codesOfCells(member.features, cells);
}

// What all members together say of a row of cells, and what each found; the first one
// explains.
function answerTo(cells) {
  const shares = new Float64Array(FACTS.classes.length);
  const founds = MEMBERS.map((member) => {
    const found = member.near(codesOf(member, cells));
    tally(member, found).forEach((share, c) => { shares[c] += share * member.part; });
    return found;
  });
  const chances = calibrated(shares);
  return { shares: chances, best: bestOf(weighed(chances)), near: founds[0], founds };
}

// Probabilities of which the largest says the class.
function weighed(chances) {
  if (!FACTS.class_factors) return chances;
  const scaled = chances.map((chance, c) => chance * FACTS.class_factors[c]);
  const total = scaled.reduce((sum, each) => sum + each, 0);
  return scaled.map((each) => each / total);
}

// The first of those tied, as in Python.
function bestOf(shares) {
  const most = Math.max(...shares);
  return shares.findIndex((share) => share >= most - SAME_SHARE);
}

// By distance, tied ones by the number of their first row.
function ranked({ cells, tie }) {
  const { row_starts: starts, rows } = MEMBERS[0].memory;
  const sorted = [...cells].sort((a, b) => a.distance - b.distance);
  let rank = 0;
  sorted.forEach((each, i) => {
    if (i && each.distance - sorted[i - 1].distance > tie) rank += 1;
    each.rank = rank;
  });
  return sorted.sort((a, b) => a.rank - b.rank || rows[starts[a.cell]] - rows[starts[b.cell]]);
}

// The cell of each training row that is listed.
const cellsOfRows = new Map();
function cellOfRow(memory) {
  if (!cellsOfRows.has(memory)) {
    const found = new Map();
    for (let cell = 0; cell < memory.counts.length; cell += 1) {
      for (let r = memory.row_starts[cell]; r < memory.row_starts[cell + 1]; r += 1) found.set(memory.rows[r], cell);
    }
    cellsOfRows.set(memory, found);
  }
  return cellsOfRows.get(memory);
}

// The share of a member's votes that the rows of a cell of the first member have.
function voteOfCell(member, { votes, total }, cell) {
  const { memory } = MEMBERS[0];
  if (member.memory === memory) return votes[cell] / total;
  const others = [...memory.rows.subarray(memory.row_starts[cell], memory.row_starts[cell + 1])]
    .map((row) => cellOfRow(member.memory).get(row)).filter((other) => other !== undefined);
  const each = others.reduce((sum, other) => sum + votes[other] / member.memory.row_counts[other], 0);
  return (memory.row_counts[cell] * each) / total / (others.length || 1);
}

const MOST_DECIDING = 200;

// Training rows with the largest votes of all members, those tied by distance.
function decidingCells({ founds, near }) {
  const tied = new Map(near.cells.map((each) => [each.cell, each]));
  const found = Array.from(near.distances, (distance, cell) => ({
    cell,
    distance,
    isTied: tied.has(cell) && tied.get(cell).isTied,
    weight: MEMBERS.reduce((sum, member, m) => sum + member.part * voteOfCell(member, founds[m], cell), 0),
  })).filter(({ weight }) => weight > 0);
  const rounded = (x) => Math.round(x * 1e12);
  const cells = ranked({ cells: found, tie: near.tie });
  return cells.map((each, rank) => ({ ...each, rank }))
    .sort((a, b) => rounded(b.weight) - rounded(a.weight) || a.rank - b.rank).slice(0, MOST_DECIDING);
}

function contributionsBetween(codes, others) {
  const { distances } = MEMBERS[0];
  if (distances.parts) return distances.parts(codes, others);
  return distances.contributions
    ? distances.contributions(codes, others)
    : lossesOf(distances, codes, others);
}

function codesOfCell(cell) {
  return MEMBERS[0].memory.codes.map((column) => column[cell]);
}
