-- lib-time: calendar days and times in ISO 8601, for years 0 to 9999.

-- Returns the days from 1970-01-01 to a day, in the calendar that starts its year in March.
local function days_from_civil(year, month, day)
  local y = month <= 2 and year - 1 or year
  local day_of_year = math.floor((153 * (month + (month > 2 and -3 or 9)) + 2) / 5) + day - 1
  return y * 365 + math.floor(y / 4) - math.floor(y / 100) + math.floor(y / 400) + day_of_year - 719468
end

-- Returns the seconds since 1970 of a time in ISO 8601, nil for another text. A time without a zone is in UTC.
local function parse_time(text)
  local year, month, day, rest = string.match(text, '^(%d%d%d%d)%-(%d%d)%-(%d%d)(.*)$')
  if not year then
    return nil
  end
  local hour, minute, second, zone = string.match(rest, '^[T ](%d%d):(%d%d):(%d%d)%.?%d*(.*)$')
  if not hour then
    hour, minute, zone = string.match(rest, '^[T ](%d%d):(%d%d)(.*)$')
    second = '0'
  end
  if rest == '' then
    hour, minute, second, zone = '0', '0', '0', ''
  end
  local sign, ahead_hours, ahead_minutes = string.match(zone or '?', '^([+-])(%d%d):?(%d%d)$')
  if not sign and zone ~= '' and zone ~= 'Z' then
    return nil
  end
  local ahead = sign and (sign .. '1') * (ahead_hours * 60 + ahead_minutes) * 60 or 0
  return days_from_civil(year + 0.0, month + 0.0, day + 0.0) * 86400 + hour * 3600 + minute * 60 + second - ahead
end

-- Returns the number of the calendar day of a time, at minutes from UTC.
local function day_of(seconds, offset)
  return math.floor((seconds + offset * 60) / 86400) + 0.0
end

-- Returns a time in UTC as ISO 8601 with milliseconds, as JavaScript writes it.
local function format_time(seconds, ms)
  local days = day_of(seconds, 0)
  local rest = seconds - days * 86400
  -- The year and day that would make days_from_civil give `days`: eras of 400 years have 146097 days.
  local era_day = math.fmod(days + 719468, 146097)
  local era = (days + 719468 - era_day) / 146097
  local year = math.floor(
    (era_day - math.floor(era_day / 1460) + math.floor(era_day / 36524) - math.floor(era_day / 146096)) / 365
  )
  local day_of_year = era_day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * day_of_year + 2) / 153)
  local day = day_of_year - math.floor((153 * month + 2) / 5) + 1
  month = month < 10 and month + 3 or month - 9
  year = year + era * 400 + (month <= 2 and 1 or 0)
  local clock = { math.floor(rest / 3600), math.floor(math.fmod(rest, 3600) / 60), math.fmod(rest, 60), ms }
  return string.format('%04.0f-%02.0f-%02.0fT%02.0f:%02.0f:%02.0f.%03.0fZ', year, month, day, unpack(clock))
end
