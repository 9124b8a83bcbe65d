"""Tests the writes and the ranking of the kit: see scratch.py. Makes TEST_REPLICA_URL a replica of the database."""

from __future__ import annotations

import os
import unittest
from dataclasses import astuple
from datetime import datetime, timedelta, timezone
from typing import Any, Union

from guildrank import Change, ConflictError, Guildrank, Places, Record, RefusedError, Sync, UnreplicatedError
from scratch import ResponseError, ScratchTest, connect, disconnect, redis, redis_asyncio, require_empty


class RecordTest(ScratchTest):
    async def test_record_many_answers_for_each_record_in_order(self) -> None:
        await self.guildrank.record("1", "c", set=50)
        await self.guildrank.hide("1", "c")
        changes = await self.guildrank.record_many(
            "1",
            [
                Record("a", add=90, profile={"username": "Ann"}),
                Record("b", set=500, profile={"level": 9}),
                Record("a", add=15),
                Record("c", add=1),
                Record("nobody", profile={"username": "None"}),
            ],
        )
        self.assertEqual(
            [astuple(change)[:-1] for change in changes],
            [
                (0, 0, 90, 0, True, False),
                (0, 0, 500, 9, True, False),
                (90, 0, 105, 1, False, False),
                (50, 0, 51, 0, False, True),
                (0, 0, 0, 0, False, False),
            ],
        )
        rows = (await self.guildrank.page("1")).rows
        self.assertEqual([(row.user_id, row.username, row.xp) for row in rows], [("b", "b", 500), ("a", "Ann", 105)])

    async def test_record_many_changes_nobody_when_one_record_is_refused(self) -> None:
        with self.assertRaises(RefusedError) as refused:
            await self.guildrank.record_many("1", [Record("a", add=5), Record("b", add=-5)])
        self.assertEqual((refused.exception.index, refused.exception.reason), (1, "range"))
        self.assertEqual((await self.guildrank.page("1")).total, 0)
        self.assertEqual(await self.guildrank.record_many("1", []), [])

    async def test_calls_take_any_number_of_members(self) -> None:
        users = [str(number) for number in range(1200)]
        changes = await self.guildrank.record_many("1", [Record(user, set=5) for user in users])
        self.assertEqual([change.created for change in changes], [True] * 1200)
        with self.assertRaises(RefusedError) as refused:
            await self.guildrank.record_many("1", [Record(user, add=-9 if user == "700" else 1) for user in users])
        self.assertEqual((refused.exception.index, refused.exception.reason), (700, "range"))
        self.assertEqual((await self.guildrank.hide("1", *users)).changed, 1200)
        self.assertEqual(await self.guildrank.unhide("1", *users), Places(1200, {}))
        self.assertEqual(await self.guildrank.remove("1", *users, "nobody"), 1200)
        self.assertEqual(await self.guildrank.hide("1"), Places(0, {}))

    async def test_shows_a_member_when_its_last_reason_is_lifted(self) -> None:
        await self.guildrank.record_many("1", [Record("a", set=1), Record("b", set=2)])
        await self.guildrank.hide("1", "a", reason="self")
        self.assertEqual(await self.guildrank.hide("1", "a", "b", reason="left"), Places(1, {"a": ["left", "self"], "b": ["left"]}))
        self.assertEqual(await self.guildrank.unhide("1", "a", "b", reason="left"), Places(1, {"a": ["self"]}))
        self.assertEqual((await self.guildrank.unhide("1", "a")).changed, 0)
        self.assertEqual(await self.guildrank.unhide("1", "a", reason="self"), Places(1, {}))
        with self.assertRaisesRegex(ValueError, "^reason must be one of left, self, moderator, not 'ban'$"):
            await self.guildrank.hide("1", "a", reason="ban")

    async def test_sync_hides_who_left_and_lifts_it_from_who_is_there(self) -> None:
        users = [f"u{n}" for n in range(1000)]
        await self.guildrank.record_many("1", [Record(user, set=5) for user in users])
        await self.guildrank.hide("1", "u0", reason="left")
        present = {user for user in users if user != "u999"}
        self.assertEqual(await self.guildrank.sync_members("1", present, dry_run=True), Sync(999, 1, 1))
        self.assertEqual((await self.guildrank.page("1")).total, 999)
        with self.assertRaisesRegex(ConflictError, "lacks 998 of 999 ranked members"):
            await self.guildrank.sync_members("1", {"u1"})
        self.assertEqual(await self.guildrank.sync_members("1", present), Sync(999, 1, 1))
        self.assertEqual((await self.guildrank.unhide("1", "u0", "u999")).hidden, {"u999": ["left"]})

    async def test_record_changes_xp_and_profile_of_one_member(self) -> None:
        self.assertEqual(await self.guildrank.record("1", "a", set=100), Change(0, 0, 100, 1, created=True, hidden=False))
        self.assertEqual((await self.guildrank.record("1", "a", add=-1)).level, 0)
        self.assertEqual((await self.guildrank.record("1", "a", profile={"username": "Ann"})).xp, 99)

    async def test_takes_what_is_there_and_sets_the_xp_of_a_level(self) -> None:
        await self.guildrank.record("1", "a", set=300)
        self.assertEqual(await self.guildrank.record("1", "a", add=-500, floor=0), Change(300, 2, 0, 0, created=False, hidden=False))
        self.assertEqual(await self.guildrank.record("1", "nobody", add=-5, floor=0), Change(0, 0, 0, 0, created=False, hidden=False))
        self.assertEqual((await self.guildrank.record("1", "a", add=5, floor=0)).xp, 5)
        self.assertEqual(await self.guildrank.set_level("1", "a", 10), Change(5, 0, 4675, 10, created=False, hidden=False))
        with self.assertRaises(RefusedError) as refused:
            await self.guildrank.set_level("1", "a", 10**9)
        self.assertEqual(refused.exception.reason, "level")
        self.assertEqual((await self.guildrank.page("1")).total, 1)

    async def test_multiplies_an_award_by_its_factor(self) -> None:
        await self.connection.hset("gr:{1}:config", mapping={"xp_multiplier": "1.5"})
        factors: list[tuple[Union[float, str], int]] = [(1.5, 7), ("1.5", 7), (0, 0), (2, 9), (0.166666, 1)]
        for factor, awarded in factors:
            self.assertEqual((await self.guildrank.award("1", "f", 3, factor=factor)).awarded, awarded)
        unfits: list[Union[float, str]] = [-1, 1000.000001, 0.1234567, "1e1", float("nan")]
        for unfit in unfits:
            with self.assertRaises(ValueError):
                await self.guildrank.award("1", "f", 3, factor=unfit)

    async def test_does_a_call_of_an_event_once(self) -> None:
        first = await self.guildrank.award("1", "a", 300, cooldown_ms=1000, event_id="message 1")
        self.assertEqual((first.xp, first.level, first.repeated), (300, 2, False))
        again = await self.guildrank.award("1", "a", 300, cooldown_ms=1000, event_id="message 1")
        self.assertEqual((again.xp, again.level_before, again.level, again.repeated), (300, 0, 2, True))
        claims = [await self.guildrank.claim_daily("1", "a", 50, event_id="claim 1") for _ in range(2)]
        self.assertEqual([(claim.claimed, claim.xp, claim.repeated) for claim in claims], [(True, 350, False), (True, 350, True)])
        records = [Record(f"u{n}", add=1) for n in range(501)]
        changes = [await self.guildrank.record_many("1", records, event_id="many") for _ in range(2)]
        self.assertEqual([change.repeated for change in (changes[0][500], changes[1][500])], [False, True])
        self.assertEqual([change.xp for change in changes[0]], [change.xp for change in changes[1]])
        levels = [await self.guildrank.set_level("1", "b", 5, event_id="level") for _ in range(2)]
        self.assertEqual([(change.level, change.created, change.repeated) for change in levels], [(5, True, False), (5, True, True)])
        with self.assertRaises(RefusedError) as refused:
            await self.guildrank.award("1", "b", 5, event_id="level")
        self.assertEqual(refused.exception.reason, "event")
        page = await self.guildrank.around("1", "u500", 0)
        self.assertEqual(page.rows[0].xp if page else None, 1)
        with self.assertRaises(ValueError):
            await self.guildrank.award("1", "a", 5, event_id="\u00e9" * 33)

    async def test_asks_replicas_and_a_repeat_of_an_event_that_they_lacked_counts_once(self) -> None:
        guildrank = Guildrank(self.connection, os.environ["LUA"], replicas=1)
        with self.assertRaisesRegex(UnreplicatedError, "0 of 1 replicas have it"):
            await guildrank.award("1", "a", 300, event_id="message")
        with self.assertRaises(RefusedError):
            await self.guildrank.record("1", "a", add=-301)
        self.assertEqual((await guildrank.page("1")).rows[0].xp, 300)
        replica = connect(os.environ["TEST_REPLICA_URL"])
        try:
            await require_empty(replica)
            server = self.connection.connection_pool.connection_kwargs
            await replica.execute_command("REPLICAOF", server["host"], server["port"])
            award = None
            while award is None:
                try:
                    award = await guildrank.award("1", "a", 300, event_id="message")
                except UnreplicatedError:
                    pass
            self.assertEqual((award.xp, award.repeated), (300, True))
            await self.connection.script_flush()
            self.assertEqual((await guildrank.record("1", "a", add=1)).xp, 301)
            self.assertEqual(await replica.zscore("gr:{1}:xp", "a"), 301)
        finally:
            await replica.execute_command("REPLICAOF", "NO", "ONE")
            await replica.flushdb()
            await disconnect(replica)

    def test_refuses_replicas_that_are_no_number_and_a_cluster(self) -> None:
        for replicas in (-1, 101, True):
            with self.assertRaises(ValueError):
                Guildrank(self.connection, replicas=replicas)
        cluster = redis_asyncio.RedisCluster.__new__(redis_asyncio.RedisCluster)
        with self.assertRaisesRegex(ValueError, "Cluster"):
            Guildrank(cluster, replicas=1)

    async def test_page_knows_curves_of_the_guild_and_scores_of_raw_writers(self) -> None:
        await self.connection.hset("gr:{1}:config", mapping={"xp_curve": "custom", "xp_curve_custom": "0,0,50,0,1,1,10"})
        await self.connection.zadd("gr:{1}:xp", {"a": 5000, "b": 120, "c": 7.9, "d": float("inf")})
        rows = [(row.user_id, row.level, row.xp) for row in (await self.guildrank.page("1")).rows]
        self.assertEqual(rows, [("d", 10, 2**53 - 1), ("a", 10, 5000), ("b", 2, 120), ("c", 0, 7)])
        for unfit in ("0,0,0,0,1,1", "x", "0,0,50,0,0,1", "0,0,50,0,1,1,0"):
            await self.connection.hset("gr:{1}:config", "xp_curve_custom", unfit)
            with self.assertRaisesRegex(ResponseError, "^CURVE .* unfit numbers"):
                await self.guildrank.page("1")

    async def test_sends_nothing_of_records_when_one_is_unfit(self) -> None:
        records = [*(Record(f"u{n}", add=1) for n in range(500)), Record("y", add=-1, floor=1)]
        with self.assertRaises(ValueError):
            await self.guildrank.record_many("1", records)
        self.assertEqual((await self.guildrank.page("1")).total, 0)
        await self.guildrank.record("1", "a", set=1, profile={"username": "Ann"})
        await self.guildrank.record("1", "a", profile={"username": None})
        self.assertEqual((await self.guildrank.page("1")).rows[0].username, "a")

    async def test_claims_after_a_claim_of_a_clock_that_was_far_ahead(self) -> None:
        await self.guildrank.record("1", "a", set=1)
        await self.connection.hset("gr:{1}:members", "a", "- 1 8640000000000000 ")
        claim = await self.guildrank.claim_daily("1", "a", 5)
        self.assertTrue(claim.claimed)

    async def test_sends_no_unfit_id_or_number(self) -> None:
        for guild, user in (("", "a"), ("1", ""), ("1", "x y"), ("1", "a}b"), ("1", "u" * 65)):
            with self.assertRaises(ValueError):
                await self.guildrank.award(guild, user, 5)
            with self.assertRaises(ValueError):
                await self.guildrank.record_many(guild, [Record("a", add=1), Record(user, add=1)])
            with self.assertRaises(ValueError):
                await self.guildrank.hide(guild, user)
        for page, limit in ((1, 0), (0, 10), (1, 101)):
            with self.assertRaises(ValueError):
                await self.guildrank.page("1", page, limit)
        for reach in (-1, 51):
            with self.assertRaises(ValueError):
                await self.guildrank.around("1", "a", reach)
        with self.assertRaises(ValueError):
            await self.guildrank.record("1", "a", add=-5, floor=7)
        self.assertEqual(await self.connection.dbsize(), 0)

    async def test_refuses_a_claim_in_the_future(self) -> None:
        far = datetime.now(timezone.utc) + timedelta(days=60)
        ms = round(far.timestamp() * 1000)
        problem = "^last_daily_claim is more than a day from now: no member can have claimed then$"
        claims: list[Union[datetime, int, str]] = [far, ms, str(ms)]
        for claim in claims:
            with self.assertRaisesRegex(ValueError, problem):
                await self.guildrank.record("1", "a", set=1, profile={"last_daily_claim": claim})
            with self.assertRaisesRegex(ValueError, problem):
                await self.guildrank.set_profiles("1", {"b": {}, "a": {"last_daily_claim": claim}})
        self.assertEqual(await self.connection.dbsize(), 0)
        soon = datetime.now(timezone.utc) + timedelta(hours=23)
        await self.guildrank.record("1", "a", set=1, profile={"last_daily_claim": soon})

    async def test_refuses_a_name_that_is_no_text(self) -> None:
        unfits: list[Any] = [5, {}, ["a"]]
        for unfit in unfits:
            with self.assertRaisesRegex(ValueError, "^username must be a text, not "):
                await self.guildrank.record("1", "a", set=1, profile={"username": unfit})
        self.assertEqual(await self.connection.dbsize(), 0)

    async def test_refuses_fields_and_numbers_that_a_profile_does_not_have(self) -> None:
        unfits: list[tuple[Any, str]] = [
            ({"nickname": "x"}, "^A profile has no field 'nickname': it has username, level, daily_streak, last_daily_claim$"),
            ({"level": "-"}, "^level must be a whole number, not '-'$"),
            ({"level": "1 2 3 x"}, "^level must be a whole number, not '1 2 3 x'$"),
            ({"daily_streak": 1.5}, "^daily_streak must be a whole number, not 1.5$"),
            ({"last_daily_claim": "2026-03-01"}, "^last_daily_claim must be a whole number, not '2026-03-01'$"),
        ]
        for profile, problem in unfits:
            with self.assertRaisesRegex(ValueError, problem):
                await self.guildrank.record("1", "a", set=1, profile=profile)
        with self.assertRaises(RefusedError) as refused:
            await self.guildrank.record("1", "a", set=1, profile={"level": -1})
        self.assertEqual(refused.exception.reason, "field")
        self.assertEqual(await self.connection.dbsize(), 0)

    async def test_refuses_xp_that_is_no_whole_number(self) -> None:
        unfits: list[Any] = ["add 5", "keep", "5", 1.5, True]
        for unfit in unfits:
            with self.assertRaisesRegex(ValueError, "^set must be a whole number, not "):
                await self.guildrank.record("1", "a", set=unfit)
            with self.assertRaisesRegex(ValueError, "^add must be a whole number, not "):
                await self.guildrank.record("1", "a", add=unfit)
        self.assertEqual(await self.connection.dbsize(), 0)

    async def test_changes_the_parts_of_a_profile_that_are_given(self) -> None:
        members = "gr:{1}:members"
        await self.guildrank.record("1", "a", set=1, profile={"username": " - 5 = ", "level": 3, "daily_streak": 2, "last_daily_claim": -7})
        self.assertEqual(await self.connection.hget(members, "a"), b"3 2 -7  - 5 = ")
        await self.guildrank.record("1", "a", profile={"level": None, "daily_streak": ""})
        self.assertEqual(await self.connection.hget(members, "a"), b"- 0 -7  - 5 = ")
        await self.guildrank.record("1", "a", profile={"username": ""})
        self.assertEqual(await self.connection.hget(members, "a"), b"- 0 -7")
        await self.guildrank.record("1", "a", profile={"last_daily_claim": None})
        self.assertEqual(await self.connection.exists(members), 0)

    def test_refuses_a_prefix_that_the_service_refuses(self) -> None:
        unfits: list[Any] = ["", "{gr}", "a b", "x" * 65, "gr\n", None]
        for unfit in unfits:
            with self.assertRaisesRegex(ValueError, "^prefix must be 1 to 64 of A-Z a-z 0-9 : _ . -, not "):
                Guildrank(self.connection, prefix=unfit)
        Guildrank(self.connection, prefix="a:B_9.-")

    def test_says_that_it_needs_a_connection_of_asyncio(self) -> None:
        with self.assertRaisesRegex(TypeError, "redis.asyncio"):
            Guildrank(redis.Redis())

    async def test_page_shows_names_and_levels_of_profiles_and_what_is_none(self) -> None:
        await self.connection.zadd("gr:{1}:xp", {"a": 60, "b": 50, "c": 40, "d": 255, "e": 20, "f": 10})
        profiles = {"a": "- 3 1764547200000+60  two  words ", "b": "7 0 - 12 3", "c": "Ann Lee of Berlin", "d": "x many 5 Cy\nd", "e": "Ann"}
        await self.connection.hset("gr:{1}:members", mapping=profiles)
        shown = [(row.user_id, row.username, row.level) for row in (await self.guildrank.page("1")).rows]
        expected = [("d", "Cy\nd", 2), ("a", " two  words ", 0), ("b", "12 3", 7), ("c", "c", 0), ("e", "e", 0), ("f", "f", 0)]
        self.assertEqual(shown, expected)


if __name__ == "__main__":
    unittest.main()
