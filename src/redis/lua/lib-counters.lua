-- The counters of a guild and their one way to change. A member counts while its XP is above 0.
-- Sums are kept in two parts, hi * 10^8 + lo, because a batch of large XP values can pass 2^53.

local PART = 100000000.0

local function new_sums()
  return { members = 0.0, hi = 0.0, lo = 0.0, levels = 0.0 }
end

local function add_to_sums(sums, xp, level, sign)
  if xp > 0 then
    local lo = math.fmod(xp, PART)
    sums.members = sums.members + sign
    sums.lo = sums.lo + sign * lo
    sums.hi = sums.hi + sign * ((xp - lo) / PART)
    sums.levels = sums.levels + sign * level
  end
end

-- Adding 0.0 turns a negative zero, which Redis would refuse as "-0", into zero.
local function format_integer(n)
  return string.format('%.0f', n + 0.0)
end

-- HINCRBY is exact on 64 bits and refuses to overflow; answers false when it did, with nothing changed.
local function add_total(stats_key, hi, lo)
  if math.abs(hi) < 90000000 then
    return type(redis.pcall('HINCRBY', stats_key, 'total_xp', format_integer(hi * PART + lo))) == 'number'
  end
  local hi_text = format_integer(hi) .. '00000000'
  if type(redis.pcall('HINCRBY', stats_key, 'total_xp', hi_text)) ~= 'number' then
    return false
  end
  if type(redis.pcall('HINCRBY', stats_key, 'total_xp', format_integer(lo))) ~= 'number' then
    redis.call('HINCRBY', stats_key, 'total_xp', format_integer(-hi) .. '00000000')
    return false
  end
  return true
end

-- rev = max(rev + 1, Redis time in microseconds): no revision ever comes back with other content.
local function bump_revision(stats_key)
  local now = redis.call('TIME')
  local rev = now[1] * 1000000.0 + now[2]
  local last = redis.call('HGET', stats_key, 'rev')
  last = type(last) == 'string' and tonumber(last) or 0
  if last >= rev then
    rev = last + 1.0
  end
  local text = format_integer(rev)
  redis.call('HSET', stats_key, 'rev', text)
  return text
end

-- Applies the sums first, so that a total that would leave 64 bits refuses the whole call untouched.
local function apply_sums(stats_key, sums)
  if not add_total(stats_key, sums.hi, sums.lo) then
    return nil
  end
  redis.call('HINCRBY', stats_key, 'members', format_integer(sums.members))
  redis.call('HINCRBY', stats_key, 'level_sum', format_integer(sums.levels))
  return bump_revision(stats_key)
end

-- An explicit level wins; one that is not a plain number counts as absent.
local function explicit_level(text)
  if type(text) == 'string' and string.match(text, '^%d+$') then
    return tonumber(text) + 0.0
  end
  return nil
end

-- A score that a raw writer left as a fraction or outside 0 .. 2^53-1 counts as readers show it.
local function whole_xp(score)
  local xp = tonumber(score) or 0
  if not (xp > 0) then
    return 0
  end
  if xp > 9007199254740991 then
    return 9007199254740991.0
  end
  return math.floor(xp) + 0.0
end
