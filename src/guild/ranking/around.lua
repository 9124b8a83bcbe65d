-- around: reads the members next to one in the ranking, the member among them, and the total.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:members
-- ARGV[1] user id   ARGV[2] members to read above and below it, at most
--
-- Reply: {rank of the first row, from 0, and a reply as of "page" in batch.lua}, or {-1, ""} for a user who is not ranked. O(log m + rows).

--- @include lib-curve-text
--- @include lib-revision
--- @include command-page

local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
if not rank then
  return { -1, '' }
end
local guild = { base = string.sub(KEYS[1], 1, -3) }
local first = math.max(rank - ARGV[2], 0)
return { first, page(guild, string.format('%.0f', first), string.format('%.0f', rank + ARGV[2]), '') }
