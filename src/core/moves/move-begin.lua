-- move-begin: takes the lock of a guild that comes from another Redis, and deletes what an unfinished move of the guild left.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:season   KEYS[7] gr:{G}:keys   KEYS[8] gr:{G}:next:xp:lock
-- KEYS[9] gr:{G}:hidden:reasons   KEYS[10] gr:{G}:about   KEYS[11] gr:{G}:avatars
-- The keys of the boards (lib-boards.lua) are always needed.
-- ARGV[1] token of the lock   ARGV[2] version of the data at the source, "" = none
--
-- Reply: {"OK", name of the server}; {"BUSY"} when the lock has another owner; {"EXISTS"} when the guild has data already, or another
--        program wrote to it since the unfinished move; {"REFUSED", 0, "argument"} for a token that is too long
-- O(1): Redis frees the removed keys in the background.

--- @include lib-move
--- @include lib-boards

local token, model = ARGV[1], ARGV[2]
local LOCK_KEY = KEYS[8]
local of_boards = on_boards().all_keys()
if #token > MAX_ID then
  return { 'REFUSED', 0, 'argument' }
end
require_known_model(model ~= '' and model, KEYS[2])
local owner = owner_of(LOCK_KEY)
if owner and owner ~= token then
  return { 'BUSY' }
end
local moving, rev = unpack(redis.call('HMGET', KEYS[2], 'moving', 'rev'))
if rev or (not moving and redis.call('EXISTS', unpack(KEYS, 1, 7)) > 0) then
  return { 'EXISTS' }
end
require_permissions(LOCK_KEY, 'SET')
require_permissions(KEYS[2], 'HSET', 'DEL')
local left_behind = { KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[9], KEYS[10], KEYS[11], unpack(of_boards) }
for _, key in ipairs(left_behind) do
  require_permissions(key, 'UNLINK')
end
redis.call('SET', LOCK_KEY, token, 'PX', LOCK_MS)
redis.call('DEL', KEYS[2])
-- The field "hidden" makes the scripts of a bot that writes too early look for each member among the hidden members too.
redis.call('HSET', KEYS[2], 'moving', '1', 'hidden', '1')
redis.call('UNLINK', unpack(left_behind))
return { 'OK', server_name() }
