-- lib-revision: returns the revision of a guild, false when it has none. A script is atomic, so one read is enough for a batch.
local function revision(guild)
  local rev = guild.rev
  if rev == nil then
    rev = redis.call('HGET', guild.base .. 'stats', 'rev')
    guild.rev = rev
  end
  return rev
end

--- @include lib-model

-- Raises an error for a guild with data of a newer version. A change of the version raises the revision, so this is only asked when the
-- cached one is not current.
local function require_known_guild(guild)
  if not guild.is_known then
    local key = guild.base .. 'stats'
    require_known_model(redis.call('HGET', key, 'model'), key)
    guild.is_known = true
  end
end
