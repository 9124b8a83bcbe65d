-- stats: reads the counters and the curve of a guild. Reply: "" when the guild is at revision `cached`; else rev, members,
-- total_xp, level_sum, xp_curve, xp_multiplier; "" for a missing value. O(1).
local function stats(guild, cached)
  local key, config_key = guild.base .. 'stats', guild.base .. 'config'
  local counters = redis.call('HMGET', key, 'rev', 'members', 'total_xp', 'level_sum', 'model')
  if cached ~= '' and counters[1] == cached then
    return ''
  end
  require_known_model(counters[5], key)
  local config = redis.call('HMGET', config_key, 'xp_curve', 'xp_multiplier')
  counters[5] = curve_text(config_key, config[1])
  counters[6] = multiplier_text(config[2])
  for i = 1, 4 do
    counters[i] = type(counters[i]) == 'string' and counters[i] or ''
  end
  return counters
end
