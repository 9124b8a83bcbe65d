-- lib-fields: a reply is one text with a value a line, which a client reads faster than many texts (hot path, see ADR 6).

-- Returns a value as one line: "" for a missing one; a line break becomes \n, a backslash \\.
local function escape_field(value)
  if type(value) ~= 'string' then
    return ''
  end
  if string.find(value, '[\n\\]') then
    return (string.gsub(value, '[\n\\]', { ['\n'] = '\\n', ['\\'] = '\\\\' }))
  end
  return value
end

-- Returns the name of a guild's curve as one line, with the six coefficients if it is "custom".
local function curve_field(config_key, name)
  if name == 'custom' then
    return 'custom=' .. escape_field(redis.call('HGET', config_key, 'xp_curve_custom'))
  end
  return escape_field(name)
end
