"""Members that are hidden for a reason, and the comparison of a guild with its server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Collection, Mapping, Sequence

from .checks import ConflictError, accepted, check_ids, check_one_of, in_slices
from .keys import Keys
from .profiles import HIDE_REASONS, reasons_in
from .scripts import Scripts


@dataclass(frozen=True)
class Places:
    """How many members left the ranking or came back, and the reasons of those named that are hidden now."""

    changed: int
    hidden: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Sync:
    """Ranked members before; those of them that had left; hidden ones that had come back. With `dry_run` nothing was changed."""

    ranked: int
    left: int
    returned: int


async def change_reason(scripts: Scripts, keys: Keys, direction: str, guild: str, users: Sequence[str], reason: str) -> Places:
    check_ids(guild, *users)
    check_one_of("reason", reason, HIDE_REASONS)
    changed = 0
    hidden: dict[str, list[str]] = {}
    for some in in_slices(users):
        reply = accepted(await scripts.run("hide", keys.guild(guild, "hidden:reasons"), [direction, reason, *some]))
        changed += int(reply[2])
        for user, _, reasons in (text.partition(" ") for text in reply[3:]):
            hidden[user] = list(reasons_in(reasons))
    return Places(changed, hidden)


async def sync_members(
    scripts: Scripts, keys: Keys, guild: str, present: Collection[str], dry_run: bool, max_share: float
) -> Sync:
    check_ids(guild)
    if isinstance(max_share, bool) or not (isinstance(max_share, (int, float)) and 0 <= max_share <= 1):
        raise ValueError(f"max_share must be a number from 0 to 1, not {max_share!r}")
    if isinstance(present, (list, tuple)):
        check_ids(guild, *present)
        # A search of a list for each member takes the square of the time.
        present = frozenset(present)
    if len(present) == 0:
        raise ValueError("The list of present members is empty: give all user ids of the server")
    left, ranked = await _listed(scripts, keys, guild, "ranked", lambda user: user not in present)
    returned, _ = await _listed(scripts, keys, guild, "left", lambda user: user in present)
    if not dry_run:
        if len(left) > max_share * ranked:
            raise ConflictError(f"The list lacks {len(left)} of {ranked} ranked members: nothing was changed. Complete it, or raise max_share")
        # Who comes or leaves meanwhile changes `present`.
        for some in in_slices(returned):
            await change_reason(scripts, keys, "unhide", guild, [user for user in some if user in present], "left")
        for some in in_slices(left):
            await change_reason(scripts, keys, "hide", guild, [user for user in some if user not in present], "left")
    return Sync(ranked, len(left), len(returned))


async def _listed(scripts: Scripts, keys: Keys, guild: str, kind: str, passes: Callable[[str], bool]) -> tuple[list[str], int]:
    """Returns the members of a kind that pass, each once, and the number of ranked members."""
    found: dict[str, None] = {}
    cursor = "0"
    while True:
        cursor, ranked, *users = await scripts.run("list", keys.guild(guild, "hidden:reasons"), [kind, cursor])
        found.update((user, None) for user in users if passes(user))
        if cursor == "0":
            return list(found), int(ranked)
