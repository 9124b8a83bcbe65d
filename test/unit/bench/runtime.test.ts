import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { beforeCommand, nodeVersion, serviceCommand, splitOptions } from '../../../scripts/bench/runtime.ts';

const runtime = { node: '/bin/node', nodeOptions: undefined, before: undefined };

function checkout(start: string, entry?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-bench-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
  if (entry) {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, entry), '');
  }
  return folder;
}

describe('serviceCommand', () => {
  it('starts the module of npm start with the given Node and options', () => {
    const command = serviceCommand({ ...runtime, nodeOptions: ['--max-semi-space-size=32'] });
    expect(command).toEqual(['/bin/node', '--max-semi-space-size=32', 'dist/main.js']);
  });
});

describe('beforeCommand', () => {
  it('uses the Node options and the module of the start script of that checkout', () => {
    const before = checkout('node --max-semi-space-size=16 dist/main.js', 'dist/main.js');
    const command = beforeCommand({ ...runtime, before, nodeOptions: [] });
    expect(command).toEqual(['/bin/node', '--max-semi-space-size=16', join(before, 'dist/main.js')]);
  });

  it('reads a start script that replaces the shell', () => {
    const before = checkout('exec node dist/main.js', 'dist/main.js');
    expect(beforeCommand({ ...runtime, before })).toEqual(['/bin/node', join(before, 'dist/main.js')]);
  });

  it('rejects a checkout that is not built, has no usable start script, or is not given', () => {
    expect(() => beforeCommand({ ...runtime, before: checkout('node dist/main.js') })).toThrow('build the checkout');
    expect(() => beforeCommand({ ...runtime, before: checkout('npm run serve') })).toThrow('The start script in');
    expect(() => beforeCommand({ ...runtime, before: '/missing' })).toThrow('/missing/package.json is missing');
    expect(() => beforeCommand(runtime)).toThrow('needs --before DIR');
  });
});

describe('nodeVersion', () => {
  it('is the version of the binary', () => {
    expect(nodeVersion(process.execPath)).toBe(process.version);
  });

  it('rejects a path that does not run', () => {
    expect(() => nodeVersion('/missing/node')).toThrow('/missing/node is not a Node binary');
  });
});

describe('splitOptions', () => {
  it('splits at white space', () => {
    expect(splitOptions(' --a  --b=1 ')).toEqual(['--a', '--b=1']);
    expect(splitOptions('')).toEqual([]);
  });
});
