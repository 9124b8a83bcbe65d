-- lib-record: records the members that ARGV names from `first_arg` on. All is read and checked before the first write.
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members

--- @include lib-member
--- @include lib-profile
--- @include lib-lists
--- @include lib-avatars

local match, byte, sub, abs = string.match, string.byte, string.sub, math.abs
-- The largest time of JavaScript, in milliseconds.
local MAX_TIME = 8640000000000000
-- Arguments for each member, and for each in a call with avatars.
local ARGS_A_MEMBER, ARGS_WITH_AVATAR = 3, 4

-- Levels and streaks of a change that are allowed. Most members share theirs.
local numbers = { ['-'] = true, none = true }

-- Returns whether a level or a streak may change so: digits, "none", or "-" for the stored value.
local function is_number_part(part)
  numbers[part] = #part <= 16 and find(part, '^%d+$') and part + 0.0 <= MAX_INTEGER
  return numbers[part]
end

-- The same for the time of a claim.
local function is_time_part(part)
  return part == '-' or part == 'none' or (#part <= MAX_NUMBER and find(part, '^%-?%d+$') and abs(part + 0.0) <= MAX_TIME)
end

-- Returns a part of a profile after a change, where "-" keeps the part as it was, and "none" removes it.
local function part_after(change, old, removed)
  if change == '-' then
    return old
  elseif change == 'none' then
    return removed
  end
  return change
end

-- Returns a profile after a change, and its level; nil for a change that is not allowed. The length of a name is in bytes.
local function changed_profile(value, change)
  if not value then
    -- With a streak, a claim and a name, and without a level, the change is the profile as it stands. Most members of an import are so.
    local at, _, streak_end, claim_end = find(change, '^%- %d+() %-?%d+() .')
    if at and streak_end <= 18 and claim_end - streak_end <= 16 and #change - claim_end <= MAX_USERNAME then
      return change, '-'
    end
  end
  local level, streak, claim, rest = match(change, '^(%S+) (%S+) (%S+)(.*)$')
  local is_allowed = level
    and (numbers[level] or is_number_part(level))
    and (numbers[streak] or is_number_part(streak))
    and is_time_part(claim)
    and (rest == '' or (#rest <= 1 + MAX_USERNAME and byte(rest) == 32))
  if not is_allowed then
    return nil
  end
  local old_level, old_streak, old_claim, old_name = split_profile(value)
  level = part_after(level, old_level, '-')
  streak = part_after(streak, old_streak, '0')
  claim = part_after(claim, old_claim, '-')
  return join_profile(level, streak, claim, rest == '' and old_name or sub(rest, 2)), level
end

-- Returns the least XP of a level, nil for a level that no XP gives: a level above the highest level, or a level that the curve rounds away.
local function least_xp_of(curve, level)
  local xp = level == 0 and 0 or xp_to_reach(curve, level)
  return xp <= MAX_INTEGER and level_of(curve, xp) == level and xp or nil
end

-- Returns the user ids that ARGV names.
local function named_ids(first_arg, args_a_member)
  local args, ids, n = ARGV, {}, 0
  for i = first_arg, #args, args_a_member do
    n = n + 1
    ids[n] = args[i + 1]
  end
  return ids
end

-- Returns what a command replies for each of the ids.
local function read_each(command, key, ids)
  local found = {}
  for from = 1, #ids, SLICE do
    local values = redis.call(command, key, unpack(ids, from, math.min(from + SLICE - 1, #ids)))
    if #ids <= SLICE then
      return values
    end
    for i = 1, #values do
      found[from + i - 1] = values[i]
    end
  end
  return found
end

local function record(first_arg, avatars_key)
  local xp_key, hidden_key, members_key = KEYS[1], KEYS[4], KEYS[5]
  local stats = read_stats(KEYS[2])
  -- A local is read in less time than a global.
  local args = ARGV
  local answers = args[first_arg] == 'each' and {}
  first_arg = answers and first_arg + 1 or first_arg
  local args_a_member = ARGS_A_MEMBER
  if args[first_arg] == 'avatars' then
    first_arg, args_a_member = first_arg + 1, ARGS_WITH_AVATAR
  end
  local whole, rest = math.modf((#args - first_arg + 1) / args_a_member)
  if rest ~= 0 then
    return { 'REFUSED', whole, 'argument' }
  end
  local curve = guild_curve(KEYS[3])
  local ids = named_ids(first_arg, args_a_member)
  local scores, values = read_each('ZMSCORE', xp_key, ids), read_each('HMGET', members_key, ids)
  -- A call can name a member more than once. The lists hold its state at the index of the first time: as it was read, then as it was recorded.
  local first_index, recorded_hidden = {}, {}
  local zadd, zadd_hidden, stored, emptied = {}, {}, {}, {}
  -- User id and avatar, and so on.
  local avatars = {}
  local created, hidden_created = 0, 0
  -- The lengths of zadd and stored: "#" would search for their ends.
  local ranked_values, stored_values = 0, 0
  local last_xp, last_level, n = '0', 0, 0
  -- All members share one table, because a new table for each member would take time.
  local after = { score = '0', xp = 0, explicit = false, level = 0, is_hidden = false }

  -- Returns the place of a member now, nil for nobody.
  local function place_of(first)
    local score, is_hidden = scores[first], recorded_hidden[first]
    if type(score) ~= 'string' then
      score = stats.hidden and redis.call('ZSCORE', hidden_key, ids[first])
      is_hidden = true
    end
    return score and { score = score, xp = whole_xp(score), explicit = explicit_level(values[first]), is_hidden = is_hidden } or nil
  end

  -- Returns the XP of a member after a change with a word, such as "add 15", and the word; nil, nil and the reason of a refusal.
  local function changed_xp(old, text)
    if text == 'keep' then
      return old, text
    end
    local word, digits = match(text, '^(%l+) (.*)$')
    local amount = word and #digits <= MAX_NUMBER and find(digits, word == 'add' and '^%-?%d+$' or '^%d+$') and digits + 0.0
    if not amount or abs(amount) > MAX_INTEGER then
      return nil, nil, 'xp'
    elseif word == 'add' then
      return old + amount, word
    elseif word == 'take' then
      return math.max(old - amount, 0), word
    elseif word == 'level' then
      local xp = least_xp_of(curve, amount)
      return xp, word, 'level'
    elseif word == 'hidden' then
      return amount, word
    end
    return nil, nil, 'argument'
  end

  for i = first_arg, #args, args_a_member do
    n = n + 1
    local text, id, change = args[i], args[i + 1], args[i + 2]
    if not is_valid_id(id) then
      return { 'REFUSED', n - 1, 'user_id' }
    end

    local first = first_index[id]
    if not first then
      first = n
      first_index[id] = n
    end
    local before, value = nil, values[first]
    if scores[first] or stats.hidden then
      before = place_of(first)
    end
    local is_hidden, old, explicit = nil, 0, nil
    if before then
      is_hidden, old, explicit = before.is_hidden, before.xp, before.explicit
    elseif value then
      explicit = explicit_level(value)
    end
    local explicit_before = explicit
    local xp, gain, is_missing = #text <= MAX_NUMBER and find(text, '^%d+$') and text + 0.0, 0, false
    if not xp then
      local word, reason
      xp, word, reason = changed_xp(old, text)
      if not xp then
        return { 'REFUSED', n - 1, reason }
      elseif xp < 0 or xp > MAX_INTEGER then
        return { 'REFUSED', n - 1, 'range' }
      end
      gain = (word == 'add' or word == 'take') and xp - old or 0
      is_missing = not before and (word == 'keep' or word == 'take')
      if word == 'hidden' and not before then
        is_hidden, hidden_created = true, hidden_created + 1
      end
      -- Digits alone are used as given: formatting them again would take time.
      text = format_integer(xp)
    elseif xp > MAX_INTEGER then
      return { 'REFUSED', n - 1, 'xp' }
    end
    local profile
    if change ~= '' then
      local level
      profile, level = changed_profile(value, change)
      if not profile then
        return { 'REFUSED', n - 1, 'field' }
      end
      explicit = level ~= '-' and explicit_level(profile) or nil
    end

    local avatar = args_a_member == ARGS_WITH_AVATAR and args[i + 3] or ''
    if avatar ~= '' and not on_avatars().is_avatar(avatar) then
      return { 'REFUSED', n - 1, 'field' }
    end

    last_xp = text
    last_level = explicit or level_of(curve, xp)
    if answers then
      local level = explicit_before or level_of(curve, old)
      local state = 'new'
      if is_missing then
        state = 'none'
      elseif is_hidden then
        state = 'hidden'
      elseif before then
        state = 'ranked'
      end
      local levels = { format_integer(old), format_integer(level), format_integer(xp), format_integer(last_level), state }
      answers[n] = table.concat(levels, ' ')
    end
    if not is_missing then
      if not before and not is_hidden then
        created = created + 1
      end
      -- A stored fraction is made whole, which changes its place for a running count.
      if not before or old ~= xp or explicit_before ~= explicit or stats.recount then
        after.score = text
        after.xp = xp
        after.explicit = explicit
        after.level = last_level
        after.is_hidden = is_hidden
        change_member(stats, curve, id, before, after, gain)
      end
      note_hidden(stats, hidden_key, id, is_hidden)
      scores[first] = text
      if is_hidden then
        recorded_hidden[first] = true
        zadd_hidden[#zadd_hidden + 1] = text
        zadd_hidden[#zadd_hidden + 1] = id
      else
        zadd[ranked_values + 1] = text
        zadd[ranked_values + 2] = id
        ranked_values = ranked_values + 2
      end
      if avatar ~= '' then
        avatars[#avatars + 1] = id
        avatars[#avatars + 1] = avatar
      end
      if profile then
        values[first] = profile
        if profile == '- 0 -' then
          emptied[#emptied + 1] = first
        else
          stored[stored_values + 1] = id
          stored[stored_values + 2] = profile
          stored_values = stored_values + 2
        end
      end
    end
  end

  -- A later change of the same member can have filled a profile again.
  local removed = {}
  for _, first in ipairs(emptied) do
    if values[first] == '- 0 -' then
      removed[#removed + 1] = ids[first]
    end
  end

  local rev = stats.rev == '' and '0' or stats.rev
  if zadd[1] or zadd_hidden[1] then
    require_permissions(xp_key, 'ZADD')
    if zadd_hidden[1] then
      require_permissions(hidden_key, 'ZADD')
    end
    if stored[1] then
      require_permissions(members_key, 'HSET')
    end
    if removed[1] then
      require_permissions(members_key, 'HDEL')
    end
    if avatars[1] then
      on_avatars().require(avatars_key, avatars[1])
    end
    local hidden = hidden_created > 0 and { 'hidden', format_integer(redis.call('ZCARD', hidden_key) + hidden_created) } or {}
    rev = store_changes(stats, unpack(hidden))
    if not rev then
      return { 'REFUSED', #ids - 1, 'total' }
    end
    write_all('ZADD', xp_key, zadd)
    write_all('ZADD', hidden_key, zadd_hidden)
    write_all('HSET', members_key, stored)
    write_all('HDEL', members_key, removed)
    for i = 1, #avatars, 2 do
      on_avatars().store(avatars_key, avatars[i], avatars[i + 1])
    end
  end
  local reply = { 'OK', rev, created, format_integer(tonumber(last_xp)), last_level }
  for n = 1, answers and #answers or 0 do
    reply[n + 5] = answers[n]
  end
  return as_reply(reply)
end
