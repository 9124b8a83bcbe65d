-- lib-recount: counts the members of a guild a slice at a time, down the ranking (docs/adr/0004). lib-recount-state.lua has the state of a
-- count that the scripts keep exact while members change. The scripts that count take the same keys:
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
--
-- Reply of these scripts: {status, rev, milliseconds of Redis's clock, members in the ranking, members counted, then as digits or "": members,
--         total XP, sum of levels and hidden members as counted, and the same four as stored before the call, then as texts the boards as
--         counted and as stored: per board NAME:MEMBERS:XP:LEVELS, with spaces between}
-- O(slice * log n). Redis serves no other client during a call.

--- @include lib-level
--- @include lib-counters
--- @include lib-boards
--- @include lib-permissions
--- @include lib-profile

local stats = read_stats(KEYS[2])
local boards = stats.boards_text and on_boards().parse(stats)
local ranked = redis.call('ZCARD', KEYS[1])
local now = redis.call('TIME')

-- Returns the boards as a text. `counters_of` returns the three counters of a board.
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

-- Adds the members from rank `first` on to the sums of the guild and of its boards. The sums also note an explicit level. Returns the number of these
-- members, and the id and the score of the last member.
local function count_slice(sums, curve, first, slice)
  local rows = redis.call('ZREVRANGE', KEYS[1], format_integer(first), format_integer(first + slice - 1), 'WITHSCORES')
  local ids = {}
  for i = 1, #rows, 2 do
    ids[#ids + 1] = rows[i]
  end
  local profiles = ids[1] and redis.call('HMGET', KEYS[5], unpack(ids)) or {}
  local levels = {}
  for i = 1, #ids do
    local xp = whole_xp(rows[2 * i])
    local explicit = explicit_level(profiles[i])
    levels[i] = explicit or level_of(curve, xp)
    if explicit then
      sums.has_explicit = true
    end
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

-- Counts the boards with the sums that `sums_of` gives by their names.
local function count_boards(sums_of)
  for _, board in ipairs(boards and boards.list or {}) do
    board.counted = sums_of(board.name)
  end
end

-- Goes on with the count of a token. At its end, calls `finish` with its state and the reply, and ends the count.
local function count_step(token, slice, finish)
  local state = stats.recount
  if not state or state.token ~= token then
    return reply('LOST', new_sums(), 0)
  end
  if state.rev ~= stats.rev then
    redis.call('HDEL', stats.key, 'recount')
    return reply('UNSEEN', new_sums(), 0)
  end
  count_boards(state.on)
  local counted, id, score = count_slice(state, curve_named(state.curve_name), state.counted, slice)
  state.counted = state.counted + counted
  if state.counted < ranked then
    state.id, state.score, state.seen = id or state.id, score or state.score, now[1]
    redis.call('HSET', stats.key, 'recount', state.format())
    return reply('OK', state, state.counted)
  end
  local done = reply('DONE', state, state.counted)
  if finish then
    finish(state, done)
  end
  redis.call('HDEL', stats.key, 'recount')
  return done
end
