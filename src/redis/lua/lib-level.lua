-- lib-level: the level of a total XP on a guild's curve. A curve is the XP to reach level n >= 1, by six whole numbers:
--   "name=a,b,c,d,q,m"  (a n^3 + b n^2 + c n + d) / q, rounded to a multiple of m. A seventh number is the highest level.
-- The division is split so that no intermediate value passes 2^53 while the result does not: exact in doubles.
-- Numbers are parsed with "+ 0.0", because ioredis-mock's Lua 5.3 would compute in 32-bit integers and wrap around.

--- @include lib-error

local function new_curve(a, b, c, d, q, m)
  return { a = a + 0.0, b = b + 0.0, c = c + 0.0, d = d + 0.0, q = q + 0.0, m = m + 0.0, computed = 0 }
end

-- Returns a curve of the table in src/leaderboard/curves.ts, nil for another name. A caller may pass a table of its own instead, as text.
local function built_in_curve(name)
  if name == 'standard' then
    return new_curve(10, 135, 455, 0, 6, 1)
  elseif name == 'amari' then
    return new_curve(0, 20, -40, 55, 1, 1)
  elseif name == 'lurkr' then
    return new_curve(0, 50, -100, 150, 1, 1)
  elseif name == 'polaris' then
    return new_curve(1, 50, 100, 0, 1, 100)
  elseif name == 'arcane' then
    return new_curve(0, 50, 25, 0, 1, 5)
  end
end

local function parse_curve(spec)
  local six, max = string.match(spec or '', '^(%-?%d+,%-?%d+,%-?%d+,%-?%d+,%d+,%d+),(%d+)$')
  local a, b, c, d, q, m = string.match(six or spec or '', '^(%-?%d+),(%-?%d+),(%-?%d+),(%-?%d+),(%d+),(%d+)$')
  local curve = a and new_curve(a, b, c, d, q, m)
  if max then
    curve.max = max + 0.0
  end
  return curve
end

-- Returns whether levels of the curve can be computed exactly: it rises from level 1 on, and its numbers are small enough. See isSound in
-- src/leaderboard/curves.ts.
local function is_sound(curve)
  local a, b, c, d, q, m = curve.a, curve.b, curve.c, curve.d, curve.q, curve.m
  return a >= 0
    and b >= 0
    and 3 * a + 2 * b + c > 0
    and a + b + c + d >= 0
    and math.max(a, b, math.abs(c)) <= 1000000
    and math.abs(d) <= 1000000000
    and q >= 1
    and m >= 1
    and math.max(q, m) <= 1000
    and (not curve.max or (curve.max >= 1 and curve.max <= 1000000))
    and (a + b > 0 or c >= q * q)
end

-- Returns a curve by its name in the table, or by "custom=a,b,c,d,q,m". Raises an error for another name or unfit numbers, because no other
-- curve may count in its place.
local function curve_named(curves, name)
  local curve = curves == '' and built_in_curve(name)
  if not curve and string.find(name, '^custom=') then
    curve = parse_curve(string.sub(name, 8))
    curve = curve and is_sound(curve) and curve
  elseif curves ~= '' and string.find(name, '^[%w_]+$') then
    curve = parse_curve(string.match(';' .. curves .. ';', ';' .. name .. '=([^;]*);'))
  end
  if not curve then
    raise_error('CURVE the guild has the curve ' .. name .. ', which these scripts do not know: update them, or set a known curve')
  end
  return curve
end

-- Returns the name of a curve by the two fields of a guild's config. Without a name it is the first curve of the table.
local function curve_name_of(curves, name, coefficients)
  if type(name) ~= 'string' or name == '' then
    return curves == '' and 'standard' or string.match(curves, '^([^=]+)=')
  end
  return name == 'custom' and 'custom=' .. (type(coefficients) == 'string' and coefficients or '') or name
end

-- Returns the curve of a guild and its name.
local function guild_curve(config_key, curves)
  local stored = redis.call('HMGET', config_key, 'xp_curve', 'xp_curve_custom')
  local name = curve_name_of(curves, stored[1], stored[2])
  return curve_named(curves, name), name
end

local function xp_to_reach(curve, n)
  local h = (curve.a * n + curve.b) * n + curve.c
  local r = math.fmod(h, curve.q)
  local whole, rest, m = (h - r) / curve.q, math.floor((r * n + curve.d) / curve.q), curve.m
  if rest < 0 and whole > 0 then
    -- The product alone could pass 2^53.
    local fewer = math.ceil(-rest / whole)
    n, rest = n - fewer, rest + whole * fewer
  end
  if m == 1 then
    return whole * n + rest
  end
  local over = math.fmod(math.fmod(whole, m) * math.fmod(n, m) + rest, m)
  over = over < 0 and over + m or over
  return whole * n + (rest - over) + (over + math.floor(m / 2) >= m and m or 0)
end

-- After this many levels in one call, the thresholds of the first levels are computed once and searched: faster than Newton's
-- method for each member. The table size must be a power of two for the search.
local TABLE_AFTER, TABLE_SIZE = 40, 128

local function thresholds(curve)
  local reached = {}
  for n = 1, TABLE_SIZE do
    reached[n] = xp_to_reach(curve, n)
  end
  return reached
end

-- Returns a level, or the highest one of the curve.
local function capped(curve, level)
  return curve.max and math.min(level, curve.max) or level
end

-- Returns the level, 1 or higher. Newton's method from above gives an estimate, exact steps correct it.
local function by_newton(curve, xp)
  local a, b, c = curve.a, curve.b, curve.c
  -- The first XP that would be rounded to more than this one.
  local limit = xp - math.fmod(xp, curve.m) + curve.m - math.floor(curve.m / 2)
  local target = math.max(limit * curve.q - curve.d, 0)
  -- Each term alone gives an n that is too high, with a correction for a negative c. The smallest one is the best start.
  local n, below = math.huge, math.max(-c, 0)
  if a > 0 then
    n = (target / a) ^ (1 / 3) + math.sqrt(below / a)
  end
  if b > 0 then
    n = math.min(n, math.sqrt(target / b) + below / b)
  end
  if c > 0 then
    n = math.min(n, target / c)
  end
  n = n + 1
  for _ = 1, 40 do
    local step = (((a * n + b) * n + c) * n - target) / ((3 * a * n + 2 * b) * n + c)
    n = n - step
    if step < 0.25 then
      break
    end
  end
  n = math.max(1, math.floor(n))
  while xp_to_reach(curve, n + 1) <= xp do
    n = n + 1
  end
  while n > 1 and xp_to_reach(curve, n) > xp do
    n = n - 1
  end
  return capped(curve, n)
end

local function level_of(curve, xp)
  curve.computed = curve.computed + 1
  if curve.computed == TABLE_AFTER then
    curve.reached = thresholds(curve)
  end
  local reached = curve.reached
  if not reached then
    return xp < xp_to_reach(curve, 1) and 0 or by_newton(curve, xp)
  end
  if xp >= reached[TABLE_SIZE] then
    return by_newton(curve, xp)
  end
  local level, step = 0, TABLE_SIZE / 2
  while step >= 1 do
    if reached[level + step] <= xp then
      level = level + step
    end
    step = step / 2
  end
  return capped(curve, level)
end
