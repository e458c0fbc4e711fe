// What each column adds to the distance to one neighbour.

function showWhy(codes, each) {
  if (!each) {
    fill('why');
    return;
  }
  const others = codesOfCell(each.cell);
  const parts = contributionsBetween(codes, others);
  const decimals = decimalsOf(parts);
  const differing = FEATURES.map((_, d) => d).filter((d) => codes[d] !== others[d])
    .sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
  const items = differing.map((d) => ({
    name: make('span', {}, nameOf(FEATURES[d].name), ' ', make('span', { class: 'dim' },
      `${clipped(textOfCode(FEATURES[d], codes[d]), 40)} → ${clipped(textOfCode(FEATURES[d], others[d]), 40)}`)),
    value: parts[d],
    text: signed(parts[d], decimals),
  }));
  const what = MEMBERS[0].distances.contributions ? 'squared distance' : 'distance';
  const total = MEMBERS[0].distances.contributions ? each.distance ** 2 : each.distance;
  const draw = (some) => bars(`Parts of the ${what}`, ['Column', 'Part'], some, 'long-names');
  fill('why',
    make('h3', {}, `The distance to ${rowsOfCellText(each.cell)}`),
    make('p', { class: 'note' }, differing.length
      ? `Parts of the ${what}, ${amount(total, decimals)}; the same in ${
        whole(FEATURES.length - differing.length)} of ${whole(FEATURES.length)} columns.`
      : 'The same in every column.'),
    firstOf(items, 8, draw, 'columns'));
}
