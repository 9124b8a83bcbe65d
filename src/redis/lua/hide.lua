-- hide: takes members out of the ranking and the counters, or puts them back. They keep XP and profile, and gain on while hidden.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden (sorted set: user id -> XP)
-- KEYS[5..] per user id: gr:{G}:member:U
-- ARGV[1] "hide" | "unhide"   ARGV[2..] user ids
--
-- Reply: {"OK", rev, members that changed their place}, or {"REFUSED", index from 0, "user_id" | "key" | "total"}; nothing was changed.
-- A user who is no member, or in that place already, is passed over. A member that a raw writer put into the ranking while it was hidden
-- has the XP of both places. The error MODEL when the data is of version 1. O(n log m).

--- @include lib-level
--- @include lib-counters
--- @include lib-recount
--- @include lib-require-model
--- @include lib-permissions
--- @include lib-member

local stats = read_stats(KEYS[2])
require_model(stats, 2)
local hides = ARGV[1] == 'hide'
local from_key, to_key = KEYS[hides and 1 or 4], KEYS[hides and 4 or 1]
local curve = guild_curve(KEYS[3], '')
local sums, writes, sign = new_sums(), {}, hides and -1 or 1
local moved = {}

for i = 2, #ARGV do
  local id = ARGV[i]
  if not is_valid_id(id) then
    return { 'REFUSED', i - 2, 'user_id' }
  end
  if KEYS[i + 3] ~= string.sub(KEYS[1], 1, -3) .. 'member:' .. id then
    return { 'REFUSED', i - 2, 'key' }
  end
  local score = not moved[id] and redis.call('ZSCORE', from_key, id)
  if score then
    moved[id] = true
    local other = redis.call('ZSCORE', to_key, id)
    local level = explicit_level(redis.call('HGET', KEYS[i + 3], 'level'))
    local xp = math.min(whole_xp(score) + (other and whole_xp(other) or 0), MAX_INTEGER)
    -- The member leaves the ranking with the XP that stands there, and enters it with all.
    for _, change in ipairs({ { hides and score or other, -1 }, { not hides and format_integer(xp), 1 } }) do
      local text, change_sign = change[1], change[2]
      if text then
        local counted = whole_xp(text)
        add_to_sums(sums, counted, level or level_of(curve, counted), change_sign)
        correct_recount(stats, '', id, text, level, change_sign)
      end
    end
    writes[#writes + 1] = { id, format_integer(xp) }
  end
end
if #writes == 0 then
  return { 'OK', stats.rev == '' and '0' or stats.rev, 0 }
end

require_permissions(from_key, 'ZREM')
require_permissions(to_key, 'ZADD')
local hidden = redis.call('ZCARD', KEYS[4])
for _, write in ipairs(writes) do
  hidden = hidden + (hides and not redis.call('ZSCORE', KEYS[4], write[1]) and 1 or not hides and -1 or 0)
end
local rev = apply_sums(stats, sums, 'hidden', format_integer(hidden))
if not rev then
  return { 'REFUSED', #ARGV - 2, 'total' }
end
for _, write in ipairs(writes) do
  redis.call('ZREM', from_key, write[1])
  redis.call('ZADD', to_key, write[2], write[1])
end
return { 'OK', rev, #writes }
