"""Lists of members, in the steps in which Redis scans them."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from .keys import Keys
from .scripts import Script, Scripts

_LIST = Script("list", writes=False)


class Listed(NamedTuple):
    """The members of one step."""

    cursor: str
    """Where the next step begins; "0" at the end."""
    ranked: int
    """Ranked members of the guild."""
    user_ids: Sequence[str]


def _listed_of(reply: list[Any]) -> Listed:
    """Decodes the reply of list.lua."""
    cursor, ranked, *user_ids = reply
    return Listed(str(cursor), int(ranked), user_ids)


async def list_members(scripts: Scripts, keys: Keys, guild_id: str, kind: str, cursor: str) -> Listed:
    """Runs list.lua: lists "ranked" or "hidden" members, or those with the reason "left", from a cursor on, "0" to begin. O(1)."""
    return _listed_of(await scripts.run(_LIST, keys.guild(guild_id, "hidden:reasons"), [kind, cursor]))
