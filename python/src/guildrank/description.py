"""The description that a bot gives of its guild, as describe.lua takes it."""

from __future__ import annotations

import json
from typing import Any, Callable, Mapping, Sequence, TypedDict

from .checks import check_list, check_whole, checked_text, is_id
from .errors import InvalidInputError
from .picture_hash import check_picture_hash

MAX_ROLES = 250
MAX_CHANNELS = 500
MAX_NAME = 100
MAX_BYTES = 262_144
_MAX_COLOR = 0xFFFFFF
_MAX_POSITION = 2**31 - 1
_MAX_TYPE = 255


class GuildRole(TypedDict):
    """A role of a guild."""

    id: str
    name: str
    """100 characters at most."""
    color: int
    """As 0xrrggbb; 0 for a role without a colour."""
    position: int
    """The role with the greatest position stands at the top."""


class GuildChannel(TypedDict):
    """A channel of a guild."""

    id: str
    name: str
    """100 characters at most."""
    type: int
    """Discord's number of its kind: 0 for text, 2 for voice, 4 for a category, and so on."""
    parent: str | None
    """Id of the category that the channel stands in; None for a channel without a category."""


def description_args(
    name: str | None, icon: str | None, roles: Sequence[GuildRole], channels: Sequence[GuildChannel]
) -> list[str]:
    """Returns a description as arguments of describe.lua. Raises InvalidInputError."""
    check_picture_hash("icon", icon)
    args = [
        "" if name is None else _checked_name("name", name),
        icon or "",
        _list_text("roles", roles, MAX_ROLES, _role),
        _list_text("channels", channels, MAX_CHANNELS, _channel),
    ]
    size = sum(len(arg.encode()) for arg in args)
    if size > MAX_BYTES:
        raise InvalidInputError(
            f"name, icon, roles and channels have {size} bytes in all, and the most is {MAX_BYTES}: leave some roles or channels out"
        )
    return args


def _list_text(field: str, entries: Sequence[Any], most: int, checked: Callable[[str, Any], dict[str, Any]]) -> str:
    """Returns a list as JSON, "" for an empty list."""
    check_list(field, entries)
    if len(entries) > most:
        raise InvalidInputError(f"{field} has {len(entries)} entries, and the most is {most}: leave some out")
    shown = [checked(f"{field}[{index}]", entry) for index, entry in enumerate(entries)]
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")) if shown else ""


def _role(path: str, role: Any) -> dict[str, Any]:
    _check_fields(path, role, "a role", GuildRole)
    _check_id(f"{path}.id", role.get("id"))
    check_whole(f"{path}.color", role.get("color"), 0, _MAX_COLOR)
    check_whole(f"{path}.position", role.get("position"), 0, _MAX_POSITION)
    name = _checked_name(f"{path}.name", role.get("name"))
    return {"id": role["id"], "name": name, "color": role["color"], "position": role["position"]}


def _channel(path: str, channel: Any) -> dict[str, Any]:
    _check_fields(path, channel, "a channel", GuildChannel)
    _check_id(f"{path}.id", channel.get("id"))
    check_whole(f"{path}.type", channel.get("type"), 0, _MAX_TYPE)
    parent = channel.get("parent")
    if parent is not None:
        _check_id(f"{path}.parent", parent)
    name = _checked_name(f"{path}.name", channel.get("name"))
    return {"id": channel["id"], "name": name, "type": channel["type"], "parent": parent}


def is_description_new(reply: list[Any]) -> bool:
    """Decodes the reply of describe.lua: whether something is another than before."""
    _, _, is_new = reply
    return int(is_new) == 1


def _check_fields(path: str, value: object, owner: str, known: type) -> None:
    names = ", ".join(known.__annotations__)
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"{path} must be a dict with {names}, not {value!r}")
    for name in value:
        if name not in known.__annotations__:
            raise InvalidInputError(f"{path}.{name} is no field of {owner}: use {names}")


def _check_id(path: str, value: object) -> None:
    if not is_id(value):
        raise InvalidInputError(f"{path} must be a text of 1 to 64 of A-Z a-z 0-9 _ - ., not {value!r}")


def _checked_name(path: str, value: object) -> str:
    name = checked_text(path, value)
    if len(name) > MAX_NAME:
        raise InvalidInputError(f"{path} has {len(name)} characters, and the most is {MAX_NAME}: cut it")
    return name
