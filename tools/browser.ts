import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { launch, type Browser as PuppeteerBrowser } from 'puppeteer-core';
import { BROWSERS } from '../test/support/needs.ts';

export type { Browser, BrowserContext, BrowserContextOptions, Page, Response } from 'playwright-core';
export type { Page as PuppeteerPage } from 'puppeteer-core';

/** A signal ends this process by scripts/dev/child-process.ts, and the drivers kill their browsers then. */
const SIGNALS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

const CHROMIUM_ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Fewer processes cost less time.
  '--in-process-gpu',
  '--renderer-process-limit=1',
];

/** Starts a Chromium, which the caller closes. */
function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: BROWSERS.chromium, args: CHROMIUM_ARGUMENTS, ...SIGNALS });
}

let startedChromium: Promise<Browser> | undefined;

/** Returns the Chromium of this process, which ends with the process. */
export function sharedChromium(): Promise<Browser> {
  tidyAfterThisProcess();
  startedChromium ??= launchChromium();
  return startedChromium;
}

let startedFirefox: Promise<PuppeteerBrowser> | undefined;

/** Returns the Firefox of this process, which ends with the process. Its first page may change its settings. */
export function sharedFirefox(): Promise<PuppeteerBrowser> {
  startedFirefox ??= launchFirefox();
  return startedFirefox;
}

async function launchFirefox(): Promise<PuppeteerBrowser> {
  const groups = tidyAfterThisProcess();
  const browser = await launch({
    browser: 'firefox',
    executablePath: BROWSERS.firefox,
    args: ['--remote-allow-system-access', 'about:config'],
    // As root, Firefox refuses a HOME of another user, which CI sets in a container.
    env: { ...process.env, HOME: userInfo().homedir },
    // A busy machine starts it late: the test runner's own limit decides.
    timeout: 0,
    ...SIGNALS,
  });
  groups.write(`${browser.process()?.pid}\n`);
  return browser;
}

let tidier: Socket | undefined;

/**
 * Starts a shell that waits for the end of this process, however it ends. Then it kills the process groups that it has read, and deletes
 * the folder of the profiles. The test runner gives this process half a second to do that, which is too short on a busy machine.
 * Chromium needs no mention: it ends with the pipe that it reads.
 */
function tidyAfterThisProcess(): Socket {
  if (tidier) return tidier;
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-browsers-'));
  // The drivers make the profiles in it.
  process.env.TMPDIR = folder;
  const script =
    'while read -r group; do groups="$groups -$group"; done; [ -z "$groups" ] || kill -9 -- $groups; sleep 2; rm -rf "$1"';
  const shell = spawn('sh', ['-c', script, 'sh', folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  tidier = shell.stdin as Socket;
  shell.unref();
  tidier.unref();
  return tidier;
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
