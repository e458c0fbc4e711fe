// Which change of a single value would change the class. Every value of every column is
// tried, a little at a time, so that the page answers meanwhile.

const MOST_TRIALS = 3000;
const MOST_RANGES = 20;
const MOST_CHANGES = 8;
const SLICE = 12; // milliseconds

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
};

function trialsOf(cells) {
  return CELLS_BY_RELEVANCE.flatMap((d) => {
    const own = codeOf(FEATURES[d], cells[d]);
    return TRIALS[FEATURES[d].kind](FEATURES[d])
      .filter(({ value }) => codeOf(FEATURES[d], value) !== own)
      .map((trial) => ({ d, ...trial }));
  });
}

let running = 0;

function tryChanges(cells, best, apply) {
  running += 1;
  const run = running;
  if (!FACTS.votes || FACTS.classes.length < 2) return;
  const trials = trialsOf(cells).slice(0, MOST_TRIALS);
  const found = [];
  let next = 0;
  const work = () => {
    if (run !== running) return;
    const end = performance.now() + SLICE;
    while (next < trials.length && performance.now() < end) {
      const trial = trials[next];
      const answer = answerTo(cells.map((cell, d) => (d === trial.d ? trial.value : cell)));
      if (answer.best !== best) found.push({ ...trial, to: answer.best, share: answer.shares[answer.best] });
      next += 1;
    }
    if (next < trials.length) setTimeout(work, 0);
    else showChanges(found, trials.length, apply);
  };
  setTimeout(work, 120); // not while somebody types
}

// Of each column only the surest change.
function surestOf(found) {
  const best = new Map();
  found.forEach((change) => {
    const before = best.get(change.d);
    if (!before || change.share > before.share) best.set(change.d, change);
  });
  return [...best.values()].sort((a, b) => b.share - a.share);
}

function changeLine(change, apply) {
  const text = `${clipped(FEATURES[change.d].name, 40)}: ${clipped(change.text, 40)}`;
  const votes = make('span', { class: 'dim' }, ` ${percent(change.share)} of the votes`);
  return make('li', {},
    button(text, () => apply(change.d, change.value), { class: 'link' }),
    make('span', {}, ' gives ', classLabel(change.to), votes));
}

function showChanges(found, nTried, apply) {
  const changes = surestOf(found);
  const lines = changes.slice(0, MOST_CHANGES).map((change) => changeLine(change, apply));
  const rest = changes.length - lines.length;
  const none = `No change of a single value does, of ${whole(nTried)} tried.`;
  fill('changes',
    make('h3', {}, 'What would change the class'),
    lines.length ? make('ul', { class: 'changes' }, ...lines) : make('p', { class: 'note' }, none),
    rest > 0 ? make('p', { class: 'note' }, `And ${whole(rest)} more columns.`) : null);
}
