-- lib-bounds: bounds of stored texts (src/core/text-bounds.ts), and the settings of a guild within them.

-- The most bytes of the name of a member.
local MAX_USERNAME = 512

-- The most bytes of a whole number as text: 2^53-1 has 16 digits, and a sign.
local MAX_NUMBER = 17

-- The most bytes of an id: of a guild, a user, an event, or the token of a lock.
local MAX_ID = 64

-- The longest text of fit numbers: seven of ten digits, four of them with a sign, and six commas.
local MAX_COEFFICIENTS = 80

local MAX_MULTIPLIER = 32

-- The most bytes of the name of a guild, and of the hash of its icon.
local MAX_GUILD_NAME = 400
local MAX_ICON = 34

-- The longest text of the minutes from UTC and their changes, in ten years of a time zone.
local MAX_OFFSETS = 500

-- The longest text of a curve: "custom=" and the text of its numbers.
local MAX_CURVE = 7 + MAX_COEFFICIENTS

-- Returns the text of a curve by its stored coefficients. A text that is longer than the text of fit numbers is cut, and stays unfit.
local function custom_curve_text(coefficients)
  return 'custom=' .. string.sub(type(coefficients) == 'string' and coefficients or '', 1, MAX_COEFFICIENTS + 1)
end

-- Returns a stored multiplier as text, "" for a guild without a multiplier. A multiplier above its bound counts as no multiplier.
local function multiplier_text(multiplier)
  return type(multiplier) == 'string' and #multiplier <= MAX_MULTIPLIER and multiplier or ''
end
