import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openFilesLimit, warningOfOpenFiles } from '../../../src/service/open-files.ts';

describe('warningOfOpenFiles', () => {
  it('names both limits, how to raise one, and the other that would fit', () => {
    expect(warningOfOpenFiles(5000, 1024)).toBe(
      'a process may open 1024 files, and MAX_CONNECTIONS=5000 needs 5200: raise the hard limit (ulimit -Hn, LimitNOFILE of systemd, ' +
        'ulimits of the container), or set MAX_CONNECTIONS to 824',
    );
  });

  it('names no number of connections where not even the process itself has enough', () => {
    expect(warningOfOpenFiles(5000, 200)).not.toContain('or set');
  });

  it.each([5200, undefined])('says nothing with a limit of %s for 5000 connections', (limit) => {
    expect(warningOfOpenFiles(5000, limit)).toBeUndefined();
  });
});

describe('openFilesLimit', () => {
  it('is the limit of this process, on Linux', () => {
    if (existsSync('/proc/self/limits')) expect(openFilesLimit()).toBeGreaterThan(100);
    else expect(openFilesLimit()).toBeUndefined();
  });

  it('is unknown where the system has no such file', () => {
    expect(openFilesLimit('/nowhere')).toBeUndefined();
  });
});
