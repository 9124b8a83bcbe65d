import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, findOnPath, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { nodeArguments } from '../support/entry.ts';
import { needs } from '../support/needs.ts';
import { runProgram } from '../support/run-command.ts';
import { screenOf } from './terminal-screen.ts';

/** util-linux: runs a command on a terminal of its own. */
const script = findOnPath(['script']);

describe('seed on a terminal', needs('redis-server', 'script'), () => {
  let server: EmbeddedRedis;
  let folder: string;
  beforeAll(async () => {
    server = await startEmbeddedRedis();
    folder = mkdtempSync(join(tmpdir(), 'guildrank-terminal-'));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const seed = async (args: string) => {
    const command = `stty cols 80 rows 24; ${[process.execPath, ...nodeArguments(['src/cli/main.ts'])].join(' ')} seed --guild g ${args}`;
    const options = ['--quiet', '--return', '--command', command, '/dev/null'];
    const { code, stdout } = await runProgram(script as string, options, { env: { REDIS_URL: server.url } });
    return { code, screen: screenOf(stdout) };
  };

  it('seed leaves on the terminal the whole lines about bad rows and the curve, and nothing of the progress bar', async () => {
    const path = join(folder, 'o.json');
    const long = 'x'.repeat(60);
    writeFileSync(
      path,
      `{"members":[${Array.from({ length: 30_000 }, (_, n) => `{"id":"${n}","exp":${n === 7 ? `"${long}"` : 5},"level":0}`)}]}`,
    );
    const { code, screen } = await seed(`--file ${path}`);
    expect(code).toBe(3);
    const text = screen.join('');
    expect(text).toContain('(detected)');
    expect(text).toContain('curve: amari (from the format)');
    expect(text).toContain(
      `o.json element 8: exp "${long.slice(0, 56)}... is not a whole number from 0 to 9007199254740991`,
    );
    expect(text).toMatch(/imported 29,999 members/);
    expect(text).not.toMatch(/members \||\/s \|/);
    expect(text).toMatch(/all other rows are imported: correct the bad rows, and run the same command again$/);
  });
});
