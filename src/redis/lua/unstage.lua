-- unstage: removes members that a replacement has staged, or left behind.
--
-- KEYS[1] gr:{G}:next:xp   KEYS[2] gr:{G}:next:stats   KEYS[3] gr:{G}:next:unstaged   KEYS[4] gr:{G}:next:xp:lock
-- KEYS[5..] per user id: gr:{G}:next:member:U
-- ARGV[1] token of the lock   ARGV[2] "unlock" to give the lock back when nothing is staged any more, else ""   ARGV[3..] user ids
--
-- Reply: {"OK", members that are staged still}; at 0 all of the staging is gone. Or {"REFUSED", 0, "lock"}. O(n log m).

--- @include lib-lock
--- @include lib-permissions

if not holds_lock(KEYS[4], ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(KEYS[1], 'ZREM', 'ZCARD', 'UNLINK')
require_permissions(KEYS[4], 'PEXPIRE', 'DEL')
for i = 3, #ARGV do
  redis.call('UNLINK', KEYS[i + 2])
  redis.call('ZREM', KEYS[1], ARGV[i])
end
renew_lock(KEYS[4])
local left = redis.call('ZCARD', KEYS[1])
if left == 0 then
  redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
  if ARGV[2] == 'unlock' then
    redis.call('DEL', KEYS[4])
  end
end
return { 'OK', left }
