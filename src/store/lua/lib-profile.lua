-- lib-profile: profiles, the values of gr:{G}:members: "LEVEL STREAK CLAIM NAME" (docs/data-model.md).

-- The parts of a profile that says nothing. Such a profile is not stored.
local NO_PROFILE = { username = '', level = '-', daily_streak = '0', last_daily_claim = '-' }

-- Returns the explicit level in a profile, nil when there is none.
local function explicit_level(value)
  local digits = type(value) == 'string' and string.match(value, '^(%d+) [^ ]* ')
  return digits and math.min(digits + 0.0, MAX_INTEGER) or nil
end

-- Returns the parts of a profile. One that has not three parts before the name, or none of them readable, says nothing.
local function parse_profile(value)
  if type(value) ~= 'string' then
    return { username = '', level = '-', daily_streak = '0', last_daily_claim = '-' }
  end
  local level, streak, claim, name = string.match(value, '^([^ ]*) ([^ ]*) ([^ ]*) ?(.*)$')
  local is_readable = level
    and (level == '-' or string.find(level, '^%d+$') or string.find(streak, '^%d+$') or string.find(claim, '^%-?%d+[+-]?%d*$'))
  if not is_readable then
    level, streak, claim, name = '-', '0', '-', ''
  end
  return { username = name, level = level, daily_streak = streak, last_daily_claim = claim }
end

local function format_profile(profile)
  local level, streak, claim, name = profile.level, profile.daily_streak, profile.last_daily_claim, profile.username
  if name == '' then
    return level .. ' ' .. streak .. ' ' .. claim
  end
  return level .. ' ' .. streak .. ' ' .. claim .. ' ' .. name
end
