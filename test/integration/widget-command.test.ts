import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESERVED_SPACE } from '../../src/service/http/site/widget-file.ts';
import { runCommand } from '../support/command.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';

describe('the command widget', () => {
  let testStore: TestStore;
  let service: TestService;
  beforeAll(async () => {
    testStore = await mockStore.start();
    service = await startService(testStore);
  });
  afterAll(async () => {
    await service.close();
    await testStore.stop();
  });

  it('the command widget prints a snippet whose address the service serves, with the hash of what it serves there', async () => {
    const args = ['--snippet', '--url', `${service.url}/`, '--guild', '42'];
    const { code, stdout, stderr } = await runCommand('widget', args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [style, ...lines] = stdout.split('\n');
    expect(style).toBe(RESERVED_SPACE);
    const [, src = '', integrity, rest] =
      /^<script src="(.*)" integrity="(.*)" crossorigin="anonymous" defer>(.*)/s.exec(lines.join('\n')) ?? [];
    expect(rest).toBe('</script>\n<guild-leaderboard guild="42"></guild-leaderboard>\n');
    expect(src.startsWith(`${service.url}/widget.`)).toBe(true);
    const served = await fetch(src);
    expect(served.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const digest = createHash('sha384').update(Buffer.from(await served.arrayBuffer()));
    expect(integrity).toBe(`sha384-${digest.digest('base64')}`);
  });

  it('the command widget prints path and hash, and prints both as JSON too', async () => {
    const { stdout } = await runCommand('widget', ['--json']);
    const { path, integrity, snippet } = JSON.parse(stdout);
    expect(snippet).toContain(`src="https://ranks.example.com${path}" integrity="${integrity}"`);
    expect((await runCommand('widget', [])).stdout).toBe(`${path}\n${integrity}\n`);
  });

  it.each(['ranks.example.com', 'ftp://ranks.example.com', 'https://ranks.example.com/?x', 'https://"'])(
    'the command widget refuses the address %s',
    async (url) => {
      const { code, stdout, stderr } = await runCommand('widget', ['--snippet', '--url', url]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('It must be an address such as https://ranks.example.com');
    },
  );
});
