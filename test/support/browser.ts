import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
import { type Browser as FirefoxBrowser, launch } from 'puppeteer-core';

const BINARY = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Whether Chromium is installed. With REQUIRE_CHROMIUM=1 its absence is an error instead. */
export const hasChromium = existsSync(BINARY);

if (!hasChromium && process.env.REQUIRE_CHROMIUM === '1') {
  throw new Error(`REQUIRE_CHROMIUM=1, but there is no ${BINARY}: install chromium or set CHROMIUM to its path`);
}

const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** Whether Firefox is installed. With REQUIRE_FIREFOX=1 its absence is an error instead. */
export const hasFirefox = existsSync(FIREFOX);

if (!hasFirefox && process.env.REQUIRE_FIREFOX === '1') {
  throw new Error(`REQUIRE_FIREFOX=1, but there is no ${FIREFOX}: install firefox-esr or set FIREFOX to its path`);
}

/** Starts Firefox. @param settings those of about:config. */
export function launchFirefox(settings: Record<string, unknown>): Promise<FirefoxBrowser> {
  // As root, Firefox refuses a HOME of another user, which CI sets in a container.
  const env = { ...process.env, HOME: userInfo().homedir };
  return launch({ browser: 'firefox', executablePath: FIREFOX, extraPrefsFirefox: settings, env });
}

/** Says why browser tests are skipped. Only the largest of their files calls it, so that a run says it once. */
export function tellWhenSkipped(): void {
  if (hasChromium) return;
  process.stderr.write(`skipped: the browser tests need ${BINARY} (install chromium, or set CHROMIUM to its path)\n`);
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: BINARY,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** A site of another origin than the service, with one page. */
export interface Site {
  readonly url: string;
  /** The content of the page, which a test can change. */
  html: string;
  /** Content-Security-Policy of the page. */
  policy: string;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const server = createServer((_req, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8');
    if (site.policy) res.setHeader('content-security-policy', site.policy);
    res.end(site.html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const site: Site = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    html: '',
    policy: '',
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return site;
}
