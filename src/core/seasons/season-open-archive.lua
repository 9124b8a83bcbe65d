-- season-open-archive: takes the lock of an archive. The first call for a season gives the archive the curve and the multiplier of the guild.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:season   KEYS[6] gr:{G}:next:xp:lock
-- ARGV[1] token of the lock   ARGV[2] the season: id of its guild and id of the season, with a space between
-- ARGV[3] curve   ARGV[4] multiplier, both as season-begin.lua replies them
--
-- Reply: {"OK"}; {"EXISTS"} when the guild has data that are not of this season; or as obstacle_to_lock in lib-season.lua
-- O(1).

--- @include lib-season

local token, season, curve, multiplier = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local CONFIG_KEY, SEASON_KEY, LOCK_KEY = KEYS[3], KEYS[5], KEYS[6]

-- Returns the fields of the config that give the members of the archive the levels that they had. A bot may not be allowed to write
-- them, so there are none for what the archive has anyway.
local function config_fields()
  local _, present = guild_curve(CONFIG_KEY)
  local fields = multiplier ~= '' and { 'xp_multiplier', multiplier } or {}
  local function add(field, value)
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  if curve ~= present then
    local name, coefficients = string.match(curve, '^([^=]*)=?(.*)$')
    add('xp_curve', name)
    if coefficients ~= '' then
      add('xp_curve_custom', coefficients)
    end
  end
  return fields
end

-- Data of a newer version are refused before all else.
read_stats(KEYS[2])
local obstacle = obstacle_to_lock(KEYS[2], SEASON_KEY, LOCK_KEY, { MAX_ID, 2 * MAX_ID + 1, MAX_CURVE, MAX_MULTIPLIER })
if obstacle then
  return obstacle
end
local is_first = redis.call('HGET', SEASON_KEY, 'of') ~= season
if is_first and redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[4]) > 0 then
  return { 'EXISTS' }
end
local fields = is_first and config_fields() or {}
if fields[1] then
  require_permissions(CONFIG_KEY, 'HSET')
end
redis.call('SET', LOCK_KEY, token, 'PX', LOCK_MS)
redis.call('HSET', SEASON_KEY, 'of', season)
if fields[1] then
  redis.call('HSET', CONFIG_KEY, unpack(fields))
end
return { 'OK' }
