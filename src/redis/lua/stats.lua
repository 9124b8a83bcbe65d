-- stats: the counters and the curve configuration of a guild, as of one moment.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:config
--
-- Reply: {rev, members, total_xp, level_sum, xp_curve, xp_multiplier}, each or ""
-- O(1).

local function text(value)
  return type(value) == 'string' and value or ''
end

local counters = redis.call('HMGET', KEYS[1], 'rev', 'members', 'total_xp', 'level_sum')
local rev = text(counters[1])
local config = redis.call('HMGET', KEYS[2], 'xp_curve', 'xp_multiplier')
return { rev, text(counters[2]), text(counters[3]), text(counters[4]), text(config[1]), text(config[2]) }
