import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fittingConnections, openFilesLimit } from '../../../src/service/open-files.ts';

describe('fittingConnections', () => {
  it('the service takes as many connections as the files allow, and says how to have more', () => {
    expect(fittingConnections(5000, 1024)).toEqual({
      maxConnections: 824,
      warning:
        'a process may open 1024 files, and MAX_CONNECTIONS=5000 needs 5200: it takes 824 connections. For more, raise the hard limit (ulimit -Hn, ' +
        'LimitNOFILE of systemd, ulimits of the container)',
    });
  });

  it('the service takes a few connections even where the process itself lacks files', () => {
    expect(fittingConnections(5000, 200).maxConnections).toBe(10);
  });

  it.each([5200, undefined])(
    'the service takes all 5000 connections without a word when the limit of files is %s',
    (limit) => {
      expect(fittingConnections(5000, limit)).toEqual({ maxConnections: 5000, warning: undefined });
    },
  );
});

describe('openFilesLimit', () => {
  it('the limit of open files is that of this process, on Linux', () => {
    if (existsSync('/proc/self/limits')) expect(openFilesLimit()).toBeGreaterThan(100);
    else expect(openFilesLimit()).toBeUndefined();
  });

  it('the limit of open files is unknown where the system has no such file', () => {
    expect(openFilesLimit('/nowhere')).toBeUndefined();
  });
});
