import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser } from '../../tools/browser.ts';
import { type Site, sharedChromium, startSite } from '../../tools/browser.ts';
import { typeErrors } from '../support/check-types.ts';
import { needs } from '../support/needs.ts';
import { pack } from '../support/packed.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { mockStore } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { INSTALLING_MS } from '../support/wait.ts';

const NODE_TYPES = ['--typeRoots', join(repository, 'node_modules/@types'), '--types', 'node'];
const FRAMEWORKS = {
  react: { title: 'From React', boards: 2, extension: 'tsx' },
  vue: { title: 'From Vue', boards: 1, extension: 'ts' },
  svelte: { title: 'From Svelte', boards: 1, extension: 'ts' },
} as const;

const frameworks = Object.entries(FRAMEWORKS).filter(([name]) => ALL_VARIANTS || name === 'react');
/** Checkers of files that TypeScript does not read. They skip declarations, which a test of its own checks. */
const checkers = [
  ['Vue', ['vue-tsc', '-p', 'vue', ...NODE_TYPES]],
  ['Svelte', ['svelte-check', '--tsconfig', 'svelte/tsconfig.json', '--output', 'machine', '--fail-on-warnings']],
] as const;

describe('guildrank-widget in a framework', needs('npm registry', 'chromium'), () => {
  const suite = serviceSuite(mockStore);
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-frameworks-'));
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    cpSync(join(repository, 'test/fixtures/frameworks'), folder, { recursive: true });
    const ci = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    const { code, stderr } = await runProgram('npm', ci, { cwd: folder });
    expect(code, stderr).toBe(0);
    // The run of the tests has built it: test/support/entry.ts.
    const { files } = await pack('./src/widget', folder);
    for (const file of files) {
      cpSync(join(repository, 'src/widget', file), join(folder, 'node_modules/guildrank-widget', file));
    }
    [browser, site] = await Promise.all([sharedChromium(), startSite()]);
  }, INSTALLING_MS);
  afterAll(async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() =>
    suite.service.store.writer.recordMany('guild', [
      { userId: 'ada', set: 4675, username: 'Ada' },
      { userId: 'grace', set: 2000, username: 'Grace' },
      { userId: 'alan', set: 255, username: 'Alan' },
    ]),
  );

  /** Compiles components of Vue and Svelte with the compilers of the folder. */
  function components(generate: 'client' | 'server'): Plugin {
    const load = createRequire(join(folder, 'package.json'));
    return {
      name: 'components',
      setup({ onLoad }) {
        onLoad({ filter: /\.svelte$/ }, ({ path }) => {
          const { js } = load('svelte/compiler').compile(readFileSync(path, 'utf8'), { generate });
          return { contents: js.code, loader: 'js' };
        });
        onLoad({ filter: /\.vue$/ }, ({ path }) => {
          const { parse, compileScript } = load('vue/compiler-sfc');
          const templateParseOptions = { isCustomElement: (tag: string) => tag.startsWith('guild-') };
          const { descriptor } = parse(readFileSync(path, 'utf8'), { templateParseOptions });
          const { content } = compileScript(descriptor, { id: 'app', inlineTemplate: true });
          return { contents: content, loader: 'ts' };
        });
      },
    };
  }

  /** Bundles the application of a framework for a browser, or its page for a server. */
  async function bundle(entry: string, side: 'client' | 'server'): Promise<string> {
    const outfile = join(folder, `${side}.mjs`);
    await build({
      entryPoints: [join(folder, entry)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: side === 'client' ? 'browser' : 'node',
      // On a server Node itself loads the packages.
      ...(side === 'server' ? { packages: 'external' as const } : {}),
      conditions: [side === 'client' ? 'browser' : 'node', 'production'],
      jsx: 'automatic',
      define: {
        BASE: JSON.stringify(suite.service.url),
        KEY: JSON.stringify(suite.key),
        'process.env.NODE_ENV': '"production"',
      },
      plugins: [components(side)],
      logLevel: 'silent',
    });
    return outfile;
  }

  it('guildrank-widget has right declarations, and types for the elements in React', () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
    const files = ['react/client.tsx', 'react/server.tsx', 'environment.d.ts'];
    const declarations = ['vue', 'svelte'].map((name) => `node_modules/guildrank-widget/dist/${name}.d.ts`);
    const isOwn = (file: string) => !/node_modules\/(?!guildrank)/.test(file);
    const options = { ...compilerOptions, skipLibCheck: false };
    expect(typeErrors(folder, [...files, ...declarations], options, isOwn)).toBe('');
  });

  it.each(ALL_VARIANTS ? checkers : [])(
    'guildrank-widget has types for the elements in %s',
    async (_name, [program = '', ...args]) => {
      const result = await runProgram(join(folder, 'node_modules/.bin', program), args, { cwd: folder });
      expect(result, result.stdout).toMatchObject({ code: 0 });
    },
  );

  describe.each(frameworks)('%s', (name, { title, boards, extension }) => {
    it(`guildrank-widget in ${name} renders on a server, and runs in a browser`, async () => {
      const server = await bundle(`${name}/server.${extension}`, 'server');
      const printed = `const { html } = await import(${JSON.stringify(server)}); console.log(typeof customElements + html);`;
      const { stdout, stderr } = await runProgram(process.execPath, ['--input-type=module', '-e', printed], {
        cwd: folder,
        env: { NODE_ENV: 'production' },
      });
      expect(stdout, stderr).toMatch(/^undefined.*<guild-leaderboard [^>]*page-size="2"[^>]*>/s);

      const script = readFileSync(await bundle(`${name}/client.${extension}`, 'client'), 'utf8');
      const page = await browser.newPage();
      const messages: string[] = [];
      page.on('console', (message) => messages.push(message.text()));
      page.on('pageerror', (error) => messages.push(error.message));
      await page.route('**/app.js', (route) => route.fulfill({ body: script, contentType: 'text/javascript' }));
      site.html = `<!doctype html><link rel="icon" href="data:,"><div id="app">${stdout.slice('undefined'.length).trim()}</div>
        <div id="client"></div><script type="module" src="/app.js"></script>`;
      await page.goto(site.url);

      // One that a server rendered, and in React one that only the browser renders.
      await expect.poll(() => page.locator('guild-leaderboard').count()).toBe(boards);
      for (const board of await page.locator('guild-leaderboard').all()) {
        await board.getByRole('heading', { name: title }).waitFor();
        await board.getByRole('button', { name: 'Grace', exact: true }).waitFor();
        await expect.poll(() => board.locator('li').count()).toBe(2);
        expect(await board.getByRole('button', { name: 'Find a member by id' }).isVisible()).toBe(false);
        await expect.poll(() => board.locator('img').count()).toBe(1);
        expect(await board.getAttribute('refresh')).toBe('0');
        await page.evaluate("document.title = ''");
        await board.getByRole('button', { name: 'Grace', exact: true }).click();
        await expect.poll(() => page.title()).toBe('Grace');
      }
      await page.locator('guild-member').getByText('Grace', { exact: true }).waitFor();
      await page.locator('guild-stats').getByText('3 members').waitFor();

      await suite.service.store.writer.record('guild', { userId: 'new', set: 9000, username: 'Newcomer' });
      await page.getByRole('button', { name: 'Again' }).click();
      await page.getByRole('button', { name: 'Newcomer', exact: true }).first().waitFor();
      expect(messages).toEqual([]);
      await page.close();
    });
  });
});
