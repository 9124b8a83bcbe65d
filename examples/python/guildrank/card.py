"""The data of a rank card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .curves import MAX_XP, Curve, progress, xp_for_level
from .profiles import reasons_in, split_profile
from .ranking import Row, page_of, stored_curve


@dataclass(frozen=True)
class CardProgress:
    """XP gained in the level, and from its start to the next one: 0 at the highest level."""

    gained: int
    needed: int


@dataclass(frozen=True)
class Card:
    """A member, ranked or hidden, with its neighbours in the ranking. All of it was read at one moment.

    `rank`, `above` and `below` are None for a hidden member, whose reasons are in `hidden`; a ranked one has None there. `progress` is None
    for an explicit level, which XP does not change. `next_level_xp` is the total XP at which the next level begins, if there is one.
    """

    rank: int | None
    total: int
    user_id: str
    username: str
    level: int
    xp: int
    progress: CardProgress | None
    next_level_xp: int | None
    above: Row | None
    below: Row | None
    daily_streak: int
    hidden: tuple[str, ...] | None


def card_of(reply: list[Any], user: str) -> Card | None:
    """Decodes the reply of card.lua. None for a user who is no member."""
    place, first, reasons, page = reply
    if place == "none":
        return None
    shown = page_of(page, int(first))
    rows = [None, *shown.rows, None]
    index = next(index for index, row in enumerate(rows) if row and row.user_id == user)
    row = shown.rows[index - 1]
    profile = split_profile(page[4][index - 1])
    way, next_level_xp = (None, None) if profile.level is not None else _way(stored_curve(page[2]), row.xp)
    is_ranked = place == "ranked"
    return Card(
        rank=row.rank if is_ranked else None,
        total=shown.total,
        user_id=user,
        username=row.username,
        level=row.level,
        xp=row.xp,
        progress=way,
        next_level_xp=next_level_xp,
        above=rows[index - 1],
        below=rows[index + 1],
        daily_streak=profile.streak,
        hidden=None if is_ranked else reasons_in(reasons),
    )


def _way(curve: Curve, xp: int) -> tuple[CardProgress, int | None]:
    """Returns the way to the next level. The highest level is that of the curve, or the last one that XP can reach."""
    there = progress(curve, xp)
    next_level_xp = xp_for_level(curve, there.level + 1)
    if there.needed == 0 or next_level_xp > MAX_XP:
        return CardProgress(there.gained, 0), None
    return CardProgress(there.gained, there.needed), next_level_xp
