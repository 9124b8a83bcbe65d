-- lib-boards: the boards of a guild: what its members have gained in a week or a month (docs/guilds.md#boards). The field "boards" of
-- gr:{G}:stats has their state: minutes from UTC, or "zone" for the minutes of the guild's time zone, then per board NAME:PERIOD:MEMBERS:XP:LEVELS,
-- with spaces between.
--
-- The keys of the boards come after the first five keys of a script, for a guild with boards: gr:{G}~week:xp   gr:{G}~week:hidden
-- gr:{G}~week.prev:xp   gr:{G}~week.prev:hidden   and the same four keys for "month". A call without these keys raises BOARDS.
--
-- Its functions are made at their first use, because making them in every call would cost time for guilds without boards.

--- @include lib-bounds
--- @include lib-counters
--- @include lib-lists
--- @include lib-permissions

local BOARD_KEYS, board_functions
-- The keys of the boards leave KEYS, so that the further keys of a script have the same numbers with and without them.
if KEYS[13] and KEYS[6] == string.sub(KEYS[1], 1, -4) .. '~week:xp' then
  BOARD_KEYS = {}
  for i, name in ipairs({ 'week', 'week.prev', 'month', 'month.prev' }) do
    BOARD_KEYS[i] = name
    BOARD_KEYS[name] = { xp = KEYS[4 + 2 * i], hidden = KEYS[5 + 2 * i] }
  end
  for i = 6, #KEYS do
    KEYS[i] = KEYS[i + 8]
  end
end

local function on_boards()
  if board_functions then
    return board_functions
  end
--- @include lib-period

  local function require_board_keys()
    if not BOARD_KEYS then
      raise_error('BOARDS ' .. KEYS[1] .. ' has boards: give their keys too')
    end
  end

  -- Returns the keys of all boards, whether the guild has them or not.
  local function all_board_keys()
    require_board_keys()
    local keys = {}
    for _, name in ipairs(BOARD_KEYS) do
      keys[#keys + 1] = BOARD_KEYS[name].xp
      keys[#keys + 1] = BOARD_KEYS[name].hidden
    end
    return keys
  end

  -- Adds an empty board to the boards of a guild. Its data lie under `source`, nil for a board without data, and are stored under `keys`.
  local function add_board(stats, boards, name, period)
    local board = { name = name, key = stats.key, keys = BOARD_KEYS[name], period = period, staged = {}, ids = {} }
    board.members, board.total_xp, board.level_sum, board.is_running = '0', '0', '0', not string.find(name, '.prev', 1, true)
    boards[name], boards.list[#boards.list + 1] = board, board
    return board
  end

  -- Returns the boards in the state of a guild, as they are stored.
  local function parse_boards(stats)
    require_board_keys()
    local boards = { clock = string.match(stats.boards_text, '^%S+'), list = {} }
    for name, period, members, xp, levels in string.gmatch(stats.boards_text, '(%a+%.?%a*):(%-?%d+):(%-?%d+):(%-?%d+):(%-?%d+)') do
      local board = add_board(stats, boards, name, period + 0)
      board.source, board.members, board.total_xp, board.level_sum = board.keys, members, xp, levels
    end
    return boards
  end

  local function empty_board(board, period)
    board.source, board.period, board.members, board.total_xp, board.level_sum = nil, period, '0', '0', '0'
  end

  local CONTENT = { 'source', 'period', 'members', 'total_xp', 'level_sum' }

  -- Gives a board the content of another board, or makes it empty.
  local function fill_board(board, content, period)
    if not content then
      return empty_board(board, period)
    end
    for _, field in ipairs(CONTENT) do
      board[field] = content[field]
    end
  end

  -- Returns the slot of the board that stays, "present" or "last", when a period needs the room of the other board. The present board stays when it
  -- follows the last board. Otherwise a wrong clock began one of the two boards, or nobody gained XP in between, and the board with more members
  -- stays.
  local function slot_to_keep(board, last)
    return board.period ~= last.period + 1 and last.members + 0 > board.members + 0 and 'last' or 'present'
  end

  -- Lets the last board run, because the clock has gone back into the period before the present board. Both stay where they are, and the present
  -- board waits for its own period.
  local function run_last_board(stats, boards, board, last)
    local period = board.period - 1
    if last.period ~= period then
      empty_board(last, period)
      boards.is_changed = true
      if stats.recount then
        stats.recount.boards[last.name] = new_sums()
      end
    end
    board.is_running, last.is_running = false, true
  end

  -- Turns the boards that are over into the last boards, and begins new boards. A last board of an earlier period reads as empty.
  local function roll_boards(stats, boards)
    local day = day_at(offsets_of(boards.clock, KEYS[3]))
    for _, kind in ipairs({ 'week', 'month' }) do
      local board, last = boards[kind], boards[kind .. '.prev']
      local period = period_of(kind, day)
      local present_slot, last_slot
      if board then
        present_slot, last_slot = slots_at(period, board.period, last.period)
      end
      if board and board.period == period + 1 and slot_to_keep(board, last) == 'present' then
        run_last_board(stats, boards, board, last)
      elseif board and present_slot ~= 'present' then
        if last_slot == 'present' and board.period ~= period - 1 then
          last_slot = slot_to_keep(board, last)
        end
        local stored = {}
        for slot, each in pairs({ present = board, last = last }) do
          stored[slot] = { counted = stats.recount and stats.recount.on(each.name) }
          fill_board(stored[slot], each)
        end
        local present_content, last_content = stored[present_slot], stored[last_slot]
        fill_board(board, present_content, period)
        fill_board(last, last_content, period - 1)
        boards.is_changed = true
        if stats.recount then
          stats.recount.boards[kind] = present_content and present_content.counted or new_sums()
          stats.recount.boards[last.name] = last_content and last_content.counted or new_sums()
        end
      end
    end
  end

  -- Returns the boards of a guild at the present time, nil for a guild without boards.
  local function open_boards(stats)
    if stats.boards_text and not stats.boards then
      stats.boards = parse_boards(stats)
      roll_boards(stats, stats.boards)
    end
    return stats.boards
  end

  local function board_xp(board, place, id)
    local score = board.source and redis.call('ZSCORE', board.source[place], id)
    return score and whole_xp(score) or 0
  end

  -- Changes a member on one board, from a place ("xp" | "hidden", nil = none) to another. Returns the ranked XP of the member on this board before
  -- and after.
  local function change_on_board(board, id, from, to, change)
    local staged = board.staged[id]
    if not staged then
      local reads_both = from and (from ~= to or change.joins)
      -- A user who was not a member is on no board. The board is read all the same, because a key of another type must fail before the first write.
      local only = from or to
      local xp = (only == 'xp' or reads_both) and board_xp(board, 'xp', id) or 0
      local hidden = (only == 'hidden' or reads_both) and board_xp(board, 'hidden', id) or 0
      staged = { xp = xp, hidden = hidden, was_ranked = xp > 0, was_hidden = hidden > 0 }
    end
    local old, had = staged.xp, staged.xp + staged.hidden
    local has = to and math.max(math.min(had + change.gain, MAX_INTEGER), 0) or 0
    local new = to == 'xp' and has or 0
    board.sums = board.sums or new_sums()
    add_to_sums(board.sums, old, change.old_level, -1)
    add_to_sums(board.sums, new, change.new_level, 1)
    if new ~= old or has - new ~= staged.hidden then
      if not board.staged[id] then
        board.ids[#board.ids + 1], board.staged[id] = id, staged
      end
      staged.xp, staged.hidden = new, has - new
    end
    return old, new
  end

  local function place_on(place)
    return place and (place.is_hidden and 'hidden' or 'xp')
  end

  -- Returns the level of a place, and notes it there.
  local function level_at(curve, place)
    if not place then
      return 0
    end
    place.level = place.level or place.explicit or level_of(curve, place.xp)
    return place.level
  end

  -- Changes a member on all boards, as change_member in lib-change.lua says.
  local function change_boards(stats, curve, id, before, after, gained)
    local boards, from, to, gain = open_boards(stats), place_on(before), place_on(after), gained or 0
    local change = { joins = after and after.joins, old_level = level_at(curve, before), new_level = level_at(curve, after) }
    -- A caller can use the same table for many members.
    if after then
      after.on = nil
    end
    local is_on_all = from and (from ~= to or change.joins or change.old_level ~= change.new_level or stats.recount)
    for _, board in ipairs(boards.list) do
      change.gain = board.is_running and gain or 0
      if is_on_all or change.gain ~= 0 then
        local old, new = change_on_board(board, id, from, to, change)
        boards.is_changed = true
        if stats.recount and before then
          before.on = before.on or {}
          before.on[board.name] = old
        end
        if stats.recount and after then
          after.on = after.on or {}
          after.on[board.name] = new
        end
      end
    end
  end

  -- Takes a user who is not a member off the boards, where a raw write left the user. Returns whether the user was on a board. The counters stay,
  -- because a raw write makes the counters of the guild wrong too, and a count since then has left out the user.
  local function drop_from_boards(stats, id)
    local boards, was_there = open_boards(stats), false
    for _, board in ipairs(boards.list) do
      local staged = { xp = 0, hidden = 0, was_ranked = board_xp(board, 'xp', id) > 0, was_hidden = board_xp(board, 'hidden', id) > 0 }
      if staged.was_ranked or staged.was_hidden then
        board.ids[#board.ids + 1], board.staged[id] = id, staged
        was_there, boards.is_changed = true, true
      end
    end
    return was_there
  end

  -- Empties the boards.
  local function clear_boards(stats)
    local boards = open_boards(stats)
    for _, board in ipairs(boards and boards.list or {}) do
      empty_board(board, board.period)
      boards.is_changed = true
      if stats.recount then
        stats.recount.boards[board.name] = nil
      end
    end
  end

  -- Returns the state of changed boards as a field and its value, an empty list for unchanged boards; nil when a counter would leave 64 bits. Raises
  -- an error when the user may not store the changes.
  local function board_fields(stats)
    local boards = stats.boards
    if not (boards and boards.is_changed) then
      return {}
    end
    local parts = { boards.clock }
    for i, board in ipairs(boards.list) do
      local members, total_xp, level_sum = changed_counters(board)
      if not members then
        return nil
      end
      parts[i + 1] = table.concat({ board.name, format_integer(board.period), members, total_xp, level_sum }, ':')
      for place, key in pairs(board.keys) do
        if board.source ~= board.keys then
          require_permissions(key, 'UNLINK', 'RENAME')
          require_permissions(board.source and board.source[place] or key, 'EXISTS', 'RENAME')
        end
        if board.ids[1] then
          require_permissions(key, 'ZADD', 'ZREM')
        end
      end
    end
    return { 'boards', table.concat(parts, ' ') }
  end

  -- Stores the members of a board that stand in a place now, and takes out the members that stood in this place before.
  local function write_place(board, place, had_place)
    local added, removed = {}, {}
    for _, id in ipairs(board.ids) do
      local staged = board.staged[id]
      if staged[place] > 0 then
        added[#added + 1] = format_integer(staged[place])
        added[#added + 1] = id
      elseif staged[had_place] then
        removed[#removed + 1] = id
      end
    end
    write_all('ZADD', board.keys[place], added)
    write_all('ZREM', board.keys[place], removed)
  end

  -- Stores the members of changed boards. The state is stored before.
  local function write_boards(stats)
    local boards = stats.boards
    if not (boards and boards.is_changed) then
      return
    end
    -- Boards that take the keys of another board come first, because the other board deletes what lies under its own keys.
    for _, is_moved in ipairs({ true, false }) do
      for _, board in ipairs(boards.list) do
        if board.source ~= board.keys and (board.source ~= nil) == is_moved then
          redis.call('UNLINK', board.keys.xp, board.keys.hidden)
          for place, key in pairs(board.source or {}) do
            if redis.call('EXISTS', key) == 1 then
              redis.call('RENAME', key, board.keys[place])
            end
          end
        end
      end
    end
    for _, board in ipairs(boards.list) do
      write_place(board, 'xp', 'was_ranked')
      write_place(board, 'hidden', 'was_hidden')
    end
    boards.is_changed = false
  end

  board_functions = {
    require_keys = require_board_keys,
    all_keys = all_board_keys,
    add = add_board,
    parse = parse_boards,
    open = open_boards,
    change_member = change_boards,
    drop = drop_from_boards,
    clear = clear_boards,
    fields = board_fields,
    write = write_boards,
    day_at = day_at,
    period_of = period_of,
  }
  return board_functions
end
