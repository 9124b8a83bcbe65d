-- remove: removes members from the ranking, with their profiles.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config
-- ARGV[1] prefix of the member keys   ARGV[2] the curve table   ARGV[3..] user ids
--
-- Reply: number of them that were in the ranking; at 0, rev stays as it is. O(n log m).

--- @include lib-level
--- @include lib-counters

local curve = guild_curve(KEYS[3], ARGV[2])
local sums, removed, found = new_sums(), 0, {}

for i = 3, #ARGV do
  local id = ARGV[i]
  local score = not found[id] and redis.call('ZSCORE', KEYS[1], id)
  if score then
    found[id] = true
    removed = removed + 1
    local xp = whole_xp(score)
    local level = explicit_level(redis.call('HGET', ARGV[1] .. id, 'level'))
    add_to_sums(sums, xp, level or level_of(curve, xp), -1)
  end
end

if removed > 0 then
  apply_sums(KEYS[2], sums)
end
for i = 3, #ARGV do
  redis.call('ZREM', KEYS[1], ARGV[i])
  redis.call('DEL', ARGV[1] .. ARGV[i])
end
return removed
