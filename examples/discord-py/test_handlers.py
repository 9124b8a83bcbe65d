"""Tests the handlers with made-up events on an empty database: TEST_REDIS_URL and LUA say where, PYTHONPATH has examples/python."""

from __future__ import annotations

import os
import unittest
from dataclasses import dataclass, field
from typing import Any, Sequence

import redis.asyncio

from guildrank import Guildrank
from handlers import Handlers
from scratch import require_empty

ROLES = {1: 101, 2: 102, 5: 105}


@dataclass
class MadeUpGuild:
    id: int = 9


@dataclass
class MadeUpMember:
    id: int
    display_name: str
    bot: bool = False
    guild: Any = field(default_factory=MadeUpGuild)


class HandlersTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.connection = redis.asyncio.Redis.from_url(os.environ["TEST_REDIS_URL"])
        await require_empty(self.connection)
        self.guildrank = Guildrank(self.connection, os.environ["LUA"])
        self.said: list[str] = []
        self.given: list[tuple[int, Sequence[int]]] = []
        self.handlers = Handlers(self.guildrank, self.give_roles, ROLES, "https://dash.example.com/")
        self.ann = MadeUpMember(7, "A*nn")

    async def asyncTearDown(self) -> None:
        await self.connection.flushdb()
        await self.connection.close()

    async def say(self, text: str) -> None:
        self.said.append(text)

    async def give_roles(self, member: Any, roles: Sequence[int]) -> None:
        self.given.append((member.id, list(roles)))

    async def xp(self) -> int:
        page = await self.guildrank.around("9", "7", 0)
        return page.rows[0].xp if page else 0

    async def test_a_message_gives_xp_once_in_the_cooldown_and_a_bot_gets_none(self) -> None:
        await self.handlers.message(self.ann, self.say)
        await self.handlers.message(self.ann, self.say)
        await self.handlers.message(MadeUpMember(8, "Bot", bot=True), self.say)
        self.assertIn(await self.xp(), range(15, 26))
        self.assertEqual((await self.guildrank.page("9")).total, 1)
        self.assertEqual(self.said, [])

    async def test_a_level_up_is_announced_with_the_roles_of_each_level(self) -> None:
        await self.guildrank.record("9", "7", set=99)
        await self.handlers.message(self.ann, self.say)
        self.assertEqual((self.said, self.given), (["<@7> is now level 1!"], [(7, [101])]))
        await self.guildrank.record("9", "7", set=254)
        await self.connection.delete("gr:{9}:cooldown:7")
        await self.handlers.message(self.ann, self.say)
        self.assertEqual(self.given, [(7, [101]), (7, [102])])

    async def test_roles_are_given_when_the_announcement_fails(self) -> None:
        async def fail(text: str) -> None:
            raise RuntimeError(text)

        await self.guildrank.record("9", "7", set=99)
        with self.assertRaisesRegex(RuntimeError, "is now level 1"):
            await self.handlers.message(self.ann, fail)
        self.assertEqual(self.given, [(7, [101])])
        await self.guildrank.record("9", "7", set=254)
        with self.assertRaisesRegex(RuntimeError, "day 1 in a row"):
            await self.handlers.daily(self.ann, fail, self.say)
        self.assertEqual((self.given, self.said), ([(7, [101]), (7, [102])], ["<@7> is now level 2!"]))

    async def test_rank_and_top_show_the_ranking_with_harmless_names(self) -> None:
        await self.handlers.rank(self.ann, self.say)
        await self.handlers.top(self.ann, self.say)
        await self.guildrank.record("9", "7", set=300, profile={"username": "A*nn"})
        await self.guildrank.record("9", "8", set=255, profile={"username": "Back\\slash\n", "level": 7})
        await self.handlers.rank(self.ann, self.say)
        await self.handlers.top(self.ann, self.say)
        rows = "**1. A\\*nn: level 2, 300 XP**\n2. Back\\\\slash\\\n: level 7, 255 XP"
        texts = ["You have no XP yet. Write something!", "Nobody has XP yet.", rows, f"{rows}\n2 members"]
        self.assertEqual(self.said, texts)

    async def test_daily_pays_once_a_day(self) -> None:
        replies: list[str] = []

        async def reply(text: str) -> None:
            replies.append(text)

        await self.handlers.daily(self.ann, reply, self.say)
        await self.handlers.daily(self.ann, reply, self.say)
        self.assertRegex(replies[0], r"^100 XP, day 1 in a row\. Come back <t:\d+:R>\.$")
        self.assertRegex(replies[1], r"^You have claimed already\. Come back <t:\d+:R>\.$")
        self.assertEqual((await self.xp(), self.said), (100, ["<@7> is now level 1!"]))

    async def test_dashboard_gives_a_link_for_this_guild(self) -> None:
        await self.handlers.dashboard(self.ann, self.say)
        self.assertRegex(self.said[0], r"^https://dash\.example\.com/sign-in/[\w-]{43}\nIt works once, for 15 minutes\.$")
        keys = await self.connection.keys("gr:invite:*")
        self.assertRegex(await self.connection.get(keys[0]), rb"^9 7 [0-9]{16}$")

    async def test_a_member_who_leaves_is_hidden_and_gets_all_back_on_return(self) -> None:
        await self.guildrank.record("9", "7", set=300)
        await self.handlers.member_left(9, 7)
        self.assertEqual((await self.guildrank.page("9")).total, 0)
        await self.handlers.member_joined(self.ann)
        self.assertEqual((await self.xp(), self.given), (300, [(7, [101, 102])]))
        await self.handlers.member_joined(MadeUpMember(10, "New"))
        self.assertEqual((await self.guildrank.page("9")).total, 1)

    async def test_who_opted_out_stays_hidden_when_it_leaves_and_returns_and_decides_alone(self) -> None:
        for board in ("9", "9.s1", "99.s1"):
            await self.guildrank.record(board, "7", set=300)
        self.handlers = Handlers(self.guildrank, self.give_roles, ROLES, archives=["9.s1", "99.s1"])
        await self.handlers.hide(self.ann, self.say)
        await self.handlers.hide(MadeUpMember(8, "New"), self.say)
        await self.handlers.member_left(9, 7)
        await self.handlers.member_joined(self.ann)
        await self.handlers.ready(9, [self.ann, MadeUpMember(8, "New")])
        totals = [(await self.guildrank.page(board)).total for board in ("9", "9.s1", "99.s1")]
        self.assertEqual((totals, self.given), ([0, 0, 1], []))
        await self.handlers.show(self.ann, self.say)
        self.assertEqual(((await self.guildrank.page("9")).total, (await self.guildrank.page("9.s1")).total), (1, 1))
        await self.guildrank.hide("9", "7")
        await self.handlers.show(self.ann, self.say)
        await self.handlers.delete(self.ann, False, self.say)
        await self.handlers.delete(self.ann, True, self.say)
        totals = [await self.guildrank.remove(board, "7") for board in ("9", "9.s1", "99.s1")]
        self.assertEqual(totals, [0, 0, 1])
        expected = ["does not show", "does not show", "The ranking shows you", "A moderator has hidden", "Nothing was erased", "are erased"]
        self.assertEqual(len(self.said), len(expected))
        for said, part in zip(self.said, expected):
            self.assertIn(part, said)


if __name__ == "__main__":
    unittest.main()
