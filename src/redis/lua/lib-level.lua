-- lib-level: the level of a total XP on a guild's curve. The curves come as one argument, so that this code and
-- src/leaderboard/curves.ts share one table:
--   "name=a,b,c,d,q,m;name=..."  XP to reach level n: (a n^3 + b n^2 + c n + d) / q, rounded to a multiple of m.
-- The division is split so that no intermediate value passes 2^53 while the result does not: exact in doubles.
-- Numbers are parsed with "+ 0.0", because ioredis-mock's Lua 5.3 would compute in 32-bit integers and wrap around.

local function curve_named(curves, name)
  local spec = string.match(';' .. curves .. ';', ';' .. name .. '=([^;]*);')
  if not spec then
    return nil
  end
  local a, b, c, d, q, m = string.match(spec, '^(%-?%d+),(%-?%d+),(%-?%d+),(%-?%d+),(%d+),(%d+)$')
  return { a = a + 0.0, b = b + 0.0, c = c + 0.0, d = d + 0.0, q = q + 0.0, m = m + 0.0, computed = 0 }
end

-- Returns the curve in the guild's config. A missing or unknown name means the first curve of the table.
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

-- Returns the level, 1 or higher. Newton's method from above gives an estimate, exact steps correct it.
local function by_newton(curve, xp)
  local a, b, c, target = curve.a, curve.b, curve.c, xp * curve.q - curve.d
  -- Each of a n^3 and b n^2 alone gives an n that is too high, so the smaller one is the better start.
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
  return level
end
