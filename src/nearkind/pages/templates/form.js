// One field a column: a list of its values, or a number.

const MOST_FIELDS = 24;

const FORM = { fields: [], onchange: () => {} };

function listField(feature, d, change) {
  const choice = make('select', { id: `field-${d}` });
  feature.values.forEach((value, i) => choice.append(make('option', { value: i }, textOf(value))));
  if (feature.takes_missing) choice.append(make('option', { value: 'missing' }, `(${MISSING})`));
  if (feature.takes_unseen) choice.append(make('option', { value: 'unseen' }, `(${UNSEEN})`));
  const own = make('option', { value: 'own', hidden: true }); // a value of a row that is not listed
  choice.append(own);
  let ownValue;
  choice.addEventListener('change', () => {
    const special = { missing: null, unseen: undefined, own: ownValue };
    change(choice.value in special ? special[choice.value] : feature.values[Number(choice.value)]);
  });
  return {
    element: choice,
    set(value) {
      const place = value === null || value === undefined ? undefined : feature.place.get(keyOf(value));
      ownValue = value;
      own.textContent = `${textOf(value)} (${UNSEEN})`;
      const isOwn = value !== undefined && place === undefined;
      const isMissing = value === null && feature.takes_missing;
      own.hidden = !isOwn || isMissing;
      choice.value = isMissing ? 'missing' : place !== undefined ? String(place) : isOwn ? 'own' : 'unseen';
    },
  };
}

function numberField(feature, d, change) {
  const field = make('input', { id: `field-${d}`, type: 'number', step: 'any', placeholder: MISSING });
  field.addEventListener('input', () => change(field.value === '' ? null : Number(field.value)));
  return {
    element: field,
    set(value) {
      const number = value === null || value === undefined ? NaN : numberOf(value);
      field.value = Number.isFinite(number) ? String(number) : '';
      field.placeholder = Number.isNaN(number) ? MISSING : textOf(value);
    },
  };
}

const FIELDS = { listed: listField, ranged: numberField, numbers: numberField };

function makeField(d) {
  const feature = FEATURES[d];
  const made = FIELDS[feature.kind](feature, d, (value) => FORM.onchange(d, value));
  const label = make('label', { for: `field-${d}`, title: feature.name }, nameOf(feature.name));
  return { ...made, box: make('div', { class: 'field' }, label, made.element) };
}

function markChanged(d, isChanged) {
  FORM.fields[d].box.classList.toggle('changed', isChanged);
}

function startForm(onchange) {
  FORM.onchange = onchange;
  FORM.fields = CELLS_BY_RELEVANCE.map((_, d) => makeField(d)); // columns come before crosses
  const boxes = CELLS_BY_RELEVANCE.map((d) => FORM.fields[d].box);
  const place = byId('explorer-fields');
  place.append(...boxes);
  const rest = boxes.slice(MOST_FIELDS + 4 < boxes.length ? MOST_FIELDS : boxes.length);
  if (!rest.length) return;
  rest.forEach((box) => { box.hidden = true; });
  const more = button(`Show the other ${whole(rest.length)} columns`, () => {
    rest.forEach((box) => { box.hidden = false; });
    more.remove();
    rest[0].querySelector('select, input').focus();
  }, { class: 'quiet more' });
  place.after(more);
}

function setField(d, value) {
  FORM.fields[d].set(value);
}
