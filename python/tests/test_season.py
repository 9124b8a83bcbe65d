"""Tests the end of a season, also after an interruption and a failover: see scratch.py. Makes TEST_REPLICA_URL a replica of the database."""

from __future__ import annotations

import asyncio
import os
import unittest
from datetime import datetime, timezone
from typing import Any, Awaitable, Callable

from guildrank import (
    Curve,
    GuildWriter,
    InvalidInputError,
    Member,
    ProfileChange,
    RefusedError,
    SeasonResult,
    StoreUnavailableError,
    XpRecord,
    create_reader,
    create_writer,
)
from guildrank.scripts import source_of
from scratch import ScratchTest, configure, connect, disconnect, require_empty

ARCHIVE = "g.2026-s1"
LOCKS = ("gr:{g}:next:xp:lock", f"gr:{{{ARCHIVE}}}:next:xp:lock")


# The steps by the digests of their scripts.
STEPS = {
    source_of(f"season-{step}").sha: step
    for step in ("begin", "open-archive", "hold", "mark", "place", "end-copy", "reset", "finish", "unlock")
}


class Watched:
    """A connection that calls `before` with the name of each step before it is sent, "" for stage.lua."""

    def __init__(self, connection: Any, before: Callable[[str], Awaitable[None]]) -> None:
        self.connection = connection
        self.before = before

    async def evalsha(self, sha: str, numkeys: int, *rest: Any) -> Any:
        await self.before(STEPS.get(sha, ""))
        return await self.connection.evalsha(sha, numkeys, *rest)

    async def script_load(self, script: str) -> Any:
        return await self.connection.script_load(script)


class SeasonTest(ScratchTest):
    def watched(self, before: Callable[[str], Awaitable[None]]) -> GuildWriter:
        return create_writer(Watched(self.connection, before))

    async def fill(self) -> None:
        await self.connection.flushdb()
        config = {"xp_curve": "custom", "xp_curve_custom": "0,0,50,0,1,1", "xp_multiplier": "2"}
        await self.connection.hset("gr:{g}:config", mapping=config)
        profile: ProfileChange = {"username": "Ann\n", "level": 9, "daily_streak": 4, "last_daily_claim": "1970-01-01T00:00:00Z"}
        members = [XpRecord("a", set=300, **profile), XpRecord("b", set=200), XpRecord("c", set=0), XpRecord("d", set=100, username="Dee")]
        await self.writer.record_many("g", members)
        await self.writer.hide("g", ["d"])
        await self.writer.hide("g", ["d"], reason="left")

    async def xp(self, guild: str) -> dict[str, int]:
        return {row.user_id: row.xp for row in (await self.reader.page(guild)).data}

    async def hidden(self, guild: str) -> tuple[list[Any], Any]:
        scores = await self.connection.zrange(f"gr:{{{guild}}}:hidden", 0, -1, withscores=True)
        return scores, await self.connection.hgetall(f"gr:{{{guild}}}:hidden:reasons")

    async def test_the_end_of_a_season_names_the_member_whose_stored_name_is_too_long(self) -> None:
        await self.fill()
        await self.connection.hset("gr:{g}:members", "b", "- 0 - " + "x" * 1025)
        with self.assertRaisesRegex(RefusedError, "^Member b of guild g has a name above 512 bytes"):
            await self.writer.reset_season("g", archive_as=ARCHIVE)
        await self.connection.hset("gr:{g}:members", "b", "- 0 - x")
        self.assertEqual(await self.writer.reset_season("g", archive_as=ARCHIVE), SeasonResult(4, 4))

    async def test_the_end_of_a_season_copies_all_members_with_their_profiles_and_starts_them_at_0(self) -> None:
        await self.fill()
        await configure(self.connection, "g", "boards", "week")
        await self.writer.record("g", "b", add=5)
        self.assertEqual(await self.writer.reset_season("g", archive_as=ARCHIVE), SeasonResult(4, 4))
        self.assertEqual((await self.xp(ARCHIVE), await self.xp("g")), ({"a": 300, "b": 205, "c": 0}, {"c": 0, "b": 0, "a": 0}))
        self.assertEqual(await self.hidden(ARCHIVE), ([(b"d", 100)], {b"d": b"left moderator"}))
        self.assertEqual(await self.hidden("g"), ([(b"d", 0)], {b"d": b"left moderator"}))
        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        self.assertEqual(await self.reader.member(ARCHIVE, "a"), Member(1, "a", "Ann\n", 9, 300, 4, epoch))
        self.assertEqual(await self.reader.member("g", "a"), Member(3, "a", "Ann\n", 0, 0, 4, epoch))
        stats, card = await self.reader.stats(ARCHIVE), await self.reader.card(ARCHIVE, "d")
        self.assertEqual((stats.total_xp, stats.curve, stats.xp_multiplier), (505, Curve(0, 0, 50, 0, 1, 1), 2))
        self.assertEqual(card and (card.username, card.hidden), ("Dee", ("left", "moderator")))
        self.assertEqual((await self.reader.page("g", board="week")).total, 0)
        self.assertEqual(await self.connection.exists("gr:{g}:season:xp", *LOCKS), 0)

    async def test_the_end_of_a_season_does_nothing_again_and_names_what_is_in_the_way(self) -> None:
        await self.fill()
        self.assertEqual(await self.writer.reset_season("g", archive_as=ARCHIVE, keep_members=False), SeasonResult(4, 4))
        self.assertEqual((await self.xp("g"), await self.hidden("g")), ({}, ([(b"d", 0)], {b"d": b"left moderator"})))
        await self.writer.record("g", "a", add=7)
        self.assertEqual(await self.writer.reset_season("g", archive_as=ARCHIVE), SeasonResult(0, 0))
        await self.writer.reset_season("g", archive_as="g.s2")
        self.assertEqual(await self.xp("g.s2"), {"a": 7})
        with self.assertRaisesRegex(RefusedError, f"{ARCHIVE} already has data"):
            await self.writer.reset_season("g", archive_as=ARCHIVE)
        await self.connection.hset("gr:{g}:stats", "moving", "1")
        with self.assertRaisesRegex(RefusedError, 'The move of guild g is not finished: run "guild export" and "guild import" again, or delete the guild'):
            await self.writer.reset_season("g", archive_as="g.s3")
        for archive, message in (("g", "archive_as must differ from the id of the guild"), ("a b", "The guild id 'a b'")):
            with self.assertRaisesRegex(InvalidInputError, message):
                await self.writer.reset_season("g", archive_as=archive)

    async def test_the_end_of_a_season_goes_on_after_a_stop_at_any_step_and_loses_no_xp(self) -> None:
        for is_cancelled in (False, True):
            steps = 1
            while not await self.ends_after(steps, is_cancelled):
                steps += 1
            self.assertGreater(steps, 10)

    async def ends_after(self, steps: int, is_cancelled: bool) -> bool:
        """Interrupts the end of a season after some steps. Returns whether it had ended before."""
        left = steps

        async def interrupt(_step: str) -> None:
            nonlocal left
            left -= 1
            if left == 0 and is_cancelled:
                running.cancel()
            elif left < 0 and not is_cancelled:
                raise ConnectionError("killed")

        await self.fill()
        running = asyncio.ensure_future(self.watched(interrupt).reset_season("g", archive_as=ARCHIVE))
        [outcome] = await asyncio.gather(running, return_exceptions=True)
        await self.writer.award("g", "b", 5)
        await self.writer.record("g", "new", add=1)
        has_ended = isinstance(outcome, SeasonResult)
        if has_ended:
            self.assertEqual(outcome, SeasonResult(4, 4))
        else:
            self.assertIsInstance(outcome, asyncio.CancelledError if is_cancelled else StoreUnavailableError)
        if is_cancelled:
            self.assertEqual(await self.connection.exists(*LOCKS), 0)
        is_under_way = await self.connection.hget("gr:{g}:season", "phase") == b"reset" or await self.connection.exists("gr:{g}:season:xp")
        if is_under_way:
            with self.assertRaisesRegex(RefusedError, "is not finished|is running"):
                await self.writer.reset_season("g", archive_as="g.other")
        # Without a reply they expire after ten seconds.
        await self.connection.delete(*LOCKS)
        await self.writer.reset_season("g", archive_as=ARCHIVE)
        now, before = await self.xp("g"), await self.xp(ARCHIVE)
        sums = {user: now.get(user, 0) + before.get(user, 0) for user in ("a", "b", "new")}
        self.assertEqual(sums, {"a": 300, "b": 210, "new": 1})
        self.assertEqual((await self.hidden("g"))[0], [(b"d", 0)])
        self.assertEqual(await self.hidden(ARCHIVE), ([(b"d", 100)], {b"d": b"left moderator"}))
        return has_ended

    async def test_the_end_of_a_season_tells_how_many_it_has_copied_after_a_kill_while_it_marked(self) -> None:
        marks = 0

        async def kill(step: str) -> None:
            nonlocal marks
            marks += step == "mark"
            if marks == 3:
                raise ConnectionError("killed")

        await self.fill()
        with self.assertRaises(StoreUnavailableError):
            await self.watched(kill).reset_season("g", archive_as=ARCHIVE)
        await self.connection.delete(*LOCKS)
        self.assertEqual(await self.connection.zcard("gr:{g}:season:xp"), 3)
        self.assertEqual(await self.writer.reset_season("g", archive_as=ARCHIVE), SeasonResult(4, 4))

    async def test_one_call_at_a_time_has_the_locks_of_a_season(self) -> None:
        async def overtake(step: str) -> None:
            if step == "mark":
                with self.assertRaisesRegex(RefusedError, "is running"):
                    await self.writer.reset_season("g", archive_as=ARCHIVE)
                await self.connection.delete(*LOCKS)
                self.assertEqual(await self.writer.reset_season("g", archive_as=ARCHIVE), SeasonResult(4, 4))

        await self.fill()
        with self.assertRaises(RefusedError) as refused:
            await self.watched(overtake).reset_season("g", archive_as=ARCHIVE)
        self.assertEqual(refused.exception.code, "lock")
        self.assertEqual(await self.xp(ARCHIVE), {"a": 300, "b": 200, "c": 0})

    async def test_the_end_of_a_season_archives_each_member_once_during_a_failover(self) -> None:
        members = 2000
        for step, number, lost in (("mark", 3, 1), ("mark", 4, 5), ("end-copy", 1, 4), ("reset", 3, 3)):
            with self.subTest(step):
                await self.connection.flushdb()
                await self.writer.record_many("g", [XpRecord(f"m{n}", set=n + 1) for n in range(members)])
                await self.fail_over(step, number, lost, members)

    async def fail_over(self, cut_at: str, number: int, lost: int, members: int) -> None:
        """Replaces the server at a step. The replica lacks the writes of the last calls before that."""
        replica = connect(os.environ["TEST_REPLICA_URL"])
        seen, left = 0, members

        async def cut(step: str) -> None:
            nonlocal seen, left
            seen += step == cut_at
            left -= 1
            if step == cut_at and seen == number and left > lost:
                await self.connection.execute_command("WAIT", 1, 1000)
                await replica.execute_command("REPLICAOF", "NO", "ONE")
                left = lost
            if left == 0:
                watched.connection = replica

        watched = Watched(self.connection, cut)
        try:
            await require_empty(replica)
            server = self.connection.connection_pool.connection_kwargs
            await replica.execute_command("REPLICAOF", server["host"], server["port"])
            while (await replica.info("replication")).get("master_link_status") != "up":
                pass
            result = await create_writer(watched).reset_season("g", archive_as=ARCHIVE)
            self.assertIs(watched.connection, replica)
            self.assertGreaterEqual(result.reset, members)
            archived = await replica.zrange(f"gr:{{{ARCHIVE}}}:xp", 0, -1, withscores=True)
            self.assertEqual(archived, [(b"m%d" % n, n + 1) for n in range(members)])
            self.assertEqual(await replica.zcount("gr:{g}:xp", 1, "+inf"), 0)
            stats = await create_reader(replica).stats(ARCHIVE)
            self.assertEqual((stats.total_members, stats.total_xp), (members, members * (members + 1) // 2))
        finally:
            await replica.execute_command("REPLICAOF", "NO", "ONE")
            await replica.flushdb()
            await disconnect(replica)


if __name__ == "__main__":
    unittest.main()
