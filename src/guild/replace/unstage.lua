-- unstage: removes all members that a replacement has staged, or left behind.
--
-- KEYS[1] gr:{G}:next:xp   KEYS[2] gr:{G}:next:stats   KEYS[3] gr:{G}:next:config   KEYS[4] gr:{G}:next:hidden   KEYS[5] gr:{G}:next:members
-- KEYS[6] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock   ARGV[2] "unlock" to give the lock back, else ""   ARGV[3..] fields and values of the next config
--
-- Reply: {"OK", members that were staged}, or {"REFUSED", 0, "lock"}. O(1): Redis frees the memory beside other work.

--- @include lib-lock
--- @include lib-permissions

if not holds_lock(KEYS[6], ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(KEYS[1], 'UNLINK')
require_permissions(KEYS[3], 'HSET')
require_permissions(KEYS[6], 'PEXPIRE', 'DEL')
local staged = redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[4])
redis.call('UNLINK', unpack(KEYS, 1, 5))
if ARGV[3] then
  redis.call('HSET', KEYS[3], unpack(ARGV, 3))
end
if ARGV[2] == 'unlock' then
  redis.call('DEL', KEYS[6])
else
  renew_lock(KEYS[6])
end
return { 'OK', staged }
