// Bars of the columns' shares; a column's name leads to its values.

function showRelevance() {
  const items = BY_RELEVANCE.map((d) => ({
    name: button(nameOf(FEATURES[d].name), () => {
      chooseColumn(d);
      goTo('values');
    }, { class: 'link', title: `Values of ${FEATURES[d].name}` }),
    value: FACTS.relevance[d],
    text: percent(FACTS.relevance[d]),
  }));
  const draw = (some) => bars('Share of each column', ['Column', 'Share'], some);
  byId('relevance-by').textContent = FACTS.caution;
  fill('relevance-bars', firstOf(items, 15, draw, 'columns'));
}
