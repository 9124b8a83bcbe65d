"""Tests the writes and the ranking of the kit: see scratch.py. Makes TEST_REPLICA_URL a replica of the database."""

from __future__ import annotations

import os
import unittest
from datetime import datetime, timedelta, timezone
from typing import Any, Awaitable, Callable

from guildrank import (
    Award,
    HiddenMember,
    InvalidInputError,
    MemberChange,
    HideResult,
    RefusedError,
    StoreUnavailableError,
    SyncResult,
    Unchanged,
    XpChange,
    XpRecord,
    create_reader,
    create_writer,
)
from scratch import ScratchTest, connect, disconnect, redis, redis_asyncio, require_empty


def numbers_of(change: XpChange) -> tuple[int, int, int, int]:
    return change.xp_before, change.level_before, change.xp, change.level



class RecordTest(ScratchTest):
    async def test_record_many_answers_for_each_record_in_order(self) -> None:
        await self.writer.record("1", "c", set=50)
        await self.writer.hide("1", ["c"])
        result = await self.writer.record_many(
            "1",
            [
                XpRecord("a", add=90, username="Ann"),
                XpRecord("b", set=500, level=9),
                XpRecord("a", add=15),
                XpRecord("c", add=1),
                XpRecord("nobody", add=-5, floor=0),
                XpRecord("d", set=7, hidden=True),
            ],
        )
        expected = [
            MemberChange(0, 0, 90, 0, "a", created=True, hidden=False),
            MemberChange(0, 0, 500, 9, "b", created=True, hidden=False),
            MemberChange(90, 0, 105, 1, "a", created=False, hidden=False),
            MemberChange(50, 0, 51, 0, "c", created=False, hidden=True),
            MemberChange(0, 0, 0, 0, "nobody", created=False, hidden=False),
            MemberChange(0, 0, 7, 0, "d", created=False, hidden=True),
        ]
        self.assertEqual(result.members, expected)
        self.assertEqual((numbers_of(result), result.created, result.repeated), ((0, 0, 7, 0), 2, False))
        self.assertEqual((await self.writer.hide("1", ["d"])).hidden, [HiddenMember("d", ("moderator",))])
        rows = (await self.reader.page("1")).data
        self.assertEqual([(row.user_id, row.username, row.xp) for row in rows], [("b", "b", 500), ("a", "Ann", 105)])

    async def test_record_many_changes_nobody_when_one_record_is_refused(self) -> None:
        with self.assertRaises(RefusedError) as refused:
            await self.writer.record_many("1", [XpRecord("a", add=5), XpRecord("b", add=-5)])
        self.assertEqual((refused.exception.params["index"], refused.exception.code), (1, "range"))
        self.assertEqual((await self.reader.page("1")).total, 0)
        empty = await self.writer.record_many("1", [])
        self.assertEqual((empty.members, numbers_of(empty), empty.created), ([], (0, 0, 0, 0), 0))

    async def test_calls_take_any_number_of_members(self) -> None:
        users = [str(number) for number in range(1200)]
        result = await self.writer.record_many("1", [XpRecord(user, set=5) for user in users])
        self.assertEqual(([change.created for change in result.members], result.created), ([True] * 1200, 1200))
        with self.assertRaises(RefusedError) as refused:
            await self.writer.record_many("1", [XpRecord(user, add=-9 if user == "700" else 1) for user in users])
        self.assertEqual((refused.exception.params["index"], refused.exception.code), (700, "range"))
        self.assertEqual((await self.writer.hide("1", users)).changed, 1200)
        self.assertEqual(await self.writer.unhide("1", users), HideResult(1200, []))
        self.assertEqual(await self.writer.remove("1", [*users, "nobody"]), 1200)
        self.assertEqual(await self.writer.hide("1", []), HideResult(0, []))

    async def test_a_member_is_shown_when_its_last_reason_is_lifted(self) -> None:
        await self.writer.record_many("1", [XpRecord("a", set=1), XpRecord("b", set=2)])
        await self.writer.hide("1", ["a"], reason="self")
        self.assertEqual(await self.writer.hide("1", ["a", "b"], reason="left"), HideResult(1, [HiddenMember("a", ("left", "self")), HiddenMember("b", ("left",))]))
        self.assertEqual(await self.writer.unhide("1", ["a", "b"], reason="left"), HideResult(1, [HiddenMember("a", ("self",))]))
        self.assertEqual((await self.writer.unhide("1", ["a"])).changed, 0)
        self.assertEqual(await self.writer.unhide("1", ["a"], reason="self"), HideResult(1, []))
        with self.assertRaisesRegex(InvalidInputError, "^reason must be one of left, self, moderator, not 'ban'$"):
            await self.writer.hide("1", ["a"], reason="ban")  # type: ignore[arg-type]

    async def test_sync_hides_who_left_and_lifts_it_from_who_is_there(self) -> None:
        users = [f"u{n}" for n in range(1000)]
        await self.writer.record_many("1", [XpRecord(user, set=5) for user in users])
        await self.writer.hide("1", ["u0"], reason="left")
        present = {user for user in users if user != "u999"}
        self.assertEqual(await self.writer.sync_members("1", present, dry_run=True), SyncResult(999, 1, 1))
        self.assertEqual((await self.reader.page("1")).total, 999)
        with self.assertRaisesRegex(RefusedError, "lacks 998 of 999 ranked members, which is 99.9 %, and at most 20 % may be hidden"):
            await self.writer.sync_members("1", {"u1"})
        self.assertEqual(await self.writer.sync_members("1", present), SyncResult(999, 1, 1))
        self.assertEqual((await self.writer.unhide("1", ["u0", "u999"])).hidden, [HiddenMember("u999", ("left",))])
        with self.assertRaisesRegex(InvalidInputError, "^The list of present members is empty"):
            await self.writer.sync_members("1", [])

    async def test_record_changes_xp_and_profile_of_one_member(self) -> None:
        first = await self.writer.record("1", "a", set=100)
        self.assertEqual((first.members, first.created), ([MemberChange(0, 0, 100, 1, "a", created=True, hidden=False)], 1))
        last = await self.writer.record("1", "a", add=-1, username="Ann")
        self.assertEqual((last.xp, last.level, last.created), (99, 0, 0))
        self.assertNotEqual(last.revision, first.revision)
        self.assertEqual((await self.reader.page("1")).data[0].username, "Ann")

    async def test_a_floor_takes_what_is_there_and_set_level_sets_the_xp_of_a_level(self) -> None:
        await self.writer.record("1", "a", set=300)
        self.assertEqual(numbers_of(await self.writer.record("1", "a", add=-500, floor=0)), (300, 2, 0, 0))
        self.assertEqual(numbers_of(await self.writer.record("1", "nobody", add=-5, floor=0)), (0, 0, 0, 0))
        self.assertEqual((await self.writer.record("1", "a", add=5, floor=0)).xp, 5)
        self.assertEqual(numbers_of(await self.writer.set_level("1", "a", 10)), (5, 0, 4675, 10))
        with self.assertRaises(RefusedError) as refused:
            await self.writer.set_level("1", "a", 10**9)
        self.assertEqual(refused.exception.code, "level")
        self.assertEqual((await self.reader.page("1")).total, 1)

    async def test_an_award_is_multiplied_by_its_factor(self) -> None:
        await self.connection.hset("gr:{1}:config", mapping={"xp_multiplier": "1.5"})
        factors: list[tuple[float, int]] = [(1.5, 7), (0, 0), (2, 9), (0.166666, 1)]
        for factor, awarded in factors:
            self.assertEqual((await self.writer.award("1", "f", 3, factor=factor)).awarded, awarded)
        unfits: list[Any] = [-1, 1000.000001, 0.1234567, "1.5", True, float("nan"), 10**400]
        for unfit in unfits:
            with self.assertRaises(InvalidInputError):
                await self.writer.award("1", "f", 3, factor=unfit)

    async def test_a_call_of_an_event_is_done_once(self) -> None:
        first = await self.writer.award("1", "a", 300, cooldown_ms=1000, event_id="message 1")
        self.assertEqual((first.xp, first.level, first.repeated), (300, 2, False))
        again = await self.writer.award("1", "a", 300, cooldown_ms=1000, event_id="message 1")
        self.assertEqual((again.xp, again.level_before, again.level, again.repeated), (300, 0, 2, True))
        claims = [await self.writer.claim_daily("1", "a", 50, event_id="claim 1") for _ in range(2)]
        self.assertEqual([(claim.claimed, claim.xp, claim.repeated) for claim in claims], [(True, 350, False), (True, 350, True)])
        records = [XpRecord(f"u{n}", add=1) for n in range(501)]
        results = [await self.writer.record_many("1", records, event_id="many") for _ in range(2)]
        self.assertEqual([result.repeated for result in results], [False, True])
        self.assertEqual(results[0].members, results[1].members)
        levels = [await self.writer.set_level("1", "b", 5, event_id="level") for _ in range(2)]
        self.assertEqual([(result.level, result.created, result.repeated) for result in levels], [(5, 1, False), (5, 1, True)])
        with self.assertRaises(RefusedError) as refused:
            await self.writer.award("1", "b", 5, event_id="level")
        self.assertEqual(refused.exception.code, "event")
        page = await self.reader.around("1", "u500", 0)
        self.assertEqual(page.data[0].xp if page else None, 1)
        unfits: list[Any] = ["", "\u00e9" * 33, "\ud800", 5]
        for unfit in unfits:
            with self.assertRaisesRegex(InvalidInputError, "^event_id must be a text of 1 to 64 bytes"):
                await self.writer.award("1", "a", 5, event_id=unfit)
        self.assertEqual((await self.writer.award("1", "e", 5, event_id="\u00e9" * 32)).xp, 5)

    async def test_the_writer_asks_replicas_and_a_repeat_of_an_event_that_they_lacked_counts_once(self) -> None:
        writer = create_writer(self.connection, replicas=1)
        with self.assertRaisesRegex(StoreUnavailableError, "^The call was done, .* 0 of 1 replicas have it") as lacking:
            await writer.award("1", "a", 300, event_id="message")
        self.assertEqual((lacking.exception.code, lacking.exception.is_outage, lacking.exception.not_sent), ("timeout", True, False))
        with self.assertRaises(RefusedError):
            await self.writer.record("1", "a", add=-301)
        self.assertEqual((await self.reader.page("1")).data[0].xp, 300)
        replica = connect(os.environ["TEST_REPLICA_URL"])
        try:
            await require_empty(replica)
            server = self.connection.connection_pool.connection_kwargs
            await replica.execute_command("REPLICAOF", server["host"], server["port"])

            async def confirmed(amount: int, event_id: str) -> Award:
                # Until the replica is connected, or while a busy machine holds it up.
                while True:
                    try:
                        return await writer.award("1", "a", amount, event_id=event_id)
                    except StoreUnavailableError:
                        pass

            award = await confirmed(300, "message")
            self.assertEqual((award.xp, award.repeated), (300, True))
            await self.connection.script_flush()
            self.assertEqual((await confirmed(1, "next")).xp, 301)
            self.assertEqual(await replica.zscore("gr:{1}:xp", "a"), 301)
        finally:
            await replica.execute_command("REPLICAOF", "NO", "ONE")
            await replica.flushdb()
            await disconnect(replica)

    def test_replicas_that_are_no_number_or_on_a_cluster_are_refused(self) -> None:
        for replicas in (0, -1, 101, True):
            with self.assertRaisesRegex(InvalidInputError, "^replicas must be a whole number from 1 to 100"):
                create_writer(self.connection, replicas=replicas)
        cluster = redis_asyncio.RedisCluster.__new__(redis_asyncio.RedisCluster)
        with self.assertRaisesRegex(InvalidInputError, "Cluster"):
            create_writer(cluster, replicas=1)

    async def test_a_page_knows_curves_of_the_guild_and_scores_of_raw_writers(self) -> None:
        await self.connection.hset("gr:{1}:config", mapping={"xp_curve": "custom", "xp_curve_custom": "0,0,50,0,1,1,10"})
        await self.connection.zadd("gr:{1}:xp", {"a": 5000, "b": 120, "c": 7.9, "d": float("inf")})
        rows = [(row.user_id, row.level, row.xp) for row in (await self.reader.page("1")).data]
        self.assertEqual(rows, [("d", 10, 2**53 - 1), ("a", 10, 5000), ("b", 2, 120), ("c", 0, 7)])
        for unfit in ("0,0,0,0,1,1", "x", "0,0,50,0,0,1", "0,0,50,0,1,1,0"):
            await self.connection.hset("gr:{1}:config", "xp_curve_custom", unfit)
            with self.assertRaisesRegex(StoreUnavailableError, "unfit numbers") as refused:
                await self.reader.page("1")
            self.assertEqual(refused.exception.code, "CURVE")

    async def test_the_writer_sends_no_records_when_one_is_unfit(self) -> None:
        records = [*(XpRecord(f"u{n}", add=1) for n in range(500)), XpRecord("y", add=-1, floor=1)]
        with self.assertRaisesRegex(InvalidInputError, r"^records\[500\] has the floor 1: only 0 is one$"):
            await self.writer.record_many("1", records)
        self.assertEqual((await self.reader.page("1")).total, 0)

    async def test_a_claim_succeeds_after_a_claim_of_a_clock_that_was_far_ahead(self) -> None:
        await self.writer.record("1", "a", set=1)
        await self.connection.hset("gr:{1}:members", "a", "- 1 8640000000000000 ")
        claim = await self.writer.claim_daily("1", "a", 5)
        self.assertTrue(claim.claimed)

    async def test_the_writer_sends_no_unfit_id_or_number(self) -> None:
        for guild, user in (("", "a"), ("1", ""), ("1", "x y"), ("1", "a}b"), ("1", "u" * 65)):
            with self.assertRaises(InvalidInputError):
                await self.writer.award(guild, user, 5)
            with self.assertRaises(InvalidInputError):
                await self.writer.record_many(guild, [XpRecord("a", add=1), XpRecord(user, add=1)])
            with self.assertRaises(InvalidInputError):
                await self.writer.hide(guild, [user])
        calls: list[Callable[[str, str], Awaitable[object]]] = [
            self.writer.hide,
            self.writer.unhide,
            self.writer.remove,
            self.writer.sync_members,
        ]
        for call in calls:
            with self.assertRaisesRegex(InvalidInputError, "_ids must be a list, not 'a'$"):
                await call("1", "a")
        for page, limit in ((1, 0), (0, 10), (1, 101)):
            with self.assertRaises(InvalidInputError):
                await self.reader.page("1", page, limit)
        for reach in (-1, 51):
            with self.assertRaises(InvalidInputError):
                await self.reader.around("1", "a", reach)
        with self.assertRaises(InvalidInputError):
            await self.writer.record("1", "a", add=-5, floor=7)
        self.assertEqual(await self.connection.dbsize(), 0)

    async def test_a_claim_in_the_future_is_refused(self) -> None:
        far = datetime.now(timezone.utc) + timedelta(days=60)
        problem = r"last_daily_claim is more than a day from now: no member can have claimed then$"
        claims: list[datetime | str] = [far, far.isoformat(), f"{far:%Y-%m-%dT%H:%M:%SZ}"]
        for claim in claims:
            with self.assertRaisesRegex(InvalidInputError, f"^{problem}"):
                await self.writer.record("1", "a", set=1, last_daily_claim=claim)
            with self.assertRaisesRegex(InvalidInputError, rf"^profiles\['a'\].{problem}"):
                await self.writer.set_profiles("1", {"b": {}, "a": {"last_daily_claim": claim}})
        self.assertEqual(await self.connection.dbsize(), 0)
        soon = datetime.now(timezone.utc) + timedelta(hours=23)
        await self.writer.record("1", "a", set=1, last_daily_claim=soon)

    async def test_a_name_that_is_no_text_is_refused(self) -> None:
        unfits: list[Any] = [5, {}, ["a"]]
        for unfit in unfits:
            with self.assertRaisesRegex(InvalidInputError, r"^username must be a text, not "):
                await self.writer.record("1", "a", set=1, username=unfit)
        self.assertEqual(await self.connection.dbsize(), 0)

    async def test_fields_and_numbers_that_a_profile_does_not_have_are_refused(self) -> None:
        known = "username, level, daily_streak, last_daily_claim, avatar"
        number = "must be a whole number from 0 to 9007199254740991, not"
        unfits: list[tuple[Any, str]] = [
            ({"level": "-"}, f"^level {number} '-'$"),
            ({"level": -1}, f"^level {number} -1$"),
            ({"daily_streak": 1.5}, f"^daily_streak {number} 1.5$"),
            ({"last_daily_claim": "yesterday"}, "^last_daily_claim must be a datetime or a text of ISO 8601, not 'yesterday'$"),
            ({"last_daily_claim": "2026-03-01"}, "^last_daily_claim must have a time zone"),
        ]
        for profile, problem in unfits:
            with self.assertRaisesRegex(InvalidInputError, problem):
                await self.writer.record("1", "a", set=1, **profile)
        others: list[tuple[Any, str]] = [
            ({"nickname": "x"}, rf"^profiles\['a'\]\.nickname is no field of a profile: use {known}$"),
            ([], rf"^profiles\['a'\] must be a dict with {known}, not \[\]$"),
        ]
        for profile, problem in others:
            with self.assertRaisesRegex(InvalidInputError, problem):
                await self.writer.set_profiles("1", {"a": profile})
        self.assertEqual(await self.connection.dbsize(), 0)

    async def test_xp_that_is_no_whole_number_is_refused(self) -> None:
        unfits: list[Any] = ["add 5", "keep", "5", 1.5, True]
        for unfit in unfits:
            with self.assertRaisesRegex(InvalidInputError, "^set must be a whole number, not "):
                await self.writer.record("1", "a", set=unfit)
            with self.assertRaisesRegex(InvalidInputError, "^add must be a whole number, not "):
                await self.writer.record("1", "a", add=unfit)
        self.assertEqual(await self.connection.dbsize(), 0)

    async def test_a_change_of_a_profile_changes_the_parts_that_are_given(self) -> None:
        members = "gr:{1}:members"
        claim = "1969-12-31T23:59:59.993Z"
        await self.writer.record("1", "a", set=1, username=" - 5 = ", level=3, daily_streak=2, last_daily_claim=claim)
        self.assertEqual(await self.connection.hget(members, "a"), b"3 2 -7  - 5 = ")
        await self.writer.set_profiles("1", {"a": {"level": None, "daily_streak": None}})
        self.assertEqual(await self.connection.hget(members, "a"), b"- 0 -7  - 5 = ")
        await self.writer.set_profiles("1", {"a": {"username": ""}})
        self.assertEqual(await self.connection.hget(members, "a"), b"- 0 -7")
        await self.writer.set_profiles("1", {"a": {"last_daily_claim": None}})
        self.assertEqual(await self.connection.exists(members), 0)

    async def test_a_bot_can_pass_on_a_field_that_it_leaves_as_it_is(self) -> None:
        async def named(username: str | None | Unchanged = Unchanged.UNCHANGED) -> bytes | None:
            await self.writer.record("1", "a", add=1, username=username)
            profile: bytes | None = await self.connection.hget("gr:{1}:members", "a")
            return profile

        self.assertEqual([await named("Ann"), await named(), await named(None)], [b"- 0 - Ann", b"- 0 - Ann", None])

    async def test_a_change_of_a_profile_stores_an_avatar_leaves_it_or_removes_it(self) -> None:
        still, animated = "0123456789abcdef" * 2, "a_" + "f" * 32

        async def avatars() -> Any:
            return {key.decode(): value.decode() for key, value in (await self.connection.hgetall("gr:{1}:avatars")).items()}

        await self.writer.record_many("1", [XpRecord("a", set=9, avatar=still), XpRecord("b", set=8)])
        await self.writer.award("1", "a", 1, username="Ann")
        await self.writer.award("1", "b", 1, avatar=animated, event_id="m1")
        self.assertEqual(await avatars(), {"a": still, "b": animated})
        await self.writer.set_profiles("1", {"a": {"avatar": None, "username": "Anna"}, "nobody": {"avatar": still}})
        self.assertEqual(await avatars(), {"b": animated})
        await self.writer.reset_season("1", archive_as="1.s1", keep_members=False)
        self.assertEqual((await avatars(), await self.connection.hget("gr:{1.s1}:avatars", "b")), ({}, animated.encode()))
        await self.writer.award("1", "b", 1, avatar=still)
        await self.writer.award("1", "b", 1, avatar=None)
        self.assertEqual(await avatars(), {})
        await self.writer.award("1", "b", 1, avatar=still)
        await self.writer.remove("1", ["b"])
        self.assertEqual(await avatars(), {})
        unfits: list[Any] = ["x", "", still.upper(), 7]
        for unfit in unfits:
            with self.assertRaisesRegex(InvalidInputError, '^avatar must be a hash of Discord, which is 32 hex digits'):
                await self.writer.award("1", "b", 1, avatar=unfit)
            with self.assertRaisesRegex(InvalidInputError, "^avatar must be a hash of Discord"):
                await self.writer.record("1", "b", add=1, avatar=unfit)

    async def test_a_name_of_512_bytes_is_stored_and_a_longer_one_is_refused(self) -> None:
        await self.writer.award("1", "a", 1, username="\u00e9" * 256)
        self.assertEqual((await self.reader.page("1")).data[0].username, "\u00e9" * 256)
        for write in (self.writer.award("1", "a", 1, username="x" * 513), self.writer.claim_daily("1", "a", 1, username="x" * 513)):
            with self.assertRaises(RefusedError) as refused:
                await write
            self.assertEqual(refused.exception.code, "field")

    async def test_a_name_with_a_lone_surrogate_is_stored_as_utf_8_can(self) -> None:
        await self.writer.award("1", "a", 1, username="A\ud800")
        self.assertEqual((await self.reader.page("1")).data[0].username, "A\ufffd")

    def test_a_prefix_that_the_service_refuses_is_refused(self) -> None:
        unfits: list[Any] = ["", "{gr}", "a b", "x" * 65, "gr\n", None]
        for unfit in unfits:
            with self.assertRaisesRegex(InvalidInputError, "^key_prefix must be 1 to 64 of A-Z a-z 0-9 : _ . -, not "):
                create_writer(self.connection, key_prefix=unfit)
        create_reader(self.connection, key_prefix="a:B_9.-")

    def test_the_kit_says_that_it_needs_a_connection_of_asyncio(self) -> None:
        unfits: list[Any] = [redis.Redis(), self.connection.pipeline(), None, "redis://127.0.0.1"]
        for unfit in unfits:
            with self.assertRaisesRegex(InvalidInputError, "^The connection must be a client of redis.asyncio"):
                create_writer(unfit)

    async def test_a_page_shows_names_and_levels_of_profiles_and_ignores_what_is_none(self) -> None:
        await self.connection.zadd("gr:{1}:xp", {"a": 60, "b": 50, "c": 40, "d": 255, "e": 20, "f": 10})
        profiles = {"a": "- 3 1764547200000+60  two  words ", "b": "7 0 - 12 3", "c": "Ann Lee of Berlin", "d": "x many 5 Cy\nd", "e": "Ann"}
        await self.connection.hset("gr:{1}:members", mapping=profiles)
        shown = [(row.user_id, row.username, row.level) for row in (await self.reader.page("1")).data]
        expected = [("d", "Cy\nd", 2), ("a", " two  words ", 0), ("b", "12 3", 7), ("c", "c", 0), ("e", "e", 0), ("f", "f", 0)]
        self.assertEqual(shown, expected)


if __name__ == "__main__":
    unittest.main()
