// Lets the preview of the widget read with the sign-in of the dashboard, and follow the form.
(() => {
  const board = document.getElementById('preview');
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById('settings'));
  const look = document.getElementById('look');
  if (!board || !form || !look) return;

  // The widget sends no cookies, because an API key is all that it needs elsewhere. Here its data is behind the sign-in.
  const { fetch } = window;
  window.fetch = (input, init) => fetch(input, { ...init, credentials: 'same-origin' });

  /** Attributes of the preview that are not settings of its look. */
  const OWN_ATTRIBUTES = ['id', 'style', 'guild', 'base-url', 'data-properties'];
  /** Gives the preview exactly these settings. @param {Record<string, string>} attributes */
  const configure = (attributes) => {
    for (const name of board.getAttributeNames()) {
      if (!OWN_ATTRIBUTES.includes(name) && !(name in attributes)) board.removeAttribute(name);
    }
    for (const [name, value] of Object.entries(attributes)) board.setAttribute(name, value);
  };
  /** @param {Record<string, string>} properties */
  const paint = (properties) => {
    for (const name of [...board.style]) board.style.removeProperty(name);
    for (const [name, value] of Object.entries(properties)) board.style.setProperty(name, value);
  };
  paint(JSON.parse(board.dataset.properties ?? '{}'));

  /** Returns the fields of the look as they are now. @param {HTMLFormElement} form */
  const lookOf = (form) => /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form)));

  let latest = 0;
  const follow = async () => {
    const mine = ++latest;
    const answer = await fetch(`${form.action}/settings?${new URLSearchParams(lookOf(form))}`).catch(() => undefined);
    // The server refuses a value that is only half typed. The preview follows the next valid value.
    if (!answer?.ok || mine !== latest) return;
    const { attributes, properties, fields, codes, costs } = await answer.json();
    configure(attributes);
    paint(properties);
    for (const [id, code] of Object.entries(codes)) {
      const shown = document.getElementById(id);
      if (shown) shown.textContent = code;
    }
    for (const { visitors, text, isOver } of costs) {
      const cell = document.querySelector(`[data-visitors="${visitors}"]`);
      if (!cell) continue;
      cell.textContent = text;
      cell.classList.toggle('bad', isOver);
    }
    history.replaceState(null, '', `${form.action}?${new URLSearchParams(fields)}`);
  };
  form.addEventListener('input', follow);
  // A preview that is wider than its box shows its middle first.
  for (const width of document.querySelectorAll('input[name="width"]')) {
    width.addEventListener('change', () => {
      const box = board.closest('.scroll');
      if (box) box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
    });
  }
  // The code uses the current fields, even if the preview has not followed them yet.
  look.closest('form')?.addEventListener('submit', (event) => {
    if (!form.reportValidity()) return event.preventDefault();
    const inputs = Object.entries(lookOf(form)).map(([name, value]) =>
      Object.assign(document.createElement('input'), { type: 'hidden', name, value }),
    );
    look.replaceChildren(...inputs);
  });
  // Stays on this page, because another page would lose what was entered into the other form.
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    follow();
  });
})();
