import { byId, codeBlock, el, inputWithId, prose, table } from './elements.js';
import { operationCard, refreshSamples } from './operations.js';
import { resolver, schemaPart } from './schemas.js';

/** Shows the service's OpenAPI document and sends its operations. */

const KEPT = ['key', 'guild'];
const STORAGE = 'guildrank-docs';

/** Puts what this tab kept into the fields, and keeps or forgets it as the person chooses. */
function keepCredentials() {
  const keep = inputWithId('keep');
  /** @type {Storage} */
  let storage;
  try {
    storage = sessionStorage;
  } catch {
    // The browser allows this site no storage.
    keep.disabled = true;
    return;
  }
  const kept = JSON.parse(storage.getItem(STORAGE) ?? 'null');
  keep.checked = kept !== null;
  for (const id of KEPT) if (kept) inputWithId(id).value = kept[id];
  byId('credentials').addEventListener('input', () => {
    const values = KEPT.map((id) => [id, inputWithId(id).value]);
    if (keep.checked) storage.setItem(STORAGE, JSON.stringify(Object.fromEntries(values)));
    else storage.removeItem(STORAGE);
  });
}

/** Creates the table of all problem codes. @param {import('./schemas.js').Spec} spec */
function codesTable({ components }) {
  const rows = Object.entries(components.examples).map(([code, { summary = '', description = '', value }]) => {
    const { status } = /** @type {{ status: number }} */ (value);
    const cells = [el('code', {}, code), String(status), prose('span', summary), prose('span', description)];
    return { id: `code-${code}`, status, cells };
  });
  rows.sort((a, b) => a.status - b.status);
  return table('Problem codes', ['Code', 'Status', 'When', 'What to do'], rows);
}

async function show() {
  const address = new URL('api/v1/openapi.json', document.baseURI).href;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`status ${response.status}`);
  /** @type {import('./schemas.js').Spec} */
  const spec = await response.json();
  const { info, paths, components } = spec;
  byId('summary').textContent = info.summary;
  const link = el('a', { href: address }, 'openapi.json');
  const about = info.description.split('\n\n').map((paragraph) => prose('p', paragraph));
  byId('about').after(...about, el('p', {}, 'The document for tools: ', link, ' (OpenAPI 3.1).'));
  const resolve = resolver(spec);
  byId('operations').append(...Object.entries(paths).map(([path, { get }]) => operationCard(path, get, resolve)));
  byId('codes').after(codesTable(spec));
  byId('schemas').after(...Object.entries(components.schemas).map(([name, schema]) => schemaPart(name, schema)));
  const titles = [...document.querySelectorAll('h2')];
  byId('contents').append(
    ...titles.map(({ id, textContent }) => el('li', {}, el('a', { href: `#${id}` }, textContent ?? ''))),
  );
  refreshSamples();
  document.body.addEventListener('input', refreshSamples);
  // The browser looked for the target of the address before it was there.
  if (location.hash) location.replace(location.hash);
}

/** Shows the lines that load this version of the widget. The service writes its address and hash into the page. */
function showSnippet() {
  const place = byId('widget-snippet');
  const { path = '', integrity } = place.dataset;
  const src = new URL(path, document.baseURI);
  const text =
    '<style>@media (scripting: enabled) { guild-leaderboard:not(:defined) { display: block; font-size: medium; block-size: 48.75em } }</style>\n' +
    `<script src="${src}" integrity="${integrity}" crossorigin="anonymous" defer></script>\n` +
    `<guild-leaderboard guild="${inputWithId('guild').defaultValue || '…'}"></guild-leaderboard>`;
  const { block, code } = codeBlock('HTML', text);
  code.id = place.id;
  place.replaceWith(block);
}

byId('credentials').addEventListener('submit', (event) => event.preventDefault());
const isFilled = inputWithId('key').defaultValue !== '';
byId('filled').hidden = !isFilled;
byId('own').hidden = isFilled;
keepCredentials();
showSnippet();
show().catch((error) => {
  byId('summary').textContent = `The API document cannot be loaded: ${error.message}`;
});
