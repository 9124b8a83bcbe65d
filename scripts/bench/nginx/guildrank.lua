-- The work of the service in nginx: key, quota, and an answer whose revision Redis has confirmed. Like the service it caches keys for
-- five seconds and pages with their revision. It counts and reads in one EVALSHA of the service's batch.lua. Unlike the service it
-- writes no ETag, no request id and no problem documents.

local ffi = require "ffi"
local cjson = require "cjson.safe"
local lrucache = require "resty.lrucache"
local found, redis = pcall(require, "resty.redis")
if not found then
  redis = require "nginx.redis"
end

ffi.cdef [[unsigned char *SHA256(const unsigned char *d, size_t n, unsigned char *md);]]

local LIMIT = 1000000000
local WINDOW = 3600
local KEY_SECONDS = 5
local null = ngx.null

local M = {}
local host, port, sha, curve, level_of
local keys = lrucache.new(10000)
local pages = lrucache.new(10000)

function M.configure(folder, redis_host, redis_port)
  host, port = redis_host, redis_port
  sha = assert(io.open(folder .. "/batch.sha")):read "*a"
  local library = assert(io.open(folder .. "/lib-level.lua")):read "*a" .. "\nreturn curve_named, level_of"
  local curve_named
  curve_named, level_of = assert(loadstring(library))()
  curve = curve_named("standard")
end

local function sha256(text)
  local digest = ffi.string(ffi.C.SHA256(text, #text, ffi.new "unsigned char[32]"), 32)
  return (digest:gsub(".", function(byte)
    return string.format("%02x", byte:byte())
  end))
end

local function send(status, text)
  ngx.status = status
  ngx.header["Content-Length"] = #text
  ngx.print(text)
end

-- Returns the guild of an API key; nil for an unknown key. Keys of the benchmark do not expire.
local function guild_of(client, key)
  local guild = keys:get(key)
  if not guild then
    guild = client:hget("gr:key:" .. sha256(key), "guild_id")
    guild = guild ~= null and guild or nil
    keys:set(key, guild, KEY_SECONDS)
  end
  return guild
end

local function text_or(text, default)
  return text ~= "" and text or default
end

-- Returns level, streak, claim and name of a profile, which a member may lack.
local function parts_of(profile)
  local stored = profile ~= null and profile ~= "" and profile or "- 0 -"
  local level, streak, claim, name = string.match(stored, "^(%S+) (%S+) (%S+) ?(.*)$")
  return tonumber(level), tonumber(streak), tonumber(claim), name
end

local function page_of(reply, page, first)
  local total, rows, profiles = reply[2], reply[4], reply[5]
  local data = {}
  for i = 1, #rows, 2 do
    local xp = tonumber(rows[i + 1])
    local level, _, _, name = parts_of(profiles[(i + 1) / 2])
    data[#data + 1] = {
      rank = first + #data + 1,
      user_id = rows[i],
      username = text_or(name, rows[i]),
      level = level or level_of(curve, xp),
      xp = xp,
    }
  end
  if #data == 0 then
    -- cjson writes an empty table as an object.
    return string.format('{"data":[],"total":%s,"page":%d}', total, page)
  end
  return cjson.encode { data = data, total = total, page = page }
end

local function member_of(reply, user_id)
  if reply[2] == -1 then
    return nil
  end
  local xp = tonumber(reply[3])
  local level, streak, claim, name = parts_of(reply[5])
  return cjson.encode {
    user_id = user_id,
    username = text_or(name, user_id),
    level = level or level_of(curve, xp),
    xp = xp,
    rank = reply[2] + 1,
    daily_streak = streak,
    last_daily_claim = claim and os.date("!%Y-%m-%dT%H:%M:%S", claim / 1000) .. string.format(".%03dZ", claim % 1000) or null,
  }
end

local function stats_of(lines)
  local members = tonumber(lines[2]) or 0
  return cjson.encode {
    total_members = members,
    total_xp = tonumber(lines[3]) or 0,
    average_level = members == 0 and 0 or math.floor((tonumber(lines[4]) or 0) / members + 0.5),
    xp_curve = text_or(lines[5], "standard"),
    xp_multiplier = tonumber(lines[6]) or 1,
  }
end

-- Returns the guild, the command for batch.lua, the function that renders its reply, and arguments of it; nil for another request.
local function parse_request()
  local guild, rest = string.match(ngx.var.uri, "^/api/v1/servers/(%d+)/(.+)$")
  if rest == "leaderboard" then
    local args = ngx.req.get_uri_args()
    local limit, page = tonumber(args.limit or 10), tonumber(args.page or 1)
    if not limit or not page or limit < 1 or limit > 100 or page < 1 then
      return nil
    end
    local first = (page - 1) * limit
    return guild, string.format("page %d %d", first, first + limit - 1), page_of, page, first
  end
  if rest == "stats" then
    return guild, "stats", stats_of
  end
  local user_id = string.match(rest or "", "^members/(%d+)$")
  if user_id then
    return guild, "member " .. user_id, member_of, user_id
  end
end

function M.serve()
  local key = ngx.var.http_x_api_key
  local guild, command, render, a, b = parse_request()
  if not key or not guild then
    return send(key and 400 or 401, '{"error":"no such resource, or no API key"}')
  end
  local client = redis:new()
  client:set_timeout(1000)
  if not client:connect(host, port) then
    return send(503, '{"error":"the store did not answer"}')
  end
  local owner = guild_of(client, key)
  if owner ~= guild then
    client:set_keepalive(60000, 512)
    return send(owner and 403 or 401, '{"error":"not with this key"}')
  end
  local name = guild .. " " .. command
  local cached = pages:get(name)
  local lines = "count 1 " .. WINDOW .. " " .. LIMIT .. "\n" .. command .. " " .. (cached and cached.revision or "") .. "\n"
  local replies = client:evalsha(sha, 1, "gr:quota:{" .. guild .. "}", lines)
  client:set_keepalive(60000, 512)
  if not replies or type(replies[1]) ~= "string" or #replies[2] == 1 then
    return send(503, '{"error":"the store did not answer"}')
  end
  local consumed, ttl = string.match(replies[1], "^(%d+)\n(%d+)$")
  local headers = ngx.header
  headers["X-RateLimit-Limit"] = LIMIT
  headers["X-RateLimit-Remaining"] = math.max(0, LIMIT - tonumber(consumed))
  headers["X-RateLimit-Reset"] = math.ceil(ngx.now() + tonumber(ttl) / 1000)
  if tonumber(consumed) > LIMIT then
    return send(429, '{"error":"quota exceeded"}')
  end
  if replies[2] ~= "" then
    local reply = replies[2]
    local body = render(reply, a, b)
    if not body then
      return send(404, '{"error":"no such member"}')
    end
    cached = { body = body, revision = reply[1] }
    pages:set(name, cached, KEY_SECONDS)
  end
  send(200, cached.body)
end

return M
