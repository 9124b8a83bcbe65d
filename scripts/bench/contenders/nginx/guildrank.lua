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

local function read_file(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

function M.configure(folder, redis_host, redis_port)
  host, port = redis_host, redis_port
  sha = read_file(folder .. "/batch.sha")
  local library = read_file(folder .. "/lib-level.lua") .. "\nreturn curve_named, level_of"
  local curve_named
  curve_named, level_of = assert(loadstring(library))()
  curve = curve_named("", "standard")
end

local function sha256(text)
  local digest = ffi.new "unsigned char[32]"
  ffi.C.SHA256(text, #text, digest)
  local hex = {}
  for i = 0, 31 do
    hex[i + 1] = string.format("%02x", digest[i])
  end
  return table.concat(hex)
end

local function connect()
  local client = redis:new()
  client:set_timeout(1000)
  local ok, err = client:connect(host, port)
  if not ok then
    return nil, err
  end
  return client
end

local function send(status, text)
  ngx.status = status
  ngx.header["Content-Length"] = #text
  ngx.print(text)
end

local function guild_of(client, key)
  local guild = keys:get(key)
  if guild then
    return guild
  end
  local record = client:hmget("gr:key:" .. sha256(key), "guild_id", "expires_at")
  if not record or record[1] == null then
    return nil
  end
  -- Keys of the benchmark do not expire.
  keys:set(key, record[1], KEY_SECONDS)
  return record[1]
end

local function lines_of(text)
  local lines, n = {}, 0
  for line in string.gmatch(text .. "\n", "([^\n]*)\n") do
    n = n + 1
    lines[n] = line
  end
  return lines, n
end

local function level_for(stored, xp)
  return stored ~= "" and tonumber(stored) or level_of(curve, xp)
end

local function page_of(text, page, first)
  local lines, n = lines_of(text)
  local data = {}
  for i = 4, n, 4 do
    local xp = tonumber(lines[i + 1])
    data[#data + 1] = {
      rank = first + #data + 1,
      user_id = lines[i],
      username = lines[i + 2] ~= "" and lines[i + 2] or lines[i],
      level = level_for(lines[i + 3], xp),
      xp = xp,
    }
  end
  if #data == 0 then
    -- cjson writes an empty table as an object.
    return string.format('{"data":[],"total":%s,"page":%d}', lines[2], page), lines[1]
  end
  return cjson.encode { data = data, total = tonumber(lines[2]), page = page }, lines[1]
end

local function member_of(text, user_id)
  local lines = lines_of(text)
  if lines[2] == "-1" then
    return nil
  end
  local xp = tonumber(lines[3])
  local body = cjson.encode {
    user_id = user_id,
    username = lines[5] ~= "" and lines[5] or user_id,
    level = level_for(lines[6], xp),
    xp = xp,
    rank = tonumber(lines[2]) + 1,
    daily_streak = tonumber(lines[7]) or 0,
    last_daily_claim = lines[8] ~= "" and lines[8] or null,
  }
  return body, lines[1]
end

local function stats_of(text)
  local lines = lines_of(text)
  local members = tonumber(lines[2]) or 0
  local body = cjson.encode {
    total_members = members,
    total_xp = tonumber(lines[3]) or 0,
    average_level = members == 0 and 0 or math.floor((tonumber(lines[4]) or 0) / members + 0.5),
    xp_curve = lines[5] ~= "" and lines[5] or "standard",
    xp_multiplier = tonumber(lines[6]) or 1,
  }
  return body, lines[1]
end

-- Returns the guild, the command for batch.lua and the function that renders the body from its reply; nil for an unknown path or query.
local function parse_request()
  local guild, rest = string.match(ngx.var.uri, "^/api/v1/servers/(%d+)/(.+)$")
  if not guild then
    return nil
  end
  if rest == "leaderboard" then
    local args = ngx.req.get_uri_args()
    local limit, page = tonumber(args.limit or 10), tonumber(args.page or 1)
    if not limit or not page or limit < 1 or limit > 100 or page < 1 then
      return nil
    end
    local first = (page - 1) * limit
    local command = string.format("page %d %d", first, first + limit - 1)
    return guild, command, function(text)
      return page_of(text, page, first)
    end
  end
  if rest == "stats" then
    return guild, "stats", stats_of
  end
  local user_id = string.match(rest, "^members/(%d+)$")
  if not user_id then
    return nil
  end
  return guild, "member " .. user_id, function(text)
    return member_of(text, user_id)
  end
end

function M.serve()
  local key = ngx.var.http_x_api_key
  if not key then
    return send(401, '{"error":"missing API key"}')
  end
  local guild, command, render = parse_request()
  if not guild then
    return send(400, '{"error":"no such resource"}')
  end
  local client, err = connect()
  if not client then
    ngx.log(ngx.ERR, "Redis: ", err)
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
  if not replies or type(replies[1]) ~= "string" or type(replies[2]) ~= "string" then
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
  if cached and replies[2] == "" then
    return send(200, cached.body)
  end
  local body, revision = render(replies[2])
  if not body then
    return send(404, '{"error":"no such member"}')
  end
  pages:set(name, { body = body, revision = revision }, KEY_SECONDS)
  send(200, body)
end

return M
