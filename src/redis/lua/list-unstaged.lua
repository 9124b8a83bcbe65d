-- list-unstaged: lists those of the present members that a replacement removes, because they are not staged.
--
-- KEYS[1] gr:{G}:next:xp   KEYS[2] gr:{G}:next:unstaged (sorted set)   KEYS[3] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock   ARGV[2..] user ids of present members
--
-- Reply: {"OK", members in the list}, or {"REFUSED", 0, "lock"}. O(n log m).

--- @include lib-lock
--- @include lib-permissions

if not holds_lock(KEYS[3], ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
require_permissions(KEYS[2], 'ZADD', 'ZCARD')
require_permissions(KEYS[3], 'PEXPIRE')
for i = 2, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[i]) then
    redis.call('ZADD', KEYS[2], '0', ARGV[i])
  end
end
renew_lock(KEYS[3])
return { 'OK', redis.call('ZCARD', KEYS[2]) }
