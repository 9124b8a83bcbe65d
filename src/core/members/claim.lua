-- claim: gives one member the reward of the day, once for each calendar day, and counts its streak. It changes everything or nothing.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6], for a call that is done once for an event: gr:{G}:event:ID. ARGV then begins with its time to live, 1 .. 86400000 ms. The event keeps
--         the reply. A repeat changes nothing, and has that reply as texts, with "repeated" at its end. Another call of the event is refused.
-- ARGV[1] user id   ARGV[2] minutes from UTC to the member's clock, -1440 .. 1440   ARGV[3] days that may be missed, 0 .. 365
-- ARGV[4] least ms between two claims, 0 .. 604800000   ARGV[5] name to store, "" = leave it
-- ARGV[6..] XP for a streak of 1, 2, ..., each 0 .. 1000000000; the last counts for all longer streaks
--
-- The day of this claim is the day of Redis's clock at the offset. The day of the last claim is the day of its time at the offset of the last claim,
-- which this script stores with it, or else at the offset of this call. A claim on the day of the last claim or before it is refused, and so is a
-- claim before the least time has passed: a member that gives another offset gets no second reward at once. On the next day, or after no more than
-- the days that may be missed, the streak goes on; else it starts at 1. The xp_multiplier does not apply. A last claim that is more than a day ahead
-- of Redis's clock comes from a wrong clock: it refuses nothing, and the streak goes on.
--
-- Reply: {"OK" | "WAIT", rev, XP gained, XP and level before, XP and level after, XP to the next level ("" with an explicit level, at
--         the highest level, or when it is beyond 2^53-1), "new" | "ranked" | "hidden" | "none", streak, ms since 1970 when the next claim is possible at this offset}
--        "WAIT": claimed on this day already, or a short while ago; nothing was changed.
--        {"REFUSED", 0, "user_id" | "argument" | "field" | "range" | "total" | "event"}   nothing was changed
-- An error of Redis (READONLY, OOM, ...), MODEL or CURVE is the reply as it is; nothing was changed. O(log m).

--- @include lib-gain
--- @include lib-event

local function claim()
  local offset, missable, interval = tonumber(ARGV[2]), ARGV[3], ARGV[4]
  local is_fit = string.match(ARGV[2], '^%-?%d+$') and math.abs(offset) <= 1440 and is_whole(missable, 365) and is_whole(interval, 604800000) and ARGV[6]
  for i = 6, #ARGV do
    is_fit = is_fit and is_whole(ARGV[i], 1000000000)
  end
  if not is_fit then
    return { 'REFUSED', 0, 'argument' }
  end
  local member = read_member(ARGV[1], true)
  local reason = refusal_of_name(member, ARGV[5])
  if reason then
    return { 'REFUSED', 0, reason }
  end

  -- Returns the number of the calendar day of a time, at minutes from UTC.
  local function day_of(ms, minutes)
    return math.floor((ms / 1000 + minutes * 60) / 86400) + 0.0
  end

  -- Returns the time of the last claim and its day, nil when the member has never claimed.
  local function last_claim()
    local ms, own = string.match(member.profile.last_daily_claim, '^(%-?%d+)([+-]?%d*)$')
    if ms and math.abs(ms + 0.0) <= 8640000000000000 then
      return ms + 0.0, day_of(ms + 0.0, tonumber(own) or offset)
    end
  end

  local now = redis.call('TIME')
  local now_ms = (now[1] + 0.0) * 1000 + math.floor(now[2] / 1000)
  local today, last_ms, last_day = day_of(now_ms, offset), last_claim()
  local stored = member.profile.daily_streak
  local streak = is_whole(stored, MAX_INTEGER - 1) and tonumber(stored) or 0

  local is_ahead = last_ms and last_ms > now_ms + 86400000

  local reply
  if last_ms and not is_ahead and (today <= last_day or now_ms < last_ms + interval) then
    today = last_day
    reply = gain(member, 'WAIT', 0)
  else
    last_ms = now_ms
    streak = last_day and today - last_day <= 1 + missable and streak + 1 or 1
    change_profile(member, 'daily_streak', format_integer(streak))
    change_profile(member, 'last_daily_claim', format_integer(now_ms) .. (offset < 0 and '' or '+') .. format_integer(offset))
    reply = gain(member, 'OK', ARGV[math.min(5 + streak, #ARGV)] + 0.0)
  end
  if reply[1] ~= 'REFUSED' then
    reply[10] = format_integer(streak)
    reply[11] = format_integer(math.max(((today + 1) * 86400 - offset * 60) * 1000, last_ms + interval))
  end
  return reply
end

return once(KEYS[6], function()
  return 'claim ' .. (ARGV[1] or '')
end, claim)
