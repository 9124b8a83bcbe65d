-- move-finish: gives a guild that comes from another Redis its revision, and gives the lock back. From now on it is a guild like any other.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock   ARGV[2] name of the server, as move-begin.lua replied it   ARGV[3] revision at the source
--
-- Reply: {"OK"}, or as obstacle_to_step in lib-move.lua. O(1).

--- @include lib-move

local obstacle = obstacle_to_step(KEYS[1], KEYS[2], ARGV[1], ARGV[2])
if obstacle then
  return obstacle
end
require_permissions(KEYS[1], 'HDEL')
require_permissions(KEYS[2], 'DEL')
begin_step(KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'rev', next_revision(ARGV[3]))
redis.call('HDEL', KEYS[1], 'moving')
redis.call('DEL', KEYS[2])
return { 'OK' }
