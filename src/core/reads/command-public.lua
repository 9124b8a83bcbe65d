-- public: the commands of the public page (docs/public-page.md), which take a ranking: "public.page" of the guild, or "public.page~week" of a board.
-- Each replies "off" unless the guild has switched the page on: this is read with every request, cached or not.

-- Returns the reply of "page" for the guild's ranking, or for its board.
local function ranking_page(guild, board, ...)
  if board ~= '' then
    return board_commands.page(guild, board, ...)
  end
  return page(guild, ...)
end

-- Returns the settings of the page, each "" when there is none: title, boards, avatars, accent, dark accent, background, dark background, picture.
-- Returns nil when the page is off.
local function public_settings(guild)
  local look = { 'page_accent', 'page_accent_dark', 'page_background', 'page_background_dark', 'page_picture' }
  local stored = redis.call('HMGET', guild.base .. 'config', 'public_page', 'page_title', 'boards', 'avatars', unpack(look))
  if stored[1] ~= 'on' then
    return nil
  end
  local settings = {}
  for i = 2, 4 + #look do
    settings[i - 1] = text_of(stored[i])
  end
  return { unpack(settings) }
end

-- Returns the avatars of the rows of a page, "" for a member without one, if the guild shows them; else none.
local function avatars_of(guild, settings, rows)
  local members, ids = rows[4], {}
  for i = 1, settings[3] == '1' and #members or 0, 2 do
    ids[#ids + 1] = members[i]
  end
  local avatars = ids[1] and redis.call('HMGET', guild.base .. 'avatars', unpack(ids)) or {}
  for i = 1, #ids do
    local avatar = text_of(avatars[i])
    -- A raw writer can have stored more than a hash.
    avatars[i] = #avatar <= 34 and avatar or ''
  end
  return { unpack(avatars) }
end

local public_commands = {}

-- Reply: "" when the ranking is at revision `cached`; else the settings, the replies of "page" and "stats", and the avatars of
-- the rows. O(log m + rows).
function public_commands.page(guild, board, first, last, cached)
  local settings = public_settings(guild)
  if not settings then
    return 'off'
  end
  local rows = ranking_page(guild, board, first, last, cached)
  if rows == '' then
    return ''
  end
  local counters = board == '' and stats(guild, '') or board_commands.stats(guild, board, '')
  return { settings, rows, counters, avatars_of(guild, settings, rows) }
end

-- Reads a member with up to `reach` members above it and below it. Reply: "none" for a user who is not ranked; "" when the ranking is at
-- revision `cached`; else the settings, rank of the first row, from 0, the reply of "page", and the avatars of the rows. O(log m + reach).
function public_commands.member(guild, board, user_id, reach, cached)
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
    return 'none'
  end
  local first = math.max(rank - reach, 0)
  local from, to = string.format('%.0f', first), string.format('%.0f', rank + reach)
  local rows = ranking_page(guild, board, from, to, cached)
  if rows == '' then
    return ''
  end
  return { settings, first, rows, avatars_of(guild, settings, rows) }
end

-- Returns the command of a name such as "public.page" or "public.page~week"; nil for another name.
local function public_command(name)
  local command, board = string.match(name, '^public%.(%a+)~?(.*)$')
  if not command then
    return nil
  end
  return function(guild, ...)
    return public_commands[command](guild, board, ...)
  end
end
