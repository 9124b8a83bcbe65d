-- lib-profile: profiles, the values of gr:{G}:members: "LEVEL STREAK CLAIM NAME" (docs/redis-keys.md).

--- @include lib-bounds

-- Returns the explicit level in a profile, nil for a profile without an explicit level.
local function explicit_level(value)
  local digits = type(value) == 'string' and string.match(value, '^(%d+) [^ ]* ')
  return digits and math.min(digits + 0.0, MAX_INTEGER) or nil
end

-- Returns the parts of a profile: level, streak, claim and name. A profile without three parts before the name, or without a readable part, counts as
-- no profile.
local function split_profile(value)
  if type(value) == 'string' then
    local level, streak, claim, name = string.match(value, '^([^ ]*) ([^ ]*) ([^ ]*) ?(.*)$')
    local is_readable = level
      and (level == '-' or string.find(level, '^%d+$') or string.find(streak, '^%d+$') or string.find(claim, '^%-?%d+[+-]?%d*$'))
    if is_readable then
      return level, streak, claim, name
    end
  end
  return '-', '0', '-', ''
end

-- Returns a profile of these parts.
local function join_profile(level, streak, claim, name)
  if name == '' then
    return level .. ' ' .. streak .. ' ' .. claim
  end
  return level .. ' ' .. streak .. ' ' .. claim .. ' ' .. name
end
