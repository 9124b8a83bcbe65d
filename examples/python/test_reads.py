"""Tests members, counters, cards and rules as the kit reads them, and profiles: see scratch.py."""

from __future__ import annotations

import json
import unittest
from datetime import datetime, timedelta, timezone
from typing import Awaitable, Callable

from guildrank import CURVES, Card, CardProgress, Curve, Member, Profile, Record, RefusedError, Row, Stats
from guildrank import level_for_xp, parse_curve, progress, xp_for_level
from scratch import ResponseError, ScratchTest


class ReadTest(ScratchTest):
    async def test_member_has_rank_level_and_claims(self) -> None:
        claimed_at = datetime(2026, 11, 21, 3, 1, 38, 119_000, tzinfo=timezone(timedelta(hours=1)))
        profile: Profile = {"username": "Ann", "daily_streak": 3, "last_daily_claim": claimed_at}
        await self.guildrank.record_many("1", [Record("a", set=255, profile=profile), Record("b", set=300), Record("c", set=1, profile={"level": 7})])
        self.assertEqual(await self.guildrank.member("1", "a"), Member(2, "a", "Ann", 2, 255, 3, claimed_at))
        self.assertEqual(await self.guildrank.member("1", "c"), Member(3, "c", "c", 7, 1, 0, None))
        await self.guildrank.hide("1", "b")
        self.assertEqual([await self.guildrank.member("1", user) for user in ("b", "nobody")], [None, None])

    async def test_member_shows_the_values_of_raw_writers(self) -> None:
        await self.connection.zadd("gr:{1}:xp", {"a": float("inf"), "b": 7.9, "c": -5})
        far = {"a": f"- {'9' * 30} 8640000000000001", "b": "- 2 8640000000000000", "c": "x y -99999999999999+5"}
        await self.connection.hset("gr:{1}:members", mapping=far)
        shown = [await self.guildrank.member("1", user) for user in "abc"]
        found = [member and (member.xp, member.daily_streak, member.last_daily_claim and member.last_daily_claim.year) for member in shown]
        self.assertEqual(found, [(2**53 - 1, 2**53 - 1, None), (7, 2, 9999), (0, 0, 1)])

    async def test_stats_have_the_counters_and_the_numbers_of_the_curve(self) -> None:
        self.assertEqual(await self.guildrank.stats("1"), Stats(0, 0, 0, "standard", CURVES["standard"], 1))
        await self.connection.hset("gr:{1}:config", mapping={"xp_curve": "custom", "xp_curve_custom": "0,0,50,0,1,1,10", "xp_multiplier": "1.5"})
        await self.guildrank.record_many("1", [Record("a", set=100), Record("b", set=50), Record("c", set=0)])
        await self.guildrank.record("1", "b", profile={"level": 3})
        stats = await self.guildrank.stats("1")
        self.assertEqual(stats, Stats(2, 150, 3, "custom", Curve(0, 0, 50, 0, 1, 1, 10), 1.5))
        self.assertEqual(progress(stats.curve, 120).needed, 50)
        await self.connection.hset("gr:{1}:stats", mapping={"total_xp": str(2**63 - 1), "level_sum": str(2**63 - 1), "members": "3"})
        await self.connection.hset("gr:{1}:config", "xp_multiplier", "x")
        stats = await self.guildrank.stats("1")
        self.assertEqual((stats.total_xp, stats.average_level, stats.xp_multiplier), (2**63 - 1, 3074457345618258602, 1))
        await self.connection.hset("gr:{1}:stats", "model", "2")
        with self.assertRaisesRegex(ResponseError, "^MODEL "):
            await self.guildrank.stats("1")

    async def test_card_shows_a_ranked_member_between_its_neighbours(self) -> None:
        await self.guildrank.record_many("1", [Record(user, set=xp) for user, xp in (("a", 300), ("b", 255), ("c", 120), ("d", 0))])
        await self.guildrank.record("1", "b", profile={"username": "Ben", "daily_streak": 2})
        above, below = Row(1, "a", "a", 2, 300), Row(3, "c", "c", 1, 120)
        card = Card(2, 4, "b", "Ben", 2, 255, CardProgress(0, 220), 475, above, below, 2, None)
        self.assertEqual(await self.guildrank.card("1", "b"), card)
        first, last = await self.guildrank.card("1", "a"), await self.guildrank.card("1", "d")
        assert first and last
        self.assertEqual((first.above, first.below and first.below.username), (None, "Ben"))
        self.assertEqual((last.above, last.below, last.progress, last.next_level_xp), (below, None, CardProgress(0, 100), 100))

    async def test_card_shows_hidden_members_explicit_levels_and_the_highest_level(self) -> None:
        await self.guildrank.record_many("1", [Record("a", set=30, profile={"level": 9}), Record("b", set=2**53 - 1), Record("c", set=5)])
        await self.guildrank.hide("1", "c")
        hidden = await self.guildrank.card("1", "c")
        self.assertEqual(hidden, Card(None, 2, "c", "c", 0, 5, CardProgress(5, 100), 100, None, None, 0, ("moderator",)))
        await self.guildrank.hide("1", "c", reason="left")
        cards = [await self.guildrank.card("1", user) for user in ("a", "b", "c")]
        shown = [card and (card.level, card.progress and card.progress.needed, card.next_level_xp, card.hidden) for card in cards]
        highest = level_for_xp("standard", 2**53 - 1)
        self.assertEqual(shown, [(9, None, None, None), (highest, 0, None, None), (0, 100, 100, ("left", "moderator"))])
        self.assertIsNone(await self.guildrank.card("1", "nobody"))
        await self.connection.hset("gr:{1}:config", mapping={"xp_curve": "custom", "xp_curve_custom": "x"})
        with self.assertRaisesRegex(ResponseError, "^CURVE "):
            await self.guildrank.card("1", "b")

    async def test_rules_are_those_that_are_stored(self) -> None:
        self.assertIsNone(await self.guildrank.rules("1"))
        await self.connection.hset("gr:{1}:config", "rules", json.dumps({"message": {"xp": 7}}))
        rules = await self.guildrank.rules("1")
        self.assertEqual(rules and rules.message.xp, 7)
        await self.connection.hset("gr:{1}:config", "rules", json.dumps({"message": {"xp": -7}}))
        with self.assertRaisesRegex(ValueError, r"^message\.xp must be a whole number from 0 to 1000000000, not -7$"):
            await self.guildrank.rules("1")

    async def test_set_profiles_changes_members_and_creates_nobody(self) -> None:
        users = [f"u{n}" for n in range(1001)]
        await self.guildrank.record_many("1", [Record(user, set=5) for user in users[:-1]])
        await self.guildrank.hide("1", "u0")
        found = await self.guildrank.set_profiles("1", {user: {"username": f"Name {user}"} for user in users})
        self.assertEqual(found, users[:-1])
        hidden, last = await self.guildrank.card("1", "u0"), await self.guildrank.member("1", "u999")
        self.assertEqual((hidden and hidden.username, last and last.username), ("Name u0", "Name u999"))
        with self.assertRaises(RefusedError) as refused:
            await self.guildrank.set_profiles("1", {user: {"level": -1 if user == "u700" else 1} for user in users})
        self.assertEqual((refused.exception.index, refused.exception.reason), (700, "field"))
        with self.assertRaisesRegex(ValueError, "^last_daily_claim must have a time zone"):
            await self.guildrank.set_profiles("1", {"u1": {"last_daily_claim": datetime(2026, 1, 1)}})
        with self.assertRaisesRegex(ValueError, "^The user id 'x y' must be"):
            await self.guildrank.set_profiles("1", {"x y": {"level": 1}})
        self.assertEqual(await self.guildrank.set_profiles("1", {}), [])

    async def test_sends_no_unfit_argument_and_names_it(self) -> None:
        kit = self.guildrank
        unfit: dict[str, Callable[[], Awaitable[object]]] = {
            "amount": lambda: kit.award("1", "a", -1),
            "amount[0]": lambda: kit.award("1", "a", (6, 5)),
            "amount[1]": lambda: kit.award("1", "a", (0, 10**9 + 1)),
            "cooldown_ms": lambda: kit.award("1", "a", 1, cooldown_ms=-1),
            "event_id": lambda: kit.award("1", "a", 1, event_id=""),
            "reward": lambda: kit.claim_daily("1", "a", []),
            "utc_offset_minutes": lambda: kit.claim_daily("1", "a", 1, utc_offset_minutes=1441),
            "grace_days": lambda: kit.claim_daily("1", "a", 1, grace_days=366),
            "min_interval_ms": lambda: kit.claim_daily("1", "a", 1, min_interval_ms=604_800_001),
            "max_share": lambda: kit.sync_members("1", {"a"}, max_share=1.1),
            "ttl": lambda: kit.dashboard_link("1", "https://dash.example.com", ttl=0),
            "url": lambda: kit.dashboard_link("1", "dash.example.com"),
            "board": lambda: kit.member("1", "a", board="year"),
            "The record of the user a": lambda: kit.record("1", "a", add=1, set=1),
        }
        for name, call in unfit.items():
            with self.assertRaises(ValueError) as refused:
                await call()
            self.assertTrue(str(refused.exception).startswith(f"{name} "), f"{name}: {refused.exception}")
        self.assertEqual(await self.connection.dbsize(), 0)


class CurveTest(unittest.TestCase):
    def test_levels_begin_where_xp_for_level_says(self) -> None:
        for text in [*CURVES, "custom=0,0,50,0,1,1", "custom=1,0,-1,7,3,100,40", "", "unknown"]:
            for level in (1, 2, 3, 39, 40, 1000):
                begin = xp_for_level(text, level)
                highest = parse_curve(text).max or level
                at, before = progress(text, begin), progress(text, max(begin - 1, 0))
                self.assertEqual(at.level, max(n for n in range(level, level + 9) if n == level or xp_for_level(text, n) == begin) if highest >= level else 40)
                self.assertTrue(before.level < level or begin == 0 or before.level == highest)
                self.assertEqual(at.gained, begin - (xp_for_level(text, at.level) if at.level else 0))
        self.assertEqual((level_for_xp("standard", 0), xp_for_level("standard", 10)), (0, 4675))

    def test_refuses_unfit_numbers(self) -> None:
        for text in ("custom=", "custom=1,2,3", "custom=0,0,0,0,1,1", "custom=0,0,50,0,-1,1", "custom=0,0,50,0,1,1,0", "custom=0,0,50,0,1,1,1000001", "custom=0,0,50,0,1," + "1".zfill(11)):
            with self.assertRaisesRegex(ValueError, "unfit numbers"):
                level_for_xp(text, 5)
        for xp in (-1, 2**53, True):
            with self.assertRaisesRegex(ValueError, "^xp must be a whole number"):
                level_for_xp("standard", xp)
        with self.assertRaisesRegex(ValueError, "^level must be a whole number"):
            xp_for_level("standard", 0)


if __name__ == "__main__":
    unittest.main()
