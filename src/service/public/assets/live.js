// Keeps the page up to date while it can be seen. The browser sends the ETag, and an unchanged page is an empty 304.
const EVERY_MS = 30_000;
/** The beginning of the part of a page that changes with the ranking. All texts are escaped, so no text can contain it. */
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
  // The page was switched off, or the member is gone: the answer of the server says which.
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
  // Parses only this part: the policy of the open page forbids a new style, even in a document that is never shown.
  const newer = new DOMParser().parseFromString(html.slice(html.indexOf(LIVE)), 'text/html');
  const next = newer.getElementById('live');
  // Loads the whole page again if a problem has passed, or if title, tabs or colours have changed.
  if (!next || !present || present.dataset.surroundings !== next.dataset.surroundings) return location.reload();
  if (present.innerHTML === next.innerHTML) return;
  // Does not replace a field in which somebody is typing. The next refresh shows the new rows.
  if (present.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement) {
    tag = '';
    return;
  }
  const focused = present.contains(document.activeElement) ? document.activeElement?.getAttribute('href') : null;
  present.replaceWith(next);
  for (const link of next.querySelectorAll('a')) if (link.getAttribute('href') === focused) link.focus();
  markMe();
}

/** The part of the page by which a visitor says who they are, or finds their own row. */
const mine = /** @type {HTMLElement | null} */ (document.querySelector('.mine'));
const ME = `guildrank-me:${mine?.dataset.guild}`;

/** Returns the user id that the visitor has named in this browser, or null. */
function readMe() {
  try {
    return localStorage.getItem(ME);
  } catch {
    return null; // The browser does not let this page store anything.
  }
}

/** @param {string | null} me */
function writeMe(me) {
  try {
    if (me === null) localStorage.removeItem(ME);
    else localStorage.setItem(ME, me);
  } catch {
    // The browser stores nothing, so only this page knows the visitor.
  }
}

/** Marks the row of the visitor. */
function markMe() {
  const me = readMe();
  for (const row of document.querySelectorAll('[data-id]')) {
    if (row instanceof HTMLElement && row.dataset.id === me) row.classList.add('is-wanted');
  }
}

/** Shows the link to the visitor's own row, or, on the page of a member, the button with which visitors say that they are this member. */
function showMine() {
  if (!mine) return;
  const { around, user = '' } = mine.dataset;
  const me = readMe();
  const link = mine.querySelector('a');
  if (link && around && me !== null) {
    // The parameter can be the last of the address, or further parameters can follow.
    link.href = around.replace('around=', `around=${encodeURIComponent(me)}`);
    mine.hidden = false;
  }
  const button = /** @type {HTMLElement | null} */ (mine.querySelector('.me'));
  if (!button) return;
  mine.hidden = false;
  showSharing(mine);
  const isMe = button.textContent ?? '';
  const notMe = button.dataset.notMe ?? '';
  const paint = () => {
    button.textContent = readMe() === user ? notMe : isMe;
  };
  paint();
  button.onclick = () => {
    writeMe(readMe() === user ? null : user);
    paint();
  };
}

/** Makes the buttons work that copy and share the address of the page, where the browser can. @param {HTMLElement} place */
function showSharing(place) {
  const copy = /** @type {HTMLElement} */ (place.querySelector('.copy'));
  const share = /** @type {HTMLElement} */ (place.querySelector('.share'));
  // Browsers offer these two functions only on pages with TLS.
  copy.hidden = navigator.clipboard === undefined;
  share.hidden = navigator.share === undefined;
  copy.onclick = async () => {
    await navigator.clipboard.writeText(location.href);
    copy.textContent = copy.dataset.copied ?? '';
  };
  share.onclick = () => {
    // An error only means that the visitor has closed the list of programs.
    navigator.share({ title: document.title, url: location.href }).catch(() => {});
  };
}

/** Turns the pages by the arrow keys, where no field and no scrolling takes them. */
document.addEventListener('keydown', ({ key, altKey, ctrlKey, metaKey, shiftKey, target }) => {
  if (
    altKey ||
    ctrlKey ||
    metaKey ||
    shiftKey ||
    (target instanceof Element && target.closest('input, select, textarea'))
  )
    return;
  const isRtl = document.dir === 'rtl';
  const rel = { ArrowLeft: isRtl ? 'next' : 'prev', ArrowRight: isRtl ? 'prev' : 'next' }[key];
  if (rel) /** @type {HTMLElement | null} */ (document.querySelector(`a[rel="${rel}"]`))?.click();
});

function refreshIfDue() {
  if (!document.hidden && Date.now() - askedAt >= EVERY_MS) refresh();
}

showMine();
markMe();
say('live');
setInterval(refreshIfDue, 1000);
document.addEventListener('visibilitychange', refreshIfDue);
