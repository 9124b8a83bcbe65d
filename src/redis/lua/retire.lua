-- retire: takes a guild's ranking, hidden members, counters, configuration and quota away at once. Its members' profiles follow by purge.lua.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:quota:{G}   KEYS[5] gr:{G}:deleted:xp
-- KEYS[6] gr:{G}:hidden   KEYS[7] gr:{G}:deleted:hidden   KEYS[8] gr:{G}:season   KEYS[9] gr:{G}:season:xp
--
-- Reply: {members taken away, 1 when there was a config, counters, a quota count, each else 0}, or {"PENDING"} while members of an
--        earlier deletion wait to be purged; nothing was changed. O(1).

--- @include lib-counters
--- @include lib-permissions

if redis.call('ZCARD', KEYS[5]) + redis.call('ZCARD', KEYS[7]) > 0 then
  return { 'PENDING' }
end
local ranked, hidden = redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[6])
local members = ranked + hidden
local stats = read_stats(KEYS[2])
local had = {}
for i = 2, 4 do
  had[i] = redis.call('EXISTS', KEYS[i])
end
local rev = next_revision(stats.rev)
require_permissions(KEYS[2], 'DEL', 'HSET')
require_permissions(KEYS[3], 'DEL')
require_permissions(KEYS[4], 'DEL', 'UNLINK')
if ranked > 0 then
  redis.call('RENAME', KEYS[1], KEYS[5])
end
if hidden > 0 then
  redis.call('RENAME', KEYS[6], KEYS[7])
end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[8])
redis.call('UNLINK', KEYS[9])
if members > 0 then
  -- A guild that starts again meanwhile goes on with its revision. "deleting" tells record.lua not to take up an old profile.
  redis.call('HSET', KEYS[2], 'rev', rev, 'model', MODEL, 'deleting', '1')
end
return { members, had[3], had[2], had[4] }
