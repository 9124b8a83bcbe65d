"""Errors of the kit, and checks of arguments."""

from __future__ import annotations

import re
from typing import Any, Sequence

# Members of one script call. Redis serves nobody else meanwhile.
ENTRIES_A_CALL = 500
# The most XP that one call gives, before all multipliers.
MAX_GAIN = 1_000_000_000
_ID = re.compile("[A-Za-z0-9_.-]{1,64}")


class RefusedError(Exception):
    """A script refused a call: `reason` says why, and `index` names the entry, from 0. Nothing was changed."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"entry {index} was refused: {reason}")
        self.index = index
        self.reason = reason


class ConflictError(ValueError):
    """The state of the data does not allow the call now. The message says what to do."""


class UnreplicatedError(Exception):
    """A call was done, but replicas may lack it, so a failover may lose it. Send it again with the same `event_id`."""


def accepted(reply: list[Any]) -> list[Any]:
    """Returns the reply of a script. Raises RefusedError when it is a refusal."""
    if reply[0] == "REFUSED":
        raise RefusedError(int(reply[1]), str(reply[2]))
    return reply


def is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def check_ids(guild: str, *users: str) -> None:
    for kind, value in (("guild", guild), *(("user", user) for user in users)):
        if not is_id(value):
            raise ValueError(f"The {kind} id {value!r} must be a text of 1 to 64 of A-Z a-z 0-9 _ - .")


def check_whole(name: str, value: int, least: int, most: int) -> None:
    if not (type(value) is int and least <= value <= most):
        raise ValueError(f"{name} must be a whole number from {least} to {most}, not {value!r}")


def check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, not {value!r}")


def check_one_of(name: str, value: str, names: Sequence[str]) -> None:
    if value not in names:
        raise ValueError(f"{name} must be one of {', '.join(names)}, not {value!r}")


def in_slices(users: Sequence[str]) -> list[Sequence[str]]:
    return [users[first : first + ENTRIES_A_CALL] for first in range(0, len(users), ENTRIES_A_CALL)]
