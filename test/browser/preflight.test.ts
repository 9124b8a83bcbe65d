import { describe, expect, it, onTestFinished } from 'vitest';
import { needs } from '../support/needs.ts';
import { startDocsService } from './docs-service.ts';
import { type EnginePage, openChromium, openFirefox } from './engines.ts';

/** Headers that tracing, analytics and fetch wrappers add to each request of a page. */
const ADDED = [
  'X-Requested-With',
  'traceparent',
  'sentry-trace',
  'baggage',
  'Cache-Control',
  'Content-Type',
  'Authorization',
];

const engines = [
  { name: 'Chromium', need: 'chromium', open: openChromium },
  { name: 'Firefox', need: 'firefox-esr', open: openFirefox },
] as const;

describe.each(engines)('a preflight in $name', ({ need, open }) => {
  it('a preflight allows a page of another origin to send any header', needs(need), async () => {
    const service = await startDocsService();
    onTestFinished(service.close);
    const tab = await open({ colorScheme: 'light' });
    onTestFinished(() => tab.close());
    const page: EnginePage = tab.page;
    // A page on another port is of another origin.
    const other = await startDocsService();
    onTestFinished(other.close);
    await page.goto(`${other.url}/livez`);
    const headers = { 'x-api-key': service.key, ...Object.fromEntries(ADDED.map((name) => [name, 'x'])) };
    const request = `fetch('${service.url}/api/v1/servers/guild/stats', { headers: ${JSON.stringify(headers)} })`;
    expect(await page.evaluate(`${request}.then(({ status }) => status, String)`)).toBe(200);
  });
});
