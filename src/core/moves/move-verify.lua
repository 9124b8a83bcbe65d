-- move-verify: checks that all members of a guild that comes from another Redis are there, and stores the running quota window. The guild
-- stays unfinished.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:hidden   KEYS[4] gr:{G}:next:xp:lock   KEYS[5] gr:quota:{G}
-- ARGV[1] token of the lock   ARGV[2] name of the server, as move-begin.lua replied it   ARGV[3] ranked members   ARGV[4] hidden members
-- ARGV[5] requests counted   ARGV[6] ms of the quota window left
--
-- Reply: {"OK"}; {"COUNT"} when the members are not as many; or as obstacle_to_step in lib-move.lua. O(1).

--- @include lib-move

local ranked, hidden, used, window_ms = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local obstacle = obstacle_to_step(KEYS[2], KEYS[4], ARGV[1], ARGV[2])
if obstacle then
  return obstacle
elseif redis.call('ZCARD', KEYS[1]) ~= ranked + 0 or redis.call('ZCARD', KEYS[3]) ~= hidden + 0 then
  return { 'COUNT' }
end
require_permissions(KEYS[5], 'SET')
begin_step(KEYS[2], KEYS[4])
if window_ms + 0 > 0 then
  redis.call('SET', KEYS[5], used, 'PX', window_ms)
end
return { 'OK' }
