// What is odd in the table.

function showOddities() {
  fill('odd-rows-lines', ...FACTS.odd_rows.flatMap(([row, why]) => [
    make('dt', {}, button(row, () => pickRow(rowWithNumber(Number(row.split(' ')[1])), true), { class: 'link' })),
    make('dd', {}, why)]));
  if (!FACTS.odd_rows.length) byId('odd-rows').remove();
  if (!FACTS.oddities.length) byId('oddities').remove();
  else fill('oddities-lines', ...definitions(FACTS.oddities));
}
