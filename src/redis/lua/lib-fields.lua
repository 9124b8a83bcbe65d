-- fields: values of one reply as one text, a line each. One text costs its reader a tenth of what as many texts cost.

-- A value as a line: what Redis has none of is an empty one; a line break within it is written \n, a backslash \\.
local function escape_field(value)
  if type(value) ~= 'string' then
    return ''
  end
  if string.find(value, '[\n\\]') then
    return (string.gsub(value, '[\n\\]', { ['\n'] = '\\n', ['\\'] = '\\\\' }))
  end
  return value
end
