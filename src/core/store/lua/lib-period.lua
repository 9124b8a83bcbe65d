-- lib-period: the weeks and months of the boards, by Redis's clock.

-- Returns the number of the day since 1970, at minutes from UTC.
local function day_at(offset)
  return math.floor((redis.call('TIME')[1] + offset * 60) / 86400)
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

-- Returns where the present board and the last one of a kind stand in a period: "present" or "last" as they are stored, nil for an empty board.
-- `present` and `last` are the periods of the stored boards. A board of the next period goes on, because a clock can go back over the begin of
-- a period. A board of another period is over, or a wrong clock began it: then it becomes the last one and keeps its period, and comes back
-- when the clock does.
local function places_at(period, present, last)
  if present == period or present == period + 1 then
    return 'present', 'last'
  elseif last == period then
    return 'last', nil
  elseif last == period - 1 then
    return nil, 'last'
  end
  return nil, 'present'
end
