-- purge: deletes the profiles of members that retire.lua took away, except of those who are in the ranking again.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:deleted:xp   KEYS[4] gr:{G}:deleted:hidden
-- KEYS[5..] per user id: gr:{G}:member:U
-- ARGV user ids
--
-- Reply: members that wait still. At 0 the deletion is over. O(n log m).

--- @include lib-permissions

require_permissions(KEYS[2], 'HDEL', 'HLEN', 'DEL')
require_permissions(KEYS[3], 'ZREM', 'ZCARD', 'DEL')
require_permissions(KEYS[4], 'ZREM', 'ZCARD', 'DEL')
require_permissions(KEYS[5], 'DEL')
for i = 1, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[i]) then
    redis.call('DEL', KEYS[i + 4])
  end
end
if #ARGV > 0 then
  redis.call('ZREM', KEYS[3], unpack(ARGV))
  redis.call('ZREM', KEYS[4], unpack(ARGV))
end
local left = redis.call('ZCARD', KEYS[3]) + redis.call('ZCARD', KEYS[4])
if left == 0 then
  redis.call('DEL', KEYS[3], KEYS[4])
  redis.call('HDEL', KEYS[2], 'deleting')
  -- Only a guild that started again has counters.
  if redis.call('HLEN', KEYS[2]) <= 2 and redis.call('ZCARD', KEYS[1]) == 0 then
    redis.call('DEL', KEYS[2])
  end
end
return left
