-- record: sets or adds the XP of one or more members, with profile fields. It changes everything or nothing.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config
-- ARGV[1] prefix of the member keys, gr:{G}:member:
-- ARGV[2] the curve table (see lib-level.lua)
-- ARGV[3..] per member: "set" | "add", user id, XP digits (an add may be negative), number of field pairs,
--           then field, value, ... (username, level, daily_streak, last_daily_claim; an empty value deletes the field)
-- A member named twice is recorded twice, in order.
--
-- Reply: {"OK", rev, members new to the ranking, XP and level of the last member named}
--        {"REFUSED", index from 0, "xp" | "range" | "field" | "total"}   nothing was changed
-- O(n log m) for n members recorded in a guild of m.

--- @include lib-level
--- @include lib-counters

local xp_key, stats_key, config_key = KEYS[1], KEYS[2], KEYS[3]
local member_prefix = ARGV[1]
local curve = guild_curve(config_key, ARGV[2])
local FIELDS = { username = true, level = true, daily_streak = true, last_daily_claim = true }
local MAX_XP = 9007199254740991

local sums = new_sums()
local staged_xp, staged_level, created = {}, {}, 0
local zadd, writes = {}, {}
local last_xp, last_level

local i, index = 3, 0
while ARGV[i] do
  local op, id, text, pairs_count = ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3])
  local member_key = member_prefix .. id

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
    if not FIELDS[field] or (field == 'level' and value ~= '' and not explicit_level(value)) then
      return { 'REFUSED', index, 'field' }
    end
    if field == 'level' then
      level_text = value
    end
    emptied = emptied or value == ''
  end

  local old_explicit
  if staged_level[id] ~= nil then
    old_explicit = staged_level[id] or nil
  elseif old or not level_text then
    old_explicit = explicit_level(redis.call('HGET', member_key, 'level'))
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

local rev = apply_sums(stats_key, sums)
if not rev then
  return { 'REFUSED', index - 1, 'total' }
end
-- Lua's C stack limits unpack, so long argument lists go in slices.
for from = 1, #zadd, 2000 do
  redis.call('ZADD', xp_key, unpack(zadd, from, math.min(from + 1999, #zadd)))
end
for n = 1, #writes do
  local key, first_field, last_field, emptied = unpack(writes[n])
  if emptied then
    local set, del = { key }, { key }
    for f = first_field, last_field, 2 do
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
  else
    redis.call('HSET', key, unpack(ARGV, first_field, last_field))
  end
end
return { 'OK', rev, created, format_integer(tonumber(last_xp)), last_level }
