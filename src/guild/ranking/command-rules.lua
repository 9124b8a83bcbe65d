-- rules: reads the rules of a guild. Reply: "" when the guild is at revision `cached`; else rev, the JSON text of the rules; each "" when there
-- is none. O(1).
local function rules(guild, cached)
  local rev = revision(guild)
  if cached ~= '' and rev == cached then
    return ''
  end
  return { rev, redis.call('HGET', guild.base .. 'config', 'rules') or '' }
end
