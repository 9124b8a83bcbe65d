-- lib-record: records the members that ARGV names from `first_arg` on. Their keys stand in KEYS from `first_key` on; without them, the
-- names are made from the prefix ARGV[1]. All is read and checked before the first write.

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

local function is_valid_id(id)
  return #id <= 64 and string.match(id, '^[A-Za-z0-9_.%-]+$')
end

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

local function record(first_key, first_arg)
  local xp_key, config_key, member_prefix, curves = KEYS[1], KEYS[3], ARGV[1], ARGV[2]
  local named = KEYS[first_key] ~= nil
  if not named then
    require_stable_slot(xp_key)
  end
  local stats = read_stats(KEYS[2])
  local curve = guild_curve(config_key, curves)
  local sums = new_sums()
  local staged_xp, staged_level, created = {}, {}, 0
  local zadd, writes, resets, deletes = {}, {}, {}, false
  local last_xp, last_level

  local i, index = first_arg, 0
  while ARGV[i] do
    local op, id, text, pairs_count = ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3])
    if not is_valid_id(id) then
      return { 'REFUSED', index, 'user_id' }
    end
    local member_key = member_prefix .. id
    if named and KEYS[first_key + index] ~= member_key then
      return { 'REFUSED', index, 'key' }
    end

    local score = staged_xp[id] or redis.call('ZSCORE', xp_key, id)
    local old = score and whole_xp(score)
    local amount = string.match(text, op == 'add' and '^%-?%d+$' or '^%d+$') and text + 0.0
    if not amount or math.abs(amount) > MAX_XP then
      return { 'REFUSED', index, 'xp' }
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
        emptied, deletes = true, true
      end
    end

    local old_explicit
    if staged_level[id] ~= nil then
      old_explicit = staged_level[id] or nil
    else
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
    if not old then
      created = created + 1
    elseif old ~= xp or old_explicit ~= new_explicit then
      add_to_sums(sums, old, old > 0 and (old_explicit or level_of(curve, old)) or 0, -1)
    end
    if old ~= xp or old_explicit ~= new_explicit then
      add_to_sums(sums, xp, last_level, 1)
    end

    -- The digits of a "set" are used as given: formatting them again would take time.
    last_xp = op == 'add' and format_integer(xp) or text
    if stats.recount then
      if old then
        correct_recount(stats, curves, id, score, old_explicit, -1)
      end
      correct_recount(stats, curves, id, last_xp, new_explicit, 1)
    end
    staged_xp[id] = last_xp
    staged_level[id] = new_explicit or false
    zadd[#zadd + 1] = last_xp
    zadd[#zadd + 1] = id
    if pairs_count > 0 then
      writes[#writes + 1] = { member_key, first_field, last_field, emptied }
    end
    i = i + 4 + 2 * pairs_count
    index = index + 1
  end

  if index == 0 then
    return { 'OK', '0', 0, '0', 0 }
  end

  require_permissions(xp_key, 'ZADD')
  if writes[1] then
    require_permissions(writes[1][1], 'HSET')
  end
  if deletes then
    require_permissions(writes[1][1], 'HDEL')
  end
  if resets[1] then
    require_permissions(resets[1], 'DEL')
  end
  local rev = apply_sums(stats, sums)
  if not rev then
    return { 'REFUSED', index - 1, 'total' }
  end
  -- Lua's C stack limits unpack, so long argument lists go in slices.
  for from = 1, #zadd, 2000 do
    redis.call('ZADD', xp_key, unpack(zadd, from, math.min(from + 1999, #zadd)))
  end
  for n = 1, #resets do
    redis.call('DEL', resets[n])
  end
  for n = 1, #writes do
    write_profile(unpack(writes[n]))
  end
  return { 'OK', rev, created, format_integer(tonumber(last_xp)), last_level }
end
