-- lib-season: what the two scripts share that take a lock for the end of a season (src/core/seasons/season.ts). The members of a guild are
-- marked and copied into an archive, another guild, and then they start again. The lock expires after ten seconds. Every later step
-- refuses another token with {"REFUSED", 0, "lock"}, and renews the lock.

--- @include lib-level
--- @include lib-counters
--- @include lib-permissions
--- @include lib-lock

-- Returns a reply that says what keeps the caller from the lock, nil for nothing: {"REFUSED", 0, "argument"} for an argument that is longer
-- than its bound in bytes, {"BUSY"} when the lock has another owner, {"IMPORTING"} when an import of the guild was left unfinished.
-- @param bounds of ARGV. The first one is the token.
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
  elseif redis.call('HGET', stats_key, 'importing') then
    return { 'IMPORTING' }
  end
end
