import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inject, type TestOptions } from 'vitest';
import { findOnPath, findRedisServer } from '../../scripts/dev/embedded-redis.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was left out. */
    leftOut?: string;
  }
  interface ProvidedContext {
    /** Whether npm reached its registry when the run began. */
    hasRegistry: boolean;
  }
}

/** Finds a program that Debian may keep outside PATH. @returns its path. */
export function findProgram(name: string): string | undefined {
  return findOnPath([name]) ?? [`/usr/sbin/${name}`].find((file) => existsSync(file));
}

/** The shell is Chromium without its windows: a test takes half of the CPU time. */
const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Paths of the browsers; CHROMIUM and FIREFOX name others. */
export const BROWSERS = {
  chromium: process.env.CHROMIUM ?? CHROMIUMS.find((path) => existsSync(path)) ?? '',
  firefox: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
};

const runs = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const apt = (name: string, program = name) => ({ fix: `apt install ${name}`, find: () => findProgram(program) });

/** What a suite may need beside Node and the packages of npm: how to find it, and how to install it. */
const NEEDS = {
  'redis-server': {
    fix: 'apt install redis-server',
    find: () => process.env.TEST_STORES !== 'mock' && findRedisServer(),
  },
  'redis-cli': apt('redis-tools', 'redis-cli'),
  chromium: { fix: 'apt install chromium-headless-shell', find: () => existsSync(BROWSERS.chromium) },
  'firefox-esr': { fix: 'apt install firefox-esr', find: () => existsSync(BROWSERS.firefox) },
  'fonts-dejavu-core': {
    fix: 'apt install fonts-dejavu-core',
    find: () => existsSync('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'),
  },
  nginx: apt('nginx'),
  haproxy: apt('haproxy'),
  caddy: apt('caddy'),
  openssl: apt('openssl'),
  promtool: apt('prometheus', 'promtool'),
  prometheus: apt('prometheus'),
  kubectl: { fix: '.ci/kubectl prints the folder of one', find: () => findOnPath(['kustomize', 'kubectl']) },
  script: apt('bsdutils', 'script'),
  'systemd-analyze': apt('systemd', 'systemd-analyze'),
  curl: apt('curl'),
  ssconvert: apt('gnumeric', 'ssconvert'),
  python3: apt('python3'),
  'python3-redis': {
    fix: 'apt install python3-redis',
    find: () => runs('/usr/bin/python3', '-c', 'import redis.asyncio'),
  },
  'python3-discord': {
    fix: 'apt install python3-discord',
    find: () => runs('/usr/bin/python3', '-c', 'import discord'),
  },
  'python3-venv': { fix: 'apt install python3-venv', find: () => runs('/usr/bin/python3', '-c', 'import ensurepip') },
  'python3-build': { fix: 'apt install python3-build', find: () => runs('/usr/bin/python3', '-c', 'import build') },
  'python3-hatchling': {
    fix: 'apt install python3-hatchling',
    find: () => runs('/usr/bin/python3', '-c', 'import hatchling'),
  },
  mypy: apt('mypy'),
  buildah: apt('buildah'),
  debootstrap: apt('debootstrap'),
  iproute2: apt('iproute2', 'ip'),
  git: apt('git'),
  root: { fix: 'run as root, with CAP_SYS_ADMIN', find: () => runs('unshare', '--mount', 'true') },
  'npm registry': { fix: 'connect to it', find: () => inject('hasRegistry') },
} as const;

export type Need = keyof typeof NEEDS;

/** The packages of Debian that a suite may need. */
export const DEBIAN_PACKAGES = Object.values(NEEDS).flatMap(({ fix }) => /^apt install (\S+)$/.exec(fix)?.[1] ?? []);

const found = new Map<Need, boolean>();

/** Whether this machine has what a suite needs. */
export function has(need: Need): boolean {
  let answer = found.get(need);
  if (answer === undefined) {
    answer = Boolean(NEEDS[need].find());
    found.set(need, answer);
  }
  return answer;
}

function causeOf(name: Need): string {
  if (name === 'redis-server' && process.env.TEST_STORES === 'mock') return 'TEST_STORES=mock';
  return `no ${name} (${NEEDS[name].fix})`;
}

/**
 * Returns options of a test or a suite that leave it out where something is missing. The end of the run lists what was left out, and why.
 * @throws with REQUIRE_ALL=1 instead, naming what is missing.
 */
export function needs(...names: readonly Need[]): TestOptions {
  const missing = names.filter((name) => !has(name)).map(causeOf);
  if (missing.length === 0) return {};
  if (process.env.REQUIRE_ALL === '1') throw new Error(`REQUIRE_ALL=1, but there is ${missing.join(', ')}`);
  return { skip: true, meta: { leftOut: missing.join(', ') } };
}
