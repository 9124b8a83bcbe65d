-- replace: one step of a swap of a guild's members for the staged ones. The counters are exact after every step.
-- One step is enough when staged and present members together are no more than the budget.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:next:xp
-- ARGV[1] prefix of the member keys   ARGV[2] prefix of the staged member keys   ARGV[3] the curve table
-- ARGV[4] staged members already moved   ARGV[5] members already swept   ARGV[6] budget: members to touch in this step
--
-- Reply: {staged members moved, members swept, members removed in this step, 1 when done else 0},
--        or {"REFUSED", 0, "total"}: the total XP would leave 64 bits, nothing was changed
-- O(budget * log m).

--- @include lib-level
--- @include lib-counters

local xp_key, next_key = KEYS[1], KEYS[4]
local member_prefix, staged_prefix = ARGV[1], ARGV[2]
local curve = guild_curve(KEYS[3], ARGV[3])
local moved, swept, budget = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local sums, writes, removed = new_sums(), {}, 0

local function level_at(key, xp)
  return explicit_level(redis.call('HGET', key, 'level')) or level_of(curve, xp)
end

local staged = redis.call('ZRANGE', next_key, format_integer(moved), format_integer(moved + budget - 1), 'WITHSCORES')
for i = 1, #staged, 2 do
  local id, xp = staged[i], whole_xp(staged[i + 1])
  local old = redis.call('ZSCORE', xp_key, id)
  if old then
    add_to_sums(sums, whole_xp(old), level_at(member_prefix .. id, whole_xp(old)), -1)
  end
  add_to_sums(sums, xp, level_at(staged_prefix .. id, xp), 1)
  writes[#writes + 1] = { id, staged[i + 1] }
end
budget = budget - #writes

-- When all staged members are in place, the members that are not staged are removed.
local unstaged = {}
if budget > 0 then
  local present = redis.call('ZRANGE', xp_key, format_integer(swept), format_integer(swept + budget - 1), 'WITHSCORES')
  for i = 1, #present, 2 do
    if not redis.call('ZSCORE', next_key, present[i]) then
      local xp = whole_xp(present[i + 1])
      add_to_sums(sums, xp, level_at(member_prefix .. present[i], xp), -1)
      unstaged[#unstaged + 1] = present[i]
    end
  end
  removed = #unstaged
  swept = swept + #present / 2 - removed
end

if not apply_sums(KEYS[2], sums) then
  return { 'REFUSED', 0, 'total' }
end
for _, write in ipairs(writes) do
  local id = write[1]
  redis.call('ZADD', xp_key, write[2], id)
  redis.call('DEL', member_prefix .. id)
  if redis.call('EXISTS', staged_prefix .. id) == 1 then
    redis.call('RENAME', staged_prefix .. id, member_prefix .. id)
  end
end
for _, id in ipairs(unstaged) do
  redis.call('ZREM', xp_key, id)
  redis.call('DEL', member_prefix .. id)
end
moved = moved + #writes
local staged_total, total = redis.call('ZCARD', next_key), redis.call('ZCARD', xp_key)
local done = moved >= staged_total and total <= staged_total
-- A member that changes its rank between two steps can be missed. Another pass finds it.
if not done and swept >= total then
  swept = 0
end
return { moved, swept, removed, done and 1 or 0 }
