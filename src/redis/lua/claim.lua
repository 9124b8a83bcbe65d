-- claim: gives one member the reward of the day, once for each calendar day, and counts its streak. It changes everything or nothing.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:member:U
-- ARGV[1] user id   ARGV[2] minutes from UTC to the member's clock, -1440 .. 1440   ARGV[3] days that may be missed, 0 .. 365
-- ARGV[4] name to store, "" = leave it   ARGV[5..] XP for a streak of 1, 2, ..., each 0 .. 1000000000; the last one counts for all longer ones
--
-- The day is that of Redis's clock at the offset. The day of the last claim is the one that this script stored with it (claim_day), or
-- that of last_daily_claim at the offset. A claim on that day or before it is refused. On the next day, or after no more than the days that
-- may be missed, the streak goes on; else it starts at 1. The xp_multiplier does not apply.
--
-- Reply: {"OK" | "WAIT", rev, XP gained, XP and level before, XP and level after, XP to the next level ("" with an explicit level, at
--         the highest level, or when it is beyond 2^53-1), "new" | "ranked" | "hidden" | "none", streak, ms since 1970 when the next claim is possible at this offset}
--        "WAIT": claimed on this day already, nothing was changed.
--        {"REFUSED", 0, "user_id" | "key" | "argument" | "field" | "range" | "total"}   nothing was changed
-- An error of Redis (READONLY, OOM, ...), MODEL or CURVE is the reply as it is; nothing was changed. O(log m).

--- @include lib-gain
--- @include lib-time

local offset, missable = tonumber(ARGV[2]), ARGV[3]
local is_fit = string.match(ARGV[2], '^%-?%d+$') and math.abs(offset) <= 1440 and is_whole(missable, 365) and ARGV[5]
for i = 5, #ARGV do
  is_fit = is_fit and is_whole(ARGV[i], 1000000000)
end
if not is_fit then
  return { 'REFUSED', 0, 'argument' }
end
local member, reason = read_member(ARGV[1], 'daily_streak', 'last_daily_claim', 'claim_day')
local fields = member and name_fields(member, ARGV[4])
if not fields then
  return { 'REFUSED', 0, reason or 'field' }
end

local now = redis.call('TIME')
local seconds = now[1] + 0.0
local claimed_at, last_day = member.profile[4], nil
if type(claimed_at) == 'string' then
  local day, of = string.match(type(member.profile[5]) == 'string' and member.profile[5] or '', '^(%d+) (.*)$')
  local last = parse_time(claimed_at)
  last_day = of == claimed_at and day + 0.0 or last and day_of(last, offset)
end
local today = day_of(seconds, offset)
local streak = is_whole(member.profile[3], MAX_INTEGER - 1) and tonumber(member.profile[3]) or 0

local reply
if last_day and today <= last_day then
  today = last_day
  reply = gain(member, 'WAIT', 0, fields)
else
  streak = last_day and today - last_day <= 1 + missable and streak + 1 or 1
  claimed_at = format_time(seconds, math.floor(now[2] / 1000))
  for _, text in ipairs({ 'daily_streak', format_integer(streak), 'last_daily_claim', claimed_at }) do
    fields[#fields + 1] = text
  end
  fields[#fields + 1] = 'claim_day'
  fields[#fields + 1] = format_integer(today) .. ' ' .. claimed_at
  reply = gain(member, 'OK', ARGV[math.min(4 + streak, #ARGV)] + 0.0, fields)
end
if reply[1] ~= 'REFUSED' then
  reply[10] = format_integer(streak)
  reply[11] = format_integer(((today + 1) * 86400 - offset * 60) * 1000)
end
return reply
