/** Applies the choices of the demonstration page to its widget. */
(() => {
  /** @param {string} id */
  const select = (id) => /** @type {HTMLSelectElement} */ (document.getElementById(id));
  const widget = /** @type {HTMLElement} */ (document.querySelector('guild-leaderboard'));
  /** @param {string} id */
  const code = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

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
    code('snippet').textContent =
      '<style>@media (scripting: enabled) { guild-leaderboard:not(:defined) { display: block; font-size: medium; block-size: 48.75em } }</style>\n' +
      `<script src="${new URL('widget.js', document.baseURI)}" defer></script>\n` +
      `<guild-leaderboard guild="${chosen.value}" api-key="${key}"></guild-leaderboard>`;
    const url = new URL(`api/v1/servers/${chosen.value}/leaderboard?limit=5`, document.baseURI);
    code('curl').textContent = `curl -H 'x-api-key: ${key}' '${url}'`;
  }

  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('[data-copy]'))) {
    const source = code(button.dataset.copy ?? '');
    const label = button.textContent ?? '';
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(source.textContent ?? '');
        button.textContent = 'Copied';
      } catch {
        // A browser offers the clipboard over HTTPS and on localhost only.
        getSelection()?.selectAllChildren(source);
        button.textContent = 'Selected';
      }
      button.addEventListener('blur', () => button.replaceChildren(label), { once: true });
    });
  }

  for (const id of ['guild', 'theme', 'direction']) select(id).addEventListener('change', apply);
  apply();
})();
