/** Applies the choices of the demonstration page to its widget. */
(() => {
  /** @param {string} id */
  const select = (id) => /** @type {HTMLSelectElement} */ (document.getElementById(id));
  const widget = /** @type {HTMLElement} */ (document.querySelector('guild-leaderboard'));
  const snippet = /** @type {HTMLElement} */ (document.getElementById('snippet'));

  function apply() {
    const [chosen] = select('guild').selectedOptions;
    if (!chosen) return;
    const key = chosen.dataset.key ?? '';
    const theme = select('theme').value;
    widget.setAttribute('guild', chosen.value);
    widget.setAttribute('api-key', key);
    widget.setAttribute('theme', theme);
    document.documentElement.dir = select('direction').value;
    document.documentElement.dataset.theme = theme;
    snippet.textContent =
      '<style>guild-leaderboard:not(:defined) { display: block; font-size: medium; block-size: 48.75em }</style>\n' +
      `<script src="${new URL('widget.js', document.baseURI)}" defer></script>\n` +
      `<guild-leaderboard guild="${chosen.value}" api-key="${key}"></guild-leaderboard>`;
  }

  for (const id of ['guild', 'theme', 'direction']) select(id).addEventListener('change', apply);
  apply();
})();
