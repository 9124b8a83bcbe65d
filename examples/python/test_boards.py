"""Tests boards of the week and the month: see scratch.py."""

from __future__ import annotations

import os
import unittest
from pathlib import Path
from typing import Any

from guildrank import BOARDS, Guildrank, Record, Row
from guildrank.keys import Keys
from guildrank.scripts import MAX_KNOWN_GUILDS, Scripts
from scratch import ResponseError, ScratchTest

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


class BoardTest(ScratchTest):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.counted = Counted(self.connection)
        self.guildrank = Guildrank(self.counted, os.environ["LUA"])
        await self.guildrank.record_many("1", [Record("a", set=300), Record("b", set=255, profile={"username": "Ben"}), Record("c", set=5)])
        self.counted.calls.clear()

    async def give_boards(self, guild: str = "1") -> None:
        """Gives a guild boards, as the command `guild set --boards` does."""
        await Scripts(self.connection, Path(os.environ["LUA"])).run("configure", Keys("gr").guild(guild), ["boards", "week,month"])

    async def test_reads_of_a_board_have_the_xp_gained_and_the_levels_in_the_guild(self) -> None:
        await self.give_boards()
        await self.guildrank.record("1", "b", add=20)
        await self.guildrank.award("1", "a", 10)
        rows = [Row(1, "b", "Ben", 2, 20), Row(2, "a", "a", 2, 10)]
        for board in ("week", "month"):
            page = await self.guildrank.page("1", board=board)
            self.assertEqual((page.rows, page.total), (rows, 2))
            self.assertEqual((await self.guildrank.page("1", 2, 1, board=board)).rows, rows[1:])
            around = await self.guildrank.around("1", "a", 1, board=board)
            self.assertEqual(around and around.rows, rows)
            member = await self.guildrank.member("1", "a", board=board)
            self.assertEqual(member and (member.rank, member.xp, member.level), (2, 10, 2))
            self.assertIsNone(await self.guildrank.member("1", "c", board=board))
            self.assertIsNone(await self.guildrank.around("1", "c", board=board))
            stats = await self.guildrank.stats("1", board=board)
            self.assertEqual((stats.total_members, stats.total_xp, stats.average_level), (2, 30, 2))
        for board in ("week.prev", "month.prev"):
            self.assertEqual((await self.guildrank.page("1", board=board)).rows, [])
            self.assertIsNone(await self.guildrank.around("1", "a", board=board))
        self.assertEqual((await self.guildrank.page("1")).total, 3)
        self.assertEqual((await self.guildrank.page("2", board="week")).total, 0)
        for read in (self.guildrank.page("1", board="year"), self.guildrank.around("1", "a", board="weeks"), self.guildrank.stats("1", board="")):
            with self.assertRaisesRegex(ValueError, f"^board must be one of {', '.join(BOARDS)}, not "):
                await read

    async def test_each_call_that_writes_takes_the_keys_of_boards(self) -> None:
        await self.give_boards()
        await self.guildrank.award("1", "a", 10, cooldown_ms=1000, event_id="message")
        self.assertTrue((await self.guildrank.award("1", "a", 10, cooldown_ms=1000, event_id="message")).repeated)
        await self.guildrank.claim_daily("1", "a", 5)
        await self.guildrank.record_many("1", [Record("b", add=20), Record("b", add=-30, floor=0)], event_id="records")
        await self.guildrank.set_level("1", "c", 3)
        await self.guildrank.set_profiles("1", {"c": {"username": "Cy"}})
        await self.guildrank.hide("1", "a")
        self.assertEqual((await self.guildrank.page("1", board="week")).rows, [])
        await self.guildrank.unhide("1", "a")
        await self.guildrank.sync_members("1", {"a", "b", "c"})
        await self.guildrank.record("1", "c", add=7)
        self.assertEqual(await self.guildrank.remove("1", "c"), 1)
        rows = [(row.user_id, row.xp) for row in (await self.guildrank.page("1", board="month")).rows]
        self.assertEqual(rows, [("a", 15)])

    async def test_a_guild_with_boards_costs_one_call_more_once(self) -> None:
        await self.guildrank.award("1", "a", 1)
        self.assertEqual([len(keys) for keys in self.counted.calls], [6])
        await self.give_boards()
        self.counted.calls.clear()
        await self.guildrank.award("1", "a", 1)
        await self.guildrank.award("1", "a", 1)
        await self.guildrank.award("2", "a", 1)
        await self.guildrank.hide("1", "a")
        self.assertEqual([len(keys) for keys in self.counted.calls], [6, 14, 14, 6, 14])
        self.assertEqual(self.counted.calls[1][5:8], ["gr:{1}~week:xp", "gr:{1}~week:hidden", "gr:{1}~week.prev:xp"])

    async def test_remembers_a_bounded_number_of_guilds(self) -> None:
        async def award(guild: str) -> int:
            self.counted.calls.clear()
            await self.guildrank.award(guild, "a", 1)
            return len(self.counted.calls)

        await self.give_boards()
        self.assertEqual(await award("1"), 2)
        known = self.guildrank._scripts._with_boards
        known.update(f"other {n}" for n in range(MAX_KNOWN_GUILDS - 1))
        await self.give_boards("2")
        self.assertEqual([await award("2"), await award("2"), await award("1")], [2, 1, 2])
        self.assertEqual(len(known), 2)

    async def test_other_errors_of_a_script_reach_the_caller(self) -> None:
        await self.connection.hset("gr:{1}:stats", "model", "2")
        with self.assertRaisesRegex(ResponseError, "^MODEL "):
            await self.guildrank.award("1", "a", 1)
        self.assertEqual(len(self.counted.calls), 1)


if __name__ == "__main__":
    unittest.main()
