-- lib-revision: returns the revision of a guild, "" when it has none. A script is atomic, so one read is enough for a batch. Raises an error for
-- a guild with data of a newer version.

--- @include lib-model

local function revision(guild)
  if not guild.rev then
    local key = guild.base .. 'stats'
    local stored = redis.call('HMGET', key, 'rev', 'model')
    require_known_model(stored[2], key)
    guild.rev = type(stored[1]) == 'string' and stored[1] or ''
  end
  return guild.rev
end
