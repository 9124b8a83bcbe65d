// Keeps the page up to date while it can be seen. The browser sends the ETag, and an unchanged page is an empty 304.
const EVERY_MS = 30_000;
/** What begins the part of a page that changes with the ranking. All texts are escaped, so it stands nowhere else. */
const LIVE = '<div id="live"';
let tag = '';
let askedAt = Date.now();

/** Says in the language of the page how fresh it is. @param {'live' | 'stale'} state */
function say(state) {
  const status = /** @type {HTMLElement | null} */ (document.querySelector('.status'));
  if (!status) return;
  status.textContent = status.dataset[state] ?? '';
  status.classList.toggle('is-live', state === 'live');
}

async function refresh() {
  askedAt = Date.now();
  const response = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined);
  // The page was switched off, or the member is gone: the server says so better.
  if (response?.status === 404) return location.reload();
  if (!response?.ok) return say('stale');
  const before = tag;
  tag = response.headers.get('etag') ?? '';
  if (tag !== before) show(await response.text());
  say('live');
}

/** @param {string} html */
function show(html) {
  const present = document.getElementById('live');
  // Not the whole page: the policy of this one forbids a new style, even in a document that nobody sees.
  const newer = new DOMParser().parseFromString(html.slice(html.indexOf(LIVE)), 'text/html');
  const next = newer.getElementById('live');
  // The page of a problem that has passed, or a page with another title, tabs or colours.
  if (!next || !present || present.dataset.surroundings !== next.dataset.surroundings) return location.reload();
  if (present.innerHTML === next.innerHTML) return;
  const focused = present.contains(document.activeElement) ? document.activeElement?.getAttribute('href') : null;
  present.replaceWith(next);
  for (const link of next.querySelectorAll('a')) if (link.getAttribute('href') === focused) link.focus();
}

function refreshIfDue() {
  if (!document.hidden && Date.now() - askedAt >= EVERY_MS) refresh();
}

say('live');
setInterval(refreshIfDue, 1000);
document.addEventListener('visibilitychange', refreshIfDue);
