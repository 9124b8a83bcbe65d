-- stats: the counters and the curve configuration of a guild, as of one moment. Reply: "" when the guild is at `held`; else rev,
-- members, total_xp, level_sum, xp_curve, xp_multiplier; each "" when there is none. O(1).
local function stats(guild, held)
  local counters = redis.call('HMGET', guild.base .. 'stats', 'rev', 'members', 'total_xp', 'level_sum')
  if held ~= '' and counters[1] == held then
    return ''
  end
  local config = redis.call('HMGET', guild.base .. 'config', 'xp_curve', 'xp_multiplier')
  return table.concat({
    line(counters[1]),
    line(counters[2]),
    line(counters[3]),
    line(counters[4]),
    line(config[1]),
    line(config[2]),
  }, '\n')
end
