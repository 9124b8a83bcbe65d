import { codeBlock, el, inputWithId } from './elements.js';

/** @typedef {import('./schemas.js').Parameter} Parameter */
/** @typedef {{ url: string, headers: Record<string, string> }} Request */

const api = new URL('api/v1', document.baseURI).href;

/**
 * Returns the request that the fields make, without the API key.
 * @param {string} path
 * @param {Map<Parameter, HTMLInputElement>} inputs
 * @returns {Request}
 */
export function requestOf(path, inputs) {
  let target = path;
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = {};
  for (const [{ name, in: place, example }, input] of inputs) {
    const value = input.value.trim();
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value || String(example)));
    else if (value !== '' && place === 'query') query.set(name, value);
    else if (value !== '') headers[name.toLowerCase()] = value;
  }
  return { url: api + target + (query.size ? `?${query}` : ''), headers };
}

/**
 * Sends a request with the API key of the page and returns elements that show the answer.
 * @param {Request} request
 * @param {(etag: string) => void} sendAgain called when the person wants to send the request with the ETag of the answer.
 * @returns {Promise<HTMLElement[]>}
 */
export async function send({ url, headers }, sendAgain) {
  const key = inputWithId('key').value.trim();
  const start = performance.now();
  try {
    const all = new Headers(key ? { ...headers, 'x-api-key': key } : headers);
    return await fetch(url, { headers: all, cache: 'no-store', redirect: 'error' }).then(
      async (response) => shown(response, await response.text(), performance.now() - start, sendAgain),
      () => [el('p', { className: 'status bad' }, 'The service cannot be reached.')],
    );
  } catch {
    const text = 'The key or a header has a character that cannot be sent. Copy it again.';
    return [el('p', { className: 'status bad' }, text)];
  }
}

/**
 * @param {Response} response
 * @param {string} text
 * @param {number} ms
 * @param {(etag: string) => void} sendAgain
 */
function shown({ ok, status, statusText, headers }, text, ms, sendAgain) {
  const facts = [`${Math.round(ms)} ms`];
  const limit = headers.get('x-ratelimit-limit');
  const left = headers.get('x-ratelimit-remaining');
  const seconds = headers.get('ratelimit')?.match(/t=(\d+)/)?.[1];
  if (limit) facts.push(`${left} of ${limit} requests left, renewed in ${Math.ceil(Number(seconds) / 60)} min`);
  const className = ok || status === 304 ? 'status good' : 'status bad';
  const line = el(
    'p',
    { className },
    el('span', {}, `${status} ${statusText}`),
    el('span', { className: 'facts' }, facts.join(' · ')),
  );
  const code = ok ? undefined : text.match(/"code":"(\w+)"/)?.[1];
  if (code) line.append(el('a', { href: `#code-${code}` }, 'What to do'));
  const etag = headers.get('etag');
  if (etag) {
    const again = el('button', { type: 'button', className: 'minor' }, 'Send again with this ETag');
    again.addEventListener('click', () => sendAgain(etag));
    line.append(again);
  }
  const headerLines = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return [
    line,
    codeBlock('Body', text === '' ? '(none)' : indent(text)).block,
    codeBlock('Headers', headerLines).block,
  ];
}

/**
 * Returns JSON with line breaks. Numbers keep their digits, so a total beyond 2^53 is shown exactly.
 * @param {string} json
 */
function indent(json) {
  try {
    const keep = json.replace(
      /("(?:[^"\\]|\\.)*")|(?<![\d.])(\d{16,})(?![\d.eE])/g,
      (_all, string, digits) => string ?? `"\\u0000${digits}"`,
    );
    return JSON.stringify(JSON.parse(keep), null, 2).replace(/"\\u0000(\d+)"/g, '$1');
  } catch {
    return json;
  }
}
