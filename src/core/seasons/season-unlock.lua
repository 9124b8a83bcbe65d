-- season-unlock: gives the lock of a guild or of an archive back.
--
-- KEYS[1] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock
--
-- Reply: {"OK"}, or {"REFUSED", 0, "lock"} when the lock has another token. O(1).

--- @include lib-lock

if not holds_lock(KEYS[1], ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(KEYS[1], 'DEL')
redis.call('DEL', KEYS[1])
return { 'OK' }
