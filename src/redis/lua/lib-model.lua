-- lib-model: the version of a guild's data, in the field "model" of gr:{G}:stats. The first write of a guild stores it; a guild without it
-- has version 1. docs/data-model.md says what each version may contain.
--- @include lib-error

-- A text, because ioredis-mock stores a number as one.
local MODEL, NEWEST = '2', 2

-- Returns the version. Raises an error for one that only newer scripts know.
local function known_model(text, stats_key)
  if type(text) ~= 'string' then
    return 1
  end
  if text == MODEL then
    return NEWEST
  end
  local model = tonumber(text)
  if not model or model > MODEL + 0 then
    raise_error('MODEL ' .. stats_key .. ' has data of version ' .. text .. ', this program knows version ' .. MODEL .. ': update it')
  end
  return model
end
