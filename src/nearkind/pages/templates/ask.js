// Asks which rows are alike. The next question is the one of the pool whose answer is
// expected to tell most of the weights of columns, values and pairs of values, as
// nearkind.tasks.answer_posterior has it in Python.

const facts = JSON.parse(document.getElementById('facts').textContent);
const isPairs = facts.state.kind === 'pairs';
const place = new Map(facts.rows.map((row, at) => [row, at]));
const VALUE = { first: 1, neither: 0.5, second: 0 };
const CHOICES = isPairs
  ? { 1: ['first', 'similar'], 2: ['second', 'not similar'], '=': ['neither', 'in between'], '?': ['unsure', 'unsure'] }
  : { 1: ['first', 'more like 1'], 2: ['second', 'more like 2'], '=': ['neither', 'neither'], '?': ['unsure', 'unsure'] };
const KEY = `nearkind ${facts.state.table.fingerprint} ${facts.state.kind}`;

function byId(id) {
  return document.getElementById(id);
}

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
}

// Answers, which other pages of the same table share. Without storage they are kept here.

let memory = null;

function stored() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    if (kept && Array.isArray(kept.answers) && typeof kept.by === 'string') return kept;
  } catch { /* no storage, or something else in it */ }
  return memory || { by: Math.random().toString(16).slice(2, 10), answers: facts.state.answers };
}

function store(kept) {
  memory = kept;
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    byId('kept').textContent = 'This browser cannot store the answers: download them before you close the page.';
  }
}

// The features of a squared distance, and the posterior of their weights.

function addPair(into, i, j, sign) {
  const [a, b] = [place.get(i), place.get(j)];
  const add = (key, value) => into.set(key, (into.get(key) || 0) + (sign * value) / facts.scale);
  facts.columns.forEach((_, d) => {
    if (facts.is_axis[d]) {
      const gap = (facts.coordinates[d][a] - facts.coordinates[d][b]) ** 2;
      if (gap > 0) add(`${d}`, gap / (1 + gap));
      return;
    }
    const [x, y] = [facts.codes[d][a], facts.codes[d][b]];
    if (x === y) return;
    add(`${d}`, 1);
    add(`${d} ${x} ${x}`, facts.of_values);
    add(`${d} ${y} ${y}`, facts.of_values);
    add(`${d} ${Math.min(x, y)} ${Math.max(x, y)}`, facts.of_values);
  });
}

function features(rows) {
  const found = new Map();
  if (isPairs) {
    found.set('threshold', 1);
    addPair(found, rows[0], rows[1], -1);
  } else {
    addPair(found, rows[0], rows[2], 1);
    addPair(found, rows[0], rows[1], -1);
  }
  return found;
}

function dot(a, b) {
  let sum = 0;
  a.forEach((value, key) => { sum += value * (b.get(key) || 0); });
  return sum;
}

function prior(x) {
  let sum = 0;
  x.forEach((value, key) => {
    if (key === 'threshold') sum += facts.prior[1] * value;
    else if (!key.includes(' ')) sum += facts.prior[0] * value;
  });
  return sum;
}

// The probability of the answer first, where some answers are given by chance.
const chance = (f) => facts.lapse / 2 + (1 - facts.lapse) / (1 + Math.exp(-f));

// Lower triangle L of a matrix = L L'.
function cholesky(A) {
  const L = A.map(() => new Float64Array(A.length));
  for (let i = 0; i < A.length; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = A[i][j];
      for (let k = 0; k < j; k += 1) sum -= L[i][k] * L[j][k];
      L[i][j] = i === j ? Math.sqrt(sum) : sum / L[j][j];
    }
  }
  return L;
}

function forward(L, b) {
  const x = new Float64Array(b.length);
  for (let i = 0; i < b.length; i += 1) {
    let sum = b[i];
    for (let k = 0; k < i; k += 1) sum -= L[i][k] * x[k];
    x[i] = sum / L[i][i];
  }
  return x;
}

function backward(L, b) {
  const x = new Float64Array(b.length);
  for (let i = b.length - 1; i >= 0; i -= 1) {
    let sum = b[i];
    for (let k = i + 1; k < b.length; k += 1) sum -= L[k][i] * x[k];
    x[i] = sum / L[i][i];
  }
  return x;
}

function posterior(answers) {
  const said = answers.filter((each) => each.choice in VALUE);
  const X = said.map((each) => features(each.rows));
  const y = said.map((each) => VALUE[each.choice]);
  const K = X.map((a) => X.map((b) => dot(a, b)));
  const f0 = X.map(prior);
  let residuals = new Float64Array(X.length);
  let L = [];
  for (let step = 0; step < 50; step += 1) {
    const moved = K.map((row) => row.reduce((sum, value, t) => sum + value * residuals[t], 0));
    const p = f0.map((f, t) => chance(f + moved[t]));
    const slope = p.map((each) => ((each - facts.lapse / 2) * (1 - facts.lapse / 2 - each)) / (1 - facts.lapse) + 1e-9);
    const noise = p.map((each, t) => (each * (1 - each)) / slope[t] ** 2);
    L = cholesky(K.map((row, t) => row.map((value, s) => value + (s === t ? noise[t] : 0))));
    const last = residuals;
    residuals = backward(L, forward(L, moved.map((each, t) => each + (y[t] - p[t]) / slope[t])));
    if (residuals.every((each, t) => Math.abs(each - last[t]) < 1e-8)) break;
  }
  return { X, residuals, L };
}

function entropy(p) {
  const q = Math.min(Math.max(p, 1e-12), 1 - 1e-12);
  return -(q * Math.log2(q) + (1 - q) * Math.log2(1 - q));
}

function information({ X, residuals, L }, x) {
  const cross = X.map((each) => dot(x, each));
  const mean = prior(x) + cross.reduce((sum, each, t) => sum + each * residuals[t], 0);
  const explained = forward(L, cross).reduce((sum, each) => sum + each * each, 0);
  const spread = Math.sqrt(Math.max(dot(x, x) - explained, 0));
  let [p, within] = [0, 0];
  facts.nodes.forEach((node, n) => {
    const each = chance(mean + spread * node);
    p += facts.node_weights[n] * each;
    within += facts.node_weights[n] * entropy(each);
  });
  return entropy(p) - within;
}

// Questions.

const turned = (rows) => [...rows.slice(0, -2), rows[rows.length - 1], rows[rows.length - 2]];
const keyOf = (rows) => [...rows.slice(0, -2), ...rows.slice(-2).sort((a, b) => a - b)].join(' ');

function nDiffering(rows) {
  const at = rows.map((row) => place.get(row));
  return facts.codes.filter((codes) => at.some((each) => codes[each] !== codes[at[0]])).length;
}

function nextQuestion(answers) {
  const asked = new Set(answers.map((each) => keyOf(each.rows)));
  if (answers.length % facts.asked_again === facts.asked_again - 1) {
    const times = new Map();
    answers.forEach((each) => times.set(keyOf(each.rows), (times.get(keyOf(each.rows)) || 0) + 1));
    const earlier = answers.find((each) => ['first', 'second'].includes(each.choice) && times.get(keyOf(each.rows)) === 1);
    if (earlier) return turned(earlier.rows);
  }
  const last = new Set(answers.slice(-facts.recent).flatMap((each) => each.rows));
  const open = facts.pool.filter((rows) => !asked.has(keyOf(rows)));
  const fresh = open.filter((rows) => !rows.some((row) => last.has(row)));
  const left = fresh.length ? fresh : open;
  const most = Math.max(facts.easy, Math.min(...left.map(nDiffering)));
  const model = posterior(answers);
  let [best, told] = [null, -1];
  left.filter((rows) => nDiffering(rows) <= most).forEach((rows) => {
    const bits = information(model, features(rows));
    if (bits > told + 1e-9) [best, told] = [rows, bits];
  });
  return best;
}

function cellsTable(rows) {
  const at = rows.map((row) => place.get(row));
  const table = make('table', '', { class: 'asked' });
  const heads = rows.map((row, n) => (n && !isPairs ? `${n}: row ${row}` : `row ${row}`));
  const head = make('tr', '');
  ['', ...heads].forEach((text) => head.append(make(text ? 'th' : 'td', text, text ? { scope: 'col' } : {})));
  const [top, body] = [make('thead', ''), make('tbody', '')];
  top.append(head);
  let nSame = 0;
  facts.columns.forEach((name, d) => {
    const cells = at.map((place) => facts.cells[d][place]);
    if (cells.every((cell) => cell === cells[0])) {
      nSame += 1;
      return;
    }
    const line = make('tr', '');
    line.append(make('th', name, { scope: 'row' }));
    cells.forEach((cell) => line.append(make('td', cell === cells[0] ? cell : `${cell} *`, cell === cells[0] ? {} : { class: 'differs' })));
    body.append(line);
  });
  table.append(top, body);
  const more = nSame ? `; ${nSame} columns are the same in all` : '';
  return [table, make('p', `* differs from the first row${more}.`, { class: 'note' })];
}

function learned(answers) {
  const { X, residuals } = posterior(answers);
  const pairs = facts.pool.slice(0, 100).map((rows) => {
    const found = new Map();
    addPair(found, rows[0], rows[1], 1);
    return found;
  });
  const weights = new Map();
  X.forEach((x, t) => x.forEach((value, key) => weights.set(key, (weights.get(key) || 0) + value * residuals[t])));
  const parts = facts.columns.map(() => 0);
  pairs.forEach((x) => x.forEach((value, key) => {
    parts[Number(key.split(' ')[0])] += value * ((weights.get(key) || 0) + (key.includes(' ') ? 0 : facts.prior[0]));
  }));
  const sum = parts.reduce((total, part) => total + Math.max(part, 0), 0) || 1;
  return facts.columns.map((name, d) => [name, Math.max(parts[d], 0) / sum]).sort((a, b) => b[1] - a[1]).slice(0, 8);
}

let question = null;

function show() {
  const { answers } = stored();
  const done = answers.length >= facts.n_questions;
  question = done ? null : nextQuestion(answers);
  byId('count').textContent = question ? `Question ${answers.length + 1} of ${facts.n_questions}` : `${answers.length} answers`;
  const text = isPairs ? 'Are these two rows similar?' : 'Which is more like the first row: 1 or 2?';
  byId('asked').textContent = question ? text : 'Done. Thank you.';
  byId('question').replaceChildren(...(question ? cellsTable(question) : []));
  document.body.dataset.rows = question ? question.join(' ') : '';
  document.querySelectorAll('#choices button').forEach((button) => {
    button.disabled = button.id === 'undo' ? !answers.length : !question;
  });
  byId('kept').textContent = `${answers.length} answers are kept in this browser.`;
  byId('learned').replaceChildren(...learned(answers).flatMap(([name, share]) => {
    const meter = make('dd', '');
    meter.append(make('meter', '', { value: share, 'aria-label': name }));
    return [make('dt', name), make('dd', `${Math.round(100 * share)}%`), meter];
  }));
  byId('told').textContent = `${byId('count').textContent}. ${byId('asked').textContent}`;
}

function answer(choice) {
  if (!question) return;
  const kept = stored();
  const number = 1 + Math.max(-1, ...kept.answers.filter((each) => each.by === kept.by).map((each) => each.number));
  store({ ...kept, answers: [...kept.answers, { rows: question, choice, by: kept.by, number }] });
  show();
}

function undo() {
  const kept = stored();
  store({ ...kept, answers: kept.answers.slice(0, -1) });
  show();
}

function download() {
  const text = JSON.stringify({ ...facts.state, answers: stored().answers });
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = make('a', '', { href: url, download: 'answers.json' });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

Object.entries(CHOICES).forEach(([key, [choice, text]]) => {
  const button = make('button', `${text} (${key})`, { type: 'button', id: choice });
  button.addEventListener('click', () => answer(choice));
  byId('choices').append(button);
});
const back = make('button', 'undo (u)', { type: 'button', id: 'undo', class: 'quiet' });
back.addEventListener('click', undo);
byId('choices').append(back);
byId('download').addEventListener('click', download);
byId('clear').addEventListener('click', () => {
  if (window.confirm('Forget all answers on this page?')) {
    store({ by: Math.random().toString(16).slice(2, 10), answers: [] });
    show();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in CHOICES) answer(CHOICES[event.key][0]);
  else if (event.key === 'u') undo();
  else return;
  event.preventDefault();
});
window.addEventListener('storage', (event) => {
  if (event.key === KEY) show();
});
show();
