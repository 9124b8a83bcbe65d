-- around: reads the members next to one in the ranking, the member among them, and the total.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4..] gr:{G}:member:U of each member that is expected
-- ARGV[1] user id   ARGV[2] members to read above and below it, at most
-- ARGV[3] "declared" where a script may read only keys in KEYS, as in a Cluster; "" to read others too
--
-- Reply: {rank of the first row, from 0, and a text as of "page" in batch.lua}, or {-1, ""} for a user who is not ranked. With "declared" and
--        without the key of a row, the text is "?" and the user ids of all rows. O(log m + rows).

--- @include lib-fields
--- @include lib-revision
--- @include command-page

local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
if not rank then
  return { -1, '' }
end
local guild = { base = string.sub(KEYS[1], 1, -3) }
if ARGV[3] == 'declared' then
  guild.declared = {}
  for i = 4, #KEYS do
    guild.declared[KEYS[i]] = true
  end
end
local first = math.max(rank - ARGV[2], 0)
return { first, page(guild, string.format('%.0f', first), string.format('%.0f', rank + ARGV[2]), '') }
