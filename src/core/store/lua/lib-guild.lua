-- lib-guild: the revision and the curve of a guild.

--- @include lib-model
--- @include lib-bounds

-- Returns the revision, "" for a guild without a revision. A script is atomic, so one read is enough for a batch. Raises an error for a guild with
-- data of a newer version.
local function revision(guild)
  if not guild.rev then
    local key = guild.base .. 'stats'
    local stored = redis.call('HMGET', key, 'rev', 'model')
    require_known_model(stored[2], key)
    guild.rev = type(stored[1]) == 'string' and stored[1] or ''
  end
  return guild.rev
end

-- Returns the curve as text, "" for the default, with the coefficients if it is "custom". `name` is the field xp_curve, where it is read already.
local function curve_text(config_key, name)
  if name == nil then
    name = redis.call('HGET', config_key, 'xp_curve')
  end
  if name == 'custom' then
    return custom_curve_text(redis.call('HGET', config_key, 'xp_curve_custom'))
  end
  return type(name) == 'string' and name or ''
end
