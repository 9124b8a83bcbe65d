-- configure: stores fields of a guild's config and raises its revision. recount-commit.lua stores a curve, together with the levels that the curve
-- gives.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- ARGV field, value, ...   (plan, xp_multiplier, rules; "boards" with "week", "month", "week,month" or ""; "utc_offset_minutes", or
--   "time_zone" with its "utc_offsets" (lib-period.lua), by which the boards begin; public_page, "on" or ""; page_index, "none", "members" or
--   ""; page_rewards, "off" or ""; page_title; and its look: page_accent, page_accent_dark, page_background, page_background_dark,
--   page_picture; avatars,
--   "1" to show the avatars of members, or "").
--   An empty value removes a field.
--
-- A new board begins empty. A board that is not named any more is deleted, together with the board of its last period.
-- Reply: the new revision. O(1): Redis frees the memory of a board beside other work.

--- @include lib-counters
--- @include lib-boards
--- @include lib-permissions

-- The fields and the most bytes of each (src/core/text-bounds.ts).
local FIELDS = {
  plan = 32,
  xp_multiplier = 32,
  rules = 16384,
  boards = 10,
  utc_offset_minutes = 4,
  time_zone = 64,
  utc_offsets = MAX_OFFSETS,
  public_page = 2,
  page_index = 7,
  page_rewards = 3,
  page_title = 400,
  page_accent = 7,
  page_accent_dark = 7,
  page_background = 7,
  page_background_dark = 7,
  page_picture = 3072,
  avatars = 1,
}

local changes, stored, emptied = {}, {}, {}
for i = 1, #ARGV, 2 do
  local field, value = ARGV[i], ARGV[i + 1]
  if not FIELDS[field] then
    error('configure stores plan, xp_multiplier, rules, boards, utc_offset_minutes, time_zone, utc_offsets, public_page, avatars and page_.. fields, not ' .. field, 0)
  end
  if #value > FIELDS[field] then
    error(field .. ' has ' .. #value .. ' bytes, and the most is ' .. FIELDS[field], 0)
  end
  changes[field] = value
  local list = value == '' and emptied or stored
  list[#list + 1] = field
  if value ~= '' then
    list[#list + 1] = value
  end
end

local stats = read_stats(KEYS[2])
local function setting(field, default)
  local value = changes[field] or redis.call('HGET', KEYS[3], field)
  return type(value) == 'string' and value or default
end
local names = setting('boards', '')
local clock, offsets = 'zone', setting('utc_offsets', '0')
if setting('time_zone', '') == '' then
  clock = setting('utc_offset_minutes', '0')
  offsets = clock
end

-- Gives the guild the boards of these names, by its clock. Returns the keys of the boards that go.
local function change_set_of_boards()
  local before, gone, day = on_boards().open(stats) or {}, {}, on_boards().day_at(offsets)
  local boards = { clock = clock, list = {}, is_changed = true }
  for _, name in ipairs(BOARD_KEYS) do
    local kind = string.match(name, '^%a+')
    if not string.find(',' .. names .. ',', ',' .. kind .. ',', 1, true) then
      gone[#gone + 1] = BOARD_KEYS[name].xp
      gone[#gone + 1] = BOARD_KEYS[name].hidden
      if stats.recount then
        stats.recount.boards[name] = nil
      end
    elseif before[name] then
      boards[name], boards.list[#boards.list + 1] = before[name], before[name]
    else
      on_boards().add(stats, boards, name, on_boards().period_of(kind, day) - (name == kind and 0 or 1))
    end
  end
  stats.boards = boards
  return gone
end

local gone = {}
if changes.boards or ((changes.utc_offset_minutes or changes.time_zone) and names ~= '') then
  on_boards().require_keys()
  gone = change_set_of_boards()
  for _, key in ipairs(gone) do
    require_permissions(key, 'UNLINK')
  end
  require_permissions(KEYS[2], 'HDEL')
end
require_permissions(KEYS[3], 'HSET', 'HDEL')
redis.call('HLEN', KEYS[3])
local fields = stats.boards and stats.boards.list[1] and on_boards().fields(stats) or {}
local rev = write_stats(stats, unpack(fields))
if stored[1] then
  redis.call('HSET', KEYS[3], unpack(stored))
end
if emptied[1] then
  redis.call('HDEL', KEYS[3], unpack(emptied))
end
if stats.boards then
  on_boards().write(stats)
  if gone[1] then
    redis.call('UNLINK', unpack(gone))
  end
  if not stats.boards.list[1] then
    redis.call('HDEL', KEYS[2], 'boards')
  end
end
return rev
