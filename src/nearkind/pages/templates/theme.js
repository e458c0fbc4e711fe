// Light or dark: as the system has it, until somebody chooses.

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)');
const onTheme = [];

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : darkSystem.matches;
}

function tellTheme() {
  byId('theme').textContent = isDark() ? 'Light' : 'Dark';
  byId('theme').setAttribute('aria-label', isDark() ? 'Light colours' : 'Dark colours');
  onTheme.forEach((redraw) => redraw());
}

function startTheme() {
  byId('theme').addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    tellTheme();
  });
  darkSystem.addEventListener('change', tellTheme);
  tellTheme();
}

function inkOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
