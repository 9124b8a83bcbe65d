import { createHash } from 'node:crypto';

/** Commands of the project's scripts that name no key, or whose arguments are all keys, or whose first two are. */
const CHECK = `
local declared, real = {}, redis
for _, key in ipairs(KEYS) do declared[key] = true end
local keyless = { TIME = true, PUBLISH = true, PING = true }
local all = { DEL = true, UNLINK = true, EXISTS = true, MGET = true }
local pairs_of_keys = { RENAME = true, RENAMENX = true, SMOVE = true, COPY = true }
local function require_declared(command, ...)
  local name, arguments = string.upper(command), { ... }
  local count = keyless[name] and 0 or all[name] and #arguments or pairs_of_keys[name] and 2 or 1
  for i = 1, count do
    if not declared[arguments[i]] then
      error({ err = 'ERR script tried accessing undeclared key ' .. tostring(arguments[i]) }, 0)
    end
  end
end
local redis = setmetatable({
  call = function(...)
    require_declared(...)
    return real.call(...)
  end,
  pcall = function(...)
    local fine, failure = pcall(require_declared, ...)
    return fine and real.pcall(...) or failure
  end,
}, { __index = real })
`;

const shaOf = (source: string): string => createHash('sha1').update(source).digest('hex');

/** Makes scripts refuse to touch a key that the call does not declare, as Dragonfly and ElastiCache Serverless do. */
export class DeclaredKeys {
  /** Digests of the checked scripts, by those of the scripts that the client sent. */
  private readonly digests = new Map<string, string>();

  /** Returns the words of a command with its script replaced by the checked one. */
  checked(words: readonly Buffer[]): readonly (Buffer | string)[] {
    const [name = '', sub = '', source = ''] = words.slice(0, 3).map(String);
    if (/^eval$/i.test(name)) return [words[0] as Buffer, this.add(sub), ...words.slice(2)];
    if (/^evalsha$/i.test(name)) return [words[0] as Buffer, this.digests.get(sub) ?? sub, ...words.slice(2)];
    if (/^script$/i.test(name) && /^load$/i.test(sub)) return [name, sub, this.add(source)];
    return words;
  }

  private add(source: string): string {
    const checked = CHECK + source;
    this.digests.set(shaOf(source), shaOf(checked));
    return checked;
  }
}

/** Returns the reply to SCRIPT LOAD of this source. */
export function replyToLoad(source: string): Buffer {
  return Buffer.from(`$40\r\n${shaOf(source)}\r\n`);
}
