"""Tests the handlers with made-up events."""

from __future__ import annotations

import asyncio
import json
import unittest
from types import SimpleNamespace
from typing import Any

from made_up import REWARDS, BotTest, LosingRedis, MadeUpMember
from redis.exceptions import NoPermissionError
from voice import seconds_to_tick


class HandlersTest(BotTest):
    async def test_a_message_gives_xp_once_in_the_cooldown_and_a_bot_gets_none(self) -> None:
        await self.handlers.message(self.message())
        await self.handlers.message(self.message())
        await self.handlers.message(self.message(MadeUpMember(8, "Bot", bot=True)))
        self.assertIn(await self.xp(), range(15, 26))
        self.assertEqual((await self.reader.page("9")).total, 1)
        self.assertEqual((self.said, self.lines), ([], []))

    async def test_rules_decide_by_channel_role_and_length(self) -> None:
        await self.set_rules(
            message={"xp": 10, "cooldown_ms": 0, "min_chars": 3},
            no_xp={"roles": ["90"], "channels": ["66"]},
            multipliers={"channels": {"52": 3}, "roles": {"91": 2}},
        )

        async def gained(message: Any) -> int:
            before = await self.xp()
            await self.handlers.message(message)
            return await self.xp() - before

        texts = ["", "abc", "😀😀"]
        self.assertEqual([await gained(self.message(content=text)) for text in texts], [30, 30, 0])
        self.ann.role_ids.append(91)
        self.assertEqual(await gained(self.message(content="abc")), 60)
        self.assertEqual(await gained(self.message(content="abc", id=66, parent=None)), 0)
        self.ann.role_ids.append(90)
        self.assertEqual(await gained(self.message(content="abc")), 0)

    async def test_a_message_stores_the_picture_of_its_member_and_takes_a_removed_one_back(self) -> None:
        await self.set_rules(message={"xp": 10, "cooldown_ms": 0})
        self.ann.avatar = SimpleNamespace(key="a_" + "0" * 32)
        await self.handlers.message(self.message())
        self.assertEqual(await self.connection.hget("gr:{9}:avatars", "7"), b"a_" + b"0" * 32)
        self.ann.avatar = None
        await self.handlers.message(self.message())
        self.assertEqual((await self.connection.exists("gr:{9}:avatars"), await self.xp()), (0, 20))

    def guild(self, name: str = "Quiet Hours") -> Any:
        def role(role_id: int, name: str, position: int) -> Any:
            return SimpleNamespace(id=role_id, name=name, color=SimpleNamespace(value=0xFF8800), position=position)

        def channel(channel_id: int, name: str, kind: int, parent: int | None, position: int) -> Any:
            kind_of = SimpleNamespace(value=kind)
            return SimpleNamespace(id=channel_id, name=name, type=kind_of, category_id=parent, position=position)

        roles = [role(9, "@everyone", 0), role(101, "Regular", 1), role(102, "Veteran", 2)]
        channels = [channel(21, "memes", 0, 20, 1), channel(20, "Fun", 4, None, 0)]
        return SimpleNamespace(id=9, name=name, icon=SimpleNamespace(key="a_" + "0" * 32), roles=roles, channels=channels)

    async def about(self) -> dict[str, Any]:
        stored = await self.connection.hgetall("gr:{9}:about")
        return {key.decode(): value.decode() for key, value in stored.items() if key != b"at"}

    async def test_a_bot_tells_what_its_server_its_roles_and_its_channels_are_called(self) -> None:
        await self.handlers.describe(self.guild())
        roles = [
            {"id": "102", "name": "Veteran", "color": 0xFF8800, "position": 2},
            {"id": "101", "name": "Regular", "color": 0xFF8800, "position": 1},
        ]
        channels = [
            {"id": "20", "name": "Fun", "type": 4, "parent": None},
            {"id": "21", "name": "memes", "type": 0, "parent": "20"},
        ]
        about = await self.about()
        self.assertEqual((about["name"], about["icon"]), ("Quiet Hours", "a_" + "0" * 32))
        self.assertEqual((json.loads(about["roles"]), json.loads(about["channels"])), (roles, channels))
        self.assertEqual(self.lines, [])

    async def test_changes_that_come_together_are_told_in_one_call(self) -> None:
        changed = asyncio.Event()
        calls: list[float] = []

        async def wait(seconds: float) -> None:
            calls.append(seconds)
            await changed.wait()

        handlers = self.bot(wait=wait)
        first = asyncio.create_task(handlers.describe_change(self.guild("Loud Hours")))
        await asyncio.sleep(0)
        await handlers.describe_change(self.guild("Loud Hours"))
        self.assertEqual((calls, await self.about()), ([5], {}))
        changed.set()
        await first
        self.assertEqual((await self.about())["name"], "Loud Hours")

    async def test_a_description_without_redis_is_a_line_in_the_log(self) -> None:
        await self.bot_without_redis().describe(self.guild())
        self.assertEqual([line.startswith("Description of guild 9: Redis: ") for line in self.lines], [True])

    async def test_changed_rules_are_read_after_a_minute(self) -> None:
        totals = []
        for self.now, xp in ((0, 10), (59.9, 100), (60, 100)):
            await self.set_rules(message={"xp": xp, "cooldown_ms": 0})
            await self.handlers.message(self.message())
            totals.append(await self.xp())
        self.assertEqual(totals, [10, 20, 120])

    async def test_a_level_up_is_announced_once_with_its_roles_and_takes_those_that_are_replaced(self) -> None:
        await self.set_rules(message={"xp": 20}, rewards=REWARDS)
        self.ann.role_ids.append(90)
        await self.writer.record("9", "7", set=99)
        await asyncio.gather(*(self.handlers.message(self.message()) for _ in range(5)))
        self.assertEqual((self.said, self.ann.role_ids), (["<@7> is now level 1!"], [90, 101]))
        await self.writer.record("9", "7", set=1149)
        await self.connection.delete("gr:{9}:cooldown:7")
        await self.handlers.message(self.message())
        self.assertEqual((self.said[1:], self.ann.role_ids), (["<@7> is now level 5!"], [90, 102, 105]))

    async def test_each_step_is_done_when_another_one_fails(self) -> None:
        async def fail(text: str) -> None:
            raise RuntimeError("no permission to send")

        await self.set_rules(message={"xp": 20}, rewards=[*REWARDS, {"level": 1, "role": "109"}])
        self.ann.refused.append(102)
        await self.writer.record("9", "7", set=254)
        await self.handlers.message(self.message())
        self.assertEqual((self.said, self.ann.role_ids), (["<@7> is now level 2!"], [109]))
        self.ann.refused.clear()
        await self.writer.record("9", "7", set=1149)
        await self.connection.delete("gr:{9}:cooldown:7")
        await self.handlers.message(self.message(send=fail))
        self.assertEqual((len(self.said), self.ann.role_ids), (1, [109, 102, 105]))
        self.assertEqual(self.lines, ["Role 102 of member 7: Missing Permissions", "Level-up: no permission to send"])

    async def test_a_message_whose_reply_is_lost_counts_once_and_its_level_up_is_told(self) -> None:
        await self.set_rules(message={"xp": 20, "cooldown_ms": 0}, rewards=REWARDS)
        await self.writer.record("9", "7", set=99)
        bot, message = self.losing_bot(), self.message()
        # The reply with the rules is lost, and later that of an award.
        await bot.message(self.message(MadeUpMember(8, "Bob")))
        self.losing.left = 1
        await bot.message(message)
        self.assertEqual((await self.xp(), self.said, self.ann.role_ids), (119, ["<@7> is now level 1!"], [101]))
        self.assertEqual((self.waits, len(self.lines)), ([0.3, 0.3], 0))
        # The same message in another process of the bot.
        await self.bot().message(message)
        self.assertEqual((await self.xp(), len(self.said)), (119, 1))

    async def test_without_redis_a_message_is_one_line_after_one_more_call(self) -> None:
        await self.bot_without_redis().message(self.message())
        self.assertEqual(self.waits, [0.3])
        self.assertEqual(len(self.lines), 1)
        self.assertRegex(self.lines[0], r"^Message 1: Redis: [^\n]+$")

    async def test_an_award_outlasts_an_outage_with_a_line_a_minute(self) -> None:
        async def wait(seconds: float) -> None:
            self.now += seconds
            if self.now >= 90:
                self.losing.left = 0

        self.losing = LosingRedis(self.connection)
        self.losing.left = 10**6
        await self.set_rules(message={"xp": 20, "cooldown_ms": 0})
        bot = self.bot(self.losing, attempts=400, wait=wait)
        await asyncio.gather(bot.message(self.message()), bot.message(self.message()))
        self.assertEqual((await self.xp(), len(self.lines)), (40, 2))
        self.assertRegex(self.lines[0], "^Redis: Connection closed by server")

    async def test_an_award_is_given_up_after_its_attempts_and_at_once_without_rights(self) -> None:
        self.losing = LosingRedis(self.connection)
        self.losing.left = 10**6
        await self.bot(self.losing, attempts=4).message(self.message())
        self.assertEqual(self.waits, [0.3, 0.3, 0.3])
        self.losing.failure = NoPermissionError("this user has no permissions to run the 'evalsha' command")
        await self.bot(self.losing, attempts=4).message(self.message())
        self.assertEqual(len(self.waits), 3)

    async def test_a_level_up_of_a_hidden_member_is_not_announced(self) -> None:
        await self.set_rules(message={"xp": 20}, rewards=REWARDS)
        await self.writer.record("9", "7", set=99)
        await self.writer.hide("9", ["7"])
        await self.handlers.message(self.message())
        self.assertEqual((self.said, self.ann.role_ids), ([], [101]))

    async def test_a_member_who_leaves_is_hidden_and_gets_all_back_on_return(self) -> None:
        await self.set_rules(rewards=REWARDS)
        await self.writer.record("9", "7", set=300)
        await self.handlers.member_left(9, 7)
        self.assertEqual((await self.reader.page("9")).total, 0)
        await self.handlers.member_joined(self.ann)
        self.assertEqual((await self.reader.page("9")).total, 1)
        self.assertEqual((await self.xp(), self.ann.role_ids), (300, [102]))
        await self.handlers.member_joined(MadeUpMember(10, "New"))
        self.assertEqual((await self.reader.page("9")).total, 1)


class VoiceTest(BotTest):
    def guild(self, *channels: tuple[int, list[MadeUpMember]]) -> Any:
        """Returns a guild with voice channels: their ids, and the members that are in them."""
        category = SimpleNamespace(id=52, category=None)
        voices = [SimpleNamespace(id=id, category=category, members=members, send=self.say) for id, members in channels]
        return SimpleNamespace(voice_channels=voices[:1], stage_channels=voices[1:])

    def person(self, id: int, bot: bool = False, **state: bool) -> MadeUpMember:
        states = ("deaf", "self_deaf", "mute", "self_mute", "suppress")
        return MadeUpMember(id, f"N{id}", bot, voice=SimpleNamespace(**{**dict.fromkeys(states, False), **state}))

    async def xp_of_all(self) -> dict[str, int]:
        return {row.user_id: row.xp for row in (await self.reader.page("9", 1, 100)).data}

    async def test_a_minute_gives_xp_to_those_who_count(self) -> None:
        talking = [self.person(1), self.person(2, mute=True), self.person(3, self_deaf=True), self.person(4, suppress=True)]
        guild = self.guild((61, talking), (60, [self.person(5), self.person(6)]), (62, [self.person(7), self.person(8, bot=True)]))
        await self.set_rules(voice={"xp": 100}, multipliers={"channels": {"61": 2}})
        await self.handlers.voice([guild], 60)
        self.assertEqual((await self.xp_of_all(), self.said, self.lines), ({"1": 200}, ["<@1> is now level 1!"], []))
        counts = dict.fromkeys(("alone", "deafened", "muted", "afk"), True)
        await self.set_rules(voice={"xp": 100, "counts": counts})
        await self.bot().voice([guild], 120)
        self.assertEqual(await self.xp_of_all(), {"1": 300, **{str(user): 100 for user in range(2, 8)}})

    async def test_a_minute_counts_once_in_two_processes_and_after_a_restart_and_gives_nothing_without_rules(self) -> None:
        guild = self.guild((61, [self.person(user) for user in range(1, 121)]))
        await self.handlers.voice([guild], 0)
        self.assertEqual(await self.xp_of_all(), {})
        await self.set_rules(voice={"xp": 100})
        await asyncio.gather(*(self.bot().voice([guild], 60 + late) for late in (0, 1)))
        await self.bot().voice([guild], 119)
        self.assertEqual({*(await self.xp_of_all()).values()}, {100})
        self.assertEqual((await self.reader.page("9")).total, 120)
        self.assertEqual((len(self.said), len({*self.said}), self.lines), (120, 120, []))

    async def test_without_redis_all_members_are_one_line(self) -> None:
        await self.bot_without_redis().voice([self.guild((61, [self.person(1), self.person(2)]))], 60)
        self.assertEqual(len(self.lines), 1)
        self.assertRegex(self.lines[0], r"^Voice: Redis: [^\n]+$")

    def test_a_tick_is_in_the_middle_of_each_minute(self) -> None:
        self.assertEqual([seconds_to_tick(now) for now in (0, 29, 30, 59)], [30, 1, 60, 31])


if __name__ == "__main__":
    unittest.main()
