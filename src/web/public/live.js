// Keeps the page up to date while it can be seen. The browser sends the ETag, and an unchanged page is an empty 304.
const EVERY_MS = 30_000;
let tag = '';
let askedAt = Date.now();

/** Says in the language of the page how fresh it is. @param {'live' | 'stale'} state */
function say(state) {
  const status = /** @type {HTMLElement | null} */ (document.querySelector('.status'));
  if (status) status.textContent = status.dataset[state] ?? '';
}

async function refresh() {
  askedAt = Date.now();
  const response = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined);
  // The page was switched off, or the member is gone: the server says so better.
  if (response?.status === 404) return location.reload();
  if (!response?.ok) return say('stale');
  const before = tag;
  tag = response.headers.get('etag') ?? '';
  if (tag !== before) show(new DOMParser().parseFromString(await response.text(), 'text/html'));
  say('live');
}

/** @param {Document} newer */
function show(newer) {
  const present = document.getElementById('live');
  const next = newer.getElementById('live');
  if (!next || !present || present.innerHTML === next.innerHTML) return;
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
