-- lib-model: the version of a guild's data, in the field "model" of gr:{G}:stats. A write stores it where it is missing.

-- A text, because ioredis-mock stores a number as one.
local MODEL = '1'

-- Ends a script with an error of its own code, before its first write.
local function raise_error(message)
  -- ioredis-mock shows a table as "null".
  error(redis.acl_check_cmd and { err = message } or message, 0)
end

-- Raises an error for a version that only newer scripts know.
local function require_known_model(text, stats_key)
  if type(text) == 'string' and text ~= MODEL then
    raise_error('MODEL ' .. stats_key .. ' has data of version ' .. text .. ', this program knows version ' .. MODEL .. ': update it')
  end
end
