import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type CodeSample, codeSamples } from '../../src/service/explorer/samples.js';
import { document } from '../support/api-document.ts';
import { needs } from '../support/needs.ts';
import { runProgram } from '../support/run-command.ts';
import { mockStore } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';

const GUILD = '81384788765712384';
const MEMBER = '159985870458322944';
/** How to run the code of a language. */
const RUNNERS = {
  Shell: { missing: needs('curl'), run: ['sh', '-c'] },
  JavaScript: { missing: {}, run: [process.execPath, '--input-type=module', '-e'] },
  Python: { missing: needs('python3'), run: ['python3', '-c'] },
};
const OPERATIONS = Object.entries(document.paths as Record<string, { get: { 'x-codeSamples': CodeSample[] } }>);

describe.each(Object.entries(RUNNERS))('the code samples in %s', (language, { missing, run }) => {
  const suite = serviceSuite(mockStore);
  const sampleIn = (samples: readonly CodeSample[]) => samples.find(({ lang }) => lang === language)?.source ?? '';

  async function output(source: string): Promise<string> {
    const [program = '', ...args] = run;
    const { key } = await suite.service.store.apiKeys.create(GUILD, 'test', null);
    const { code, stdout, stderr } = await runProgram(program, [...args, source], { env: { KEY: key } });
    expect(code, stderr).toBe(0);
    return stdout;
  }

  it(`the code samples in ${language} read each operation as they stand in the API document`, missing, async () => {
    await suite.service.store.writer.record(GUILD, { userId: MEMBER, set: 4675 });
    for (const [path, { get }] of OPERATIONS) {
      const source = sampleIn(get['x-codeSamples']).replace('https://ranks.example.com', suite.service.url);
      expect(await output(source), path).toMatch(/\b200\b[\s\S]*"(total|xp|total_xp)":(1|4675)\b/);
    }
  });

  it(`the code samples in ${language} with the API key inside run without a variable`, missing, async () => {
    await suite.service.store.writer.record(GUILD, { userId: MEMBER, set: 4675 });
    const { key } = await suite.service.store.apiKeys.create(GUILD, 'test', null);
    const [program = '', ...args] = run;
    const source = sampleIn(codeSamples(`${suite.service.url}/api/v1/servers/${GUILD}/stats`, {}, key));
    const { code, stdout, stderr } = await runProgram(program, [...args, source]);
    expect({ code, stdout }, stderr).toEqual({
      code: 0,
      stdout: expect.stringMatching(/\b200\b[\s\S]*"total_xp":4675\b/),
    });
  });

  it(`the code samples in ${language} send an address and headers with quotes as they are`, missing, async () => {
    const seen: object[] = [];
    const server = createServer(({ url = '', headers }, res) => {
      seen.push({ url: decodeURIComponent(url), key: headers['x-api-key'], note: headers['x-note'] });
      res.end('the body');
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/it's/$KEY?x=\`id\``;
      const note = `"it's" \\ $KEY`;
      expect(await output(sampleIn(codeSamples(encodeURI(url), { 'x-note': note })))).toContain('the body');
      expect(seen).toEqual([{ url: "/it's/$KEY?x=`id`", key: expect.stringMatching(/^gr_/), note }]);
    } finally {
      server.close();
    }
  });
});
