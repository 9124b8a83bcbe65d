import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { document } from '../support/api-document.ts';
import { typeErrors } from '../support/check-types.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { mockStore } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { INSTALLING_MS } from '../support/wait.ts';

/** What every program below prints of a server, a member that is not ranked, and the first row. */
const PRINTED = 'standard 4930 member_not_found Ada\n';

/** A program over each generated client. Each reads fields whose types the document states. */
const PROGRAMS = {
  'openapi-typescript': {
    generate: ['openapi-typescript'],
    program: `import type { operations } from './types';
type Of<Name extends keyof operations, Status extends number> = operations[Name]['responses'] extends infer R
  ? Status extends keyof R ? (R[Status] extends { content: infer C } ? C[keyof C] : never) : never : never;
const get = async <T>(path: string): Promise<T> => (await fetch(base + path, { headers })).json() as Promise<T>;
const stats = await get<Of<'getStats', 200>>('/servers/guild/stats');
const problem = await get<Of<'getMember', 404>>('/servers/guild/members/nobody');
const page = await get<Of<'getLeaderboard', 200>>('/servers/guild/leaderboard');
print(stats.xp_curve, stats.total_xp, problem.code, page.data[0]?.username);`,
  },
  '@hey-api/openapi-ts': {
    generate: ['openapi-ts', '-i', 'openapi.json', '-o', 'hey', '--no-log-file'],
    program: `import { getLeaderboard, getMember, getStats } from './hey';
import { client } from './hey/client.gen';
client.setConfig({ baseUrl: base, auth: key });
const path = { guild_id: 'guild' };
const { data: stats } = await getStats({ path, throwOnError: true });
const { error: problem } = await getMember({ path: { ...path, user_id: 'nobody' } });
const { data: page } = await getLeaderboard({ path, query: { limit: 1, page: 1 }, throwOnError: true });
print(stats.xp_curve, stats.total_xp, problem?.code, page.data[0]?.username);`,
  },
  orval: {
    generate: ['orval', '--config', 'orval.config.mjs'],
    program: `import { getLeaderboard, getMember, getStats } from './orval';
const stats = await getStats('guild', { headers });
const problem = await getMember('guild', 'nobody', { headers });
const page = await getLeaderboard('guild', { limit: 1 }, { headers });
if (stats.status !== 200 || problem.status !== 404 || page.status !== 200) throw new Error('another status');
print(stats.data.xp_curve, stats.data.total_xp, problem.data.code, page.data.data[0]?.username);`,
  },
  oazapfts: {
    generate: ['oazapfts', 'openapi.json', 'oazapfts.ts'],
    program: `import { defaults, getLeaderboard, getMember, getStats } from './oazapfts';
Object.assign(defaults, { baseUrl: base, headers });
const stats = await getStats('guild');
const problem = await getMember('guild', 'nobody');
const page = await getLeaderboard('guild', { limit: 1 });
if (stats.status !== 200 || problem.status !== 404 || page.status !== 200) throw new Error('another status');
print(stats.data.xp_curve, stats.data.total_xp, problem.data.code, page.data.data[0]?.username);`,
  },
};
const PROLOGUE = `const { KEY: key = '', BASE: base = '' } = process.env;
const headers = { 'x-api-key': key };
function print(curve: string, total: number, code: string | undefined, first: string | undefined) {
  console.log(curve, total, code, first);
}
`;
const ORVAL = `const { BASE: baseUrl } = process.env;
export default { api: { input: 'openapi.json', output: { target: 'orval.ts', client: 'fetch', baseUrl } } };
`;
const BUNDLER = { target: 'es2022', module: 'esnext', moduleResolution: 'bundler' };

/** The generator of `tools`. The others are packages of a fixture. */
const OWN = 'openapi-typescript';
const generators = Object.entries(PROGRAMS).filter(([name]) => ALL_VARIANTS || name === OWN);
const missing = ALL_VARIANTS ? needs('npm registry') : {};

describe('clients generated from docs/openapi.json', missing, () => {
  const suite = serviceSuite(mockStore);
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-generators-'));
  beforeAll(async () => {
    cpSync(join(repository, 'test/fixtures/generators'), folder, { recursive: true });
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
    if (!ALL_VARIANTS) return;
    const ci = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    const { code, output } = await run('npm', ci);
    expect(code, output).toBe(0);
    writeFileSync(join(folder, 'orval.config.mjs'), ORVAL);
  }, INSTALLING_MS);
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    await suite.service.store.writer.recordMany('guild', [
      { userId: 'ada', set: 4675, username: 'Ada' },
      { userId: 'grace', set: 255 },
    ]);
  });

  async function run(program: string, args: readonly string[]) {
    const env = { KEY: suite.key, BASE: `${suite.service.url}/api/v1` };
    const { code, stdout, stderr } = await runProgram(program, args, { cwd: folder, env });
    return { code, stdout, output: stdout + stderr };
  }

  it.each(generators)('%s makes a client that compiles strictly and reads the service', async (name, made) => {
    const [generator = '', ...args] = made.generate;
    if (name === OWN) {
      // What it makes of the document: client-example.test.ts.
      cpSync(join(repository, 'examples/client/api.ts'), join(folder, 'types.ts'));
    } else {
      const generated = await run(join(folder, 'node_modules/.bin', generator), args);
      expect(generated.code, generated.output).toBe(0);
    }
    const file = `use-${generator}.ts`;
    writeFileSync(join(folder, file), made.program.replace(/^((?:import .*\n)+)/, `$1${PROLOGUE}`));
    expect(typeErrors(folder, [file], BUNDLER)).toBe('');
    const outfile = join(folder, `${generator}.mjs`);
    await build({ entryPoints: [join(folder, file)], outfile, bundle: true, format: 'esm', platform: 'node' });
    const printed = await run(process.execPath, [outfile]);
    expect(printed, printed.output).toMatchObject({ code: 0, stdout: PRINTED });
  });
});
