-- lib-record: records the members that ARGV names from `first_arg` on. All is read and checked before the first write.
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members

--- @include lib-member
--- @include lib-profile
--- @include lib-lists

local MAX_XP = 9007199254740991
local find, abs = string.find, math.abs
-- The largest time of JavaScript, in milliseconds.
local MAX_TIME = 8640000000000000

-- Returns whether a profile field may have this value; an empty one removes it. Lengths are in bytes.
local function is_valid_field(field, value)
  if field == 'username' then
    return #value <= 1024
  elseif value == '' then
    return NO_PROFILE[field]
  elseif field == 'last_daily_claim' then
    return find(value, '^%-?%d+$') and (#value <= 15 or abs(value + 0.0) <= MAX_TIME)
  end
  return NO_PROFILE[field] and #value <= 16 and find(value, '^%d+$') and (#value <= 15 or value + 0.0 <= MAX_XP)
end

-- Returns the least XP of a level, nil for a level that no XP gives: one above the highest, or one that the curve rounds away.
local function least_xp_of(curve, level)
  local xp = level == 0 and 0 or xp_to_reach(curve, level)
  return xp <= MAX_XP and level_of(curve, xp) == level and xp or nil
end

-- Returns the user ids that ARGV names, and the number of profile fields of each.
local function named_ids(first_arg)
  local args, ids, counts, n, i = ARGV, {}, {}, 0, first_arg
  while args[i] do
    n = n + 1
    ids[n], counts[n] = args[i + 1], args[i + 3] + 0
    i = i + 4 + 2 * counts[n]
  end
  return ids, counts
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
  local curve = guild_curve(KEYS[3])
  local ids, counts = named_ids(first_arg)
  local scores, values = read_each('ZMSCORE', xp_key, ids), read_each('HMGET', members_key, ids)
  local staged, created, hidden_created = {}, 0, 0
  local zadd, zadd_hidden, changed = {}, {}, {}
  local last_xp, last_level = '0', 0

  local i, index = first_arg, 0
  while args[i] do
    local op, id, text, pairs_count = args[i], args[i + 1], args[i + 2], counts[index + 1]
    if not is_valid_id(id) then
      return { 'REFUSED', index, 'user_id' }
    end

    local earlier = staged[id]
    local score, is_hidden, profile, old_explicit
    if earlier then
      score, is_hidden, profile, old_explicit = earlier.score, earlier.is_hidden, earlier.profile, earlier.level
    else
      score = scores[index + 1]
      score = type(score) == 'string' and score
      if not score and stats.hidden then
        score = redis.call('ZSCORE', hidden_key, id)
        is_hidden = score and true
      end
      old_explicit = explicit_level(values[index + 1])
    end
    if op == 'hidden' and not score then
      is_hidden, hidden_created = true, hidden_created + 1
    end
    local old = score and whole_xp(score)
    local amount = find(text, op == 'add' and '^%-?%d+$' or '^%d+$') and text + 0.0
    if not amount or abs(amount) > MAX_XP then
      return { 'REFUSED', index, 'xp' }
    end
    if op == 'keep' then
      amount = old or 0
    elseif op == 'take' then
      amount = math.max((old or 0) - amount, 0)
    elseif op == 'level' then
      amount = least_xp_of(curve, amount)
      if not amount then
        return { 'REFUSED', index, 'level' }
      end
    end
    local xp = op == 'add' and (old or 0) + amount or amount
    if xp < 0 or xp > MAX_XP then
      return { 'REFUSED', index, 'range' }
    end

    local explicit = old_explicit
    if pairs_count > 0 and not profile then
      profile = parse_profile(values[index + 1])
    end
    for f = i + 4, i + 3 + 2 * pairs_count, 2 do
      local field, value = args[f], args[f + 1]
      if not is_valid_field(field, value) then
        return { 'REFUSED', index, 'field' }
      end
      profile[field] = value == '' and NO_PROFILE[field] or value
      if field == 'level' then
        explicit = value ~= '' and value + 0.0 or nil
      end
    end

    last_level = explicit or level_of(curve, xp)
    -- The digits of a "set" are used as given: formatting them again would take time.
    last_xp = op == 'set' and text or format_integer(xp)
    local is_missing = (op == 'keep' or op == 'take') and not old
    local level_before = answers and (old_explicit or level_of(curve, old or 0)) or nil
    if answers then
      local state = is_missing and 'none' or is_hidden and 'hidden' or old and 'ranked' or 'new'
      local levels = { format_integer(old or 0), format_integer(level_before), format_integer(xp), format_integer(last_level), state }
      answers[#answers + 1] = table.concat(levels, ' ')
    end
    if not is_missing then
      local is_changed = old ~= xp or old_explicit ~= explicit
      if not old and not is_hidden then
        created = created + 1
      end
      -- A stored fraction is made whole, which changes its place for a running count.
      if is_changed or stats.recount then
        local before = old and { score = score, xp = old, explicit = old_explicit, level = level_before, is_hidden = is_hidden }
        local gain = (op == 'add' or op == 'take') and xp - (old or 0) or 0
        local after = { score = last_xp, xp = xp, explicit = explicit, level = last_level }
        if is_hidden then
          after.is_hidden = true
        end
        change_member(stats, curve, id, before, after, gain)
      end
      note_hidden(stats, hidden_key, id, is_hidden)
      if pairs_count > 0 and not (earlier and earlier.profile) then
        changed[#changed + 1] = id
      end
      staged[id] = { score = last_xp, level = explicit, is_hidden = is_hidden, profile = profile }
      local list = is_hidden and zadd_hidden or zadd
      list[#list + 1] = last_xp
      list[#list + 1] = id
    end
    i = i + 4 + 2 * pairs_count
    index = index + 1
  end

  local stored, emptied = {}, {}
  for n = 1, #changed do
    local id = changed[n]
    local value = format_profile(staged[id].profile)
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
      return { 'REFUSED', index - 1, 'total' }
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
