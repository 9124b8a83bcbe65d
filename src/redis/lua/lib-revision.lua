-- lib-revision: returns the revision of a guild, false when it has none. A script is atomic, so one read is enough for a batch.
local function revision(guild)
  local rev = guild.rev
  if rev == nil then
    rev = redis.call('HGET', guild.base .. 'stats', 'rev')
    guild.rev = rev
  end
  return rev
end
