-- replace-end: removes all that is staged, and gives the lock back.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:next:xp   KEYS[3] gr:{G}:next:stats   KEYS[4] gr:{G}:next:config   KEYS[5] gr:{G}:next:hidden
-- KEYS[6] gr:{G}:next:members   KEYS[7] gr:{G}:next:carried   KEYS[8] gr:{G}:next:hidden:reasons   KEYS[9] gr:{G}:next:avatars
-- KEYS[10] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock
--
-- Reply: {"OK"}, or {"REFUSED", 0, "lock"} when the lock has another token. O(1): Redis frees the removed keys in the background.

--- @include lib-replace

if not holds_lock(KEYS[10], ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(KEYS[10], 'DEL')
clear_staged()
redis.call('DEL', KEYS[10])
return { 'OK' }
