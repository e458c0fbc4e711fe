// Making elements. Text always enters as text, never as markup.

function byId(id) {
  return document.getElementById(id);
}

// make('button', { type: 'button', onclick: f }, 'text', otherElement)
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? '' : value);
  });
  element.append(...children.filter((child) => child !== null));
  return element;
}

function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
}

function button(text, onclick, attributes = {}) {
  return make('button', { type: 'button', onclick, ...attributes }, text);
}

// A name that may break after its underscores, dots and hyphens.
function nameOf(text) {
  const parts = text.split(/(?<=[_.\-/])/);
  return make('span', {}, ...parts.flatMap((part, i) => (i ? [make('wbr'), part] : [part])));
}

function fill(id, ...children) {
  byId(id).replaceChildren(...children.filter((child) => child !== null));
}

// A bar from zero to a value, where zero stands by the smallest of all.
function bar(value, low, high, colour) {
  const scale = (x) => (100 * (x - low)) / (high - low || 1);
  const ink = make('span', { class: value < 0 ? 'ink against' : 'ink' });
  ink.style.left = `${scale(Math.min(value, 0))}%`;
  ink.style.width = `${scale(Math.max(value, 0)) - scale(Math.min(value, 0))}%`;
  if (colour) ink.style.backgroundColor = colour;
  return make('span', { class: 'bar', 'aria-hidden': 'true' }, ink);
}

// items: name (text or element), value, text, and perhaps a colour
function bars(caption, heads, items, kind = '') {
  const values = items.map((item) => item.value);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const lines = items.map((item) => make('tr', {},
    make('th', { scope: 'row' }, item.name),
    make('td', { class: 'number' }, item.text),
    make('td', { class: 'bars' }, bar(item.value, low, high, item.colour))));
  return make('table', { class: `bar-table ${kind}` },
    make('caption', { class: 'hidden' }, caption),
    make('thead', { class: 'hidden' }, make('tr', {},
      ...heads.map((head) => make('th', { scope: 'col' }, head)), make('td'))),
    make('tbody', {}, ...lines));
}

// The first lines of many, and a button for the others.
function firstOf(items, most, draw, what) {
  const box = make('div');
  const showSome = (n) => {
    const rest = items.length - n;
    const more = button(`Show all ${whole(items.length)} ${what}`, () => {
      showSome(items.length);
      box.tabIndex = -1;
      box.focus();
    }, { class: 'quiet more' });
    box.replaceChildren(draw(items.slice(0, n)), ...(rest > 0 ? [more] : []));
  };
  showSome(items.length <= most + 2 ? items.length : most);
  return box;
}

function scrolling(label, table) {
  return make('div', { class: 'scrolling', tabindex: '0', role: 'region', 'aria-label': label }, table);
}

function goTo(id) {
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  byId(id).scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'start' });
}
