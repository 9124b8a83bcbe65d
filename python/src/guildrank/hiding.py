"""Members that are hidden for a reason, and the comparison of a guild with its server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Collection, Sequence

from .checks import accepted, check_ids, check_list, check_one_of, checked_user_ids, in_slices
from .errors import InvalidInputError, RefusedError
from .keys import Keys
from .listed import list_members
from .profiles import HIDE_REASONS, HideReason, reasons_in
from .scripts import Script, Scripts

_HIDE = Script("hide", boards=True)


@dataclass(frozen=True)
class HiddenMember:
    """A hidden member, with one reason at least: "left", "self" or "moderator"."""

    user_id: str
    reasons: Sequence[HideReason]


@dataclass(frozen=True)
class HideResult:
    """The members whose place a call has changed, and the named members that are hidden now."""

    changed: int
    """Members that left the ranking, or came back into it."""
    hidden: Sequence[HiddenMember]
    """The named members that are hidden now, with all their reasons."""


@dataclass(frozen=True)
class SyncResult:
    """The changes of a comparison with the server; with `dry_run`, the changes that it would make."""

    ranked: int
    """Ranked members before."""
    left: int
    """Ranked members that are not present: they get the reason "left"."""
    returned: int
    """Hidden members with the reason "left" that are present: they lose it, and come back unless they have another reason."""


async def change_reason(
    scripts: Scripts, keys: Keys, mode: str, guild_id: str, user_ids: Collection[str], reason: HideReason
) -> HideResult:
    """Runs hide.lua in the mode "hide" or "unhide", in slices."""
    users = checked_user_ids(guild_id, user_ids)
    check_one_of("reason", reason, HIDE_REASONS)
    changed = 0
    hidden: list[HiddenMember] = []
    for some in in_slices(users):
        change = _hide_result_of(await scripts.run(_HIDE, keys.guild(guild_id, "hidden:reasons"), [mode, reason, *some]))
        changed += change.changed
        hidden += change.hidden
    return HideResult(changed, hidden)


def _hide_result_of(reply: list[Any]) -> HideResult:
    """Decodes the reply of hide.lua. Raises RefusedError."""
    _, _, changed, *texts = accepted(reply)
    parts = [text.partition(" ") for text in texts]
    return HideResult(int(changed), [HiddenMember(user_id, reasons_in(reasons)) for user_id, _, reasons in parts])


async def sync_members(
    scripts: Scripts, keys: Keys, guild_id: str, present_ids: Collection[str], dry_run: bool, max_share: float
) -> SyncResult:
    """Compares a guild with its server: see `GuildWriter.sync_members`."""
    present = _checked_present(guild_id, present_ids)
    if isinstance(max_share, bool) or not (isinstance(max_share, (int, float)) and 0 <= max_share <= 1):
        raise InvalidInputError(f"max_share must be a number from 0 to 1, not {max_share!r}")
    left, ranked = await _listed(scripts, keys, guild_id, "ranked", lambda user_id: user_id not in present)
    returned, _ = await _listed(scripts, keys, guild_id, "left", lambda user_id: user_id in present)
    result = SyncResult(ranked, len(left), len(returned))
    if dry_run:
        return result
    if len(left) > max_share * ranked:
        params = {"left": len(left), "ranked": ranked, "share": _percent(len(left) / ranked), "max_share": _percent(max_share)}
        raise RefusedError("present_incomplete", params)
    # A member that comes or leaves meanwhile changes `present`.
    for some in in_slices(returned):
        await change_reason(scripts, keys, "unhide", guild_id, [user_id for user_id in some if user_id in present], "left")
    for some in in_slices(left):
        await change_reason(scripts, keys, "hide", guild_id, [user_id for user_id in some if user_id not in present], "left")
    return result


def _checked_present(guild_id: str, present_ids: Collection[str]) -> Collection[str]:
    check_list("present_ids", present_ids)
    check_ids(guild_id)
    if len(present_ids) == 0:
        raise InvalidInputError("The list of present members is empty: give all user ids of the server")
    if isinstance(present_ids, (list, tuple)):
        check_ids(guild_id, *present_ids)
        # A search of a list for each member takes the square of the time.
        return frozenset(present_ids)
    return present_ids


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")


async def _listed(
    scripts: Scripts, keys: Keys, guild_id: str, kind: str, passes: Callable[[str], bool]
) -> tuple[list[str], int]:
    """Returns the members of a kind that pass, each once, and the number of ranked members."""
    found: dict[str, None] = {}
    cursor = "0"
    while True:
        step = await list_members(scripts, keys, guild_id, kind, cursor)
        found.update((user_id, None) for user_id in step.user_ids if passes(user_id))
        cursor = step.cursor
        if cursor == "0":
            return list(found), step.ranked
