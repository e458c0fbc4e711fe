// Numbers and long texts as people read them.

function clipped(text, most = 24) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text;
}

function whole(n) {
  return Math.round(n).toLocaleString('en-US');
}

function percent(share) {
  return `${(100 * share).toFixed(1).replace(/^-(0\.0)$/, '$1')}%`;
}

// Decimals that all numbers of a list share: four digits of the largest, at least.
function decimalsOf(numbers) {
  const largest = numbers.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  return largest > 0 ? Math.min(Math.max(4, 3 - Math.floor(Math.log10(largest))), 12) : 4;
}

function amount(x, decimals) {
  return Number.isFinite(x) ? x.toFixed(decimals) : '∞';
}

function signed(x, decimals) {
  return `${x < 0 ? '−' : '+'}${amount(Math.abs(x), decimals)}`;
}

function rowsText(n) {
  return `${whole(n)} row${n === 1 ? '' : 's'}`;
}

const SLICE = 12; // milliseconds

// Runs a generator a little at a time, so that the page answers meanwhile.
function inSlices(search, isWanted, done) {
  const work = () => {
    if (!isWanted()) return;
    const end = performance.now() + SLICE;
    let step = search.next();
    while (!step.done && performance.now() < end) step = search.next();
    if (step.done) done(step.value);
    else setTimeout(work, 0);
  };
  work();
}

function someRows(n) {
  return Number.isInteger(n) ? rowsText(n) : `weight ${n.toFixed(2)}`;
}
