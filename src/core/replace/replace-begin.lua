-- replace-begin: takes the lock of a guild, for a replacement of its members or for its deletion.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock, which expires after ten seconds
--
-- Reply: {"OK"}, {"BUSY"} when the lock has another owner, or {"REFUSED", 0, "argument"} for a token that is too long. O(1).

--- @include lib-bounds
--- @include lib-permissions
--- @include lib-lock

local token = ARGV[1]
if #token > MAX_ID then
  return { 'REFUSED', 0, 'argument' }
end
if owner_of(KEYS[2]) then
  return { 'BUSY' }
end
require_permissions(KEYS[1], 'HDEL')
require_permissions(KEYS[2], 'SET')
-- A full Redis accepts a write that needs memory if the script begins with a write that needs no memory. So a deletion can take the lock even in a
-- full Redis.
redis.call('HDEL', KEYS[1], 'replacing')
redis.call('SET', KEYS[2], token, 'PX', LOCK_MS)
return { 'OK' }
