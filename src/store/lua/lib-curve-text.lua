-- lib-curve-text: the text of a curve that a guild has of its own.

-- The longest text of fit numbers: seven of ten digits, four of them with a sign, and six commas.
local MAX_COEFFICIENTS = 80

-- Returns the text of a curve by its stored coefficients. A longer text than that of fit numbers is cut, and stays unfit.
local function custom_curve_text(coefficients)
  return 'custom=' .. string.sub(type(coefficients) == 'string' and coefficients or '', 1, MAX_COEFFICIENTS + 1)
end
