"""XP and profiles of members, as record.lua takes them, and what it replies."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Mapping, Sequence, TypedDict

from .checks import check_whole, checked_text
from .curves import MAX_XP
from .errors import InvalidInputError
from .picture_hash import avatar_change
from .unchanged import UNCHANGED, Unchanged

_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class ProfileChange(TypedDict, total=False):
    """Fields of the profile of a member, as `set_profiles` takes them. A field left out stays as it is; None removes it."""

    username: str | None
    """Display name, up to 512 bytes. An empty name removes it, as None does, and a ranking then shows the user id."""
    level: int | None
    """An explicit level. It replaces the level that is computed from XP, until it is removed."""
    daily_streak: int | None
    """Days in a row."""
    last_daily_claim: datetime | str | None
    """A datetime with a time zone, or a text of ISO 8601 with a time zone; at most a day from now."""
    avatar: str | None
    """Discord's hash of the avatar: 32 hex digits; the hash of an animated avatar begins with "a_"."""


_FIELDS = tuple(ProfileChange.__annotations__)


@dataclass(frozen=True)
class XpRecord:
    """A change of one member's XP, either `set` or `add`, and of the profile. A user who is not a member becomes a member.

    XP is a whole number 0 .. 2^53-1; an `add` may be below 0. With `floor=0`, an `add` below 0 takes as much XP as the member has, down to
    0, and passes over a user who is not a member. Without `floor`, a call that takes more XP than the member has is refused. With `hidden`,
    a `set` makes a user who is not a member a hidden member.

    The other fields are those of `ProfileChange`. A field left out stays as it is; None removes it.
    """

    user_id: str
    add: int | None = None
    set: int | None = None
    floor: int | None = None
    hidden: bool = False
    username: str | None | Unchanged = UNCHANGED
    level: int | None | Unchanged = UNCHANGED
    daily_streak: int | None | Unchanged = UNCHANGED
    last_daily_claim: datetime | str | None | Unchanged = UNCHANGED
    avatar: str | None | Unchanged = UNCHANGED


@dataclass(frozen=True)
class XpChange:
    """Total XP and level before and after a write.

    Without an explicit level, a greater level after the write is a level-up, and a smaller level is a level-down.
    """

    xp_before: int
    level_before: int
    xp: int
    level: int


@dataclass(frozen=True)
class MemberChange(XpChange):
    """One member of a write: `created` says that the user was not a member before, `hidden` that the member is hidden."""

    user_id: str
    created: bool
    hidden: bool


@dataclass(frozen=True)
class RecordResult(XpChange):
    """The result of a write. XP and levels belong to the last member recorded; 0 for a write without members."""

    revision: str
    """The guild's new revision."""
    created: int
    """Members that were not in the ranking before."""
    members: Sequence[MemberChange]
    """One for each record, in the same order."""
    repeated: bool
    """Whether the event had this reply before, in all its parts. Then nothing was changed."""


def record_args(record: XpRecord, path: str = "") -> list[str]:
    """Returns a record as arguments of record.lua, with an avatar. `path` names its place in a list. Raises InvalidInputError."""
    if not isinstance(record, XpRecord):
        raise InvalidInputError(f"{path or 'The record'} must be an XpRecord, not {record!r}")
    problem = _problem_of(record)
    if problem:
        raise InvalidInputError(f"{path or 'The record'} {problem}")
    for name, amount in (("set", record.set), ("add", record.add)):
        if not (amount is None or type(amount) is int):
            raise InvalidInputError(f"{_at(path, name)} must be a whole number, not {amount!r}")
    given = {name: getattr(record, name) for name in _FIELDS}
    profile = {name: value for name, value in given.items() if value is not UNCHANGED}
    return [_xp_change(record), record.user_id, *profile_change(profile, path)]


def call_args(calls: Sequence[Sequence[str | int]]) -> tuple[bool, list[str | int]]:
    """Returns whether some of the records change an avatar, and all records as ARGV of record.lua has them."""
    if not any(avatar for *_, avatar in calls):
        return False, [arg for call in calls for arg in call[:3]]
    return True, ["avatars", *(arg for call in calls for arg in call)]


def _problem_of(record: XpRecord) -> str | None:
    """Returns which fields of a record do not go together."""
    if record.set is None and record.add is None:
        return "has no XP: give set or add"
    if record.set is not None and record.add is not None:
        return "has set and add: give one of them"
    if record.hidden and record.set is None:
        return "has hidden, which goes with set only"
    if record.floor is not None and record.set is not None:
        return "has floor, which goes with add only"
    if record.floor not in (None, 0):
        return f"has the floor {record.floor!r}: only 0 is one"
    return None


def _xp_change(record: XpRecord) -> str:
    if record.set is not None:
        return f"hidden {record.set}" if record.hidden else str(record.set)
    amount = record.add or 0
    return f"take {-amount}" if record.floor == 0 and amount < 0 else f"add {amount}"


def profile_change(profile: Mapping[str, Any], path: str = "") -> tuple[str, str]:
    """Returns a change of a profile and of the avatar as record.lua takes them. `path` names the place of the fields. Raises InvalidInputError.

    In the profile, "-" leaves a part as it is, and "none" removes it.
    """
    if not isinstance(profile, dict):
        raise InvalidInputError(f"{path} must be a dict with {', '.join(_FIELDS)}, not {profile!r}")
    for name in profile:
        if name not in _FIELDS:
            raise InvalidInputError(f"{_at(path, name)} is no field of a profile: use {', '.join(_FIELDS)}")
    parts = ["-", "-", "-"]
    for place, name in enumerate(("level", "daily_streak")):
        if name in profile:
            parts[place] = _whole_or_none(profile[name], _at(path, name))
    if "last_daily_claim" in profile:
        parts[2] = _time_or_none(profile["last_daily_claim"], _at(path, "last_daily_claim"))
    if "username" in profile:
        username = profile["username"]
        parts.append("" if username is None else checked_text(_at(path, "username"), username))
    avatar = avatar_change(_at(path, "avatar"), profile["avatar"]) if "avatar" in profile else ""
    return "" if parts == ["-", "-", "-"] else " ".join(parts), avatar


def _whole_or_none(value: object, name: str) -> str:
    if value is None:
        return "none"
    check_whole(name, value, 0, MAX_XP)
    return str(value)


def _time_or_none(value: object, name: str) -> str:
    """Returns a time in milliseconds since 1970."""
    if value is None:
        return "none"
    time_given = _parsed(value) if isinstance(value, str) else value
    if not isinstance(time_given, datetime):
        raise InvalidInputError(f"{name} must be a datetime or a text of ISO 8601, not {value!r}")
    if time_given.tzinfo is None:
        raise InvalidInputError(f"{name} must have a time zone, such as datetime.now(timezone.utc)")
    ms = (time_given - _EPOCH) // timedelta(milliseconds=1)
    # A day covers clocks that differ, and times in another zone.
    if ms > time.time() * 1000 + _DAY_MS:
        raise InvalidInputError(f"{name} is more than a day from now: no member can have claimed then")
    return str(ms)


def _parsed(text: str) -> datetime | None:
    try:
        # Python knows the Z of UTC from 3.11 on.
        return datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)
    except ValueError:
        return None


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


@dataclass(frozen=True)
class Recorded:
    """The result of one call of record.lua."""

    revision: str
    created: int
    members: Sequence[MemberChange]
    passed_over: frozenset[str]
    """The users that the call passed over, because they are not members."""
    repeated: bool


def recorded_of(reply: list[Any], user_ids: Sequence[str]) -> Recorded:
    """Decodes the reply of record.lua for a call with "each" that named these users."""
    _, revision, created, _, _, *texts = reply
    parts = [(user_id, text.split(" ")) for user_id, text in zip(user_ids, texts)]
    return Recorded(
        revision=str(revision),
        created=int(created),
        members=[_member_change(user_id, *numbers) for user_id, numbers in parts],
        passed_over=frozenset(user_id for user_id, (*_, state) in parts if state == "none"),
        repeated=reply[-1] == "repeated",
    )


def _member_change(user_id: str, xp_before: str, level_before: str, xp: str, level: str, state: str) -> MemberChange:
    numbers = int(xp_before), int(level_before), int(xp), int(level)
    return MemberChange(*numbers, user_id, created=state == "new", hidden=state == "hidden")


def record_result(calls: Sequence[Recorded]) -> RecordResult:
    """Returns the result of a write from the results of its calls of record.lua."""
    members = [member for call in calls for member in call.members]
    last = members[-1] if members else XpChange(0, 0, 0, 0)
    return RecordResult(
        xp_before=last.xp_before,
        level_before=last.level_before,
        xp=last.xp,
        level=last.level,
        revision=calls[-1].revision,
        created=sum(call.created for call in calls),
        members=members,
        repeated=all(call.repeated for call in calls),
    )
