-- batch: serves many requests with one call: counts requests, reads pages, members and statistics.
--
-- KEYS[1] gr:quota:{G}   KEYS[2] gr:{G}:xp   KEYS[3] gr:{G}:stats   KEYS[4] gr:{G}:config   KEYS[5] gr:{G}:members
--   For boards then gr:{G}~week:xp, ~week.prev:xp, ~month:xp, ~month.prev:xp. For the public page then gr:{G}:about and gr:{G}:avatars. After these
--   keys gr:quota:{G}:ID for each API key with a cap.
--   A call for several guilds has the same keys of each further guild after these. All keys are declared: a host that keeps guilds on several
--   servers refuses a call for guilds of two servers, and a Cluster refuses a call for a guild that it moves (docs/adr/0012).
-- ARGV[1] the commands of the batch, one a line: a name and its arguments, separated by spaces. One text, because every
--         further argument costs the client time. Ids and numbers contain no spaces.
--   guild FIRST                the commands that follow are of the guild whose keys begin at KEYS[FIRST]; before it, at KEYS[1]
--   count N WINDOW LIMIT       counts N requests; WINDOW = length of the quota window in seconds; LIMIT = requests a window
--   capped N WINDOW LIMIT ID CAP   counts N requests of the API key ID, which allows CAP requests a window
--   page FIRST LAST REV        ranks FIRST to LAST, from 0
--   member USER_ID REV
--   stats REV
--   page~BOARD, member~BOARD and stats~BOARD with the same, for a board of the guild: week, week.prev, month, month.prev
--   rules REV
--   public.page FIRST LAST REV, public.member USER_ID LIMIT REV, and the same with ~BOARD, and public.rewards REV, for the public page
--   public.rewarded.page and public.rewarded.member with the same, and with what names the rewards of levels
--   probe                      what a request does, without a change, on a guild that cannot exist
--
-- REV is the revision that the caller has cached; left out when there is none.
--
-- Reply: what the file command-*.lua of each command but "guild" says. When one fails, for example on a key of another type, {message}
-- is in its place and the other commands go on. But READONLY fails the batch, so that the client sees the failover.

--- @include lib-guild
--- @include lib-permissions
--- @include command-count
--- @include command-page
--- @include command-member
--- @include command-stats

local commands = { count = count, page = page, member = member, stats = stats }

-- Returns a command that few batches have. The functions of these commands are made when a batch first has one of them, because making them takes
-- time.
local find_rare
local function rare_command(name)
  if not find_rare then
--- @include command-capped
--- @include command-board
--- @include command-rules
--- @include command-public
--- @include command-probe
    local others = { capped = capped, rules = rules, probe = probe }
    find_rare = function(other)
      return others[other] or public_command(other) or board_command(other)
    end
  end
  return find_rare(name)
end

-- Returns the names of the keys of the guild whose keys begin at KEYS[first]. A command adds the revision as `rev` when it has read it.
local function guild_at(first)
  return { quota = KEYS[first + 0], base = string.sub(KEYS[first + 1], 1, -3) }
end

local guild = guild_at(1)

local replies = {}
-- The third argument is the rest of the line: "capped" has more.
for name, a, b, c in string.gmatch(ARGV[1], '(%S+) ?(%S*) ?(%S*) ?([^\n]*)\n') do
  if name == 'guild' then
    guild = guild_at(a)
  else
    local done, reply = pcall(commands[name] or rare_command(name), guild, a, b, c)
    if not done then
      -- An error of a command is a table. An error of Lua is a text, and so is each error on ioredis-mock.
      local message = type(reply) == 'table' and reply.err or tostring(reply)
      if string.find(message, 'READONLY') then
        return redis.error_reply(message)
      end
      reply = { message }
    end
    replies[#replies + 1] = reply
  end
end
return as_reply(replies)
