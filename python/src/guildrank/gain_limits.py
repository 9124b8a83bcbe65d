"""The limits of one gain, for the writer and for the rules of a guild."""

from __future__ import annotations

from typing import TypeGuard

# The most XP that one call gives, before all multipliers.
MAX_GAIN = 1_000_000_000
# A year.
MAX_COOLDOWN_MS = 365 * 86_400_000
# The most by which a factor multiplies a gain.
MAX_FACTOR = 1000

# A factor, as an error describes it.
FACTOR_RULE = f"a number from 0 to {MAX_FACTOR} with six decimals at most"


def is_factor(value: object) -> TypeGuard[float]:
    """Returns whether a value fits FACTOR_RULE. True and False are not numbers here."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value <= MAX_FACTOR and float(f"{value:.6f}") == value
