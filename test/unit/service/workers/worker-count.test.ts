import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { cpuQuota, workerCount } from '../../../../src/service/workers/worker-count.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Writes control groups: the group of the process, and cpu.max by path. */
function quotaOf(group: string, limits: Record<string, string>): number {
  const mount = mkdtempSync(join(tmpdir(), 'guildrank-cgroup-'));
  folders.push(mount);
  const groupFile = join(mount, 'self');
  writeFileSync(groupFile, `4:memory:/other\n0::${group}\n`);
  for (const [path, text] of Object.entries(limits)) {
    mkdirSync(dirname(join(mount, path)), { recursive: true });
    writeFileSync(join(mount, path), `${text}\n`);
  }
  return cpuQuota({ groupFile, mount });
}

it.each<[string, string, Record<string, string>, number]>([
  ['the quota of a container', '/', { 'cpu.max': '200000 100000' }, 2],
  ['the whole CPUs of a quota', '/', { 'cpu.max': '350000 100000' }, 3],
  ['one CPU at least', '/', { 'cpu.max': '50000 100000' }, 1],
  ['no limit', '/', { 'cpu.max': 'max 100000' }, Number.POSITIVE_INFINITY],
  ['no limit where there is no such file', '/a', {}, Number.POSITIVE_INFINITY],
  ['the quota of a group above', '/a/b', { 'a/cpu.max': '300000 100000', 'a/b/cpu.max': 'max 100000' }, 3],
  ['the least of all quotas', '/a/b', { 'cpu.max': '400000 100000', 'a/b/cpu.max': '500000 100000' }, 4],
])('a process may use as many CPUs as its control groups allow: %s', (_what, group, limits, expected) => {
  expect(quotaOf(group, limits)).toBe(expected);
});

it('a process without control groups may use all CPUs', () => {
  expect(cpuQuota({ groupFile: '/no/such/file', mount: '/no/such/folder' })).toBe(Number.POSITIVE_INFINITY);
});

it('as many workers start as WORKERS says, and with "auto" as many as can run', () => {
  expect(workerCount(7)).toBe(7);
  expect(workerCount('auto')).toBe(Math.min(availableParallelism(), cpuQuota()));
});
