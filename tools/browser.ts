import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
import { launch, type Browser as PuppeteerBrowser } from 'puppeteer-core';
import { BROWSERS, type Need } from '../test/support/needs.ts';

export type { Browser, BrowserContext, BrowserContextOptions, Page, Response } from 'playwright-core';
export type { Browser as PuppeteerBrowser, Page as PuppeteerPage } from 'puppeteer-core';

/** Starts Firefox. @param settings those of about:config. */
export function launchFirefox(settings: Record<string, unknown>): Promise<PuppeteerBrowser> {
  // As root, Firefox refuses a HOME of another user, which CI sets in a container.
  const env = { ...process.env, HOME: userInfo().homedir };
  return launch({ browser: 'firefox', executablePath: BROWSERS.firefox, extraPrefsFirefox: settings, env });
}

const CHROMIUM_ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: BROWSERS.chromium, args: CHROMIUM_ARGUMENTS });
}

/** A browser with the same driver as the other one, so that one test runs in both. */
export interface Engine {
  readonly name: string;
  readonly need: Need;
  /** Starts it, as a visitor with a dark system has it, who prefers reduced motion. */
  launch(): Promise<PuppeteerBrowser>;
}

export const ENGINES: readonly Engine[] = [
  {
    name: 'Chromium',
    need: 'chromium',
    launch: () =>
      launch({
        executablePath: BROWSERS.chromium,
        args: [...CHROMIUM_ARGUMENTS, '--force-dark-mode', '--force-prefers-reduced-motion'],
      }),
  },
  {
    name: 'Firefox',
    need: 'firefox-esr',
    launch: () =>
      launchFirefox({ 'layout.css.prefers-color-scheme.content-override': 0, 'ui.prefersReducedMotion': 1 }),
  },
];

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
