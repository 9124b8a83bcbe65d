import { describe, expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../../src/cli/sentences.ts';
import { chooseCurve, curveOfFiles } from '../../../src/imports/curve-choice.ts';

const AMARI = { curve: 'amari', format: 'amari' } as const;
const NEW = { configured: null, members: 0 };

describe('the curve of a guild after an import', () => {
  it('the curve that a person names wins in every case', () => {
    expect(chooseCurve('lurkr', AMARI, { configured: 'polaris', members: 5 }, COMMAND_ADVICE)).toEqual({
      curve: 'lurkr',
      store: true,
      notice: 'curve: lurkr (instead of polaris: the levels of all members of the guild change)',
    });
  });

  it('a new guild gets the curve of the format', () => {
    expect(chooseCurve(undefined, AMARI, NEW, COMMAND_ADVICE)).toEqual({
      curve: 'amari',
      store: true,
      notice: 'curve: amari (from the format)',
    });
    expect(chooseCurve(undefined, { curve: 'standard', format: 'tatsu' }, NEW, COMMAND_ADVICE).notice).toBe(
      'curve: standard (the bot tatsu publishes no curve of its own)',
    );
  });

  it('a guild with a curve or members keeps its curve, and a notice tells when the format has another curve', () => {
    expect(chooseCurve(undefined, AMARI, { configured: 'lurkr', members: 0 }, COMMAND_ADVICE)).toEqual({
      curve: 'lurkr',
      store: false,
      notice:
        'curve: lurkr, as the guild is configured. The bot amari uses the curve amari: add --curve amari to switch',
    });
    expect(chooseCurve(undefined, AMARI, { configured: null, members: 3 }, COMMAND_ADVICE)).toMatchObject({
      curve: 'standard',
      store: false,
      notice: expect.stringContaining('the default, by which the guild has members already'),
    });
    expect(chooseCurve(undefined, AMARI, { configured: 'amari', members: 3 }, COMMAND_ADVICE).store).toBe(false);
  });

  it('a guild keeps its curve without a notice when the format has no curve', () => {
    expect(chooseCurve(undefined, undefined, NEW, COMMAND_ADVICE)).toEqual({
      curve: 'standard',
      store: false,
      notice: undefined,
    });
  });

  it('a new guild gets the curve that the file itself states', () => {
    const curve = 'custom=0,0,50,0,1,1,9';
    const own = curveOfFiles([{ format: 'polaris', curve }], COMMAND_ADVICE);
    expect(chooseCurve(undefined, own, NEW, COMMAND_ADVICE)).toEqual({
      curve,
      store: true,
      notice: `curve: ${curve} (from the file)`,
    });
    expect(() => curveOfFiles([{ format: 'polaris', curve }, { format: 'polaris' }], COMMAND_ADVICE)).toThrow(
      'name a curve with --curve',
    );
  });

  it('a person must name the curve when the formats of the files have different curves', () => {
    expect(curveOfFiles([{ format: 'csv' }, { format: 'mee6' }, { format: 'tatsu' }], COMMAND_ADVICE)).toEqual({
      curve: 'standard',
      format: 'mee6',
    });
    expect(() => curveOfFiles([{ format: 'mee6' }, { format: 'amari' }], COMMAND_ADVICE)).toThrow(
      'name a curve with --curve',
    );
  });
});
