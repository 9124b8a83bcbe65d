-- batch: serves many requests with one call: counts requests, reads pages, members and statistics.
--
-- KEYS[1] gr:quota:{G} of the first guild; the names of all other keys are built from it. In a Cluster this key selects the
--         node, and all commands of a batch are of its guild. Elsewhere the command "guild" switches to further guilds.
-- ARGV[1] the commands of the batch, one a line: a name and its arguments, separated by spaces. One text, because every
--         further argument costs the client time. Ids and numbers contain no spaces.
--   guild G                    the commands that follow are of this guild
--   count N WINDOW             counts N requests; WINDOW = length of the quota window in seconds
--   page FIRST LAST REV        ranks FIRST to LAST, from 0
--   member USER_ID REV
--   stats REV
--
-- REV is the revision that the caller has cached; left out when there is none.
--
-- Reply: one text for every command but "guild", as its file command-*.lua says. When one fails, for example on a key of another type,
-- {message} replaces its text and the other commands go on. But READONLY fails the batch, so that the client sees the failover.

--- @include lib-fields
--- @include lib-revision
--- @include command-count
--- @include command-page
--- @include command-member
--- @include command-stats

local commands = { count = count, page = page, member = member, stats = stats }
local prefix, first_guild = string.match(KEYS[1], '^(.*):quota:{(.+)}$')

-- Returns the names of a guild's keys. A command adds the revision as `rev` when it has read it.
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
    local done, reply = pcall(commands[name], guild, a, b, c)
    if not done then
      -- The error is a table since Redis 7, and text before.
      local message = type(reply) == 'table' and reply.err or tostring(reply)
      if string.find(message, 'READONLY') then
        return redis.error_reply(message)
      end
      reply = { message }
    end
    replies[#replies + 1] = reply
  end
end
-- unpack makes a new array: ioredis-mock's Lua (fengari) does not recognise a table filled in a loop as one.
return { unpack(replies) }
