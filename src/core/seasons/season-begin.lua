-- season-begin: takes the lock of a guild, and begins the end of its season, or goes on with it.
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:config   KEYS[3] gr:{G}:season   KEYS[4] gr:{G}:season:xp   KEYS[5] gr:{G}:next:xp:lock
-- KEYS[6] gr:{G}:about
-- ARGV[1] token of the lock   ARGV[2] guild id of the archive   ARGV[3] "keep" | "drop" members without XP
--
-- Reply: {"OK", id of the season, "copy" | "reset" | "done", curve, multiplier, name, icon}: the phase from which the caller goes on, what the
--        archive needs to show the same levels, and the name and icon of the guild, "" where it is not described; {"OTHER", archive} while the
--        end of another season is not finished; or as obstacle_to_lock in lib-season.lua
-- O(1).

--- @include lib-season

local token, archive, rest = ARGV[1], ARGV[2], ARGV[3]
local SEASON_KEY, MARKS_KEY, LOCK_KEY = KEYS[3], KEYS[4], KEYS[5]
-- read_stats refuses data of a newer version, before anything else.
read_stats(KEYS[1])
local obstacle = obstacle_to_lock(KEYS[1], SEASON_KEY, LOCK_KEY, { MAX_ID, MAX_ID, MAX_CURVE })
if obstacle then
  return obstacle
end
local id, stored_archive, phase, stored_rest = unpack(redis.call('HMGET', SEASON_KEY, 'id', 'archive', 'phase', 'rest'))
local is_other = stored_archive ~= archive or stored_rest ~= rest
if phase == 'copy' and is_other and redis.call('EXISTS', MARKS_KEY) == 0 then
  -- The end of the other season has marked no member, so it has done nothing yet.
  phase = nil
elseif type(phase) == 'string' and phase ~= 'done' and is_other then
  return { 'OTHER', stored_archive }
end
local _, curve_name, multiplier = guild_curve(KEYS[2])
local name, icon = unpack(redis.call('HMGET', KEYS[6], 'name', 'icon'))
redis.call('SET', LOCK_KEY, token, 'PX', LOCK_MS)
if type(phase) ~= 'string' or (phase == 'done' and stored_archive ~= archive) then
  id, phase = token, 'copy'
  redis.call('HSET', SEASON_KEY, 'id', id, 'archive', archive, 'phase', phase, 'rest', rest)
end
return {
  'OK',
  id,
  phase,
  curve_name,
  multiplier,
  type(name) == 'string' and #name <= MAX_GUILD_NAME and name or '',
  type(icon) == 'string' and #icon <= MAX_ICON and icon or '',
}
