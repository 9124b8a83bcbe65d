-- season-mark: notes the XP that members of a guild have now, and replies what to copy of them into the archive.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:hidden   KEYS[4] gr:{G}:members
-- KEYS[5] gr:{G}:season:xp   KEYS[6] gr:{G}:next:xp:lock   KEYS[7] gr:{G}:hidden:reasons   KEYS[8] gr:{G}:avatars
-- ARGV[1] token of the lock   ARGV[2] about how many members to look at   ARGV[3] cursor, "0" to begin
-- ARGV[4] which members: "marked" | "ranked" | "hidden"   ARGV[5] "unmarked" to leave out marked members
--
-- Reply: {"OK", next cursor, "0" at the end, per member a text as lib-row.lua says}, {"INVALID", user id} for a user id that no member may have, or
--        {"REFUSED", 0, "lock"} when the lock has another token
-- O(n log m) for n members of m.

--- @include lib-level
--- @include lib-counters
--- @include lib-member
--- @include lib-row
--- @include lib-lists
--- @include lib-lock

local count, cursor, place, which = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local XP_KEY, HIDDEN_KEY, MARKS_KEY = KEYS[1], KEYS[3], KEYS[5]
local stats = read_stats(KEYS[2])

return under_lock(KEYS[6], ARGV[1], function()
  require_permissions(MARKS_KEY, 'ZADD')
  local key = ({ marked = MARKS_KEY, ranked = XP_KEY, hidden = HIDDEN_KEY })[place]
  local scanned = redis.call('ZSCAN', key, cursor, 'COUNT', count)
  local reply, marks = { 'OK', scanned[1] }, {}
  for i = 1, #scanned[2], 2 do
    local id = scanned[2][i]
    if not is_valid_id(id) then
      return { 'INVALID', id }
    end
    local score, is_hidden = score_and_place(stats, XP_KEY, HIDDEN_KEY, id)
    -- Without the field "hidden" in the counters, nobody is hidden.
    if score and (which ~= 'unmarked' or not redis.call('ZSCORE', MARKS_KEY, id)) then
      reply[#reply + 1] = member_row(id, score, is_hidden, KEYS[4], KEYS[7], KEYS[8])
      marks[#marks + 1] = format_integer(whole_xp(score))
      marks[#marks + 1] = id
    end
  end
  write_all('ZADD', MARKS_KEY, marks)
  return as_reply(reply)
end)
