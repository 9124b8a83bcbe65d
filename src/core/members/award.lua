-- award: adds XP to one member for a message, times the guild's xp_multiplier, unless its cooldown runs. It changes everything or nothing.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:cooldown:U ("60000 ms": the length of the cooldown that runs, with a time to live). A cooldown of which more than its length is left
--         is over, because then Redis's clock went back. A cooldown without a length ends with its time to live.
-- KEYS[7], for a call with an avatar: gr:{G}:avatars (hash: user id -> avatar). The key of an event then comes after it.
-- KEYS[7], for a call that is done once for an event: gr:{G}:event:ID. ARGV then begins with its time to live, 1 .. 86400000 ms. The event keeps
--         the reply. A repeat changes nothing, and has that reply as texts, with "repeated" at its end. Another call of the event is refused.
-- ARGV[1] user id   ARGV[2] XP, a whole number 0 .. 1000000000   ARGV[3] cooldown that this award starts, in ms, 0 .. 31536000000; 0 = none
-- ARGV[4] name to store, "" = leave it   ARGV[5] "rank" to be told the rank, else ""
-- ARGV[6] factor of this award, 0 .. 1000 with six decimals at most, such as "1.5"; "" or left out = 1
-- ARGV[7] avatar to store: 32 hex digits, with "a_" before the digits of an animated avatar; "none" removes it, "" or left out = leave it
--
-- The gain is XP times the multiplier times the factor, rounded half up once. The gain is exact for multipliers to 10^9, and a gain that would lead
-- above 2^53-1 is refused as "range". Six decimals of the multiplier count. A multiplier that is no plain decimal, such as "1e1", multiplies in
-- doubles. A new member begins at 0 XP.
--
-- Reply: {"OK" | "WAIT", rev, XP gained, XP and level before, XP and level after, XP to the next level ("" with an explicit level, at
--         the highest level, or when it is beyond 2^53-1), "new" | "ranked" | "hidden" | "none", rank from 1 ("" unless asked for and ranked), ms of cooldown left}
--        "WAIT": the cooldown runs, nothing was changed, and "none" is a user who is not a member.
--        {"REFUSED", 0, "user_id" | "argument" | "field" | "range" | "total" | "event"}   nothing was changed
-- An error of Redis (READONLY, OOM, ...), MODEL or CURVE is the reply as it is; nothing was changed. O(log m).

--- @include lib-gain
--- @include lib-event
--- @include lib-avatars

local AVATARS = take_avatars_key(7)

-- Returns XP times the text of a multiplier and the factor of the call (each "" = 1), rounded half up once. An unfit multiplier is 1.
local function multiplied(amount, multiplier, factor)
  if multiplier == '' and factor == '' then
    return amount
  end
  local MILLION = 1000000

  -- Returns the whole part and the millionths of a plain decimal, nil for another text. Further decimals do not count.
  local function parse_decimal(text)
    local whole, decimals = string.match(text, '^(%d+)%.?(%d*)$')
    if whole then
      -- A greater number is refused in the end, but infinity times 0 would be no number.
      return math.min(whole + 0.0, 1e30), string.sub(decimals .. '000000', 1, 6) + 0.0
    end
  end

  local function times(whole, millionths)
    return amount * whole + math.floor((amount * millionths + 500000) / MILLION)
  end

  -- The product of both passes 2^53, so it is made of digits to the base of a million.
  local function times_both(whole_a, millionths_a, whole_b, millionths_b)
    local low = amount % MILLION
    local high = (amount - low) / MILLION
    local p0 = low * millionths_a
    local p1 = high * millionths_a + low * whole_a + math.floor(p0 / MILLION)
    local p2 = high * whole_a + math.floor(p1 / MILLION)
    p0, p1 = p0 % MILLION, p1 % MILLION
    local q1 = p1 * millionths_b + p0 * whole_b + math.floor(p0 * millionths_b / MILLION) + 500000
    return p2 * whole_b * MILLION + p2 * millionths_b + p1 * whole_b + math.floor(q1 / MILLION)
  end

  local own, own_millionths
  if factor ~= '' then
    own, own_millionths = parse_decimal(factor)
  end
  local whole, millionths
  if multiplier ~= '' then
    whole, millionths = parse_decimal(multiplier)
    local number = not whole and tonumber(multiplier)
    if number and number >= 0 and number < math.huge then
      return math.floor(amount * (own and (own * MILLION + own_millionths) / MILLION or 1) * number + 0.5)
    end
  end
  if not own then
    return whole and times(whole, millionths) or amount
  end
  return whole and times_both(own, own_millionths, whole, millionths) or times(own, own_millionths)
end

local function award()
  local factor = ARGV[6] or ''
  local is_fit = factor == ''
    or ((string.find(factor, '^%d%d?%d?%d?$') or string.find(factor, '^%d%d?%d?%d?%.%d?%d?%d?%d?%d?%d?$')) and factor + 0 <= 1000)
  if not is_fit or not is_whole(ARGV[2], 1000000000) or not is_whole(ARGV[3], 31536000000) then
    return { 'REFUSED', 0, 'argument' }
  end
  local member = read_member(ARGV[1], ARGV[4] ~= '')
  local reason, avatar = refusal_of_name(member, ARGV[4]), ARGV[7] or ''
  if reason then
    return { 'REFUSED', 0, reason }
  elseif avatar ~= '' then
    if not on_avatars().is_avatar(avatar) then
      return { 'REFUSED', 0, 'field' }
    elseif avatar == on_avatars().require(AVATARS, member.id) then
      avatar = ''
    end
  end
  if ARGV[5] == 'rank' then
    require_permissions(KEYS[1], 'ZREVRANK')
  end
  local cooldown, left = ARGV[3] + 0.0, 0
  if cooldown > 0 then
    left = redis.call('PTTL', KEYS[6])
    local length = left > 0 and string.match(tostring(redis.call('GET', KEYS[6])), '^(%d+) ms$')
    if length and left > length + 0.0 then
      left = 0
    end
  end
  local reply
  if left > 0 then
    reply = gain(member, 'WAIT', 0)
  else
    if cooldown > 0 then
      require_permissions(KEYS[6], 'SET')
    end
    reply = gain(member, 'OK', multiplied(ARGV[2] + 0.0, member.multiplier, factor))
    left = cooldown
  end
  if reply[1] == 'REFUSED' then
    return reply
  elseif reply[1] == 'OK' then
    if cooldown > 0 then
      redis.call('SET', KEYS[6], ARGV[3] .. ' ms', 'PX', format_integer(cooldown))
    end
    if avatar ~= '' then
      on_avatars().store(AVATARS, member.id, avatar)
    end
  end
  local rank = ARGV[5] == 'rank' and redis.call('ZREVRANK', KEYS[1], member.id)
  reply[10] = rank and rank + 1 or ''
  reply[11] = left
  return reply
end

return once(KEYS[7], function()
  return 'award ' .. (ARGV[1] or '')
end, award)
