import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { type CommandResult, repository, runProgram } from '../support/run-command.ts';

/** Commands that are not run here: each with the test that runs it or its like, or with the reason why none does. */
const ELSEWHERE: readonly (readonly [command: RegExp, why: string])[] = [
  [/^npm run demo$/, 'test/process/demo.test.ts'],
  [/^npm run dashboard$|^npm run -s dashboard --/, 'test/process/dashboard-command.test.ts'],
  [/^REDIS_URL=\S+ npm run -s guild -- export /, 'test/integration/guild-move.test.ts'],
  [/^npm test\b/, 'reason: it is this run'],
  [
    /^npm ci$|^npm run build$|^npm ci && npm run build && npm pack|^npm install \S+\.tgz$/,
    'test/packages/kit-package.test.ts',
  ],
  [/^(REDIS_URL=\S+ )?(PORT=\S+ )?npm start$/, 'test/process/npm-signals.test.ts'],
  [/^npm ci && npm run build && npm pack|^cd \.\.\/bot && npm install/, 'test/packages/bot-guide.test.ts'],
  [/^cd \.\.\/bot && python3 -m venv |^pip install \.\.\/guildrank\/python /, 'test/packages/python-guide.test.ts'],
  [/ sh deploy\/redis\/planned-failover\.sh$/, 'test/long/planned-failover.test.ts'],
  [/^sh deploy\/redis\/restore\.sh /, 'test/deploy/restore.test.ts'],
  [/^docker compose /, 'test/deploy/image.test.ts'],
  [/^npm run bench\b/, 'test/process/bench.test.ts'],
  [/^npm install .*@opentelemetry/, 'test/packages/service-package.test.ts'],
  [/^cosign verify\b/, 'reason: it needs a published image'],
  [/^(KEY|BASE)=/, 'reason: it sets a variable for the lines that follow'],
  [/^curl -i -H "x-api-key: \$KEY"/, 'test/recorded/recorded.test.ts'],
  [/^curl 'http:.*\/data\.json/, 'test/http/public/data.test.ts'],
  [/^curl -fsS .*https:\/\/(mee6|api\.tatsu)\./, 'reason: it asks the service of another bot'],
  [/^kubectl apply -k\b/, 'test/deploy/kubernetes.test.ts'],
  [/^npm run (-s )?dashboard\b/, 'test/process/dashboard-command.test.ts'],
  [/^npm run -s widget\b/, 'test/integration/widget-command.test.ts'],
  [/\bguild -- (export|import)\b/, 'test/integration/guild-move.test.ts'],
  [/npx tsx examples\/client\/main\.ts/, 'test/packages/client-example.test.ts'],
];

const below = (folder: string) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const files = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...['docs', 'deploy', 'examples'].flatMap(below).filter((name) => name.endsWith('.md')),
];

/** A block of commands in a document. */
interface Block {
  readonly name: string;
  /** Its lines, joined where one goes on in the next. */
  readonly commands: readonly string[];
  /** The error that the document shows under its last command; undefined when none of them fails. */
  readonly error: string | undefined;
}

/** Returns the blocks of shell commands. In a block without a language, lines that begin with npm or npx are commands. */
function blocksOf(file: string): Block[] {
  const text = readFileSync(join(repository, file), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, language = '', body = ''], index) => {
    const lines = body.replace(/\\\n\s*|(?<=\|)\n\s*/g, '').split('\n');
    const kinds: Record<string, string[]> = {
      sh: lines,
      console: lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)),
      '': lines.filter((line) => /^(npm|npx) /.test(line)),
    };
    const commands = (kinds[language] ?? [])
      .map((line) => line.replace(/\s+#.*$/, ''))
      .filter((line) => /\S/.test(line));
    const error = language === 'console' ? lines.findLast((line) => line.startsWith('error: ')) : undefined;
    return commands.length > 0 ? [{ name: `${file}, block ${index + 1}`, commands, error }] : [];
  });
}

const blocks = files.flatMap(blocksOf);
const whyElsewhere = (command: string) => ELSEWHERE.find(([pattern]) => pattern.test(command))?.[1];
const here = blocks.filter(({ commands }) => !commands.every(whyElsewhere));

it('the test finds the commands of the documents, and uses each entry of its list of exceptions', () => {
  expect(blocks.flatMap(({ commands }) => commands).length).toBeGreaterThan(50);
  for (const [pattern, why] of ELSEWHERE) {
    expect(
      blocks.some(({ commands }) => commands.some((command) => pattern.test(command))),
      String(pattern),
    ).toBe(true);
    if (!why.startsWith('reason: ')) expect(existsSync(join(repository, why)), why).toBe(true);
  }
});

/** Stands for `npm run -s NAME -- ARGUMENTS` within a line of the shell: runs what the build has made of the command. */
const NPM_RUN = `npm() {
  [ "$1 $2 $4" = "run -s --" ] || { command npm "$@"; return; }
  local name="$3"
  shift 4
  node dist/guildrank.cjs "$name" "$@"
}
`;

/** A line that runs one command and asks nothing else of the shell than to split its words. */
const PLAIN = /^((?:[A-Z_]+=\S+ )*)npm run -s (\w+)(?: +-- +([^|&;<>()$`]*))?$/;

/** Returns the steps of a block: a plain line, or the lines of the shell up to the next one. */
function stepsOf(lines: readonly string[]): string[][] {
  const steps: string[][] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (!last || PLAIN.test(line) || PLAIN.test(last[0] as string)) steps.push([line]);
    else last.push(line);
  }
  return steps;
}

/** The ports of the documents. The first is that of the bot's Redis. */
const PORTS = [6380, 6391];
const GUILD = '123456789012345678';

describe('the commands that the documents print', needs('redis-server', 'redis-cli'), () => {
  let redis: EmbeddedRedis;
  let folder: string;
  const ports = new Map<number, number>();

  beforeAll(async () => {
    for (const port of PORTS) ports.set(port, await freePort());
    const options = ['--appendonly', 'yes', '--repl-diskless-sync-delay', '0'];
    redis = await startEmbeddedRedis(['--port', String(ports.get(6380)), ...options]);
    folder = mkdtempSync(join(tmpdir(), 'guildrank-docs-'));
    for (const name of ['package.json', 'node_modules', 'src', 'scripts', 'deploy', 'dist', 'tsconfig.json']) {
      symlinkSync(join(repository, name), join(folder, name));
    }
    writeFileSync(join(folder, 'members.csv'), 'user_id,xp\n1,100\n2,50\n');
    const member = { name: 'ann', level: 10, xp: 25, total_xp: 4700 };
    const others = ['123456789012345678', '100000000000000002'].map((id) => ({ id, ...member }));
    writeFileSync(join(folder, 'members.json'), JSON.stringify(others));
    writeFileSync(join(folder, 'rules.json'), '{ "message": { "xp": { "min": 15, "max": 25 } } }');
    copyFileSync(join(repository, 'test/fixtures/imports/polaris-rules.json'), join(folder, 'export.json'));
    const client = new Redis(redis.url);
    await client.zadd('old:leaderboard', 4675, '159985870458322944', 255, '204255221017214977');
    client.disconnect();
    const players = [{ id: '100000000000000001', username: 'ada', level: '10', exp: '1655' }];
    writeFileSync(join(folder, 'amari.json'), JSON.stringify({ guild: GUILD, members: players }));
    process.chdir(folder);
  });
  afterAll(async () => {
    process.chdir(repository);
    await endServer(ports.get(6391) as number);
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Ends a server that a document has started in the background. */
  async function endServer(port: number): Promise<void> {
    for (const access of [{}, { username: 'operator', password: 'change-me-operator' }]) {
      const client = new Redis({ port, ...access, retryStrategy: () => null, connectTimeout: 2000 });
      client.on('error', () => {});
      const info = await client.info('server').catch(() => '');
      client.disconnect();
      const pid = Number(/^process_id:(\d+)/m.exec(info)?.[1]);
      if (pid) return void process.kill(pid, 'SIGTERM');
    }
  }

  const inShell = (script: string, ...options: string[]) => {
    const env = { REDIS_URL: redis.url, ADMIN_URL: redis.url, npm_config_update_notifier: 'false' };
    return runProgram('bash', [...options, '-c', script], { cwd: folder, env });
  };

  it('each command has a script in package.json, which runs it', async () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    const lines = here.flatMap(({ commands }) => commands).filter((line) => line.includes('npm run -s '));
    const names = lines.flatMap((line) => /npm run -s (\w+)/.exec(line)?.[1] ?? []);
    for (const name of names) expect(scripts[name]).toBe(`node scripts/dev/command.mjs ${name}`);
    expect(names.length).toBeGreaterThan(20);
    const { code, stderr } = await inShell(lines.find((line) => PLAIN.test(line)) as string);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  /** Runs a plain line in this process, which is in the folder. */
  async function runPlain(line: string): Promise<CommandResult> {
    const [, settings = '', name = '', text = ''] = PLAIN.exec(line) ?? [];
    const words = (await inShell(`printf '%s\\0' ${text}`)).stdout.split('\0').slice(0, text ? -1 : 0);
    const env = Object.fromEntries(settings.split(' ').flatMap((each) => (each ? [each.split(/=(.*)/)] : [])));
    return runCommand(name, words, { REDIS_URL: redis.url, ...env });
  }

  it.each(here.map((block) => [block.name, block] as const))(
    '%s runs as it is printed',
    async (_name, { commands, error }) => {
      const onPorts = (text: string) =>
        [...ports].reduce((moved, [from, to]) => moved.replaceAll(String(from), String(to)), text);
      const steps = stepsOf(commands.map(onPorts));
      for (const step of steps) {
        const script = step.join('\n');
        // A document may show the exit code of a command that fails.
        const flags = script.includes('echo $?') ? '-o' : '-eo';
        const { code, stdout, stderr } = PLAIN.test(script)
          ? await runPlain(script)
          : await inShell(NPM_RUN + script, flags, 'pipefail');
        const expected =
          error && step === steps.at(-1)
            ? { code: 1, output: expect.stringContaining(`${error}\n`) }
            : { code: 0, output: expect.not.stringMatching(/^error: /m) };
        expect({ code, output: stdout + stderr }).toEqual(expected);
      }
    },
  );
});
