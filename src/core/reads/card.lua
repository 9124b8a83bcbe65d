-- card: reads one member, ranked or hidden, with its neighbours in the ranking, the total and the curve: what a rank card shows.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- KEYS[6] gr:{G}:hidden:reasons (hash: user id -> reasons, separated by spaces)
-- ARGV[1] user id
--
-- Reply: {place, rank, reasons, page}. The page is a reply as of "page" in batch.lua: {rev, total, curve, {user id, XP, ...}, {profile, ...}}.
--   "ranked"  rank of the first row, from 0; reasons ""; the rows are the neighbour above, the member and the neighbour below, without a neighbour
--             that does not exist: find the row of the member by its user id
--   "hidden"  rank -1; reasons as stored: of left, self and moderator, "" for a member that a moderator has hidden; the row of the member
--   "none"    rank -1; reasons ""; no rows: the user is not a member
-- Level, progress and the XP of the next level follow from the XP, the curve and the profile. A member that a raw writer put into the ranking
-- while it was hidden is ranked. Changes nothing. An error is MODEL, for data of a newer version. O(log m).

--- @include lib-guild
--- @include command-page

local guild, id = { base = string.sub(KEYS[1], 1, -3) }, ARGV[1]
local rank = redis.call('ZREVRANK', KEYS[1], id)
if rank then
  local first = math.max(rank - 1, 0)
  return { 'ranked', first, '', page(guild, string.format('%.0f', first), string.format('%.0f', rank + 1), '') }
end
-- Ranks 1 to 0 are no rows.
local rev, total, curve = unpack(page(guild, '1', '0', ''))
local score = redis.call('ZSCORE', KEYS[4], id)
if not score then
  return { 'none', -1, '', { rev, total, curve, {}, {} } }
end
local reasons = redis.call('HGET', KEYS[6], id)
return { 'hidden', -1, reasons or '', { rev, total, curve, { id, score }, redis.call('HMGET', KEYS[5], id) } }
