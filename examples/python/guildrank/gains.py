"""XP for a message and for the day, as award.lua and claim.lua take it and reply."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Sequence, Union

from .checks import MAX_GAIN, check_text, check_whole
from .profiles import time_of
from .rules_document import XpAmount

MAX_FACTOR = 1000
MAX_COOLDOWN_MS = 365 * 86_400_000
MAX_OFFSET_MINUTES = 24 * 60
MAX_GRACE_DAYS = 365
MAX_INTERVAL_MS = 7 * 86_400_000


@dataclass(frozen=True)
class Gain:
    """XP and level of a member before and after a call. A greater level afterwards is a level-up.

    `xp_to_next_level` is None for a member with an explicit level, which XP does not change, or with the highest. `repeated` says that the
    event had this answer before, and nothing was changed.
    """

    xp_before: int
    level_before: int
    xp: int
    level: int
    created: bool
    hidden: bool
    xp_to_next_level: int | None
    repeated: bool


@dataclass(frozen=True)
class Award(Gain):
    """`rank` is None unless it was asked for, and for a hidden member."""

    awarded: int
    on_cooldown: bool
    cooldown_left_ms: int
    rank: int | None


@dataclass(frozen=True)
class Claim(Gain):
    """Without `claimed`, the day was claimed before or the last claim is too recent, and nothing was changed."""

    claimed: bool
    reward: int
    streak: int
    next_claim_at: datetime


def award_args(
    amount: XpAmount, cooldown_ms: int, username: str, rank: bool, factor: Union[int, float, str, None]
) -> list[Union[str, int]]:
    """Returns an award as arguments of award.lua, after the user id."""
    check_whole("cooldown_ms", cooldown_ms, 0, MAX_COOLDOWN_MS)
    check_text("username", username)
    args: list[Union[str, int]] = [_drawn(amount), cooldown_ms, username, "rank" if rank else ""]
    return args if factor is None else [*args, _factor_text(factor)]


def award_of(reply: list[Any]) -> Award:
    return Award(
        **_gain(reply),
        awarded=int(reply[2]),
        on_cooldown=reply[0] == "WAIT",
        cooldown_left_ms=int(reply[10]),
        rank=None if reply[9] == "" else int(reply[9]),
    )


def claim_args(
    reward: Union[int, Sequence[int]], utc_offset_minutes: int, grace_days: int, min_interval_ms: int, username: str
) -> list[Union[str, int]]:
    """Returns a claim as arguments of claim.lua, after the user id."""
    check_whole("utc_offset_minutes", utc_offset_minutes, -MAX_OFFSET_MINUTES, MAX_OFFSET_MINUTES)
    check_whole("grace_days", grace_days, 0, MAX_GRACE_DAYS)
    check_whole("min_interval_ms", min_interval_ms, 0, MAX_INTERVAL_MS)
    check_text("username", username)
    rewards = list(reward) if isinstance(reward, Sequence) else [reward]
    if not rewards:
        raise ValueError("reward must be a number or a list with one number or more")
    for xp in rewards:
        check_whole("reward", xp, 0, MAX_GAIN)
    return [utc_offset_minutes, grace_days, min_interval_ms, username, *rewards]


def claim_of(reply: list[Any]) -> Claim:
    return Claim(
        **_gain(reply),
        claimed=reply[0] == "OK",
        reward=int(reply[2]),
        streak=int(reply[9]),
        next_claim_at=time_of(int(reply[10])),
    )


def _drawn(amount: XpAmount) -> int:
    """Draws the number of a range here: Redis starts the random numbers of each script anew."""
    if not isinstance(amount, tuple):
        check_whole("amount", amount, 0, MAX_GAIN)
        return amount
    if len(amount) != 2:
        raise ValueError(f"amount must be a whole number, or the least and the greatest of a range, not {amount!r}")
    least, most = amount
    check_whole("amount[1]", most, 0, MAX_GAIN)
    check_whole("amount[0]", least, 0, most)
    return random.randint(least, most)


def _factor_text(factor: Union[int, float, str]) -> str:
    text = factor if isinstance(factor, str) else f"{factor:.6f}"
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{0,6})?", text) or float(text) > MAX_FACTOR or float(text) != float(factor):
        raise ValueError(f"factor must be a number from 0 to {MAX_FACTOR} with six decimals at most, not {factor!r}")
    return text


def _gain(reply: list[Any]) -> dict[str, Any]:
    xp_before, level_before, xp, level = (int(part) for part in reply[3:7])
    return {
        **{"xp_before": xp_before, "level_before": level_before, "xp": xp, "level": level},
        **{"created": reply[8] == "new", "hidden": reply[8] == "hidden"},
        "xp_to_next_level": None if reply[7] == "" else int(reply[7]),
        "repeated": reply[-1] == "repeated",
    }
