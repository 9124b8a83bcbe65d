-- lib-counters: the only code that writes the counters of a guild. A member counts when its XP is above 0.
-- Sums have two parts, hi * 10^8 + lo, because the sum of many large values can pass 2^53.

--- @include lib-model

local PART = 100000000.0
-- The largest counter, 2^63-1, in the same two parts.
local MAX_HI, MAX_LO = 92233720368.0, 54775807.0
local MAX_INTEGER = 9007199254740991.0
-- Bytes of user ids that a replacement lets the stats note.
local MAX_NOTES = 65536

local function new_sums()
  return { members = 0.0, hi = 0.0, lo = 0.0, level_hi = 0.0, level_lo = 0.0 }
end

local function add_to_sums(sums, xp, level, sign)
  if xp > 0 then
    local lo = xp < PART and xp or math.fmod(xp, PART)
    sums.members = sums.members + sign
    sums.lo = sums.lo + sign * lo
    sums.hi = sums.hi + sign * ((xp - lo) / PART)
    lo = level < PART and level or math.fmod(level, PART)
    sums.level_lo = sums.level_lo + sign * lo
    sums.level_hi = sums.level_hi + sign * ((level - lo) / PART)
  end
end

-- Returns the digits of a sum, or nil when it would leave 64 bits.
local function format_sum(hi, lo)
  local carry = math.floor(lo / PART)
  hi, lo = hi + carry, lo - carry * PART
  local sign = ''
  if hi < 0 then
    sign, hi, lo = '-', -hi, -lo
    if lo < 0 then
      hi, lo = hi - 1, lo + PART
    end
  end
  if hi > MAX_HI or (hi == MAX_HI and lo > MAX_LO) then
    return nil
  end
  if hi == 0 then
    return sign .. format_integer(lo)
  end
  return sign .. format_integer(hi) .. string.format('%08.0f', lo)
end

-- Returns a stored score as a number. Lua's tonumber may not know infinity.
local function score_of(text)
  if text == 'inf' or text == '-inf' then
    return text == 'inf' and math.huge or -math.huge
  end
  return tonumber(text) or 0
end

--- @include lib-recount-state

-- Reads the stats of a guild: its revision ("" for a guild without a revision), its counters, and the running count. Raises an error when the version
-- of its data is newer than these scripts.
local function read_stats(stats_key)
  local stored = redis.call('HMGET', stats_key, 'rev', 'members', 'total_xp', 'level_sum', 'recount', 'model', 'hidden', 'replacing', 'boards', 'explicit')
  require_known_model(stored[6], stats_key)
  local stats = {
    key = stats_key,
    rev = type(stored[1]) == 'string' and stored[1] or '',
    has_model = type(stored[6]) == 'string',
    members = stored[2],
    total_xp = stored[3],
    level_sum = stored[4],
  }
  -- Fields that few guilds have are set only where they exist, which makes the table half as large.
  if type(stored[5]) == 'string' then
    stats.recount = parse_recount(stored[5])
  end
  -- Hidden members; nil for a guild without hidden members.
  if type(stored[7]) == 'string' and stored[7] ~= '0' then
    stats.hidden = stored[7]
  end
  -- Hidden members that changed since a replacement has begun to carry them (src/core/replace/replace-carry.lua), nil for no replacement.
  if type(stored[8]) == 'string' then
    stats.replacing = stored[8]
  end
  -- The state of the boards (lib-boards.lua); nil for a guild without boards.
  if type(stored[9]) == 'string' then
    stats.boards_text = stored[9]
  end
  -- Set once a ranked member has had an explicit level, so that XP alone does not tell how many members have a level.
  if type(stored[10]) == 'string' then
    stats.has_explicit = true
  end
  return stats
end

-- Notes that a hidden member changes, comes or goes, for a replacement that is under way. The next write of the stats stores it. A raw
-- writer can have put a hidden member into the ranking too.
local function note_hidden(stats, hidden_key, id, is_hidden)
  if stats.replacing and (is_hidden or redis.call('ZSCORE', hidden_key, id)) then
    stats.notes = stats.notes or {}
    stats.notes[#stats.notes + 1] = id
  end
end

-- Returns the field of the stats that names the noted members: their ids with spaces between, or "*" for more than it may hold.
local function format_notes(stats)
  local text = stats.replacing .. ' ' .. table.concat(stats.notes, ' ')
  return (stats.replacing == '*' or #text > MAX_NOTES) and '*' or text
end

-- Returns a new revision: the time in microseconds. When the clock is behind the last revision, the new revision exceeds the last by the microseconds
-- of the clock's second, so that a write after a lost write does not get the revision of the lost write.
local function next_revision(last)
  local now = redis.call('TIME')
  local text = now[1] .. (#now[2] == 6 and now[2] or string.sub('00000' .. now[2], -6))
  -- Texts of the same length compare as numbers do, without the time to make numbers of them.
  if #last < #text or (#last == #text and last < text and string.find(last, '^%d+$')) then
    return text
  end
  last = tonumber(last) or 0
  if last >= text + 0.0 and last < MAX_INTEGER - 2000000 then
    return format_integer(last + 1 + now[2])
  end
  return text
end

-- Writes a new revision and the given fields of the stats, as one command. Returns the revision.
local function write_stats(stats, ...)
  local rev, recount = next_revision(stats.rev), stats.recount
  if stats.has_model and not recount and not stats.notes and not stats.meets_explicit then
    redis.call('HSET', stats.key, 'rev', rev, ...)
    return rev
  end
  local fields = { 'rev', rev, ... }
  local function add(field, value)
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  if not stats.has_model then
    add('model', MODEL)
  end
  if stats.notes then
    add('replacing', format_notes(stats))
  end
  if stats.meets_explicit then
    add('explicit', '1')
  end
  local is_abandoned = recount and recount.is_abandoned()
  if recount and not is_abandoned then
    -- A revision that the count did not see stays unseen.
    recount.rev = recount.rev == stats.rev and rev or recount.rev
    add('recount', recount.format())
  end
  redis.call('HSET', stats.key, unpack(fields))
  if is_abandoned then
    redis.call('HDEL', stats.key, 'recount')
  end
  return rev
end

-- Returns the digits of a counter after an addition of a sum in two parts, nil when it would leave 64 bits.
local function added(stats, name, hi, lo)
  local text = stats[name]
  if type(text) == 'string' and #text <= 15 and string.find(text, '^%d+$') then
    if hi == 0 and lo == 0 then
      return text
    end
    -- Most counters are small: their sum is exact without the two parts.
    local sum = text + (hi * PART + lo)
    if sum >= 0 and sum < MAX_INTEGER then
      return format_integer(sum)
    end
  end
  if type(text) ~= 'string' then
    return format_sum(hi, lo)
  end
  local sign, digits = string.match(text, '^(%-?)(%d+)$')
  if not digits or #digits > 19 then
    error('the counter ' .. name .. ' of ' .. stats.key .. ' is no whole number of 64 bits, run stats rebuild', 0)
  end
  local factor = sign == '-' and -1.0 or 1.0
  return format_sum(hi + factor * (tonumber(string.sub(digits, 1, -9)) or 0), lo + factor * tonumber(string.sub(digits, -8)))
end

-- Returns the counters after the changes of members (lib-change.lua): members, total XP and sum of levels; nil when one would leave 64 bits.
local function changed_counters(stats)
  local sums = stats.sums or new_sums()
  local members = added(stats, 'members', 0, sums.members)
  local total_xp = added(stats, 'total_xp', sums.hi, sums.lo)
  local level_sum = added(stats, 'level_sum', sums.level_hi, sums.level_lo)
  if members and total_xp and level_sum then
    return members, total_xp, level_sum
  end
end

-- Returns a score as readers show it: a bot can have stored a fraction, or a value outside 0 .. 2^53-1.
local function whole_xp(text)
  local xp = score_of(text) + 0.0
  if not (xp > 0) then
    return 0
  end
  return xp < MAX_INTEGER and xp - xp % 1 or MAX_INTEGER
end
