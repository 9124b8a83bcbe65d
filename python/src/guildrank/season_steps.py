"""The steps of the end of a season: the scripts season-*.lua, with their keys and the decoding of their replies."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from .errors import RefusedError
from .profiles import StoredMember, stored_member_of
from .scripts import Script

_LOCK = "next:xp:lock"
_GUILD = ("xp", "stats", "config", "hidden", "members")


class Step(NamedTuple):
    """A script, and its keys by their last parts."""

    script: Script
    keys: tuple[str, ...]


BEGIN = Step(Script("season-begin"), ("stats", "config", "season", "season:xp", _LOCK, "about"))
OPEN_ARCHIVE = Step(Script("season-open-archive"), ("xp", "stats", "config", "hidden", "season", _LOCK, "about"))
HOLD = Step(Script("season-hold"), (_LOCK,))
MARK = Step(Script("season-mark"), ("xp", "stats", "hidden", "members", "season:xp", _LOCK, "hidden:reasons", "avatars"))
PLACE = Step(Script("season-place", boards=True), (*_GUILD, _LOCK, "hidden:reasons"))
STAGE = Step(Script("stage", boards=True), (*_GUILD, _LOCK, "avatars"))
END_COPY = Step(Script("season-end-copy", boards=True), (*_GUILD, "season", "season:xp", _LOCK))
RESET = Step(Script("season-reset", boards=True), (*_GUILD, "season", "season:xp", _LOCK, "hidden:reasons", "avatars"))
FINISH = Step(Script("season-finish"), ("stats", "season", _LOCK))
UNLOCK = Step(Script("season-unlock"), (_LOCK,))

_CONFLICTS = {
    "BUSY": "guild_busy",
    "MOVING": "move_unfinished",
    "OTHER": "season_unfinished",
    "EXISTS": "archive_exists",
}


class BegunSeason(NamedTuple):
    """A season that has begun. Without a description of the guild, `name` and `icon` are ""."""

    id: str
    phase: str
    """"copy", "reset" or "done"."""
    curve: str
    multiplier: str
    name: str
    icon: str


class MarkedMembers(NamedTuple):
    """The marked members of a step."""

    invalid: str | None
    """The first user id that no member may have; then the rest is empty."""
    cursor: str
    members: Sequence[StoredMember]


class EndedCopy(NamedTuple):
    """How the copying of members ended."""

    status: str
    """"OK"; "MISSED" if members came meanwhile, or "AGAIN" if the server was replaced."""
    marked: int


class ResetMembers(NamedTuple):
    """What a step reset."""

    must_copy_again: bool
    left: int
    reset: int


def check_conflict(reply: Sequence[Any], guild_id: str) -> None:
    """Raises RefusedError when other work holds the guild or the archive, or when the archive has other data."""
    status, *rest = reply
    code = _CONFLICTS.get(status)
    if code == "season_unfinished":
        archive, *_ = rest
        raise RefusedError(code, {"guild": guild_id, "archive": str(archive)})
    if code is not None:
        raise RefusedError(code, {"guild": guild_id})


def begun_of(reply: Sequence[Any], guild_id: str) -> BegunSeason:
    """Decodes the reply of season-begin.lua. Raises RefusedError as `check_conflict` does."""
    check_conflict(reply, guild_id)
    _, *parts = reply
    return BegunSeason(*parts)


def server_of(reply: Sequence[Any]) -> str:
    """Decodes the reply of season-hold.lua: the name of the server, which is a new one after a restart or a failover."""
    _, server = reply
    return str(server)


def marked_of(reply: Sequence[Any]) -> MarkedMembers:
    """Decodes the reply of season-mark.lua."""
    status, first, *rows = reply
    if status == "INVALID":
        return MarkedMembers(str(first), "0", [])
    return MarkedMembers(None, str(first), [stored_member_of(row) for row in rows])


def place_args(members: Sequence[StoredMember]) -> list[str]:
    """Returns members as arguments of season-place.lua, after the token of the lock."""
    return [arg for member in members for arg in (member.user_id, member.reasons)]


def stage_args(members: Sequence[StoredMember]) -> list[str]:
    """Returns members as arguments of stage.lua, after the token of the lock."""
    return ["avatars", *(arg for member in members for arg in _staged(member))]


def _staged(member: StoredMember) -> tuple[str, str, str, str]:
    """Returns the XP, the user id, the profile and the avatar of a member, as stage.lua stores them."""
    shown = member.profile
    numbers = ["none" if value is None else str(value) for value in (shown.level, shown.streak, shown.claim_ms)]
    xp = f"hidden {member.xp}" if member.is_hidden else str(member.xp)
    return xp, member.user_id, " ".join([*numbers, shown.username]), member.avatar or "none"


def ended_copy_of(reply: Sequence[Any]) -> EndedCopy:
    """Decodes the reply of season-end-copy.lua."""
    status, *rest = reply
    return EndedCopy(status, int(rest[0]) if status == "OK" else 0)


def reset_of(reply: Sequence[Any]) -> ResetMembers:
    """Decodes the reply of season-reset.lua."""
    status, *counts = reply
    if status == "AGAIN":
        return ResetMembers(True, 0, 0)
    left, reset = counts
    return ResetMembers(False, int(left), int(reset))
