-- lib-period: the weeks and months of the boards, by Redis's clock and the guild's minutes from UTC.
--
-- Offsets are a text: minutes from UTC, and then " AT:MINUTES" for each change of them, AT in minutes since 1970. A guild without a time zone
-- has no changes.

--- @include lib-bounds

-- Returns the offsets of a guild. `clock` is the beginning of the state of its boards: minutes from UTC, or "zone" for the minutes of its time zone,
-- which the config of the guild has.
local function offsets_of(clock, config_key)
  if clock ~= 'zone' then
    return clock
  end
  local stored = redis.call('HGET', config_key, 'utc_offsets')
  return type(stored) == 'string' and string.sub(stored, 1, MAX_OFFSETS) or ''
end

-- Returns the minutes from UTC before the first change, 0 for a text without such minutes, and an iterator of the changes: time and minutes as texts.
local function parse_offsets(offsets)
  return string.match(offsets, '^%-?%d+') or 0, string.gmatch(offsets, ' (%d+):(%-?%d+)')
end

-- Returns the number of the present day since 1970.
local function day_at(offsets)
  local now, minutes, changes = redis.call('TIME')[1], parse_offsets(offsets)
  for at, changed in changes do
    if at * 60 > now + 0 then
      break
    end
    minutes = changed
  end
  return math.floor((now + minutes * 60) / 86400)
end

-- Returns when each of some days begins, in minutes since 1970: at midnight, or at the change that leaves midnight out. The days go up.
local function begins_of_days(days, offsets)
  local minutes, changes = parse_offsets(offsets)
  local begins, since = {}, -math.huge
  local function add_begins_before(at)
    while days[#begins + 1] do
      local begin = math.max(days[#begins + 1] * 1440 - minutes, since)
      if begin >= at then
        return
      end
      begins[#begins + 1] = begin
    end
  end
  for at, changed in changes do
    add_begins_before(at + 0)
    minutes, since = changed, at + 0
  end
  add_begins_before(math.huge)
  return begins
end

-- Returns the number of the week, from Monday, or of the month that has a day. The month by Howard Hinnant's civil_from_days,
-- https://howardhinnant.github.io/date_algorithms.html: years begin in March, in cycles of 400.
local function period_of(kind, day)
  if kind == 'week' then
    return math.floor((day + 3) / 7)
  end
  local cycle = math.floor((day + 719468) / 146097)
  local rest = day + 719468 - cycle * 146097
  local leaps = math.floor(rest / 1460) - math.floor(rest / 36524) + math.floor(rest / 146096)
  local year = math.floor((rest - leaps) / 365)
  local day_of_year = rest - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  return (cycle * 400 + year) * 12 + math.floor((5 * day_of_year + 2) / 153)
end

-- Returns the first day of a period.
local function first_day_of(kind, period)
  if kind == 'week' then
    return 7 * period - 3
  end
  local year, month = math.floor(period / 12), period % 12
  local cycle = math.floor(year / 400)
  local rest = year - 400 * cycle
  return 146097 * cycle + 365 * rest + math.floor(rest / 4) - math.floor(rest / 100) + math.floor((153 * month + 2) / 5) - 719468
end

-- Returns when a period begins, and when it ends, as texts: seconds since 1970.
local function limits_of(kind, period, offsets)
  local days = { first_day_of(kind, period), first_day_of(kind, period + 1) }
  local begin, finish = unpack(begins_of_days(days, offsets))
  return { string.format('%.0f', 60 * begin), string.format('%.0f', 60 * finish) }
end

-- Returns the slots that have the boards of a period and of the period before it: "present" or "last", nil for an empty board.
-- `present` and `last` are the periods of the stored boards. A board of another period is over, or a wrong clock began it: then it becomes the last
-- one and keeps its period, and comes back when the clock does.
local function slots_at(period, present, last)
  if present == period then
    return 'present', 'last'
  elseif last == period then
    return 'last', nil
  elseif last == period - 1 then
    return nil, 'last'
  end
  return nil, 'present'
end
