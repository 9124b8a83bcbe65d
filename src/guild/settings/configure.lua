-- configure: stores fields of a guild's config and raises its revision. A curve is stored by recount.lua, with the levels it gives.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:config
-- ARGV field, value, ...   (plan, xp_multiplier)
--
-- Reply: the new revision. O(1).

--- @include lib-counters
--- @include lib-permissions

for i = 1, #ARGV, 2 do
  if ARGV[i] ~= 'plan' and ARGV[i] ~= 'xp_multiplier' then
    error('configure stores plan and xp_multiplier, not ' .. ARGV[i], 0)
  end
end
local stats = read_stats(KEYS[1])
require_permissions(KEYS[2], 'HSET')
redis.call('HLEN', KEYS[2])
local rev = write_stats(stats)
redis.call('HSET', KEYS[2], unpack(ARGV))
return rev
