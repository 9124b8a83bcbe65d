"""XP for a message and for the day, as award.lua and claim.lua take it and reply."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Sequence

from .checks import check_whole, checked_text
from .errors import InvalidInputError
from .gain_limits import FACTOR_RULE, MAX_COOLDOWN_MS, MAX_GAIN, is_factor
from .parsed_rules import XpAmount
from .picture_hash import avatar_change
from .profiles import time_of
from .records import XpChange
from .unchanged import Unchanged

MAX_OFFSET_MINUTES = 24 * 60
MAX_GRACE_DAYS = 365
MIN_INTERVAL_MS = 20 * 3_600_000
MAX_INTERVAL_MS = 7 * 86_400_000


@dataclass(frozen=True)
class Gain(XpChange):
    """The XP and level of a member before and after a gain."""

    created: bool
    """Whether the user was not a member before."""
    hidden: bool
    """Whether the member is hidden."""
    revision: str
    """The guild's revision."""
    xp_to_next_level: int | None
    """XP from here to the next level; None for a member with an explicit level, which XP does not change, or with the highest."""
    repeated: bool
    """Whether the event had this reply before. Then nothing was changed."""


@dataclass(frozen=True)
class Award(Gain):
    """The result of an award."""

    awarded: int
    """XP gained: 0 while the cooldown runs."""
    on_cooldown: bool
    """Whether the cooldown of an earlier award runs. Then nothing was changed."""
    cooldown_left_ms: int
    """Milliseconds until the next award counts."""
    rank: int | None
    """Rank from 1; None unless it was asked for, and for a hidden member."""


@dataclass(frozen=True)
class Claim(Gain):
    """The result of a daily claim."""

    claimed: bool
    """Whether this call was the claim of the day. Else the day was claimed before or the last claim is too recent: nothing was changed."""
    reward: int
    """XP gained."""
    streak: int
    """Days in a row."""
    next_claim_at: datetime
    """When the next claim is possible, at the member's offset; in UTC."""


def award_args(
    amount: XpAmount, cooldown_ms: int, username: str, rank: bool, factor: float | None, avatar: str | None | Unchanged
) -> list[str | int]:
    """Returns an award as arguments of award.lua, after the user id. Raises InvalidInputError."""
    check_whole("cooldown_ms", cooldown_ms, 0, MAX_COOLDOWN_MS)
    args: list[str | int] = [_drawn(amount), cooldown_ms, checked_text("username", username), "rank" if rank else ""]
    change = avatar_change("avatar", avatar)
    if factor is not None or change:
        args.append("" if factor is None else _factor_text(factor))
    return [*args, change] if change else args


def award_of(reply: list[Any]) -> Award:
    """Decodes the reply of award.lua."""
    return Award(
        **_gain(reply),
        awarded=int(reply[2]),
        on_cooldown=reply[0] == "WAIT",
        cooldown_left_ms=int(reply[10]),
        rank=None if reply[9] == "" else int(reply[9]),
    )


def claim_args(
    reward: int | Sequence[int], utc_offset_minutes: int, grace_days: int, min_interval_ms: int, username: str
) -> list[str | int]:
    """Returns a claim as arguments of claim.lua, after the user id. Raises InvalidInputError."""
    check_whole("utc_offset_minutes", utc_offset_minutes, -MAX_OFFSET_MINUTES, MAX_OFFSET_MINUTES)
    check_whole("grace_days", grace_days, 0, MAX_GRACE_DAYS)
    check_whole("min_interval_ms", min_interval_ms, 0, MAX_INTERVAL_MS)
    name = checked_text("username", username)
    rewards = list(reward) if isinstance(reward, (list, tuple)) else [reward]
    if not rewards:
        raise InvalidInputError("reward must be a number or a list with one number or more")
    for xp in rewards:
        check_whole("reward", xp, 0, MAX_GAIN)
    return [utc_offset_minutes, grace_days, min_interval_ms, name, *rewards]


def claim_of(reply: list[Any]) -> Claim:
    """Decodes the reply of claim.lua."""
    return Claim(
        **_gain(reply),
        claimed=reply[0] == "OK",
        reward=int(reply[2]),
        streak=int(reply[9]),
        next_claim_at=time_of(int(reply[10])),
    )


def _drawn(amount: XpAmount) -> int:
    """Draws the number of a range here: Redis starts the random numbers of each script anew, so a script would always draw the same number."""
    if not isinstance(amount, tuple):
        check_whole("amount", amount, 0, MAX_GAIN)
        return amount
    if len(amount) != 2:
        raise InvalidInputError(f"amount must be a whole number, or the least and the greatest of a range, not {amount!r}")
    least, most = amount
    check_whole("amount[1]", most, 0, MAX_GAIN)
    check_whole("amount[0]", least, 0, most)
    return random.randint(least, most)


def _factor_text(factor: float) -> str:
    """Returns a factor with its six decimals."""
    if not is_factor(factor):
        raise InvalidInputError(f"factor must be {FACTOR_RULE}, not {factor!r}")
    return f"{factor:.6f}"


def _gain(reply: list[Any]) -> dict[str, Any]:
    """Decodes the part of a reply that award.lua and claim.lua share."""
    xp_before, level_before, xp, level = (int(part) for part in reply[3:7])
    return {
        "xp_before": xp_before,
        "level_before": level_before,
        "xp": xp,
        "level": level,
        "created": reply[8] == "new",
        "hidden": reply[8] == "hidden",
        "revision": str(reply[1]),
        "xp_to_next_level": None if reply[7] == "" else int(reply[7]),
        "repeated": reply[-1] == "repeated",
    }
