-- lib-gain: adds XP to one member, ranked, hidden or new.
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members

--- @include lib-change
--- @include lib-permissions
--- @include lib-member
--- @include lib-profile

local function parse_profile(value)
  local level, streak, claim, name = split_profile(value)
  return { username = name, level = level, daily_streak = streak, last_daily_claim = claim }
end

-- Returns the member before the gain: its place, XP, level and, where asked for, the parts of its profile; nil for a bad user id.
local function read_member(user_id, with_profile)
  if not is_valid_id(user_id) then
    return nil
  end
  local stats = read_stats(KEYS[2])
  local curve, _, multiplier = guild_curve(KEYS[3])
  local score, is_hidden = score_and_place(stats, KEYS[1], KEYS[4], user_id)
  local value = redis.call('HGET', KEYS[5], user_id)
  local xp, explicit = score and whole_xp(score) or 0, explicit_level(value)
  local level, above = explicit, nil
  if not explicit then
    level, above = level_of(curve, xp)
  end
  return {
    id = user_id,
    stats = stats,
    curve = curve,
    multiplier = multiplier,
    score = score,
    is_hidden = is_hidden,
    profile = with_profile and parse_profile(value),
    xp = xp,
    explicit = explicit,
    level = level,
    -- The XP to reach the next level, nil with an explicit level.
    above = above,
  }
end

-- Writes the gain of a member, and its profile when that has changed. Everything is checked before the first write.
-- Returns the reply: status, rev, XP gained, XP and level before, XP and level after, XP to the next level, place, and two places for the
-- script's own.
local function gain(member, status, amount)
  local stats, level, above = member.stats, member.level, member.above
  local xp = member.xp + amount
  if xp > MAX_INTEGER then
    return { 'REFUSED', 0, 'range' }
  end
  -- Most gains stay in the level.
  if above and xp >= above then
    level, above = level_of(member.curve, xp)
  end
  local rev = stats.rev
  if status == 'OK' then
    local key, text = member.is_hidden and KEYS[4] or KEYS[1], format_integer(xp)
    note_hidden(stats, KEYS[4], member.id, member.is_hidden)
    local after = { score = text, xp = xp, explicit = member.explicit, level = level }
    if member.is_hidden then
      after.is_hidden = true
    end
    change_member(stats, member.curve, member.id, member.score and member, after, amount)
    require_permissions(key, 'ZADD')
    if member.has_new_profile then
      require_permissions(KEYS[5], 'HSET')
    end
    rev = store_changes(stats)
    if not rev then
      return { 'REFUSED', 0, 'total' }
    end
    redis.call('ZADD', key, text, member.id)
    if member.has_new_profile then
      local profile = member.profile
      redis.call('HSET', KEYS[5], member.id, join_profile(profile.level, profile.daily_streak, profile.last_daily_claim, profile.username))
    end
  end
  local place = 'none'
  if member.is_hidden then
    place = 'hidden'
  elseif member.score then
    place = 'ranked'
  elseif status == 'OK' then
    place = 'new'
  end
  return {
    status,
    rev == '' and '0' or rev,
    format_integer(amount),
    format_integer(member.xp),
    member.level,
    format_integer(xp),
    level,
    above and level ~= member.curve.max and above <= MAX_INTEGER and format_integer(above - xp) or '',
    place,
    '',
    '',
  }
end

-- Changes fields of a member's profile, which the gain then stores.
local function change_profile(member, field, value)
  member.has_new_profile = member.has_new_profile or member.profile[field] ~= value
  member.profile[field] = value
end

-- Gives a member a name, unless it is empty. Returns the reason of a refusal; nil if the name is not refused.
local function refusal_of_name(member, username)
  if not member then
    return 'user_id'
  elseif #username > MAX_USERNAME then
    return 'field'
  elseif username ~= '' then
    change_profile(member, 'username', username)
  end
end

-- Returns whether a text is a whole number from 0 to `max`.
local function is_whole(text, max)
  return type(text) == 'string' and #text <= MAX_NUMBER and string.find(text, '^%d+$') and text + 0.0 <= max
end
