-- lib-season: shared by season-begin.lua and season-open-archive.lua, which take a lock for the end of a season (src/core/seasons/season.ts). The
-- end of a season marks the members of a guild, copies them into an archive, which is another guild, and then resets them. The lock expires
-- after ten seconds. Every later step refuses another token with {"REFUSED", 0, "lock"}, and renews the lock.

--- @include lib-level
--- @include lib-counters
--- @include lib-permissions
--- @include lib-lock

-- Returns nil when the caller may take the lock, else the reply that says why it may not: {"REFUSED", 0, "argument"} for an argument that is longer
-- than its bound in bytes, {"BUSY"} when the lock has another owner, {"MOVING"} when the move of the guild into this Redis is unfinished.
-- @param bounds of the arguments in ARGV, in their order. The first argument is the token.
local function obstacle_to_lock(stats_key, season_key, lock_key, bounds)
  for i, most in ipairs(bounds) do
    if #(ARGV[i] or '') > most then
      return { 'REFUSED', 0, 'argument' }
    end
  end
  require_permissions(season_key, 'HSET')
  require_permissions(lock_key, 'SET')
  local owner = owner_of(lock_key)
  if owner and owner ~= ARGV[1] then
    return { 'BUSY' }
  elseif redis.call('HGET', stats_key, 'moving') then
    return { 'MOVING' }
  end
end
