"""The data of a rank card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from .curves import MAX_XP, Curve, progress, xp_to_reach
from .profiles import HideReason, reasons_in, split_profile
from .ranking import RankedMember, part_of, stored_curve


@dataclass(frozen=True)
class CardProgress:
    """How far a member is in its level."""

    gained: int
    """XP gained in the level."""
    needed: int
    """XP from the start of the level to the next level: 0 at the highest level."""


@dataclass(frozen=True)
class MemberCard:
    """The data of one member that a rank card shows, all read at one moment."""

    rank: int | None
    """Position in the ranking, from 1; None for a hidden member."""
    total: int
    """Members in the ranking, including members with XP 0."""
    user_id: str
    username: str
    """The display name; the user id for a member without a name."""
    level: int
    xp: int
    progress: CardProgress | None
    """None for a member with an explicit level, which XP does not change."""
    next_level_xp: int | None
    """Total XP at which the next level begins; None at the highest level, and for an explicit level."""
    above: RankedMember | None
    """The member one rank above; None for the first member of the ranking and for a hidden member."""
    below: RankedMember | None
    """The member one rank below; None for the last member of the ranking and for a hidden member."""
    daily_streak: int
    """Days in a row."""
    hidden: Sequence[HideReason] | None
    """Why the member is hidden, one reason or more; None for a ranked member."""


def card_of(reply: list[Any], user_id: str) -> MemberCard | None:
    """Decodes the reply of card.lua. None for a user who is not a member."""
    place, first, reasons, page = reply
    if place == "none":
        return None
    shown = part_of(page, int(first))
    rows = [None, *shown.data, None]
    index = next(index for index, row in enumerate(rows) if row and row.user_id == user_id)
    row = shown.data[index - 1]
    profile = split_profile(page[4][index - 1])
    way, next_level_xp = (None, None) if profile.level is not None else _way(stored_curve(page[2]), row.xp)
    is_ranked = place == "ranked"
    return MemberCard(
        rank=row.rank if is_ranked else None,
        total=shown.total,
        user_id=user_id,
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
    """Returns the way to the next level. The highest level is the highest level of the curve, or the last level that XP can reach."""
    there = progress(curve, xp)
    next_level_xp = xp_to_reach(curve, there.level + 1)
    if there.needed == 0 or next_level_xp > MAX_XP:
        return CardProgress(there.gained, 0), None
    return CardProgress(there.gained, there.needed), next_level_xp
