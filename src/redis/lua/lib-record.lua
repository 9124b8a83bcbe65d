-- lib-record: records the members that ARGV names from `first_arg` on. Their keys stand in KEYS from `first_key` on. All is read and
-- checked before the first write.
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden

local FIELDS = { username = 1024, level = 16, daily_streak = 16, last_daily_claim = 64 }
local MAX_XP = 9007199254740991

-- Returns whether a profile field may have this value. Lengths are in bytes.
local function is_valid_field(field, value)
  local longest = FIELDS[field]
  if not longest or #value > longest then
    return false
  end
  return field ~= 'level' or value == '' or (string.match(value, '^%d+$') and tonumber(value) <= MAX_XP)
end

--- @include lib-member

-- Writes the profile fields in ARGV[first] .. ARGV[last] to a member's key. An empty value deletes its field.
local function write_profile(key, first, last, emptied)
  if not emptied then
    redis.call('HSET', key, unpack(ARGV, first, last))
    return
  end
  local set, del = { key }, { key }
  for f = first, last, 2 do
    if ARGV[f + 1] == '' then
      del[#del + 1] = ARGV[f]
    else
      set[#set + 1] = ARGV[f]
      set[#set + 1] = ARGV[f + 1]
    end
  end
  if #set > 1 then
    redis.call('HSET', unpack(set))
  end
  redis.call('HDEL', unpack(del))
end

-- Adds a list of scores and members to a sorted set. Lua's C stack limits unpack, so long argument lists go in slices.
local function zadd_all(key, list)
  for from = 1, #list, 2000 do
    redis.call('ZADD', key, unpack(list, from, math.min(from + 1999, #list)))
  end
end

local function record(first_key, first_arg)
  local xp_key, hidden_key = KEYS[1], KEYS[4]
  local member_prefix = string.sub(xp_key, 1, -3) .. 'member:'
  local stats = read_stats(KEYS[2])
  local answers = ARGV[first_arg] == 'each' and {}
  first_arg = answers and first_arg + 1 or first_arg
  local curve = guild_curve(KEYS[3])
  local sums = new_sums()
  local staged, created, hidden_created = {}, 0, 0
  local zadd, zadd_hidden, writes, resets, deletes = {}, {}, {}, {}, false
  local last_xp, last_level = '0', 0

  local i, index = first_arg, 0
  while ARGV[i] do
    local op, id, text, pairs_count = ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3])
    if not is_valid_id(id) then
      return { 'REFUSED', index, 'user_id' }
    end
    local member_key = KEYS[first_key + index]
    if member_key ~= member_prefix .. id then
      return { 'REFUSED', index, 'key' }
    end

    local before = staged[id]
    if not before then
      local score, is_hidden = score_and_place(stats, xp_key, hidden_key, id)
      before = { score = score, is_hidden = is_hidden }
    end
    local score, is_hidden = before.score, before.is_hidden
    if op == 'hidden' and not score then
      is_hidden, hidden_created = true, hidden_created + 1
    end
    local old = score and whole_xp(score)
    local amount = string.match(text, op == 'add' and '^%-?%d+$' or '^%d+$') and text + 0.0
    if not amount or math.abs(amount) > MAX_XP then
      return { 'REFUSED', index, 'xp' }
    end
    if op == 'keep' then
      amount = old or 0
    end
    local xp = op == 'add' and (old or 0) + amount or amount
    if xp < 0 or xp > MAX_XP then
      return { 'REFUSED', index, 'range' }
    end

    local first_field, last_field = i + 4, i + 3 + 2 * pairs_count
    local level_text, emptied = nil, false
    for f = first_field, last_field, 2 do
      local field, value = ARGV[f], ARGV[f + 1]
      if not is_valid_field(field, value) then
        return { 'REFUSED', index, 'field' }
      end
      if field == 'level' then
        level_text = value
      end
      if value == '' then
        emptied = true
      end
    end

    local old_explicit = before.level
    if not staged[id] then
      old_explicit = explicit_level(redis.call('HGET', member_key, 'level'))
      if stats.deleting and not old then
        -- The profile is of the deleted guild.
        old_explicit = nil
        resets[#resets + 1] = member_key
      end
    end
    local new_explicit = old_explicit
    if level_text then
      new_explicit = explicit_level(level_text)
    end

    last_level = new_explicit or level_of(curve, xp)
    -- The digits of a "set" are used as given: formatting them again would take time.
    last_xp = op == 'set' and text or format_integer(xp)
    local is_missing = op == 'keep' and not old
    if answers then
      local state = is_missing and 'none' or is_hidden and 'hidden' or old and 'ranked' or 'new'
      local level_before = old_explicit or level_of(curve, old or 0)
      local levels = { format_integer(old or 0), format_integer(level_before), format_integer(xp), format_integer(last_level), state }
      answers[#answers + 1] = table.concat(levels, ' ')
    end
    if not is_missing then
      local is_changed = old ~= xp or old_explicit ~= new_explicit
      if not old then
        created = created + (is_hidden and 0 or 1)
      elseif is_changed and not is_hidden then
        add_to_sums(sums, old, old > 0 and (old_explicit or level_of(curve, old)) or 0, -1)
      end
      if is_changed and not is_hidden then
        add_to_sums(sums, xp, last_level, 1)
      end
      if stats.recount and not is_hidden then
        if old then
          correct_recount(stats, id, score, old_explicit, -1)
        end
        correct_recount(stats, id, last_xp, new_explicit, 1)
      end
      staged[id] = { score = last_xp, level = new_explicit, is_hidden = is_hidden }
      local list = is_hidden and zadd_hidden or zadd
      list[#list + 1] = last_xp
      list[#list + 1] = id
      if pairs_count > 0 then
        writes[#writes + 1] = { member_key, first_field, last_field, emptied }
        deletes = deletes or emptied
      end
    end
    i = i + 4 + 2 * pairs_count
    index = index + 1
  end

  local rev = stats.rev == '' and '0' or stats.rev
  if zadd[1] or zadd_hidden[1] then
    require_permissions(xp_key, 'ZADD')
    if zadd_hidden[1] then
      require_permissions(hidden_key, 'ZADD')
    end
    if writes[1] then
      require_permissions(writes[1][1], 'HSET')
    end
    if deletes then
      require_permissions(writes[1][1], 'HDEL')
    end
    if resets[1] then
      require_permissions(resets[1], 'DEL')
    end
    local hidden = hidden_created > 0 and { 'hidden', format_integer(redis.call('ZCARD', hidden_key) + hidden_created) } or {}
    rev = apply_sums(stats, sums, unpack(hidden))
    if not rev then
      return { 'REFUSED', index - 1, 'total' }
    end
    zadd_all(xp_key, zadd)
    zadd_all(hidden_key, zadd_hidden)
    for n = 1, #resets do
      redis.call('DEL', resets[n])
    end
    for n = 1, #writes do
      write_profile(unpack(writes[n]))
    end
  end
  local reply = { 'OK', rev, created, format_integer(tonumber(last_xp)), last_level }
  for n = 1, answers and #answers or 0 do
    reply[n + 5] = answers[n]
  end
  -- ioredis-mock needs the copy, for which a long list has no room on Lua's C stack.
  return #reply < 4000 and { unpack(reply) } or reply
end
