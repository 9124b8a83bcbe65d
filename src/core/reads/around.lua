-- around: reads a member, its neighbours in the ranking, and the total.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:members
-- KEYS[5], KEYS[6], for a board: the board of the present period and of the last period, such as gr:{G}~week:xp and gr:{G}~week.prev:xp
-- ARGV[1] user id   ARGV[2] members to read above and below it, at most   ARGV[3] board; "" or left out = the guild's ranking
--
-- Reply: {rank of the first row, from 0, and a reply as of "page" in batch.lua}, or {-1, ""} for a user who is not ranked. O(log m + rows).

--- @include lib-guild
--- @include command-page
--- @include command-board

local guild, board = { base = string.sub(KEYS[1], 1, -3) }, ARGV[3] or ''
local key = KEYS[1]
if board ~= '' then
  key = open_board(guild, board).key
end
local rank = key and redis.call('ZREVRANK', key, ARGV[1])
if not rank then
  return { -1, '' }
end
local first = math.max(rank - ARGV[2], 0)
local from, to = string.format('%.0f', first), string.format('%.0f', rank + ARGV[2])
return { first, board == '' and page(guild, from, to, '') or board_commands.page(guild, board, from, to, '') }
