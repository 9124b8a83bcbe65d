// A caching proxy for the widgets of one guild, for a busy web page. It adds the API key, which visitors never see. Node 20, no packages:
//
//   GUILDRANK_URL=http://127.0.0.1:8080 GUILD_ID=81384788765712384 API_KEY_FILE=guildrank.key PORT=8070 node proxy.mjs
//
// PAGE_SIZE (10) is that of the widget. ALLOWED_ORIGIN names a web page of another origin that may use the proxy, such as
// https://www.example.com. docs/widget.md, "For a busy page", says what it costs the guild.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

const { GUILDRANK_URL, GUILD_ID, API_KEY_FILE, PAGE_SIZE = '10', ALLOWED_ORIGIN } = process.env;
const { HOST = '127.0.0.1', PORT = '8070' } = process.env;
if (!GUILDRANK_URL || !GUILD_ID || !API_KEY_FILE) throw new Error('Set GUILDRANK_URL, GUILD_ID and API_KEY_FILE');
const key = readFileSync(API_KEY_FILE, 'utf8').trim();
const prefix = `/api/v1/servers/${GUILD_ID}/`;

// Visitors watch the first page and the totals: 60 / 15 + 60 / 30 = 6 requests a minute. All else is a look-up, at most 10 a minute.
// Each limit holds without the other. Over it, visitors get the last answer, or 429 if there is none.
const lifetimeMs = (read) => (read === 'stats' ? 30_000 : 15_000);
const watched = limit(6, 3);
const lookups = limit(10, 11);
const limitOf = (read) => (read === 'stats' || read === `leaderboard?limit=${PAGE_SIZE}&page=1` ? watched : lookups);
const MAX_ANSWERS = 1000;
const TIMEOUT_MS = 2000;

/** Answers by read, the oldest first: { status, type, etag, body, gzipped, at }. */
const answers = new Map();
/** Requests to Guildrank that are under way, by read. */
const renewals = new Map();

/** Returns a function that takes from an allowance and says whether there was some. */
function limit(perMinute, most) {
  let left = most;
  let at = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(most, left + ((now - at) / 60_000) * perMinute);
    at = now;
    if (left < 1) return false;
    left--;
    return true;
  };
}

/** Returns the read without its prefix. Only the two known parameters remain, in one order. */
function readOf({ pathname, searchParams }) {
  const rest = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : '';
  if (rest === 'stats' || /^members\/[0-9A-Za-z_.-]+$/.test(rest)) return rest;
  if (rest !== 'leaderboard') return 404;
  const [size, page] = [searchParams.get('limit') ?? '10', searchParams.get('page') ?? '1'];
  return /^([1-9]\d?|100)$/.test(size) && /^[1-9]\d{0,6}$/.test(page) ? `leaderboard?limit=${size}&page=${page}` : 400;
}

function problem(status, code, retryAfter) {
  const body = Buffer.from(JSON.stringify({ status, code, detail: 'Try again shortly.' }));
  return { status, type: 'application/problem+json', body, retryAfter };
}

/** Requests an answer and keeps it. Returns undefined if Guildrank cannot answer now. */
async function renew(read, old) {
  if (!limitOf(read)()) return old ? undefined : problem(429, 'quota_exceeded', '10');
  try {
    const headers = { 'x-api-key': key, ...(old?.etag && { 'if-none-match': old.etag }) };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(GUILDRANK_URL + prefix + read, { headers, signal, redirect: 'error' });
    const { status } = response;
    const [type, etag, retryAfter] = ['content-type', 'etag', 'retry-after'].map((name) => response.headers.get(name));
    let answer = { ...old, at: Date.now() };
    if (status !== 304) {
      const body = Buffer.from(await response.arrayBuffer());
      answer = { status, type, etag, retryAfter, body, gzipped: body.length > 1000 && gzipSync(body), at: Date.now() };
    }
    if (status === 429 || status >= 500) return old ? undefined : answer;
    if (status !== 200 && status !== 304 && status !== 404) return answer;
    answers.delete(read);
    answers.set(read, answer);
    if (answers.size > MAX_ANSWERS) answers.delete(answers.keys().next().value);
    return answer;
  } catch {
    return old ? undefined : problem(503, 'store_unavailable', '5');
  }
}

/** Returns an answer and where it comes from. One request at a time renews it; meanwhile the others get the last one. */
async function answerTo(read) {
  const old = answers.get(read);
  if (old && Date.now() - old.at < lifetimeMs(read)) return [old, 'HIT'];
  const pending = renewals.get(read);
  if (pending && old) return [old, 'UPDATING'];
  const renewal = pending ?? renew(read, old).finally(() => renewals.delete(read));
  renewals.set(read, renewal);
  const answer = await renewal;
  return answer ? [answer, 'MISS'] : [old, 'STALE'];
}

createServer(async (req, res) => {
  res.setHeader('Cache-Control', 'no-store');
  if (ALLOWED_ORIGIN) {
    res.setHeader('Access-Control-Allow-Origin', ALLOWED_ORIGIN);
    res.setHeader('Access-Control-Allow-Headers', 'if-none-match');
    res.setHeader('Access-Control-Expose-Headers', 'ETag, Retry-After, X-Cache-Status');
  }
  const target = `http://proxy${req.url}`;
  const read = URL.canParse(target) ? readOf(new URL(target)) : 400;
  if (typeof read === 'number') return res.writeHead(read).end();
  if (req.method === 'OPTIONS') return res.writeHead(204).end();
  if (req.method !== 'GET' && req.method !== 'HEAD') return res.writeHead(405, { Allow: 'GET, HEAD' }).end();
  const [{ status, type, etag, retryAfter, body, gzipped }, state] = await answerTo(read);
  res.setHeader('X-Cache-Status', state);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (status === 200) res.setHeader('Cache-Control', 'public, max-age=5');
  // One tag for both codings, so it is weak.
  if (etag) res.setHeader('ETag', `W/${etag}`).setHeader('Vary', 'Accept-Encoding');
  if (retryAfter) res.setHeader('Retry-After', retryAfter);
  if (etag && req.headers['if-none-match']?.includes(etag)) return res.writeHead(304).end();
  const zip = gzipped && /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(req.headers['accept-encoding'] ?? '');
  const bytes = zip ? gzipped : body;
  if (zip) res.setHeader('Content-Encoding', 'gzip');
  res
    .writeHead(status, { 'Content-Type': type, 'Content-Length': bytes.length })
    .end(req.method === 'HEAD' ? '' : bytes);
}).listen(Number(PORT), HOST);
