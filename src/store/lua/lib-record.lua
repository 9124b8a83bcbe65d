-- lib-record: records the members that ARGV names from `first_arg` on. All is read and checked before the first write.
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members

--- @include lib-member
--- @include lib-profile
--- @include lib-lists

local MAX_XP = 9007199254740991
local find, match, abs = string.find, string.match, math.abs
-- The largest time of JavaScript, in milliseconds.
local MAX_TIME = 8640000000000000
local ARGS_A_MEMBER = 4

-- Returns whether a level or a streak may change so: digits, "-" for none or "=" for what is stored.
local function is_number_part(part)
  return part == '=' or part == '-' or (#part <= 16 and find(part, '^%d+$') and (#part <= 15 or part + 0.0 <= MAX_XP))
end

-- The same for the time of a claim.
local function is_time_part(part)
  return part == '=' or part == '-' or (find(part, '^%-?%d+$') and (#part <= 15 or abs(part + 0.0) <= MAX_TIME))
end

-- Returns a profile after a change, and its level; nil for a change that is not allowed. The length of a name is in bytes.
local function changed_profile(value, change)
  local level, streak, claim, gap, name = match(change, '^([^ ]+) ([^ ]+) ([^ ]+)( ?)(.*)$')
  if not (level and is_number_part(level) and is_number_part(streak) and is_time_part(claim) and #name <= 1024) then
    return nil
  end
  local old_level, old_streak, old_claim, old_name = split_profile(value)
  level = level == '=' and old_level or level
  streak = streak == '=' and old_streak or streak == '-' and '0' or streak
  claim = claim == '=' and old_claim or claim
  name = gap == '' and old_name or name
  return join_profile(level, streak, claim, name), level
end

-- Returns the least XP of a level, nil for a level that no XP gives: one above the highest, or one that the curve rounds away.
local function least_xp_of(curve, level)
  local xp = level == 0 and 0 or xp_to_reach(curve, level)
  return xp <= MAX_XP and level_of(curve, xp) == level and xp or nil
end

-- Returns the user ids that ARGV names.
local function named_ids(first_arg)
  local args, ids, n = ARGV, {}, 0
  for i = first_arg, #args, ARGS_A_MEMBER do
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

local function record(first_arg)
  local xp_key, hidden_key, members_key = KEYS[1], KEYS[4], KEYS[5]
  local stats = read_stats(KEYS[2])
  -- A local is read in less time than a global.
  local args = ARGV
  local answers = args[first_arg] == 'each' and {}
  first_arg = answers and first_arg + 1 or first_arg
  local whole, rest = math.modf((#args - first_arg + 1) / ARGS_A_MEMBER)
  if rest ~= 0 then
    return { 'REFUSED', whole, 'argument' }
  end
  local curve = guild_curve(KEYS[3])
  local ids = named_ids(first_arg)
  local scores, values = read_each('ZMSCORE', xp_key, ids), read_each('HMGET', members_key, ids)
  -- Places and profiles of the members that were recorded already, by their ids.
  local places, profiles = {}, {}
  local zadd, zadd_hidden, changed, created, hidden_created = {}, {}, {}, 0, 0
  local last_xp, last_level = '0', 0

  -- Returns the place of the n-th member before the call, nil for nobody.
  local function stored_place(n)
    local score, is_hidden = scores[n], nil
    if type(score) ~= 'string' then
      score = stats.hidden and redis.call('ZSCORE', hidden_key, ids[n])
      is_hidden = true
    end
    return score and { score = score, xp = whole_xp(score), explicit = explicit_level(values[n]), is_hidden = is_hidden } or nil
  end

  for n = 1, #ids do
    local i = first_arg + ARGS_A_MEMBER * (n - 1)
    local op, id, text, change = args[i], args[i + 1], args[i + 2], args[i + 3]
    if not is_valid_id(id) then
      return { 'REFUSED', n - 1, 'user_id' }
    end

    local before, value = places[id], profiles[id] or values[n]
    if not before and (scores[n] or stats.hidden) then
      before = stored_place(n)
    end
    local is_hidden, old, explicit = nil, 0, nil
    if before then
      is_hidden, old, explicit = before.is_hidden, before.xp, before.explicit
    elseif value then
      explicit = explicit_level(value)
    end
    local explicit_before = explicit
    local amount = find(text, op == 'add' and '^%-?%d+$' or '^%d+$') and text + 0.0
    if not amount or abs(amount) > MAX_XP then
      return { 'REFUSED', n - 1, 'xp' }
    end
    local xp = amount
    if op == 'add' then
      xp = old + amount
    elseif op == 'keep' then
      xp = old
    elseif op == 'take' then
      xp = math.max(old - amount, 0)
    elseif op == 'level' then
      xp = least_xp_of(curve, amount)
      if not xp then
        return { 'REFUSED', n - 1, 'level' }
      end
    elseif op == 'hidden' then
      if not before then
        is_hidden, hidden_created = true, hidden_created + 1
      end
    elseif op ~= 'set' then
      return { 'REFUSED', n - 1, 'argument' }
    end
    if xp < 0 or xp > MAX_XP then
      return { 'REFUSED', n - 1, 'range' }
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

    last_level = explicit or level_of(curve, xp)
    -- The digits of a "set" are used as given: formatting them again would take time.
    last_xp = op == 'set' and text or format_integer(xp)
    local is_missing = not before and (op == 'keep' or op == 'take')
    if answers then
      local level = explicit_before or level_of(curve, old)
      local state = is_missing and 'none' or is_hidden and 'hidden' or before and 'ranked' or 'new'
      local levels = { format_integer(old), format_integer(level), format_integer(xp), format_integer(last_level), state }
      answers[n] = table.concat(levels, ' ')
    end
    if not is_missing then
      if not before and not is_hidden then
        created = created + 1
      end
      local after = { score = last_xp, xp = xp, explicit = explicit, level = last_level }
      if is_hidden then
        after.is_hidden = true
      end
      -- A stored fraction is made whole, which changes its place for a running count.
      if not before or old ~= xp or explicit_before ~= explicit or stats.recount then
        local gain = (op == 'add' or op == 'take') and xp - old or 0
        change_member(stats, curve, id, before, after, gain)
      end
      places[id] = after
      note_hidden(stats, hidden_key, id, is_hidden)
      if profile then
        changed[#changed + 1] = id
        profiles[id] = profile
      end
      local list = is_hidden and zadd_hidden or zadd
      list[#list + 1] = last_xp
      list[#list + 1] = id
    end
  end

  local stored, emptied = {}, {}
  for n = 1, #changed do
    local id, value = changed[n], profiles[changed[n]]
    if value == '- 0 -' then
      emptied[#emptied + 1] = id
    else
      stored[#stored + 1] = id
      stored[#stored + 1] = value
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
    if emptied[1] then
      require_permissions(members_key, 'HDEL')
    end
    local hidden = hidden_created > 0 and { 'hidden', format_integer(redis.call('ZCARD', hidden_key) + hidden_created) } or {}
    rev = store_changes(stats, unpack(hidden))
    if not rev then
      return { 'REFUSED', #ids - 1, 'total' }
    end
    write_all('ZADD', xp_key, zadd)
    write_all('ZADD', hidden_key, zadd_hidden)
    write_all('HSET', members_key, stored)
    write_all('HDEL', members_key, emptied)
  end
  local reply = { 'OK', rev, created, format_integer(tonumber(last_xp)), last_level }
  for n = 1, answers and #answers or 0 do
    reply[n + 5] = answers[n]
  end
  return as_reply(reply)
end
