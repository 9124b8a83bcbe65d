-- move: stores a guild that comes from another Redis, in steps (src/core/moves/guild-import.ts). It has no revision until the last step.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:season   KEYS[7] gr:{G}:keys   KEYS[8] gr:quota:{G}   KEYS[9] gr:{G}:next:xp:lock
-- KEYS[10] gr:{G}:hidden:reasons   KEYS[11] gr:{G}:keys:used   KEYS[12] gr:{G}:usage   KEYS[13] gr:{G}:about   KEYS[14] gr:{G}:avatars
-- KEYS[15..] per member that is put: gr:{G}:cooldown:U
-- ARGV[1] mode   ARGV[2] token of the lock, which expires after ten seconds   ARGV[3..] by mode:
--   "begin" version of the data ("" = none)   takes the lock, and deletes what an unfinished import left. {"OK", name of the server}, {"BUSY"},
--           or {"EXISTS"} when the guild has data of its own, or something else wrote to the unfinished one
--   "put" per member: user id, "ranked" | "hidden REASONS" | "gone", XP, ms of cooldown left, profile as in KEYS[5], "" for none, XP on each of the four
--           boards with commas between, avatar, "" for none. {"OK"}
--   "fields" number of KEYS[2], [3], [6], [7], [11], [12] or [13], then fields and values of it. {"OK"}
--   "finish" name of the server, ranked and hidden members, requests counted, ms of the quota window left. {"OK"}, or {"COUNT"} when the
--           members are not as many. The guild stays unfinished
--   "end" name of the server, revision at the source   the guild has a revision from now on, and is as any other. Gives the lock back. {"OK"}
-- The keys of the boards (lib-boards.lua) are always needed.
-- All but "begin": {"REFUSED", 0, "lock"} when the lock has another token, {"CHANGED"} when something else wrote to the guild. "finish" and
-- "end": {"SERVER"} when the server is another one since a failover, which can have lost members.
-- O(n log m) for n user ids.

--- @include lib-bounds
--- @include lib-counters
--- @include lib-boards
--- @include lib-permissions
--- @include lib-lock
--- @include lib-reasons
--- @include lib-lists

-- As usage.lua keeps it.
local USAGE_KEPT_MS = 691200000

local mode, token = ARGV[1], ARGV[2]
on_boards().require_keys()
require_permissions(KEYS[9], 'SET', 'PEXPIRE', 'DEL')
local of_boards = {}
for _, name in ipairs(BOARD_KEYS) do
  of_boards[#of_boards + 1] = BOARD_KEYS[name].xp
  of_boards[#of_boards + 1] = BOARD_KEYS[name].hidden
end
local importing, rev = unpack(redis.call('HMGET', KEYS[2], 'importing', 'rev'))

if mode == 'begin' then
  if #token > MAX_ID then
    return { 'REFUSED', 0, 'argument' }
  end
  require_known_model(ARGV[3] ~= '' and ARGV[3], KEYS[2])
  local owner = owner_of(KEYS[9])
  if owner and owner ~= token then
    return { 'BUSY' }
  end
  if rev or (not importing and redis.call('EXISTS', unpack(KEYS, 1, 7)) > 0) then
    return { 'EXISTS' }
  end
  require_permissions(KEYS[2], 'HSET', 'DEL')
  local left_behind = { KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[10], KEYS[13], KEYS[14], unpack(of_boards) }
  for _, key in ipairs(left_behind) do
    require_permissions(key, 'UNLINK')
  end
  redis.call('SET', KEYS[9], token, 'PX', LOCK_MS)
  redis.call('DEL', KEYS[2])
  -- A bot that writes too early finds hidden members where it is told that there are some.
  redis.call('HSET', KEYS[2], 'importing', '1', 'hidden', '1')
  redis.call('UNLINK', unpack(left_behind))
  return { 'OK', server_name() }
end
if not holds_lock(KEYS[9], token) then
  return { 'REFUSED', 0, 'lock' }
elseif not importing or rev then
  return { 'CHANGED' }
elseif (mode == 'finish' or mode == 'end') and ARGV[3] ~= server_name() then
  return { 'SERVER' }
end
for _, key in ipairs({ KEYS[1], KEYS[4], unpack(of_boards) }) do
  require_permissions(key, 'ZADD', 'ZREM')
end
require_permissions(KEYS[5], 'HSET', 'HDEL')
require_permissions(KEYS[10], 'HSET', 'HDEL')
require_permissions(KEYS[14], 'HSET', 'HDEL')
require_permissions(KEYS[2], 'HSET', 'HDEL')
-- A full Redis refuses the first write of a script alone, and only one that needs memory.
redis.call('HSET', KEYS[2], 'importing', '1')

if mode == 'put' then
  for i = 3, #ARGV, 7 do
    local id, place, xp, cooldown, profile, gains, avatar = unpack(ARGV, i, i + 6)
    local cooldown_key = KEYS[15 + (i - 3) / 7]
    for _, key in ipairs(of_boards) do
      redis.call('ZREM', key, id)
    end
    redis.call('ZREM', KEYS[1], id)
    redis.call('ZREM', KEYS[4], id)
    redis.call('HDEL', KEYS[5], id)
    redis.call('HDEL', KEYS[14], id)
    redis.call('DEL', cooldown_key)
    local is_hidden = string.find(place, '^hidden ')
    store_reasons(KEYS[10], id, is_hidden and changed_reasons(place) or '')
    if place ~= 'gone' then
      redis.call('ZADD', KEYS[is_hidden and 4 or 1], xp, id)
      if profile ~= '' then
        redis.call('HSET', KEYS[5], id, profile)
      end
      if avatar ~= '' then
        redis.call('HSET', KEYS[14], id, avatar)
      end
      if cooldown + 0 > 0 then
        redis.call('SET', cooldown_key, cooldown .. ' ms', 'PX', cooldown)
      end
      local board = 0
      for gain in string.gmatch(gains, '[^,]+') do
        board = board + 1
        if gain ~= '0' then
          redis.call('ZADD', BOARD_KEYS[BOARD_KEYS[board]][is_hidden and 'hidden' or 'xp'], gain, id)
        end
      end
    end
  end
elseif mode == 'fields' then
  local key = KEYS[ARGV[3] + 0]
  require_permissions(key, 'HSET', 'PEXPIRE')
  for i = 4, #ARGV, 2 do
    if key == KEYS[2] and ARGV[i] == 'model' then
      require_known_model(ARGV[i + 1], key)
    end
  end
  if key == KEYS[2] then
    redis.call('HDEL', key, 'hidden')
  end
  write_all('HSET', key, ARGV, 4)
  if key == KEYS[12] then
    redis.call('PEXPIRE', key, USAGE_KEPT_MS)
  end
elseif mode == 'finish' then
  if redis.call('ZCARD', KEYS[1]) ~= ARGV[4] + 0 or redis.call('ZCARD', KEYS[4]) ~= ARGV[5] + 0 then
    return { 'COUNT' }
  end
  require_permissions(KEYS[8], 'SET')
  if ARGV[7] + 0 > 0 then
    redis.call('SET', KEYS[8], ARGV[6], 'PX', ARGV[7])
  end
else
  redis.call('HSET', KEYS[2], 'rev', next_revision(ARGV[4]))
  redis.call('HDEL', KEYS[2], 'importing')
  redis.call('DEL', KEYS[9])
  return { 'OK' }
end
renew_lock(KEYS[9])
return { 'OK' }
