"""Rankings, members and counters, as a bot reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Sequence

from .curves import Curve, curve_name, level_for_xp, parse_curve
from .errors import InvalidInputError, StoreUnavailableError
from .profiles import is_digits, split_profile, time_of, whole_xp


@dataclass(frozen=True)
class RankedMember:
    """One row of a ranking."""

    rank: int
    """Position in the ranking, from 1."""
    user_id: str
    username: str
    """The display name; the user id for a member without a name."""
    level: int
    xp: int
    """Total XP, 0 .. 2^53-1; on a board, the XP gained in its period."""


@dataclass(frozen=True)
class Period:
    """The week or the month of a board, by the clock of the guild. Both times are in UTC."""

    start: datetime
    """Local midnight of its first day."""
    end: datetime
    """Time at which the next period begins."""


@dataclass(frozen=True)
class RankingPart:
    """Rows of a ranking, with its total. Rows, ranks and total were read at one moment."""

    data: Sequence[RankedMember]
    total: int
    """Members in the ranking, including members with XP 0."""
    period: Period | None
    """The week or month that a board counts. None for the ranking of the guild, and for a board that the guild does not have."""


@dataclass(frozen=True)
class RankingPage(RankingPart):
    """One page of a ranking, by its number from 1."""

    page: int


@dataclass(frozen=True)
class Member(RankedMember):
    """A ranked member with its daily claims."""

    daily_streak: int
    """Days in a row."""
    last_daily_claim: datetime | None
    """Time of the last claim, in UTC; None if the member has never claimed."""


@dataclass(frozen=True)
class GuildStats:
    """The counters of a guild and its curve."""

    total_members: int
    """Members with XP above 0."""
    total_xp: int
    average_level: int
    """Mean level of the members with XP above 0, rounded half up; 0 without members."""
    xp_curve: str
    """The name of the curve, "custom" for a curve of the guild's own."""
    curve: Curve
    """The numbers of the curve, for `level_for_xp`, `xp_for_level` and `progress`."""
    xp_multiplier: float


def stored_curve(text: str) -> Curve:
    """Returns the curve of a guild. Raises StoreUnavailableError "CURVE", as the scripts do, for a curve with unfit numbers."""
    try:
        return parse_curve(text)
    except InvalidInputError as error:
        message = f"The guild has the curve {text[:100]}, with unfit numbers: set a known curve"
        raise StoreUnavailableError(message, "CURVE", message=message) from error


def part_of(reply: list[Any], first: int) -> RankingPart:
    """Decodes a reply of "page" in batch.lua, whose first row has the rank `first`, from 0. The reply of a
    board also has the XP in the guild, and the limits of its period in seconds since 1970."""
    _, total, stored, cells, profiles, *rest = reply
    curve = stored_curve(stored)
    in_guild = rest[0] if rest else cells[1::2]
    limits = [time_of(1000 * int(seconds)) for seconds in rest[1]] if rest else []
    rows = []
    for index, profile in enumerate(profiles):
        user, xp = cells[2 * index], whole_xp(cells[2 * index + 1])
        shown = split_profile(profile)
        level = level_for_xp(curve, whole_xp(in_guild[index])) if shown.level is None else shown.level
        rows.append(RankedMember(first + index + 1, user, shown.username or user, level, xp))
    return RankingPart(rows, int(total), Period(*limits) if limits else None)


def around_of(reply: list[Any]) -> RankingPart | None:
    """Decodes the reply of around.lua. None for a user who is not ranked."""
    first, page = reply
    return None if int(first) < 0 else part_of(page, int(first))


def member_of(reply: list[Any], user_id: str) -> Member | None:
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
    return Member(rank + 1, user_id, shown.username or user_id, level, whole_xp(score), shown.streak, claim)


def stats_of(reply: list[Any]) -> GuildStats:
    """Decodes a reply of "stats" in batch.lua."""
    _, members, total, level_sum, stored, multiplier = reply
    count = whole_xp(members)
    # A sum of explicit levels can pass 2^53.
    levels = int(level_sum) if is_digits(level_sum) else whole_xp(level_sum)
    return GuildStats(
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
