import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { Script } from '../../../../src/core/store/script.ts';
import { scriptNames, scriptSource } from '../../../../src/core/store/scripts.ts';
import { repository } from '../../../support/run-command.ts';

type AnyScript = Script<string, never, unknown>;
const isScript = (value: unknown): value is AnyScript => value instanceof Script;

/** The definitions of all modules, with the folder of their Lua. */
async function definitions() {
  const src = join(repository, 'src');
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const modules = paths.filter((path) => /^core\/.*\.ts$/.test(path));
  const found = await Promise.all(
    modules.map(async (path) => {
      const exported: Record<string, unknown> = await import(join(src, path));
      return Object.values(exported).filter(isScript);
    }),
  );
  // A build leaves copies elsewhere.
  const lua = new Map(paths.flatMap((path) => (path.startsWith('core/') ? [[path.split('/').at(-1), path]] : [])));
  return found.flat().map(({ name, keys, boards }) => {
    const path = lua.get(`${name}.lua`) ?? '';
    const source = readFileSync(join(src, path), 'utf8');
    return { name, folder: dirname(path), keys, boards, source };
  });
}
const scripts = await definitions();

const redisKeys = new RedisKeys('gr');
const guild = redisKeys.locked('G');
const { xp, stats, config, hidden, members, hiddenReasons, avatars, carried } = redisKeys.staging('G');
/** Redis keys as the headers have them, by the names of the definitions. */
const KEYS: Record<string, string> = {
  ...{
    ...guild,
    quota: redisKeys.quota('G'),
    cooldown: `${guild.cooldownPrefix}U`,
    invite: redisKeys.invite('SHA256'),
  },
  ...{ nextXp: xp, nextStats: stats, nextConfig: config, nextHidden: hidden, nextMembers: members, carried },
  nextHiddenReasons: hiddenReasons,
  nextAvatars: avatars,
};

it('each script has a definition', () => {
  expect([...new Set(scripts.map(({ name }) => name))].sort()).toEqual(scriptNames());
});

describe.each(scripts)('the definition of $name, with the keys $keys', ({ name, keys, boards, source }) => {
  it('a definition has the keys of the header of its Lua file, in their order', () => {
    const header = source.slice(0, source.indexOf('\n\n'));
    const documented = [...header.matchAll(/KEYS\[\d+\] (gr:[^\s,]+)/g)].map(([, key = '']) =>
      // Staged members have the keys of a guild, below "next".
      name === 'stage' ? key.replace(/:next:(?!xp:lock)/, ':') : key,
    );
    expect(keys.map((key) => KEYS[key])).toEqual(documented);
  });

  it('a definition says whether its script works on boards', () => {
    // A guild with boards makes such a script ask for their keys.
    const asksForThem = scriptSource(name).includes("raise_error('BOARDS ");
    // A deletion and a move need them always.
    expect(boards).toBe(asksForThem);
  });
});
