"""Level curves: the total XP of each level."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from .checks import check_whole
from .errors import InvalidInputError

# The greatest XP of a member, which a double holds exactly.
MAX_XP = 2**53 - 1
# The greatest level that `xp_for_level` takes, as in the kit for JavaScript.
MAX_LEVEL = 1_000_000_000
_CUSTOM = re.compile("(-?[0-9]{1,10},){4}[0-9]{1,10},[0-9]{1,10}(,[0-9]{1,10})?")


@dataclass(frozen=True)
class Curve:
    """The XP to reach level n is (a n^3 + b n^2 + c n + d) / q, rounded down, and then to the nearest multiple of m.

    `max` is the highest level, None for a curve without a highest level.
    """

    a: int
    b: int
    c: int
    d: int
    q: int
    m: int
    max: int | None = None


CurveName = Literal["standard", "amari", "lurkr", "polaris", "arcane"]
"""The name of a curve. The kit for JavaScript has the same names."""

CURVES: dict[str, Curve] = {
    "standard": Curve(10, 135, 455, 0, 6, 1),
    "amari": Curve(0, 20, -40, 55, 1, 1),
    "lurkr": Curve(0, 50, -100, 150, 1, 1),
    "polaris": Curve(1, 50, 100, 0, 1, 100),
    "arcane": Curve(0, 50, 25, 0, 1, 5),
}
# The names that `level_for_xp`, `xp_for_level` and `progress` take in the place of a curve.
CURVE_NAMES: tuple[CurveName, ...] = get_args(CurveName)
DEFAULT_CURVE: CurveName = "standard"


@dataclass(frozen=True)
class LevelProgress:
    """A level, the XP gained in it, and the XP from its start to the next level: 0 at the highest level of the curve."""

    level: int
    gained: int
    needed: int


def curve_name(text: str) -> str:
    """Returns the name of a curve's text. An unknown or empty name means the default curve."""
    if text.startswith("custom="):
        return "custom"
    return text if text in CURVES else DEFAULT_CURVE


def parse_curve(text: str) -> Curve:
    """Returns the curve of a name, or of "custom=a,b,c,d,q,m", where a seventh number is the highest level.

    An unknown or empty name means the default curve. Numbers with which levels are not exact, and a value that is no text, are an
    InvalidInputError.
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"A curve is a text, not {text!r}")
    if curve_name(text) != "custom":
        return CURVES[curve_name(text)]
    numbers = text[len("custom=") :]
    curve = Curve(*map(int, numbers.split(","))) if _CUSTOM.fullmatch(numbers) else None
    if curve is None or not _is_sound(curve):
        raise InvalidInputError(
            f"The curve {text[:100]} has unfit numbers: use the name of a curve, or numbers within the bounds of a custom curve"
        )
    return curve


def xp_for_level(curve: Curve | CurveName, level: int) -> int:
    """Returns the total XP at which a level, 1 to 10^9, begins. Pass a curve, or the name of a curve."""
    check_whole("level", level, 1, MAX_LEVEL)
    return xp_to_reach(_resolved(curve), level)


def level_for_xp(curve: Curve | CurveName, xp: int) -> int:
    """Returns the level of a total XP, 0 .. 2^53-1. Pass a curve, or the name of a curve. O(log n) for level n."""
    check_whole("xp", xp, 0, MAX_XP)
    curve = _resolved(curve)
    low, high = 0, 1
    while xp_to_reach(curve, high) <= xp:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if xp_to_reach(curve, middle) <= xp else (low, middle)
    return low if curve.max is None else min(low, curve.max)


def progress(curve: Curve | CurveName, xp: int) -> LevelProgress:
    """Returns how far a total XP is in its level. Pass a curve, or the name of a curve."""
    curve = _resolved(curve)
    level = level_for_xp(curve, xp)
    start = xp_to_reach(curve, level) if level > 0 else 0
    return LevelProgress(level, xp - start, 0 if level == curve.max else xp_to_reach(curve, level + 1) - start)


def _resolved(curve: Curve | CurveName) -> Curve:
    """Returns the numbers of a curve. A mistyped name must not mean the default curve, and unfit numbers would have no end of levels."""
    if isinstance(curve, Curve) and _has_whole_numbers(curve) and (curve in CURVES.values() or _is_sound(curve)):
        return curve
    if isinstance(curve, str) and curve in CURVES:
        return CURVES[curve]
    names = ", ".join(CURVE_NAMES)
    raise InvalidInputError(f"The curve must be one of {names}, or the curve that reader.stats gives, not {str(curve)[:100]!r}")


def xp_to_reach(curve: Curve, level: int) -> int:
    """Returns the total XP at which a level of a curve begins, without a check of the level."""
    exact = (((curve.a * level + curve.b) * level + curve.c) * level + curve.d) // curve.q
    return (exact + curve.m // 2) // curve.m * curve.m


def _has_whole_numbers(curve: Curve) -> bool:
    numbers = (curve.a, curve.b, curve.c, curve.d, curve.q, curve.m, *([] if curve.max is None else [curve.max]))
    return all(type(number) is int for number in numbers)


def _is_sound(curve: Curve) -> bool:
    """Returns whether levels of a custom curve can be computed exactly: it rises from level 1 on, and its numbers are small enough."""
    highest = 1 if curve.max is None else curve.max
    rises = 3 * curve.a + 2 * curve.b + curve.c > 0 and min(curve.a, curve.b, curve.a + curve.b + curve.c + curve.d) >= 0
    is_small = max(curve.a, curve.b, abs(curve.c)) <= 10**6 and abs(curve.d) <= 10**9 and max(curve.q, curve.m) <= 1000
    is_exact = curve.q >= 1 and curve.m >= 1 and (curve.a + curve.b > 0 or curve.c >= curve.q**2)
    return rises and is_small and is_exact and 1 <= highest <= 10**6
