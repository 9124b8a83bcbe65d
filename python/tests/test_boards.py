"""Tests boards of the week and the month: see scratch.py."""

from __future__ import annotations

import unittest
from datetime import datetime, timedelta, timezone
from typing import Any

from guildrank import BoardName, InvalidInputError, RankedMember, StoreUnavailableError, XpRecord, create_reader, create_writer
from guildrank.keys import BOARDS
from guildrank.scripts import MAX_KNOWN_GUILDS
from scratch import ScratchTest, configure, redis


class Counted:
    """A connection that counts the calls of scripts, and keeps their keys."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.calls: list[list[str]] = []

    async def evalsha(self, sha: str, numkeys: int, *rest: Any) -> Any:
        self.calls.append(list(rest[:numkeys]))
        return await self.connection.evalsha(sha, numkeys, *rest)

    async def script_load(self, script: str) -> Any:
        return await self.connection.script_load(script)


class Failing:
    """A connection on which each call of a script fails, and that keeps the keys of the calls."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.calls: list[list[str]] = []

    async def evalsha(self, sha: str, numkeys: int, *rest: Any) -> Any:
        self.calls.append(list(rest[:numkeys]))
        raise redis.exceptions.ResponseError(self.message)

    async def script_load(self, script: str) -> Any:
        raise AssertionError("No error asked for the source of a script")


class BoardTest(ScratchTest):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.counted = Counted(self.connection)
        self.writer = create_writer(self.counted)
        self.reader = create_reader(self.counted)
        await self.writer.record_many("1", [XpRecord("a", set=300), XpRecord("b", set=255, username="Ben"), XpRecord("c", set=5)])
        self.counted.calls.clear()

    async def give_boards(self, guild: str = "1") -> None:
        await configure(self.connection, guild, "boards", "week,month")

    async def test_a_page_of_a_board_has_its_period_by_the_clock_of_the_guild(self) -> None:
        self.assertIsNone((await self.reader.page("1")).period)
        self.assertIsNone((await self.reader.page("1", board="week")).period)
        await configure(self.connection, "1", "utc_offset_minutes", "-90")
        await self.give_boards()
        await self.writer.record("1", "a", add=5)
        week, last = (await self.reader.page("1", board="week")).period, (await self.reader.page("1", board="week.prev")).period
        assert week and last
        self.assertLessEqual(week.start, datetime.now(timezone.utc))
        self.assertEqual((week.start.weekday(), week.start.hour, week.start.minute), (0, 1, 30))
        self.assertEqual((week.end - week.start, last.end), (timedelta(days=7), week.start))
        month = await self.reader.around("1", "a", board="month")
        assert month and month.period
        self.assertEqual((month.period.start.day, month.period.end.day, month.period.end.hour), (1, 1, 1))

    async def test_reads_of_a_board_have_the_xp_gained_and_the_levels_in_the_guild(self) -> None:
        await self.give_boards()
        await self.writer.record("1", "b", add=20)
        await self.writer.award("1", "a", 10)
        rows = [RankedMember(1, "b", "Ben", 2, 20), RankedMember(2, "a", "a", 2, 10)]
        present: tuple[BoardName, ...] = ("week", "month")
        last: tuple[BoardName, ...] = ("week.prev", "month.prev")
        for board in present:
            page = await self.reader.page("1", board=board)
            self.assertEqual((page.data, page.total), (rows, 2))
            self.assertEqual((await self.reader.page("1", 2, 1, board=board)).data, rows[1:])
            around = await self.reader.around("1", "a", 1, board=board)
            self.assertEqual(around and around.data, rows)
            member = await self.reader.member("1", "a", board=board)
            self.assertEqual(member and (member.rank, member.xp, member.level), (2, 10, 2))
            self.assertIsNone(await self.reader.member("1", "c", board=board))
            self.assertIsNone(await self.reader.around("1", "c", board=board))
            stats = await self.reader.stats("1", board=board)
            self.assertEqual((stats.total_members, stats.total_xp, stats.average_level), (2, 30, 2))
        for board in last:
            self.assertEqual((await self.reader.page("1", board=board)).data, [])
            self.assertIsNone(await self.reader.around("1", "a", board=board))
        self.assertEqual((await self.reader.page("1")).total, 3)
        self.assertEqual((await self.reader.page("2", board="week")).total, 0)
        for read in (
            self.reader.page("1", board="year"),  # type: ignore[arg-type]
            self.reader.around("1", "a", board="weeks"),  # type: ignore[arg-type]
            self.reader.stats("1", board=""),  # type: ignore[arg-type]
        ):
            with self.assertRaisesRegex(InvalidInputError, f"^board must be one of {', '.join(BOARDS)}, not "):
                await read

    async def test_each_call_that_writes_takes_the_keys_of_boards(self) -> None:
        await self.give_boards()
        await self.writer.award("1", "a", 10, cooldown_ms=1000, event_id="message")
        self.assertTrue((await self.writer.award("1", "a", 10, cooldown_ms=1000, event_id="message")).repeated)
        await self.writer.claim_daily("1", "a", 5)
        await self.writer.record_many("1", [XpRecord("b", add=20), XpRecord("b", add=-30, floor=0)], event_id="records")
        await self.writer.set_level("1", "c", 3)
        await self.writer.set_profiles("1", {"c": {"username": "Cy"}})
        await self.writer.hide("1", ["a"])
        self.assertEqual((await self.reader.page("1", board="week")).data, [])
        await self.writer.unhide("1", ["a"])
        await self.writer.sync_members("1", {"a", "b", "c"})
        await self.writer.record("1", "c", add=7)
        self.assertEqual(await self.writer.remove("1", ["c"]), 1)
        rows = [(row.user_id, row.xp) for row in (await self.reader.page("1", board="month")).data]
        self.assertEqual(rows, [("a", 15)])

    async def test_a_guild_with_boards_costs_one_call_more_once(self) -> None:
        # Redis knows the scripts from here on.
        await self.writer.award("1", "a", 1)
        await self.writer.hide("1", ["nobody"])
        self.counted.calls.clear()
        await self.writer.award("1", "a", 1)
        self.assertEqual([len(keys) for keys in self.counted.calls], [6])
        await self.give_boards()
        self.counted.calls.clear()
        await self.writer.award("1", "a", 1)
        await self.writer.award("1", "a", 1)
        await self.writer.award("2", "a", 1)
        await self.writer.hide("1", ["a"])
        self.assertEqual([len(keys) for keys in self.counted.calls], [6, 14, 14, 6, 14])
        self.assertEqual(self.counted.calls[1][5:8], ["gr:{1}~week:xp", "gr:{1}~week:hidden", "gr:{1}~week.prev:xp"])

    async def test_the_writer_remembers_a_bounded_number_of_guilds_with_boards(self) -> None:
        async def award(guild: str) -> int:
            self.counted.calls.clear()
            await self.writer.award(guild, "a", 1)
            return len(self.counted.calls)

        await self.give_boards()
        self.assertEqual(await award("1"), 2)
        known = self.writer._scripts._with_boards
        known.update(f"other {n}" for n in range(MAX_KNOWN_GUILDS - 1))
        await self.give_boards("2")
        self.assertEqual([await award("2"), await award("2"), await award("1")], [2, 1, 2])
        self.assertEqual(len(known), 2)

    async def test_other_errors_of_a_script_reach_the_caller(self) -> None:
        await self.connection.hset("gr:{1}:stats", "model", "2")
        with self.assertRaises(StoreUnavailableError) as failed:
            await self.writer.award("1", "a", 1)
        self.assertEqual(failed.exception.code, "MODEL")
        self.assertEqual(len(self.counted.calls), 1)

    async def test_only_an_error_with_the_code_boards_makes_the_writer_send_the_keys_of_boards(self) -> None:
        for message, calls in (
            ("ERR the name BOARDS gr:{1}:xp is not allowed", 1),
            ("BOARDSHIP is another code", 1),
            ("BOARDS gr:{1}:xp has boards: give their keys too", 2),
            ("Error running script (call to f_1): @user_script:40: BOARDS gr:{1}:xp has boards", 2),
        ):
            failing = Failing(message)
            with self.assertRaises(StoreUnavailableError):
                await create_writer(failing).award("1", "a", 1)
            self.assertEqual(len(failing.calls), calls, message)


if __name__ == "__main__":
    unittest.main()
