// What would have to be different for another class: every value of every column is
// tried, then every two of them, and so on while there are few enough. Where there are
// not, training rows of other classes show the way. It is done a little at a time, so
// that the page answers meanwhile.

const MOST_TRIALS = 3000;
const MOST_RANGES = 20;
const MOST_CHANGES = 8;
const MOST_STARTS = 20;

// A number inside each range, evenly chosen where there are many.
function numbersToTry(feature) {
  const { edges, values } = feature;
  if (!edges.length) return [];
  const below = edges[0] - Math.max(1, 0.1 * Math.abs(edges[0]));
  const inside = [below, ...edges];
  const step = Math.max(1, values.length / MOST_RANGES);
  const chosen = Array.from({ length: Math.min(values.length, MOST_RANGES) }, (_, i) => Math.floor(i * step));
  return chosen.map((code) => ({ value: inside[code], text: values[code] }));
}

const TRIALS = {
  listed: (feature) => feature.values.map((value) => ({ value, text: textOf(value) })),
  ranged: numbersToTry,
  numbers: (feature) => numbersToTry({ edges: feature.numbers.slice(1), values: feature.values }),
};

// Values that occur, a missing one too if it is a level of its own.
function valuesToTry(feature) {
  const isLevel = feature.missing < feature.n_places - 1;
  return [...TRIALS[feature.kind](feature), ...(isLevel ? [{ value: null, text: MISSING }] : [])];
}

function trialsOf(cells) {
  return CELLS_BY_RELEVANCE.flatMap((d) => {
    const own = codeOf(FEATURES[d], cells[d]);
    return valuesToTry(FEATURES[d])
      .filter(({ value }) => codeOf(FEATURES[d], value) !== own)
      .map((trial) => ({ d, ...trial }));
  });
}

// Sets of trials of different columns; trials of one column stand together.
function* setsOf(trials, size, start = 0) {
  for (let i = start; i < trials.length; i += 1) {
    if (size === 1) yield [trials[i]];
    else {
      let next = i + 1;
      while (next < trials.length && trials[next].d === trials[i].d) next += 1;
      for (const more of setsOf(trials, size - 1, next)) yield [trials[i], ...more];
    }
  }
}

// How many such sets there are.
function countSets(trials, size) {
  const sizes = new Map();
  trials.forEach(({ d }) => sizes.set(d, (sizes.get(d) || 0) + 1));
  const ways = [1, ...new Array(size).fill(0)];
  sizes.forEach((n) => {
    for (let k = size; k > 0; k -= 1) ways[k] += n * ways[k - 1];
  });
  return ways[size];
}

function withTrials(cells, set) {
  const changed = [...cells];
  set.forEach(({ d, value }) => { changed[d] = value; });
  return changed;
}

// What the model says with these values, if that is another class.
function judged(cells, set, best) {
  const answer = answerTo(withTrials(cells, set));
  return answer.best === best ? null : { set, to: answer.best, share: answer.shares[answer.best] };
}

// Training rows of other classes as sets of trials, those of fewest first.
function rowsOfOthers(cells, trials, best) {
  const { codes, shares, share_starts: starts, share_class: classes } = MEMBERS[0].memory;
  const trialOf = new Map(trials.map((trial) => [`${trial.d} ${codeOf(FEATURES[trial.d], trial.value)}`, trial]));
  const own = cells.map((cell, d) => codeOf(FEATURES[d], cell));
  const found = [];
  for (let i = 0; i < starts.length - 1; i += 1) {
    let most = starts[i];
    for (let s = most; s < starts[i + 1]; s += 1) if (shares[s] > shares[most]) most = s;
    if (classes[most] === best) continue;
    let n = 0;
    own.forEach((code, d) => { if (codes[d][i] !== code) n += 1; });
    found.push([n, i]);
  }
  return found.sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, MOST_STARTS)
    .map(([, i]) => own.map((_, d) => trialOf.get(`${d} ${codes[d][i]}`)).filter(Boolean))
    .filter((set) => set.length);
}

// The same without values that are not needed; yields to let the page answer.
function* shortened(cells, change, best) {
  let current = change;
  for (let i = 0; i < current.set.length;) {
    const fewer = judged(cells, current.set.filter((_, j) => j !== i), best);
    yield;
    if (fewer) current = fewer;
    else i += 1;
  }
  return current;
}

// Finds changes; yields after each row tried.
function* searchChanges(cells, best) {
  const all = trialsOf(cells);
  const trials = all.slice(0, MOST_TRIALS);
  const areAll = all.length === trials.length
    && CELLS_BY_RELEVANCE.every((d) => FEATURES[d].kind === 'listed' || FEATURES[d].values.length <= MOST_RANGES);
  const nColumns = new Set(trials.map(({ d }) => d)).size;
  let nTried = 0;
  for (let size = 1; size <= nColumns; size += 1) {
    if (nTried + countSets(trials, size) > MOST_TRIALS) break;
    const found = [];
    for (const set of setsOf(trials, size)) {
      const change = judged(cells, set, best);
      nTried += 1;
      if (change) found.push(change);
      yield;
    }
    if (found.length || size === nColumns) return { found, nTried, isFewest: areAll || size === 1 };
  }
  const guesses = [];
  for (const set of rowsOfOthers(cells, trials, best)) {
    const change = judged(cells, set, best);
    nTried += 1;
    yield;
    if (change) guesses.push(yield* shortened(cells, change, best));
  }
  const fewest = Math.min(...guesses.map(({ set }) => set.length));
  return { found: guesses.filter(({ set }) => set.length === fewest), nTried, isFewest: false };
}

let running = 0;

function tryChanges(cells, best, apply) {
  running += 1;
  const run = running;
  if (!FACTS.votes || FACTS.classes.length < 2) return;
  fill('changes'); // those of another row are none of this one
  const search = searchChanges([...cells], best);
  setTimeout(() => inSlices(search, () => run === running, (found) => showChanges(found, apply)), 120);
}

// Of each set of columns only the surest change.
function surestOf(found) {
  const best = new Map();
  found.forEach((change) => {
    const columns = change.set.map(({ d }) => d).join(' ');
    const before = best.get(columns);
    if (!before || change.share > before.share) best.set(columns, change);
  });
  return [...best.values()].sort((a, b) => b.share - a.share);
}

function changeLine(change, apply) {
  const texts = change.set.map(({ d, text }) => `${clipped(FEATURES[d].name, 40)}: ${clipped(text, 40)}`);
  const votes = make('span', { class: 'dim' }, ` ${percent(change.share)}`);
  return make('li', {},
    button(texts.join(', '), () => apply(change.set), { class: 'link' }),
    make('span', {}, ' gives ', classLabel(change.to), votes));
}

function changesNote({ found, nTried, isFewest }) {
  if (!found.length) return `None of the ${whole(nTried)} changed rows that were tried has another predicted class.`;
  const n = found[0].set.length;
  if (!isFewest) return `These changes are enough. Fewer may be: only ${whole(nTried)} changed rows were tried.`;
  return n === 1 ? 'One change of value is enough.' : `It takes ${n} changes of values; fewer are not enough.`;
}

function showChanges(result, apply) {
  const changes = surestOf(result.found);
  const lines = changes.slice(0, MOST_CHANGES).map((change) => changeLine(change, apply));
  const rest = changes.length - lines.length;
  fill('changes',
    make('h3', {}, 'What would change the prediction'),
    make('p', { class: 'note' }, changesNote(result)),
    lines.length ? make('ul', { class: 'changes' }, ...lines) : null,
    rest > 0 ? make('p', { class: 'note' }, `And ${whole(rest)} more.`) : null);
}
