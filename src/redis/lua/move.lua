-- move: stores a guild that comes from another Redis, in steps (src/import/guild-import.ts). It has no revision until the last step.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:season   KEYS[6] gr:{G}:keys
-- KEYS[7] gr:quota:{G}   KEYS[8] gr:{G}:next:xp:lock   KEYS[9..] in pairs, per user id: gr:{G}:member:U, gr:{G}:cooldown:U
-- ARGV[1] mode   ARGV[2] token of the lock, which expires after ten seconds   ARGV[3..] by mode:
--   "begin" version of the data ("" = none)   takes the lock. {"OK"}, {"BUSY"}, or {"EXISTS"} when the guild has data of its own
--   "clear" number to list, user ids   deletes members that an unfinished import left. {"OK", user ids to clear next}
--   "put" per member: user id, "ranked" | "hidden" | "gone", XP, ms of cooldown left, number of fields, each field and its value. {"OK"}
--   "finish" ranked and hidden members, revision at the source, requests counted, ms of the quota window left, then fields and values of
--           stats, config and season, each list after its length   {"OK"}, or {"COUNT"} when the members are not as many
-- All but "begin": {"REFUSED", 0, "lock"} when the lock has another token, {"CHANGED"} when something else wrote to the guild.
-- O(n log m) for n user ids.

--- @include lib-counters
--- @include lib-permissions
--- @include lib-lock

local mode, token = ARGV[1], ARGV[2]
require_permissions(KEYS[8], 'SET', 'PEXPIRE', 'DEL')
local importing, rev = unpack(redis.call('HMGET', KEYS[2], 'importing', 'rev'))

if mode == 'begin' then
  require_known_model(ARGV[3] ~= '' and ARGV[3], KEYS[2])
  local owner = redis.call('GET', KEYS[8])
  if owner and owner ~= token then
    return { 'BUSY' }
  end
  if not importing and redis.call('EXISTS', unpack(KEYS, 1, 6)) > 0 then
    return { 'EXISTS' }
  end
  require_permissions(KEYS[2], 'HSET', 'DEL')
  redis.call('SET', KEYS[8], token, 'PX', LOCK_MS)
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[2], 'importing', '1')
  return { 'OK' }
end
if not holds_lock(KEYS[8], token) then
  return { 'REFUSED', 0, 'lock' }
elseif not importing or rev then
  return { 'CHANGED' }
end
for _, key in ipairs({ KEYS[1], KEYS[4] }) do
  require_permissions(key, 'ZADD', 'ZREM')
end

local function erase(id, n)
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[4], id)
  redis.call('DEL', KEYS[7 + 2 * n], KEYS[8 + 2 * n])
end

local reply = { 'OK' }
if mode == 'clear' then
  for i = 4, #ARGV do
    erase(ARGV[i], i - 3)
  end
  for _, key in ipairs({ KEYS[1], KEYS[4] }) do
    for _, id in ipairs(redis.call('ZRANGE', key, 0, ARGV[3] - #reply)) do
      reply[#reply + 1] = id
    end
  end
elseif mode == 'put' then
  local i, n = 3, 1
  while ARGV[i] do
    local id, place, last = ARGV[i], ARGV[i + 1], i + 4 + 2 * ARGV[i + 4]
    erase(id, n)
    if place ~= 'gone' then
      redis.call('ZADD', KEYS[place == 'hidden' and 4 or 1], ARGV[i + 2], id)
      if last > i + 4 then
        redis.call('HSET', KEYS[7 + 2 * n], unpack(ARGV, i + 5, last))
      end
      if ARGV[i + 3] + 0 > 0 then
        redis.call('SET', KEYS[8 + 2 * n], ARGV[i + 3] .. ' ms', 'PX', ARGV[i + 3])
      end
    end
    i, n = last + 1, n + 1
  end
else
  if redis.call('ZCARD', KEYS[1]) ~= ARGV[3] + 0 or redis.call('ZCARD', KEYS[4]) ~= ARGV[4] + 0 then
    return { 'COUNT' }
  end
  local i = 8
  for _, key in ipairs({ KEYS[2], KEYS[3], KEYS[5] }) do
    require_permissions(key, 'HSET', 'HDEL')
    local last = i + 2 * ARGV[i]
    if last > i then
      redis.call('HSET', key, unpack(ARGV, i + 1, last))
    end
    i = last + 1
  end
  if ARGV[7] + 0 > 0 then
    redis.call('SET', KEYS[7], ARGV[6], 'PX', ARGV[7])
  end
  redis.call('HSET', KEYS[2], 'rev', next_revision(ARGV[5]))
  redis.call('HDEL', KEYS[2], 'importing')
  redis.call('DEL', KEYS[8])
  return reply
end
renew_lock(KEYS[8])
-- ioredis-mock needs the copy.
return { unpack(reply) }
