// All sections, and the way between them.

const SECTIONS = [
  ['summary', 'Summary'],
  ['errors', 'Errors'],
  ['columns', 'Columns'],
  ['relevance', 'Relevance'],
  ['values', 'Values'],
  ['rows', 'Map'],
  ['explorer', 'Explorer'],
  ['confusions', 'Confusions'],
  ['odd-rows', 'Outliers'],
  ['oddities', 'Problems'],
  ['model', 'Model'],
];

startTheme();
showSummary();
showNumbers();
showRelevance();
startValues();
startMap();
startExplorer();
showConfusions();
showOddities();
fill('sections', ...SECTIONS.filter(([id]) => byId(id) !== null)
  .map(([id, name]) => make('li', {}, make('a', { href: `#${id}` }, name))));
// For measurements: when the page had answered for the first time.
document.documentElement.dataset.ready = String(Math.round(performance.now()));
