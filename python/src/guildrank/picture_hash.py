"""Discord's hashes of pictures: of an avatar, or of the icon of a guild."""

from __future__ import annotations

import re

from .errors import InvalidInputError
from .unchanged import UNCHANGED

_PICTURE_HASH = re.compile("(a_)?[0-9a-f]{32}")


def check_picture_hash(name: str, value: object) -> None:
    """Checks a hash: 32 hex digits; the hash of an animated picture begins with "a_". None stands for no picture."""
    if value is not None and not (isinstance(value, str) and _PICTURE_HASH.fullmatch(value)):
        raise InvalidInputError(
            f'{name} must be a hash of Discord, which is 32 hex digits, with "a_" in front for an animated picture, or None, not {value!r}'
        )


def avatar_change(name: str, avatar: object) -> str:
    """Returns the change of an avatar as award.lua and record.lua take it: "" leaves it as it is, and "none" removes it."""
    if avatar is UNCHANGED:
        return ""
    check_picture_hash(name, avatar)
    return "none" if avatar is None else str(avatar)
