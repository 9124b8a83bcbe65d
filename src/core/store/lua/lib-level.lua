-- lib-level: the level of a total XP on a guild's curve. A curve is the XP to reach level n >= 1, by six whole numbers:
--   "a,b,c,d,q,m"  (a n^3 + b n^2 + c n + d) / q, rounded to a multiple of m. A seventh number is the highest level.
-- The division is split so that no intermediate value passes 2^53 while the result does not: exact in doubles.
-- Numbers are parsed with "+ 0.0", because ioredis-mock's Lua 5.3 would compute in 32-bit integers and wrap around.

--- @include lib-model
--- @include lib-bounds

-- Returns a curve of the table in src/core/ranking/curves.ts, nil for another name.
local function built_in_curve(name)
  if name == 'standard' then
    return { a = 10.0, b = 135.0, c = 455.0, d = 0.0, q = 6.0, m = 1.0, computed = 0 }
  elseif name == 'amari' then
    return { a = 0.0, b = 20.0, c = -40.0, d = 55.0, q = 1.0, m = 1.0, computed = 0 }
  elseif name == 'lurkr' then
    return { a = 0.0, b = 50.0, c = -100.0, d = 150.0, q = 1.0, m = 1.0, computed = 0 }
  elseif name == 'polaris' then
    return { a = 1.0, b = 50.0, c = 100.0, d = 0.0, q = 1.0, m = 100.0, computed = 0 }
  elseif name == 'arcane' then
    return { a = 0.0, b = 50.0, c = 25.0, d = 0.0, q = 1.0, m = 5.0, computed = 0 }
  end
end

-- Returns a curve by its name in the table, or by "custom=a,b,c,d,q,m". Raises an error for another name or unfit numbers, because no other
-- curve may count in its place.
local function curve_named(name)
  local curve = built_in_curve(name)
  if curve then
    return curve
  end

  local function parse_curve(spec)
    local six, max = string.match(spec, '^(%-?%d+,%-?%d+,%-?%d+,%-?%d+,%d+,%d+),(%d+)$')
    local a, b, c, d, q, m = string.match(six or spec, '^(%-?%d+),(%-?%d+),(%-?%d+),(%-?%d+),(%d+),(%d+)$')
    -- Ten digits in each number at most.
    local is_short = not string.find(spec, '%d%d%d%d%d%d%d%d%d%d%d')
    local parsed = a and is_short and { a = a + 0.0, b = b + 0.0, c = c + 0.0, d = d + 0.0, q = q + 0.0, m = m + 0.0, computed = 0 }
    if max then
      parsed.max = max + 0.0
    end
    return parsed
  end

  -- Returns whether levels of the curve can be computed exactly: it rises from level 1 on, and its numbers are small enough. See isSound in
  -- src/core/ranking/curves.ts.
  local function is_sound(own)
    local a, b, c, d, q, m = own.a, own.b, own.c, own.d, own.q, own.m
    return a >= 0
      and b >= 0
      and 3 * a + 2 * b + c > 0
      and a + b + c + d >= 0
      and math.max(a, b, math.abs(c)) <= 1000000
      and math.abs(d) <= 1000000000
      and q >= 1
      and m >= 1
      and math.max(q, m) <= 1000
      and (not own.max or (own.max >= 1 and own.max <= 1000000))
      and (a + b > 0 or c >= q * q)
  end

  local spec = string.match(name, '^custom=(.*)$')
  curve = spec and parse_curve(spec)
  if not (curve and is_sound(curve)) then
    raise_error('CURVE the guild has the curve ' .. string.sub(name, 1, 100) .. ', which these scripts do not know: update them, or set a known curve')
  end
  return curve
end

-- Returns the curve of a guild, its name, and the text of the guild's multiplier, "" for a guild without a multiplier.
local function guild_curve(config_key)
  local stored = redis.call('HMGET', config_key, 'xp_curve', 'xp_curve_custom', 'xp_multiplier')
  local name, coefficients = stored[1], stored[2]
  if type(name) ~= 'string' or name == '' then
    name = 'standard'
  elseif name == 'custom' then
    name = custom_curve_text(coefficients)
  end
  return curve_named(name), name, multiplier_text(stored[3])
end

-- Returns the XP to reach a level. "%" is exact here, because no value passes 2^53, and costs a tenth of a call of math.fmod.
local function xp_to_reach(curve, n)
  local q, m, h = curve.q, curve.m, (curve.a * n + curve.b) * n + curve.c
  local r = h % q
  local product = r * n + curve.d
  local whole, rest = (h - r) / q, (product - product % q) / q
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

-- Returns the level of XP, or the highest one of the curve, and the XP to reach the level above it. Newton's method from above gives an
-- estimate, exact steps correct it.
local function by_newton(curve, xp)
  local a, b, c, m = curve.a, curve.b, curve.c, curve.m
  -- The first XP that would be rounded to more than `xp`.
  local limit = m == 1 and xp + 1 or xp - math.fmod(xp, m) + m - math.floor(m / 2)
  local target, below = limit * curve.q - curve.d, c < 0 and -c or 0
  if target < 0 then
    target = 0
  end
  -- Each term alone gives an n that is too high, with a correction for a negative c. The smallest n is the best start.
  local n = a > 0 and (target / a) ^ (1 / 3) + (below / a) ^ 0.5
  local by_b = b > 0 and (target / b) ^ 0.5 + below / b
  if by_b and not (n and n <= by_b) then
    n = by_b
  end
  n = (n or target / c) + 1
  for _ = 1, 40 do
    local step = (((a * n + b) * n + c) * n - target) / ((3 * a * n + 2 * b) * n + c)
    n = n - step
    if step < 0.25 then
      break
    end
  end
  n = n > 1 and n - n % 1 or 1
  local above = xp_to_reach(curve, n + 1)
  while above <= xp do
    n = n + 1
    above = xp_to_reach(curve, n + 1)
  end
  while n > 0 do
    local own = xp_to_reach(curve, n)
    if own <= xp then
      break
    end
    n, above = n - 1, own
  end
  return curve.max and math.min(n, curve.max) or n, above
end

-- After this many levels in one call, the thresholds of the first levels are computed once and searched: faster than Newton's
-- method for each member. The search is written for a table of this size.
local TABLE_AFTER, TABLE_SIZE = 16, 128

-- Returns the level of XP and, in the first calls, the XP to reach the next level.
local function level_of(curve, xp)
  local reached = curve.reached
  if not reached then
    curve.computed = curve.computed + 1
    if curve.computed < TABLE_AFTER then
      return by_newton(curve, xp)
    end
    reached = {}
    for n = 1, TABLE_SIZE do
      reached[n] = xp_to_reach(curve, n)
    end
    curve.reached = reached
  end
  if xp >= reached[TABLE_SIZE] then
    return by_newton(curve, xp)
  end
  -- A binary search. As a loop it would take twice the time.
  local level = reached[64] <= xp and 64 or 0
  level = reached[level + 32] <= xp and level + 32 or level
  level = reached[level + 16] <= xp and level + 16 or level
  level = reached[level + 8] <= xp and level + 8 or level
  level = reached[level + 4] <= xp and level + 4 or level
  level = reached[level + 2] <= xp and level + 2 or level
  level = reached[level + 1] <= xp and level + 1 or level
  return curve.max and math.min(level, curve.max) or level
end
