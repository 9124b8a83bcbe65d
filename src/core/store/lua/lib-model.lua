-- lib-model: the version of a guild's data, in the field "model" of gr:{G}:stats. A write stores it where it is missing.

--- @include lib-mock

local MODEL = '1'

-- Raises an error for a version that only newer scripts know.
local function require_known_model(text, stats_key)
  if type(text) == 'string' and text ~= MODEL then
    raise_error('MODEL ' .. stats_key .. ' has data of version ' .. text .. ', this program knows version ' .. MODEL .. ': update it')
  end
end
