-- lib-counters: the only code that changes the counters of a guild. A member counts when its XP is above 0.
-- Sums have two parts, hi * 10^8 + lo, because the sum of many large XP values can pass 2^53.

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

-- Returns the digits of a whole number. "+ 0.0" makes -0 to 0, because Redis refuses "-0".
local function format_integer(n)
  return string.format('%.0f', n + 0.0)
end

-- Adds to the total XP. HINCRBY is exact on 64 bits. Returns false on an overflow; then nothing was changed.
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

-- Sets rev to max(rev + 1, Redis time in microseconds), so that no revision is ever used twice. Returns it.
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

-- Adds the sums to the counters and raises the revision. Returns the revision, or nil when the total would pass 64 bits;
-- then nothing was changed.
local function apply_sums(stats_key, sums)
  if not add_total(stats_key, sums.hi, sums.lo) then
    return nil
  end
  redis.call('HINCRBY', stats_key, 'members', format_integer(sums.members))
  redis.call('HINCRBY', stats_key, 'level_sum', format_integer(sums.levels))
  return bump_revision(stats_key)
end

-- Returns the stored level of a member, or nil when it is missing or not a whole number.
local function explicit_level(text)
  if type(text) == 'string' and string.match(text, '^%d+$') then
    return tonumber(text) + 0.0
  end
  return nil
end

-- Returns a score as readers show it: a bot can have stored a fraction, or a value outside 0 .. 2^53-1.
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
