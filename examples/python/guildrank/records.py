"""XP and profiles of members, as record.lua takes them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Mapping, Union

from .checks import check_text
from .profiles import is_digits

# Fields of a profile: username, level, daily_streak, and last_daily_claim as a datetime or in milliseconds since 1970, at most a day from now.
# "" or None removes a field.
Profile = Mapping[str, Union[str, int, datetime, None]]
_DAY_MS = 86_400_000
# In the order of a stored profile, before the name.
_NUMBERS = ("level", "daily_streak", "last_daily_claim")


@dataclass(frozen=True)
class Record:
    """XP to add or to set for one user, with fields of the profile.

    With `floor=0`, an `add` below 0 takes what is there, and passes over a user who is no member. Without XP, only the profile of a member
    that exists changes.
    """

    user: str
    add: int | None = None
    set: int | None = None
    profile: Profile | None = None
    floor: int | None = None


@dataclass(frozen=True)
class Change:
    """XP and level of a member before and after a call. A greater level afterwards is a level-up, a smaller one a level-down.

    `repeated` says that the event had this answer before, and nothing was changed.
    """

    xp_before: int
    level_before: int
    xp: int
    level: int
    created: bool
    hidden: bool
    repeated: bool = False


def record_args(record: Record) -> list[str]:
    """Returns a record as arguments of record.lua."""
    if record.floor not in (None, 0):
        raise ValueError(f"floor can be 0 only, not {record.floor!r}")
    if record.set is not None and record.add is not None:
        raise ValueError(f"The record of the user {record.user} has add and set: give one of them")
    for name, amount in (("set", record.set), ("add", record.add)):
        if not (amount is None or type(amount) is int):
            raise ValueError(f"{name} must be a whole number, not {amount!r}")
    xp = "keep"
    if record.set is not None:
        xp = str(record.set)
    elif record.add is not None:
        xp = f"take {-record.add}" if record.floor == 0 and record.add < 0 else f"add {record.add}"
    return [xp, record.user, profile_change(record.profile or {})]


def profile_change(profile: Profile) -> str:
    """Returns a change of a profile as record.lua takes it: "-" leaves a part as it is, "none" removes it."""
    unknown = set(profile) - {"username", *_NUMBERS}
    if unknown:
        raise ValueError(f"A profile has no field {sorted(unknown, key=str)[0]!r}: it has username, {', '.join(_NUMBERS)}")
    parts = [_part_of(name, profile[name]) if name in profile else "-" for name in _NUMBERS]
    # A day covers clocks that differ, and times in another zone.
    if is_digits(parts[2]) and int(parts[2]) > time.time() * 1000 + _DAY_MS:
        raise ValueError("last_daily_claim is more than a day from now: no member can have claimed then")
    if "username" in profile:
        username = profile["username"]
        if username is not None:
            check_text("username", username)
        parts.append(str(username or ""))
    return "" if parts == ["-", "-", "-"] else " ".join(parts)


def _part_of(name: str, value: Union[str, int, datetime, None]) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{name} must have a time zone, such as datetime.now(timezone.utc)")
        value = (value - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1)
    if value is None or value == "":
        return "none"
    if not is_digits(str(value).removeprefix("-")):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    return str(value)


def change_of(text: str, repeated: bool) -> Change:
    """Decodes the text of one member in a reply of record.lua."""
    *numbers, place = text.split(" ")
    xp_before, level_before, xp, level = map(int, numbers)
    return Change(xp_before, level_before, xp, level, created=place == "new", hidden=place == "hidden", repeated=repeated)
