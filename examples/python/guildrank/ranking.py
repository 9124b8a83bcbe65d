"""Rankings, members and counters, as a bot reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .curves import Curve, curve_name, level_for_xp, parse_curve
from .profiles import is_digits, split_profile, time_of, whole_xp
from .scripts import exceptions


@dataclass(frozen=True)
class Row:
    """One row of a ranking. Without a display name, `username` is the user id."""

    rank: int
    user_id: str
    username: str
    level: int
    xp: int


@dataclass(frozen=True)
class Page:
    """A part of a ranking, and the number of all members in it. All was read at one moment."""

    rows: list[Row]
    total: int


@dataclass(frozen=True)
class Member(Row):
    """A ranked member with its daily claims. `last_daily_claim` is in UTC, None when there was none."""

    daily_streak: int
    last_daily_claim: datetime | None


@dataclass(frozen=True)
class Stats:
    """Counters of the members with XP above 0, and the curve of the guild. `average_level` is rounded half up, 0 without members.

    `curve` has the numbers for `level_for_xp`, `xp_for_level` and `progress`.
    """

    total_members: int
    total_xp: int
    average_level: int
    xp_curve: str
    curve: Curve
    xp_multiplier: float


def stored_curve(text: str) -> Curve:
    """Returns the curve of a guild. Raises ResponseError "CURVE", as the scripts do, for one with unfit numbers."""
    try:
        return parse_curve(text)
    except ValueError as error:
        raise exceptions.ResponseError(f"CURVE the guild has the curve {text}, with unfit numbers: set a known curve") from error


def page_of(reply: list[Any], first: int) -> Page:
    """Decodes a reply of "page" in batch.lua, whose first row has the rank `first`, from 0. That of a board has the XP in the guild too."""
    _, total, stored, cells, profiles, *rest = reply
    curve = stored_curve(stored)
    in_guild = rest[0] if rest else cells[1::2]
    rows = []
    for index, profile in enumerate(profiles):
        user, xp = cells[2 * index], whole_xp(cells[2 * index + 1])
        shown = split_profile(profile)
        level = level_for_xp(curve, whole_xp(in_guild[index])) if shown.level is None else shown.level
        rows.append(Row(first + index + 1, user, shown.username or user, level, xp))
    return Page(rows, int(total))


def member_of(reply: list[Any], user: str) -> Member | None:
    """Decodes a reply of "member" in batch.lua."""
    rank = int(reply[1])
    if rank < 0:
        return None
    _, _, score, stored, profile, *rest = reply
    shown = split_profile(profile)
    level = shown.level
    if level is None:
        level = level_for_xp(stored_curve(stored), whole_xp(rest[0] if rest else score))
    claim = None if shown.claim_ms is None else time_of(shown.claim_ms)
    return Member(rank + 1, user, shown.username or user, level, whole_xp(score), shown.streak, claim)


def stats_of(reply: list[Any]) -> Stats:
    """Decodes a reply of "stats" in batch.lua."""
    _, members, total, level_sum, stored, multiplier = reply
    count = whole_xp(members)
    # A sum of explicit levels can pass 2^53.
    levels = int(level_sum) if is_digits(level_sum) else whole_xp(level_sum)
    return Stats(
        total_members=count,
        total_xp=int(total) if is_digits(total) else 0,
        average_level=(2 * levels + count) // (2 * count) if count else 0,
        xp_curve=curve_name(stored),
        curve=stored_curve(stored),
        xp_multiplier=_multiplier(multiplier),
    )


def _multiplier(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 1.0
    return number if math.isfinite(number) and number >= 0 else 1.0
