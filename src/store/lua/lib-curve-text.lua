-- lib-curve-text: the curve of a guild as text, "" for the default, with the six coefficients if it is "custom".
local function curve_text(config_key, name)
  if name == 'custom' then
    return 'custom=' .. (redis.call('HGET', config_key, 'xp_curve_custom') or '')
  end
  return type(name) == 'string' and name or ''
end
