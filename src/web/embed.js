/** Shows the widget with the settings in the fragment of the address, which browsers send to no server. */
(() => {
  /** Not base-url, because the page sends the key to its own service only. */
  const ATTRIBUTES = [
    ...['guild', 'api-key', 'page-size', 'refresh', 'theme', 'layout', 'density'],
    ...['podium', 'stats', 'search', 'pager', 'member', 'boards'],
  ];

  function show() {
    const settings = new URLSearchParams(location.hash.slice(1));
    const widget = document.createElement('guild-leaderboard');
    for (const name of ATTRIBUTES) {
      const value = settings.get(name);
      if (value !== null) widget.setAttribute(name, value);
    }
    document.title = `Leaderboard of ${settings.get('guild') || 'a server'}`;
    document.documentElement.lang = settings.get('lang') || 'en';
    document.body.style.margin = '0';
    document.querySelector('main')?.replaceChildren(widget);
  }

  window.addEventListener('hashchange', show);
  show();
})();
