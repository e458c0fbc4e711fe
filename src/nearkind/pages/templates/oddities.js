// What is odd in the table.

function showOddities() {
  if (!FACTS.oddities.length) byId('oddities').remove();
  else fill('oddities-lines', ...definitions(FACTS.oddities));
}
