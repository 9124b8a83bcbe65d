-- public: the commands of the public page (docs/public-page.md), which take a ranking: "public.page" of the guild, or "public.page~week" of a board.
-- Each replies "off" unless the guild has switched the page on: this is read with every request, cached or not.

-- Returns the reply of "page" for the guild's ranking, or for its board.
local function ranking_page(guild, board, ...)
  if board ~= '' then
    return board_commands.page(guild, board, ...)
  end
  return page(guild, ...)
end

-- Returns the settings of the page, "" for a missing setting: what search engines may list, whether rewards are shown, whether avatars are shown,
-- title, boards, accent, dark accent, background, dark background, picture; and what the bot has told of the guild: name and icon. Returns nil when
-- the page is off.
local function public_settings(guild)
  local fields = { 'public_page', 'page_index', 'page_rewards', 'avatars', 'page_title', 'boards' }
  local look = { 'page_accent', 'page_accent_dark', 'page_background', 'page_background_dark', 'page_picture' }
  for _, field in ipairs(look) do
    fields[#fields + 1] = field
  end
  local stored = redis.call('HMGET', guild.base .. 'config', unpack(fields))
  if stored[1] ~= 'on' then
    return nil
  end
  local settings = {}
  for i = 2, #fields do
    settings[i - 1] = text_of(stored[i])
  end
  for _, told in ipairs(redis.call('HMGET', guild.base .. 'about', 'name', 'icon')) do
    settings[#settings + 1] = text_of(told)
  end
  return as_reply(settings)
end

-- Returns the reply of "stats" for the guild, or for its board, and the begin and the end of the board's period; {} instead of the period for the
-- guild itself.
local function totals(guild, board)
  if board == '' then
    return stats(guild, ''), {}
  end
  local opened = open_board(guild, board)
  return board_commands.stats(guild, board, ''), opened.limits and opened.limits() or {}
end

-- Returns the hash of the avatar of each row of a page, "" where there is none; {} unless the guild shows avatars.
local function avatars_of(guild, settings, page_reply)
  local ids = {}
  for i = 1, settings[3] == '1' and #page_reply[4] or 0, 2 do
    ids[#ids + 1] = page_reply[4][i]
  end
  if not ids[1] then
    return {}
  end
  local hashes = redis.call('HMGET', guild.base .. 'avatars', unpack(ids))
  for i = 1, #ids do
    hashes[i] = text_of(hashes[i])
  end
  return hashes
end

-- Returns "1" for a guild with rules, which may show what levels give, else "".
local function rules_mark(guild)
  return redis.call('HGET', guild.base .. 'config', 'rules') and '1' or ''
end

local public_commands = {}

-- Reply: "" when the ranking is at revision `cached`; else the settings, the reply of "page", the avatars of its rows, "1" if there are rules, and the
-- replies of "stats" and the period. O(log m + rows).
function public_commands.page(guild, board, first, last, cached)
  local settings = public_settings(guild)
  if not settings then
    return 'off'
  end
  local rows = ranking_page(guild, board, first, last, cached)
  if rows == '' then
    return ''
  end
  return { settings, rows, avatars_of(guild, settings, rows), rules_mark(guild), totals(guild, board) }
end

-- Reads a member in the middle of `limit` rows; at an end of the ranking, the member is nearer to the end. Reply: "" when the ranking is at revision
-- `cached`; else the same as of public.page, and the rank of the first row, from 0. For a user who is not ranked, the reply has "" in the place of
-- the page, and -1 in the place of the rank. O(log m + limit).
function public_commands.member(guild, board, user_id, limit, cached)
  local settings = public_settings(guild)
  if not settings then
    return 'off'
  end
  local key = guild.base .. 'xp'
  if board ~= '' then
    key = open_board(guild, board).key
  end
  local rank = key and redis.call('ZREVRANK', key, user_id)
  if not rank then
    local counters, period = totals(guild, board)
    return { settings, '', {}, rules_mark(guild), counters, period, -1 }
  end
  local first = math.max(math.min(rank - math.floor(limit / 2), redis.call('ZCARD', key) - limit), 0)
  local from, to = string.format('%.0f', first), string.format('%.0f', first + limit - 1)
  local rows = ranking_page(guild, board, from, to, cached)
  if rows == '' then
    return ''
  end
  local counters, period = totals(guild, board)
  return { settings, rows, avatars_of(guild, settings, rows), rules_mark(guild), counters, period, first }
end

--- @include lib-level

-- The most levels of rewards whose members are counted. A server of Discord has 250 roles.
local MAX_COUNTED = 250

-- Returns how many ranked members have reached each level that rules name, such as "5:120 10:31"; "" for a guild in which a member has, or had, an
-- explicit level, because the XP of this member does not tell its level. O(log m) a level.
local function members_by_level(guild, rules_text)
  if redis.call('HGET', guild.base .. 'stats', 'explicit') then
    return ''
  end
  local curve = guild_curve(guild.base .. 'config')
  local counts, seen = {}, {}
  -- Only rewards have this field. A level in another notation than digits is not counted.
  for digits in string.gmatch(rules_text, '"level"%s*:%s*(%d+)') do
    local level = digits + 0.0
    if not seen[level] and #counts < MAX_COUNTED and level <= 1000000 then
      seen[level] = true
      local least = level == 0 and 0 or xp_to_reach(curve, level)
      local members = '0'
      if least <= 9007199254740991 and level <= (curve.max or level) then
        members = redis.call('ZCOUNT', guild.base .. 'xp', least > 0 and string.format('%.0f', least) or '-inf', '+inf')
      end
      counts[#counts + 1] = digits .. ':' .. members
    end
  end
  return table.concat(counts, ' ')
end

-- Reads what levels give and how members earn XP. Reply: "" when the guild is at revision `cached`, and shows what levels give; else the settings,
-- the reply of "rules", the reply of "stats", the roles and the channels that the bot has told, "" for a missing value, and how many members have
-- reached each level that gives a role. O(log m) a reward.
function public_commands.rewards(guild, _, cached)
  local settings = public_settings(guild)
  if not settings then
    return 'off'
  end
  local stored = rules(guild, settings[2] == 'off' and '' or cached)
  if stored == '' then
    return ''
  end
  local told = redis.call('HMGET', guild.base .. 'about', 'roles', 'channels')
  return { settings, stored, stats(guild, ''), text_of(told[1]), text_of(told[2]), members_by_level(guild, stored[2]) }
end

-- Returns the rules of a guild and the roles that its bot has told; "" for a missing value, and twice "" if the owner does not show rewards.
local function rules_and_roles(guild, settings)
  local text = settings[2] ~= 'off' and rules(guild, '')[2] or ''
  return { text, text ~= '' and text_of(redis.call('HGET', guild.base .. 'about', 'roles')) or '' }
end

-- Returns the command of a name such as "public.page" or "public.page~week"; nil for another name. The reply of "public.rewarded.page" is the reply
-- of "public.page", and then the rules and the roles.
local function public_command(name)
  local rewarded = string.match(name, '^public%.rewarded%.(.*)$')
  local command, board = string.match(rewarded or string.match(name, '^public%.(.*)$') or '', '^(%a+)~?(.*)$')
  if not command then
    return nil
  end
  return function(guild, ...)
    local reply = public_commands[command](guild, board, ...)
    if not rewarded or type(reply) == 'string' then
      return reply
    end
    return { reply, rules_and_roles(guild, reply[1]) }
  end
end
