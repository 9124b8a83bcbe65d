-- stats: reads the counters and the curve of a guild. Reply: "" when the guild is at revision `cached`; else rev, members,
-- total_xp, level_sum, xp_curve, xp_multiplier; each "" when there is none. O(1).
local function stats(guild, cached)
  local counters = redis.call('HMGET', guild.base .. 'stats', 'rev', 'members', 'total_xp', 'level_sum', 'model')
  if cached ~= '' and counters[1] == cached then
    return ''
  end
  require_known_model(counters[5], guild.base .. 'stats')
  local config_key = guild.base .. 'config'
  local config = redis.call('HMGET', config_key, 'xp_curve', 'xp_multiplier')
  return table.concat({
    escape_field(counters[1]),
    escape_field(counters[2]),
    escape_field(counters[3]),
    escape_field(counters[4]),
    curve_field(config_key, config[1]),
    escape_field(config[2]),
  }, '\n')
end
