"""Tests what a bot tells of its guild: see scratch.py."""

from __future__ import annotations

import json
import unittest
from typing import Any

from guildrank import GuildChannel, GuildRole, InvalidInputError
from scratch import ScratchTest

ICON = "a_0123456789abcdef0123456789abcdef"
ROLE: GuildRole = {"id": "11", "name": "Stammgäste", "color": 0xFF8800, "position": 3}
CHANNEL: GuildChannel = {"id": "21", "name": "memes", "type": 0, "parent": None}


def role(role_id: str) -> GuildRole:
    return {"id": role_id, "name": "a" * 100, "color": 0, "position": 1}


def channel(channel_id: str) -> GuildChannel:
    return {"id": channel_id, "name": "a" * 100, "type": 0, "parent": None}


class AboutTest(ScratchTest):
    async def stored(self) -> dict[str, str]:
        fields = await self.connection.hgetall("gr:{1}:about")
        return {name.decode(): value.decode() for name, value in fields.items() if name != b"at"}

    async def test_describe_guild_stores_what_the_kit_for_javascript_stores(self) -> None:
        self.assertTrue(await self.writer.describe_guild("1", name="Quiet\ud800", icon=ICON, roles=[ROLE], channels=[CHANNEL]))
        self.assertEqual(
            await self.stored(),
            {
                "name": "Quiet\ufffd",
                "icon": ICON,
                "roles": '[{"id":"11","name":"Stammgäste","color":16746496,"position":3}]',
                "channels": '[{"id":"21","name":"memes","type":0,"parent":null}]',
            },
        )

    async def test_describe_guild_says_whether_something_has_changed(self) -> None:
        self.assertTrue(await self.writer.describe_guild("1", name="Quiet", roles=[ROLE]))
        self.assertFalse(await self.writer.describe_guild("1", name="Quiet", roles=[ROLE]))
        self.assertTrue(await self.writer.describe_guild("1", name="Quiet"))
        self.assertEqual(await self.stored(), {"name": "Quiet"})

    async def test_describe_guild_takes_250_roles_and_500_channels_with_long_names(self) -> None:
        roles: list[GuildRole] = [role(str(number)) for number in range(250)]
        channels: list[GuildChannel] = [channel(str(number)) for number in range(500)]
        await self.writer.describe_guild("1", roles=roles, channels=channels)
        self.assertEqual(json.loads((await self.stored())["channels"]), channels)

    async def test_describe_guild_names_the_field_that_is_wrong(self) -> None:
        wide: list[GuildChannel] = [{"id": "1" * 64, "name": "\U0001f600" * 100, "type": 0, "parent": "2" * 64}] * 500
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("^name has 101 characters, and the most is 100: cut it$", {"name": "\U0001f600" * 101}),
            ("^name must be a text, not 7$", {"name": 7}),
            ('^icon must be a hash of Discord, which is 32 hex digits', {"icon": "https://a.example/icon.png"}),
            ("^roles has 251 entries, and the most is 250: leave some out$", {"roles": [ROLE] * 251}),
            ("^channels has 501 entries", {"channels": [CHANNEL] * 501}),
            ("^channels must be a list, not 'memes'$", {"channels": "memes"}),
            (r"^roles\[1\].color must be a whole number from 0 to 16777215, not -1$", {"roles": [ROLE, {**ROLE, "color": -1}]}),
            (r"^roles\[0\].id must be a text of 1 to 64", {"roles": [{**ROLE, "id": 11}]}),
            (r"^roles\[0\].hoist is no field of a role: use id, name, color, position$", {"roles": [{**ROLE, "hoist": True}]}),
            (r"^channels\[0\].parent must be a text of 1 to 64", {"channels": [{**CHANNEL, "parent": ""}]}),
            ("bytes in all, and the most is 262144: leave some roles or channels out$", {"channels": wide}),
        ]
        for sentence, description in wrong:
            with self.assertRaisesRegex(InvalidInputError, sentence):
                await self.writer.describe_guild("1", **description)
        self.assertEqual(await self.connection.dbsize(), 0)


if __name__ == "__main__":
    unittest.main()
