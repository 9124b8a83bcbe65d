"""The names of Redis keys. The braces put all keys of a guild into one slot of a Cluster."""

from __future__ import annotations

import hashlib
import re

from .checks import check_one_of

# Those of ".prev" are the last ones that are over.
BOARDS = ("week", "week.prev", "month", "month.prev")
# With braces, all guilds would be in one slot of a Cluster.
_PREFIX = re.compile("[A-Za-z0-9:_.-]{1,64}")


class Keys:
    """Makes the names of keys from the KEY_PREFIX of the service."""

    def __init__(self, prefix: str) -> None:
        if not (isinstance(prefix, str) and _PREFIX.fullmatch(prefix)):
            raise ValueError(f"prefix must be 1 to 64 of A-Z a-z 0-9 : _ . -, not {prefix!r}")
        self._prefix = prefix

    def of(self, guild: str, *names: str) -> list[str]:
        return [f"{self._prefix}:{{{guild}}}:{name}" for name in names]

    def guild(self, guild: str, *further: str) -> list[str]:
        """Returns the five keys that a script which writes begins with, and further ones."""
        return self.of(guild, "xp", "stats", "config", "hidden", "members", *further)

    def ranking(self, guild: str) -> list[str]:
        """Returns the keys of a script that only reads a ranking."""
        return self.of(guild, "xp", "stats", "config", "members")

    def board_rankings(self, guild: str, board: str = "") -> list[str]:
        """Returns the rankings of all boards, or of the present and the last one of a kind."""
        kind = board.split(".")[0]
        return [f"{self._prefix}:{{{guild}}}~{name}:xp" for name in BOARDS if name.startswith(kind)]

    def quota(self, guild: str) -> str:
        return f"{self._prefix}:quota:{{{guild}}}"

    def invite(self, token: str) -> str:
        return f"{self._prefix}:invite:{hashlib.sha256(token.encode()).hexdigest()}"


def with_boards(keys: list[str]) -> list[str]:
    """Puts the eight keys of the boards after the five of the guild, as a script wants them for a guild with boards."""
    base = keys[0][: -len(":xp")]
    boards = [f"{base}~{board}:{name}" for board in BOARDS for name in ("xp", "hidden")]
    return [*keys[:5], *boards, *keys[5:]]


def check_board(board: str | None) -> None:
    if board is not None:
        check_one_of("board", board, BOARDS)
