import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { takeEnvFile } from '../../../src/config/env-file.ts';

describe('takeEnvFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildrank-env-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (text: string) => writeFileSync(join(folder, '.env'), text);

  it('the file .env gives what the environment lacks, and a sentence says which variables came from where', () => {
    write('# a comment\nPORT=8081\nREDIS_URL="redis://a:6379"\nREDIS_NODES=\nLOG_LEVEL=warn\n');
    const env: Record<string, string> = { PORT: '9000' };
    const { taken } = takeEnvFile(env, folder);
    expect(env).toEqual({ PORT: '9000', REDIS_URL: 'redis://a:6379', REDIS_NODES: '', LOG_LEVEL: 'warn' });
    expect(taken).toBe(`settings from ${folder}/.env: LOG_LEVEL, REDIS_URL; the environment has its own PORT`);
  });

  it('nothing is said when there is no file .env, or when the environment has all of its variables', () => {
    expect(takeEnvFile({}, folder).taken).toBeUndefined();
    write('PORT=8081\n');
    expect(takeEnvFile({ PORT: '1' }, folder).taken).toBeUndefined();
  });

  it('a file .env from Windows is read, with its byte order mark and its line ends', () => {
    write('\uFEFFPORT=8081\r\nHOST=::\r\n');
    const env: Record<string, string> = {};
    takeEnvFile(env, folder);
    expect(env).toEqual({ PORT: '8081', HOST: '::' });
  });

  it('a folder with the name .env, as Python makes it, is left alone', () => {
    mkdirSync(join(folder, '.env'));
    expect(takeEnvFile({}, folder).taken).toBeUndefined();
  });

  it('takeEnvFile lists every name in the file, even a name that the environment has itself', () => {
    write('PORT=8081\nREDIS_URI=redis://a:6379\n');
    expect(takeEnvFile({ PORT: '1' }, folder).names).toEqual(['PORT', 'REDIS_URI']);
  });

  it('the sentence about the file .env never contains a value of the file', () => {
    write('REDIS_URL=redis://u:secret@h:1\n');
    expect(takeEnvFile({}, folder).taken).not.toContain('secret');
  });
});

it('a file in UTF-16 is refused with the encoding to save it in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-env-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '.env'), Buffer.from('\uFEFFREDIS_URL=redis://host\r\n', 'utf16le'));
  expect(() => takeEnvFile({}, folder)).toThrow('in the encoding UTF-8');
});
