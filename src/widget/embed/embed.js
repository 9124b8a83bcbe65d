/**
 * Shows the widget with the settings in the fragment of the address, which browsers send to no server. In a frame, it tells the web page
 * around it the height of the widget, and takes a theme from that page.
 */
(() => {
  /**
   * Attributes of the widget that this page does not take. The page sends the key to its own service only, nobody hears of a member that is selected,
   * nobody sees its address, and the language is the language of the document.
   */
  const OWN_ATTRIBUTES = ['base-url', 'member-href', 'selectable', 'address', 'lang'];
  const element = /** @type {{ observedAttributes: string[] } | undefined} */ (
    /** @type {unknown} */ (customElements.get('guild-leaderboard'))
  );
  const attributes = element?.observedAttributes.filter((name) => !OWN_ATTRIBUTES.includes(name)) ?? [];
  const main = /** @type {HTMLElement} */ (document.querySelector('main'));

  function show() {
    const settings = new URLSearchParams(location.hash.slice(1));
    const widget = document.createElement('guild-leaderboard');
    for (const name of attributes) {
      const value = settings.get(name);
      if (value !== null) widget.setAttribute(name, value);
    }
    document.title = `Leaderboard of ${settings.get('guild') || 'a server'}`;
    document.documentElement.lang = settings.get('lang') || 'en';
    document.documentElement.dir = settings.get('dir') ?? '';
    document.body.style.margin = '0';
    main.replaceChildren(widget);
  }

  window.addEventListener('hashchange', show);
  show();
  if (window.parent === window) return;

  new ResizeObserver(() => {
    // Any site may know the height, and this page does not know which site shows it.
    window.parent.postMessage({ type: 'guildrank:height', height: main.offsetHeight }, '*');
  }).observe(main);
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.type !== 'guildrank:theme') return;
    if (['light', 'dark', 'auto'].includes(data.theme)) main.firstElementChild?.setAttribute('theme', data.theme);
  });
})();
