"""Checks of arguments, before anything is sent."""

from __future__ import annotations

import re
from typing import Any, Collection, Sequence

from .errors import InvalidInputError, RefusedError

# Entries of one script call. Redis serves no other client during a call.
ENTRIES_A_CALL = 500
# The most bytes of the id of an event.
MAX_EVENT_ID_BYTES = 64
_ID = re.compile("[A-Za-z0-9_.-]{1,64}")
_SURROGATES = re.compile("[\ud800-\udfff]")


def accepted(reply: list[Any]) -> list[Any]:
    """Returns the reply of a script. Raises RefusedError when it is a refusal."""
    if reply[0] == "REFUSED":
        raise RefusedError(str(reply[2]), {"index": int(reply[1])})
    return reply


def is_id(value: object) -> bool:
    """Returns whether a value can be the id of a guild, a user, a role or a channel."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def check_ids(guild_id: str, *user_ids: str) -> None:
    """Checks the id of a guild and the ids of users."""
    for kind, value in (("guild", guild_id), *(("user", user_id) for user_id in user_ids)):
        if not is_id(value):
            raise InvalidInputError(f"The {kind} id {value!r} must be a text of 1 to 64 of A-Z a-z 0-9 _ - .")


def checked_user_ids(guild_id: str, user_ids: Collection[str]) -> list[str]:
    """Returns the ids of a list of users, after a check of all."""
    check_list("user_ids", user_ids)
    check_ids(guild_id, *user_ids)
    return list(user_ids)


def check_list(name: str, value: object) -> None:
    """Checks that a value is a collection. A text would be a collection of its letters, which nobody means."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Collection):
        raise InvalidInputError(f"{name} must be a list, not {value!r}")


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """Checks a whole number within bounds. True and False are not numbers here."""
    if type(value) is not int or not least <= value <= most:
        raise InvalidInputError(f"{name} must be a whole number from {least} to {most}, not {value!r}")


def checked_text(name: str, value: object) -> str:
    """Returns a text as UTF-8 can have it: a lone surrogate, which a name from JSON can contain, becomes U+FFFD."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} must be a text, not {value!r}")
    return _SURROGATES.sub("\ufffd", value)


def check_one_of(name: str, value: object, names: Sequence[str]) -> None:
    """Checks that a value is one of some texts."""
    if value not in names:
        raise InvalidInputError(f"{name} must be one of {', '.join(names)}, not {value!r}")


def check_event_id(event_id: object) -> None:
    """Checks the id of an event. UTF-8 has no bytes for a lone surrogate, so two ids with lone surrogates could be the same event."""
    is_fit = isinstance(event_id, str) and not _SURROGATES.search(event_id)
    if not (is_fit and 1 <= len(str(event_id).encode()) <= MAX_EVENT_ID_BYTES):
        raise InvalidInputError(f"event_id must be a text of 1 to {MAX_EVENT_ID_BYTES} bytes, not {str(event_id)[:80]!r}")


def in_slices(entries: Sequence[str]) -> list[Sequence[str]]:
    """Returns entries in parts, each for one script call. A list without entries has no parts."""
    return [entries[first : first + ENTRIES_A_CALL] for first in range(0, len(entries), ENTRIES_A_CALL)]
