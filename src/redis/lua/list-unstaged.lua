-- list-unstaged: lists the present members that a replacement removes, because they are not staged. Members that come later stay.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:next:xp   KEYS[3] gr:{G}:next:unstaged (sorted set)   KEYS[4] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock   ARGV[2] cursor, at first "0"   ARGV[3] members to look at, about
--
-- Reply: {"OK", next cursor; "0" = all were seen}, or {"REFUSED", 0, "lock"}. O(slice * log n).

--- @include lib-lock

if not holds_lock(KEYS[4], ARGV[1]) then
  return { 'REFUSED', 0, 'lock' }
end
local scanned = redis.call('ZSCAN', KEYS[1], ARGV[2], 'COUNT', ARGV[3])
local rows = scanned[2]
for i = 1, #rows, 2 do
  if not redis.call('ZSCORE', KEYS[2], rows[i]) then
    redis.call('ZADD', KEYS[3], '0', rows[i])
  end
end
renew_lock(KEYS[4])
return { 'OK', scanned[1] }
