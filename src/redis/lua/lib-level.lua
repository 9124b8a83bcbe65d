-- Level of a total XP on a guild's curve. The curves come as one argument, so that this code and
-- src/leaderboard/curves.ts share the one table there:
--   "name=a,b,c,d,q,m;name=..."  XP to reach level n: (a n^3 + b n^2 + c n + d) / q, rounded to a multiple of m.
-- The division is split so that no intermediate value passes 2^53 while the result does not: exact in doubles.
-- Numbers are parsed with "+ 0.0": ioredis-mock's Lua 5.3 would otherwise compute in 32-bit integers and wrap.

local function curve_named(curves, name)
  local spec = string.match(';' .. curves .. ';', ';' .. name .. '=([^;]*);')
  if not spec then
    return nil
  end
  local a, b, c, d, q, m = string.match(spec, '^(%-?%d+),(%-?%d+),(%-?%d+),(%-?%d+),(%d+),(%d+)$')
  return { a = a + 0.0, b = b + 0.0, c = c + 0.0, d = d + 0.0, q = q + 0.0, m = m + 0.0, asked = 0 }
end

-- The curve named in the guild's config; a missing or unknown name means the first of the table.
local function guild_curve(config_key, curves)
  local name = redis.call('HGET', config_key, 'xp_curve')
  local found = type(name) == 'string' and string.match(name, '^[%w_]+$') and curve_named(curves, name)
  return found or curve_named(curves, string.match(curves, '^([^=]+)='))
end

local function xp_to_reach(curve, n)
  local h = (curve.a * n + curve.b) * n + curve.c
  local r = math.fmod(h, curve.q)
  local x = (h - r) / curve.q * n + math.floor((r * n + curve.d) / curve.q)
  local half = math.floor(curve.m / 2)
  return x + half - math.fmod(x + half, curve.m)
end

-- So many levels computed in one call make the thresholds of the first ones worth having, up to this one: to search in them saves a
-- fifth of the time that recording 500 members takes. A power of two, for the search.
local MANY, IN_TABLE = 40, 128

local function thresholds(curve)
  local reached = {}
  for n = 1, IN_TABLE do
    reached[n] = xp_to_reach(curve, n)
  end
  return reached
end

-- Newton's method from above gives the neighbourhood, exact steps give the level: a threshold itself is in.
local function by_newton(curve, xp)
  local a, b, c, target = curve.a, curve.b, curve.c, xp * curve.q - curve.d
  -- Without its other terms, a n^3 or b n^2 alone reaches the target no sooner: the smaller of the two is nearer.
  local n = math.sqrt(math.max(target, 0) / b)
  if a > 0 then
    n = math.min(n, (math.max(target, 0) / a) ^ (1 / 3))
  end
  n = n + (c < 0 and -c / b or 0) + 1
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
  return n
end

local function level_of(curve, xp)
  curve.asked = curve.asked + 1
  if curve.asked == MANY then
    curve.reached = thresholds(curve)
  end
  local reached = curve.reached
  if not reached then
    return xp < xp_to_reach(curve, 1) and 0 or by_newton(curve, xp)
  end
  if xp >= reached[IN_TABLE] then
    return by_newton(curve, xp)
  end
  local level, step = 0, IN_TABLE / 2
  while step >= 1 do
    if reached[level + step] <= xp then
      level = level + step
    end
    step = step / 2
  end
  return level
end
