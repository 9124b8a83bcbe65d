-- delete: deletes a guild's members, counters, configuration, quota, season and description at once.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:season   KEYS[7] gr:{G}:season:xp   KEYS[8] gr:quota:{G}
-- KEYS[9] gr:{G}:hidden:reasons   KEYS[10] gr:{G}:about   KEYS[11] gr:{G}:avatars   KEYS[12] gr:{G}:next:xp:lock
-- The keys of the boards (lib-boards.lua) are always needed.
-- ARGV[1] token of the lock
--
-- Reply: {members deleted, 1 when there was a config, counters, a quota count, each else 0}, or {"REFUSED", 0, "lock"} when the lock has
-- another token; nothing was changed then. O(1): Redis frees the memory beside other work.

--- @include lib-model
--- @include lib-boards
--- @include lib-permissions
--- @include lib-lock

if not holds_lock(KEYS[12], ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
require_known_model(redis.call('HGET', KEYS[2], 'model'), KEYS[2])
local of_boards = on_boards().all_keys()
local members = redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[4])
local function exists(key)
  return redis.call('EXISTS', key)
end
local reply = { members, exists(KEYS[3]), exists(KEYS[2]), exists(KEYS[8]) }
-- The lock stays until the API keys are deleted too.
local deleted = { unpack(KEYS, 1, 11) }
for _, key in ipairs(of_boards) do
  deleted[#deleted + 1] = key
end
for _, key in ipairs(deleted) do
  require_permissions(key, 'UNLINK')
end
redis.call('UNLINK', unpack(deleted))
return reply
