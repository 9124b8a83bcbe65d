// ioredis-mock for the tests. It makes a new Lua state for each call of a script, and would translate the source of the script each time, which
// takes most of the time of a call. Here its Lua (fengari) translates each source once in a process.
import { createRequire } from 'node:module';
import type { RedisClient } from '../../src/core/store/client.ts';

/** What fengari has of a Lua function: the translated code, which no state of Lua owns. */
interface LuaFunction {
  p: object;
}

interface LuaState {
  readonly stack: readonly { readonly value: LuaFunction }[];
  readonly top: number;
}

/** The functions of fengari that the mock runs a script with. */
interface Fengari {
  readonly lua: { lua_pcall(state: LuaState, args: number, results: number, handler: number): number };
  readonly lauxlib: {
    luaL_loadstring(state: LuaState, source: Uint8Array): number;
    luaL_dostring(state: LuaState, source: Uint8Array): number;
  };
  to_luastring(text: string, cache?: boolean): Uint8Array;
}

const ANY_NUMBER_OF_RESULTS = -1;
/** The mock converts the names of globals too, which are shorter than this. */
const SHORTEST_SOURCE = 100;

const ofMock = createRequire(createRequire(import.meta.url).resolve('ioredis-mock'));
const fengari = ofMock('fengari') as Fengari;
const { lua, lauxlib, to_luastring: toLuaString } = fengari;

const sources = new Map<string, Uint8Array>();
fengari.to_luastring = (text, cache) => {
  if (text.length < SHORTEST_SOURCE) return toLuaString(text, cache);
  const source = sources.get(text) ?? toLuaString(text);
  sources.set(text, source);
  return source;
};

const NOTHING = toLuaString('');
const translated = new WeakMap<Uint8Array, object>();
lauxlib.luaL_dostring = (state, source) => {
  const code = translated.get(source);
  const status = lauxlib.luaL_loadstring(state, code ? NOTHING : source);
  if (status !== 0) return status;
  const loaded = state.stack[state.top - 1]?.value as LuaFunction;
  if (code) loaded.p = code;
  else translated.set(source, loaded.p);
  return lua.lua_pcall(state, 0, ANY_NUMBER_OF_RESULTS, 0);
};

// Loaded only here, because the mock takes these functions when it is loaded.
const RedisMock = ofMock('ioredis-mock') as typeof import('ioredis-mock');

/** Opens a connection to the mock of this name. Connections of the same name share their data. */
export function connectMock(name = `mock-${Math.random().toString(36).slice(2)}`): RedisClient {
  return new RedisMock({ host: name }) as unknown as RedisClient;
}
