-- season-open-archive: takes the lock of an archive. The first call for a season gives the archive the curve and the multiplier of the guild,
-- and its name and icon.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:season   KEYS[6] gr:{G}:next:xp:lock
-- KEYS[7] gr:{G}:about
-- ARGV[1] token of the lock   ARGV[2] the season: id of its guild and id of the season, with a space between
-- ARGV[3] curve   ARGV[4] multiplier   ARGV[5] name   ARGV[6] icon, as season-begin.lua replies them
--
-- Reply: {"OK"}; {"EXISTS"} when the guild has data that are not of this season; or as obstacle_to_lock in lib-season.lua
-- O(1).

--- @include lib-season

local token, season, curve, multiplier, name, icon = unpack(ARGV)
local CONFIG_KEY, SEASON_KEY, LOCK_KEY, ABOUT_KEY = KEYS[3], KEYS[5], KEYS[6], KEYS[7]
local BOUNDS = { MAX_ID, 2 * MAX_ID + 1, MAX_CURVE, MAX_MULTIPLIER, MAX_GUILD_NAME, MAX_ICON }

-- Returns the fields of the config that give the members of the archive the levels that they had, without the fields that the archive has already. A
-- bot may lack the right to write the config, and then needs it only for missing fields.
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

-- read_stats refuses data of a newer version, before anything else.
read_stats(KEYS[2])
local obstacle = obstacle_to_lock(KEYS[2], SEASON_KEY, LOCK_KEY, BOUNDS)
if obstacle then
  return obstacle
end
local is_first = redis.call('HGET', SEASON_KEY, 'of') ~= season
if is_first and redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[4]) > 0 then
  return { 'EXISTS' }
end
local fields = is_first and config_fields() or {}
local about = {}
for _, told in ipairs(is_first and { { 'name', name }, { 'icon', icon } } or {}) do
  if told[2] ~= '' then
    about[#about + 1] = told[1]
    about[#about + 1] = told[2]
  end
end
if fields[1] then
  require_permissions(CONFIG_KEY, 'HSET')
end
if about[1] then
  require_permissions(ABOUT_KEY, 'HSET')
end
redis.call('SET', LOCK_KEY, token, 'PX', LOCK_MS)
redis.call('HSET', SEASON_KEY, 'of', season)
if fields[1] then
  redis.call('HSET', CONFIG_KEY, unpack(fields))
end
if about[1] then
  redis.call('HSET', ABOUT_KEY, unpack(about))
end
return { 'OK' }
