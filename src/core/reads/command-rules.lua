-- rules: reads the rules of a guild. Reply: "" when the guild is at revision `cached`; else rev and the JSON text of the rules, "" for a missing
-- value. For rules above their bound, a text that says so takes their place. O(1).
local function rules(guild, cached)
  local rev = revision(guild)
  if cached ~= '' and rev == cached then
    return ''
  end
  local text = redis.call('HGET', guild.base .. 'config', 'rules') or ''
  return { rev, #text <= 16384 and text or '"more than 16384 bytes"' }
end
