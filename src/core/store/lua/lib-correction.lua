-- lib-correction: what the key of an event keeps of a correction of one member, for correct.lua and undo.lua.

--- @include lib-mock

local CORRECTION = 'correct '

-- Returns the name of a call of correct.lua for its event, by its arguments.
local function name_correction(text)
  return CORRECTION .. digest_of(text)
end

-- Returns a name without line ends, which separate the parts of a kept reply.
local function in_one_line(name)
  return (string.gsub(name, '[\\\n]', { ['\\'] = '\\\\', ['\n'] = '\\n' }))
end

-- Returns the name that in_one_line has made so.
local function of_one_line(text)
  return (string.gsub(text, '\\(.)', { ['\\'] = '\\', n = '\n' }))
end

-- Returns the last season that began to end, and the step that its end has reached; "" for a guild without seasons. When this text changes, XP is
-- counted anew.
local function present_season(season_key)
  local season = redis.call('HMGET', season_key, 'id', 'phase')
  return type(season[1]) == 'string' and season[1] .. ' ' .. (type(season[2]) == 'string' and season[2] or '') or ''
end

-- Returns the stored correction of one member; nil when its event is over, or belongs to another call.
local function kept_correction(event_key)
  local kept, parts = redis.call('GET', event_key), {}
  if type(kept) ~= 'string' or string.sub(kept, 1, #CORRECTION) ~= CORRECTION then
    return nil
  end
  for part in string.gmatch(kept .. '\n', '([^\n]*)\n') do
    parts[#parts + 1] = part
  end
  local xp_before, xp_after = string.match(parts[5] or '', '^(%d+) %d+ (%d+) %d+ %l+$')
  -- A list, and a correction of a user who is no member, keep no member.
  if not xp_before then
    return nil
  end
  return {
    xp_before = xp_before + 0.0,
    xp_after = xp_after + 0.0,
    id = parts[6],
    season = parts[7],
    level_before = parts[8],
    level_after = parts[9],
    name_before = parts[10],
    name_after = parts[11],
    kind = parts[12],
  }
end
