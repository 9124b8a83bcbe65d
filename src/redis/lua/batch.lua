-- batch: the jobs of many requests in one command: count them, read pages, members and statistics.
--
-- KEYS[1] gr:quota:{G} of the first guild; the other keys are derived from it. All that routes in a Cluster, where every
--         job of a batch is of that guild; elsewhere a batch goes on to further guilds with the job "guild".
-- ARGV[1] the jobs, a line each: a name and its arguments, with a space between. One text, because a client works on
--         every argument of a command. Ids and numbers hold no spaces.
--   guild G                    the jobs that follow are of this guild
--   count N WINDOW             counts N requests; WINDOW = length of the quota's window in seconds
--   page FIRST LAST REV        ranks FIRST to LAST from 0
--   member USER_ID REV
--   stats REV
--
-- REV is the revision of what the caller holds, left out when it holds nothing.
--
-- Reply: for every job but "guild" one text, as its file says. A job that fails, such as on a key of another type, fails alone:
-- {message} stands in the place of its text. But READONLY fails the batch, for the client to hear that it has lost the master.

--- @include lib-fields
--- @include lib-revision
--- @include job-count
--- @include job-page
--- @include job-member
--- @include job-stats

local jobs = { count = count, page = page, member = member, stats = stats }
local prefix, first_guild = string.match(KEYS[1], '^(.*):quota:{(.+)}$')

-- A guild as the jobs see it: what the names of its keys are made of, and its revision once a job has read it.
local function guild_of(id)
  local tag = ':{' .. id .. '}'
  return { quota = prefix .. ':quota' .. tag, base = prefix .. tag .. ':' }
end

local replies = {}
local guild = guild_of(first_guild)
for name, a, b, c in string.gmatch(ARGV[1], '(%S+) ?(%S*) ?(%S*) ?(%S*)\n') do
  if name == 'guild' then
    guild = guild_of(a)
  else
    local done, reply = pcall(jobs[name], guild, a, b, c)
    if not done then
      -- A table from Redis 7 on, text before.
      local message = type(reply) == 'table' and reply.err or tostring(reply)
      if string.find(message, 'READONLY') then
        return redis.error_reply(message)
      end
      reply = { message }
    end
    replies[#replies + 1] = reply
  end
end
-- A table built in a loop is not recognised as an array by every Lua that runs this (ioredis-mock's fengari).
return { unpack(replies) }
