-- recount-begin: begins a count of a guild's members, which the scripts keep exact while members change (lib-recount-state.lua).
--
-- KEYS[1] gr:{G}:stats   KEYS[2] gr:{G}:config
-- ARGV[1] token of the count   ARGV[2] name of the curve to count with, "custom=a,b,c,d,q,m" for one of its own, "" = the guild's
--
-- Reply: {"OK"}, or {"BUSY"} while another count runs. O(1).

--- @include lib-level
--- @include lib-counters

local token, curve_name = ARGV[1], ARGV[2]
local stats = read_stats(KEYS[1])
if stats.recount and not stats.recount.is_abandoned() then
  return { 'BUSY' }
end
if curve_name == '' then
  local _, own = guild_curve(KEYS[2])
  curve_name = own
end
local second, rev = redis.call('TIME')[1], stats.rev == '' and '-' or stats.rev
redis.call('HSET', stats.key, 'recount', table.concat({ token, curve_name, second, rev, '- 0 0,0,0,0,0 - - ' }, ' '))
return { 'OK' }
