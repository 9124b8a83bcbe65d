import { describe, expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../../src/cli/sentences.ts';
import { detectFormat } from '../../../src/imports/detect.ts';

describe('detectFormat', () => {
  it.each([
    ['user_id,username,xp\r\n1,a,2', 'stdin', 'csv'],
    ['\uFEFF"xp","USER_ID"\n1,2', 'stdin', 'csv'],
    ['id,points\n1,2', 'members.csv', 'csv'],
    ['id,points\n1,2', 'members.csv.gz', 'csv'],
    ['user_id;xp\n1;2', 'stdin', 'csv'],
    ['{"user_id":"1","xp":5}\n{"user_id":"2","xp":5}\n', 'x.json', 'ndjson'],
    ['{"username":"a","xp":5,"user_id":"1"}', 'x', 'ndjson'],
    ['[{"user_id":"1","xp":5}]', 'x', 'json'],
    ['[]', 'x.json', 'json'],
    ['[{"userId":"1","xp":5}]', 'x', 'lurkr'],
    ['[{"id":"1","exp":"5"}]', 'x', 'amari'],
    ['[{"id":"1","xp":5,"detailed_xp":[1,2,5]}]', 'x', 'mee6'],
    ['[{"user_id":"1","score":5}]', 'x', 'tatsu'],
    ['{"data":[]}', 'x', 'amari'],
    ['{"members":[{"id":"1","exp":5', 'x', 'amari'],
    ['{"guild":{"levels":[],"data":[1]},"levels":[{"userId":"1', 'x', 'lurkr'],
    ['{"xp":{"1":5}}', 'x', 'polaris'],
    ['{"123456789012345678":5}', 'x', 'polaris'],
    ['{"players":[{"id":"1","xp":5,}', 'x', 'mee6'],
  ])('%j in %s is %s', (text, file, format) => {
    expect(detectFormat(text, file, COMMAND_ADVICE)).toBe(format);
  });

  it.each(['', 'hello', '{}', '{"x":1}', '{"players":{}}'])('refuses %j', (text) => {
    expect(() => detectFormat(text, 'x.json', COMMAND_ADVICE)).toThrow(
      'Cannot tell the format of x.json: name it with --format',
    );
  });
});
