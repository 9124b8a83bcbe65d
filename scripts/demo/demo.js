/** The choices of the demo page. */
(() => {
  const byId = (id) => document.getElementById(id);
  const widget = document.querySelector('guild-leaderboard');

  function apply() {
    const [chosen] = byId('guild').selectedOptions;
    if (!chosen) return;
    const theme = byId('theme').value;
    widget.setAttribute('guild', chosen.value);
    widget.setAttribute('api-key', chosen.dataset.key);
    widget.setAttribute('theme', theme);
    document.documentElement.dir = byId('direction').value;
    document.documentElement.dataset.theme = theme;
    byId('snippet').textContent =
      `<script src="${new URL('widget.js', document.baseURI)}" defer></script>\n` +
      `<guild-leaderboard guild="${chosen.value}" api-key="${chosen.dataset.key}"></guild-leaderboard>`;
  }

  for (const id of ['guild', 'theme', 'direction']) byId(id).addEventListener('change', apply);
  apply();
})();
