-- recount-step: goes on with a count that recount-begin has begun. When every member is counted, the count is over.
--
-- KEYS[1] gr:{G}:xp   KEYS[2] gr:{G}:stats   KEYS[3] gr:{G}:config   KEYS[4] gr:{G}:hidden   KEYS[5] gr:{G}:members
-- ARGV[1] token of the count   ARGV[2] members to count in this call, 1 to 2000
--
-- Reply: as lib-recount.lua says, with the sums of all members counted so far. Its status:
--        "OK"   there are more members
--        "DONE"   the count is over
--        "LOST"   Redis does not know this count any more
--        "UNSEEN"   something other than the scripts raised the revision during the count, so the sums may be wrong, and the count was ended

--- @include lib-recount

return count_step(ARGV[1], tonumber(ARGV[2]))
