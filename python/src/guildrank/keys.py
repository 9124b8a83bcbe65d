"""The names of Redis keys. The braces put all keys of a guild into one slot of a Cluster."""

from __future__ import annotations

import hashlib
import re
from typing import Literal, get_args

from .checks import check_one_of
from .errors import InvalidInputError

BoardName = Literal["week", "week.prev", "month", "month.prev"]
"""A board. A name with ".prev" is the board of the last period that is over."""

BOARDS: tuple[BoardName, ...] = get_args(BoardName)
# The rule of the service for KEY_PREFIX. A prefix with braces would put all guilds into one slot of a Cluster.
_PREFIX = re.compile("[A-Za-z0-9:_.-]{1,64}")


class Keys:
    """Makes the names of keys from the KEY_PREFIX of the service."""

    def __init__(self, key_prefix: str) -> None:
        if not (isinstance(key_prefix, str) and _PREFIX.fullmatch(key_prefix)):
            raise InvalidInputError(f"key_prefix must be 1 to 64 of A-Z a-z 0-9 : _ . -, not {key_prefix!r}")
        self._prefix = key_prefix

    def of(self, guild_id: str, *names: str) -> list[str]:
        """Returns keys of a guild by their last parts."""
        return [f"{self._prefix}:{{{guild_id}}}:{name}" for name in names]

    def guild(self, guild_id: str, *further: str) -> list[str]:
        """Returns the first five keys of a script that writes, and then further keys."""
        return self.of(guild_id, "xp", "stats", "config", "hidden", "members", *further)

    def ranking(self, guild_id: str) -> list[str]:
        """Returns the keys of a script that only reads a ranking."""
        return self.of(guild_id, "xp", "stats", "config", "members")

    def board_rankings(self, guild_id: str, board: str = "") -> list[str]:
        """Returns the rankings of all boards, or of the present and the last board of a kind."""
        kind = board.split(".")[0]
        return [f"{self._prefix}:{{{guild_id}}}~{name}:xp" for name in BOARDS if name.startswith(kind)]

    def quota(self, guild_id: str) -> str:
        """Returns the key of a guild's quota of requests, which batch.lua wants with each read."""
        return f"{self._prefix}:quota:{{{guild_id}}}"

    def invite(self, token: str) -> str:
        """Returns the key of an invite to the dashboard, which has only the digest of the token."""
        return f"{self._prefix}:invite:{hashlib.sha256(token.encode()).hexdigest()}"


def with_boards(keys: list[str]) -> list[str]:
    """Puts the eight keys of the boards after the five of the guild, as a script wants them for a guild with boards."""
    base = keys[0][: -len(":xp")]
    boards = [f"{base}~{board}:{name}" for board in BOARDS for name in ("xp", "hidden")]
    return [*keys[:5], *boards, *keys[5:]]


def check_board(board: str | None) -> None:
    """Checks the name of a board, None for the ranking of the guild."""
    if board is not None:
        check_one_of("board", board, BOARDS)
