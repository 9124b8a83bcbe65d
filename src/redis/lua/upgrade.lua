-- upgrade: gives a guild's data the version that these scripts know, after which older ones refuse it.
--
-- KEYS[1] gr:{G}:stats
--
-- Reply: {version before, version now}. A guild without a revision has nothing to upgrade. The error MODEL when its version is newer. O(1).

--- @include lib-counters

local stats = read_stats(KEYS[1])
local before = stats.model
if before < MODEL + 0 then
  write_stats(stats, 'model', MODEL)
end
return { before, MODEL + 0 }
