-- recount: counts the members of a guild a slice at a time, down the ranking, and on request stores what was counted.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- ARGV[1] "read": counts from the rank ARGV[2] and writes nothing; the sums are those of this slice
--         "begin": starts a count with the token ARGV[2] that the scripts keep exact while members change (see lib-recount-state.lua)
--         "step": goes on with it; the sums are those of all members counted so far. When that is every member, the count is over
-- ARGV[2] see ARGV[1]
-- ARGV[3] name of the curve to count with, "custom=a,b,c,d,q,m" for one of its own, "" = the guild's
-- ARGV[4] members to count in this call, 1 to 2000
-- ARGV[5] "commit": the call that ends the count stores the sums as counters, and ARGV[6..] (field, value, ...) in the config
--
-- Reply: {status, rev, milliseconds of Redis's clock, members in the ranking, members counted, then as digits or "": members, total XP,
--         sum of levels and hidden members as counted, and the same four as stored before the call, then as texts the boards as counted and as
--         stored: per board NAME:MEMBERS:XP:LEVELS, with spaces between}
-- status: "OK"; "DONE"; "BUSY": another count runs; "LOST": this count is not known any more; "UNSEEN": something other than the
--         scripts raised the revision during the count, so the sums may be wrong, and the count was ended.
-- O(slice * log n). Redis serves nobody else meanwhile.

--- @include lib-level
--- @include lib-counters
--- @include lib-boards
--- @include lib-permissions
--- @include lib-profile

local mode, token, slice = ARGV[1], ARGV[2], tonumber(ARGV[4])
if mode ~= 'read' and mode ~= 'begin' and mode ~= 'step' then
  error('recount takes "read", "begin" or "step", see its header, not ' .. mode, 0)
end
local xp_key = KEYS[1]
local stats = read_stats(KEYS[2])
local boards = stats.boards_text and on_boards().parse(stats)
local ranked = redis.call('ZCARD', xp_key)
local now = redis.call('TIME')

-- Returns the name of the curve to count with, after a check that the table has it.
local function curve_name()
  if ARGV[3] ~= '' then
    return ARGV[3]
  end
  local _, name = guild_curve(KEYS[3])
  return name
end

-- Returns the boards as a text, by a function that gives the three counters of one.
local function boards_text(counters_of)
  local parts = {}
  for i, board in ipairs(boards and boards.list or {}) do
    parts[i] = table.concat({ board.name, counters_of(board) }, ':')
  end
  return table.concat(parts, ' ')
end

local function counted_on(board)
  local sums = board.counted or new_sums()
  return format_integer(sums.members), format_sum(sums.hi, sums.lo) or '', format_sum(sums.level_hi, sums.level_lo) or ''
end

local function stored_on(board)
  return board.members, board.total_xp, board.level_sum
end

local function reply(status, sums, counted)
  local function text(value)
    return type(value) == 'string' and value or ''
  end
  return {
    status,
    stats.rev,
    format_integer(now[1] * 1000 + math.floor(now[2] / 1000)),
    format_integer(ranked),
    format_integer(counted),
    format_integer(sums.members),
    format_sum(sums.hi, sums.lo) or '',
    format_sum(sums.level_hi, sums.level_lo) or '',
    format_integer(redis.call('ZCARD', KEYS[4])),
    text(stats.members),
    text(stats.total_xp),
    text(stats.level_sum),
    text(stats.hidden),
    boards_text(counted_on),
    boards_text(stored_on),
  }
end

-- Adds the members from rank `first` on to the sums, and to those of the boards. Returns their number, and the last one's id and score.
local function count_slice(sums, curve, first)
  local rows = redis.call('ZREVRANGE', xp_key, format_integer(first), format_integer(first + slice - 1), 'WITHSCORES')
  local ids = {}
  for i = 1, #rows, 2 do
    ids[#ids + 1] = rows[i]
  end
  local profiles = ids[1] and redis.call('HMGET', KEYS[5], unpack(ids)) or {}
  local levels = {}
  for i = 1, #ids do
    local xp = whole_xp(rows[2 * i])
    levels[i] = explicit_level(profiles[i]) or level_of(curve, xp)
    add_to_sums(sums, xp, levels[i], 1)
  end
  for _, board in ipairs(ids[1] and boards and boards.list or {}) do
    local scores = redis.call('ZMSCORE', board.keys.xp, unpack(ids))
    for i = 1, #ids do
      -- Most members of a guild are on no board.
      if type(scores[i]) == 'string' then
        add_to_sums(board.counted, whole_xp(scores[i]), levels[i], 1)
      end
    end
  end
  return #ids, ids[#ids], rows[#rows]
end

-- Returns the state of the boards with the counters that were counted.
local function counted_boards()
  local parts = { boards.clock }
  for i, board in ipairs(boards.list) do
    parts[i + 1] = table.concat({ board.name, format_integer(board.period), counted_on(board) }, ':')
  end
  return table.concat(parts, ' ')
end

for _, board in ipairs(boards and boards.list or {}) do
  board.counted = mode == 'step' and stats.recount and stats.recount.on(board.name) or new_sums()
end
if mode == 'read' then
  local sums = new_sums()
  local first = tonumber(token)
  local counted = count_slice(sums, curve_named(curve_name()), first)
  return reply(first + counted >= ranked and 'DONE' or 'OK', sums, counted)
end

local state = stats.recount
if mode == 'begin' then
  if state and not state.is_abandoned() then
    return reply('BUSY', new_sums(), 0)
  end
  local begun = table.concat({ token, curve_name(), now[1], stats.rev == '' and '-' or stats.rev, '- 0 0,0,0,0,0 - ' }, ' ')
  redis.call('HSET', stats.key, 'recount', begun)
  return reply('OK', new_sums(), 0)
end

if not state or state.token ~= token then
  return reply('LOST', new_sums(), 0)
end
if state.rev ~= stats.rev then
  redis.call('HDEL', stats.key, 'recount')
  return reply('UNSEEN', new_sums(), 0)
end
local counted, id, score = count_slice(state, curve_named(state.curve_name), state.counted)
state.counted = state.counted + counted
if state.counted < ranked then
  state.id, state.score, state.seen = id or state.id, score or state.score, now[1]
  redis.call('HSET', stats.key, 'recount', state.format())
  return reply('OK', state, state.counted)
end

local total_xp, level_sum = format_sum(state.hi, state.lo), format_sum(state.level_hi, state.level_lo)
local done = reply('DONE', state, state.counted)
if ARGV[5] == 'commit' then
  if not total_xp or not level_sum then
    error('the members of ' .. xp_key .. ' add up to more than 64 bits, lower their XP or levels', 0)
  end
  require_permissions(KEYS[3], 'HSET', 'HLEN')
  require_permissions(stats.key, 'HDEL')
  redis.call('HLEN', KEYS[3])
  local hidden = redis.call('ZCARD', KEYS[4])
  stats.recount = nil
  local fields = { 'members', format_integer(state.members), 'total_xp', total_xp, 'level_sum', level_sum, 'hidden', format_integer(hidden) }
  if boards then
    fields[9], fields[10] = 'boards', counted_boards()
  end
  done[2] = write_stats(stats, unpack(fields))
  for i = 6, #ARGV, 2 do
    redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
  end
end
redis.call('HDEL', stats.key, 'recount')
return done
