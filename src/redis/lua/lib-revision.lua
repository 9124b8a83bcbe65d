-- revision: a guild's, read once a batch: a batch is one moment. false when the guild has none.
local function revision(guild)
  local rev = guild.rev
  if rev == nil then
    rev = redis.call('HGET', guild.base .. 'stats', 'rev')
    guild.rev = rev
  end
  return rev
end
