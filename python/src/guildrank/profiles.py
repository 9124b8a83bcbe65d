"""Values as they are stored: the profile "LEVEL STREAK CLAIM NAME" of a member, numbers and times."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Literal, NamedTuple, get_args

from .curves import MAX_XP

HideReason = Literal["left", "self", "moderator"]
"""Why a member is hidden."""

HIDE_REASONS: tuple[HideReason, ...] = get_args(HideReason)
# The latest time that JavaScript knows, and the times that a datetime can show.
MAX_TIME_MS = 8_640_000_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FIRST_MS = -62_135_596_800_000
_LAST_MS = 253_402_300_799_000


class Shown(NamedTuple):
    """A profile: the explicit level if there is one, a name or "", and the last claim in milliseconds since 1970."""

    level: int | None = None
    streak: int = 0
    claim_ms: int | None = None
    username: str = ""


def split_profile(value: str | None) -> Shown:
    """Returns the parts of a profile. A text without three parts before the name, or without a readable part, counts as no profile."""
    parts = (value or "").split(" ", 3)
    if len(parts) < 3:
        return Shown()
    level, streak, claim = parts[:3]
    time = re.fullmatch("(-?[0-9]+)([+-][0-9]*)?", claim)
    if not (level == "-" or is_digits(level) or is_digits(streak) or time):
        return Shown()
    claim_ms = float(time[1]) if time else MAX_TIME_MS + 1
    return Shown(
        whole_xp(level) if is_digits(level) else None,
        whole_xp(streak),
        int(claim_ms) if abs(claim_ms) <= MAX_TIME_MS else None,
        parts[3] if len(parts) > 3 else "",
    )


class StoredMember(NamedTuple):
    """A member as lib-row.lua writes it."""

    user_id: str
    xp: int
    is_hidden: bool
    reasons: str
    """Why the member is hidden: its reasons with spaces between them, as they are stored; "" for a ranked member."""
    avatar: str
    """Discord's hash of the avatar, "" for none."""
    profile: Shown


def stored_member_of(row: str) -> StoredMember:
    """Decodes a text of lib-row.lua: lines with the user id, the XP, the place and the avatar, and then the profile."""
    user_id, xp, place, avatar, profile = row.split("\n", 4)
    state, _, reasons = place.partition(" ")
    return StoredMember(user_id, whole_xp(xp), state == "hidden", reasons, avatar, split_profile(profile))


def time_of(ms: int) -> datetime:
    """Returns the time of milliseconds since 1970, in UTC. One before the year 1 or after 9999 is the nearest that a datetime shows."""
    return _EPOCH + timedelta(milliseconds=min(max(ms, _FIRST_MS), _LAST_MS))


def whole_xp(text: str) -> int:
    """Returns a whole number 0 .. 2^53-1 for any text: a raw writer can leave a fraction, a negative number or an infinity."""
    try:
        number = float(text)
    except ValueError:
        return 0
    if number >= MAX_XP:
        return MAX_XP
    return int(number) if number > 0 else 0


def is_digits(text: str) -> bool:
    """Returns whether a text is one ASCII digit or more, and nothing else."""
    return text.isascii() and text.isdigit()


def reasons_in(text: str) -> tuple[HideReason, ...]:
    """Returns the reasons that a text names, in their order. A text that names no reason stands for "moderator"."""
    words = text.split(" ")
    return tuple(reason for reason in HIDE_REASONS if reason in words) or ("moderator",)
