import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScript } from '../../../scripts/bench/contenders.ts';

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

describe('startScript', () => {
  it.each([
    ['node --max-semi-space-size=16 dist/main.js', 'exec node --max-semi-space-size=16 dist/main.js'],
    ['exec node dist/main.cjs serve', 'exec node dist/main.cjs serve'],
  ])('is "%s" in a form that replaces the shell', (start, expected) => {
    expect(startScript(checkout(start, / (\S+js)\b/.exec(start)?.[1]))).toBe(expected);
  });

  it('rejects a checkout that is not built, has no usable start script, or is none', () => {
    expect(() => startScript(checkout('node dist/main.js'))).toThrow('build the checkout');
    expect(() => startScript(checkout('npm run serve'))).toThrow('The start script in');
    expect(() => startScript('/missing')).toThrow('/missing/package.json is missing');
  });
});
