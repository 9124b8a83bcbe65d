-- move-store: stores fields of a hash of a guild that comes from another Redis.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:next:xp:lock   KEYS[3] the hash, which can be KEYS[1]
-- ARGV[1] token of the lock   ARGV[2] "stats" | "usage" | "other", what the hash holds   ARGV[3..] fields and values of the hash
--
-- Reply: {"OK"}, or as obstacle_to_step in lib-move.lua. O(n).

--- @include lib-move
--- @include lib-lists

-- The time for which usage.lua keeps the usage.
local USAGE_KEPT_MS = 691200000

local content, key = ARGV[2], KEYS[3]
local obstacle = obstacle_to_step(KEYS[1], KEYS[2], ARGV[1])
if obstacle then
  return obstacle
end
require_permissions(key, 'HSET', 'PEXPIRE')
require_permissions(KEYS[1], 'HDEL')
for i = 3, content == 'stats' and #ARGV or 0, 2 do
  if ARGV[i] == 'model' then
    require_known_model(ARGV[i + 1], key)
  end
end
begin_step(KEYS[1], KEYS[2])

if content == 'stats' then
  redis.call('HDEL', key, 'hidden')
end
write_all('HSET', key, ARGV, 3)
if content == 'usage' then
  redis.call('PEXPIRE', key, USAGE_KEPT_MS)
end
return { 'OK' }
