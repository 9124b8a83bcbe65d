"""Tests members, counters, cards and rules as the kit reads them, and profiles: see scratch.py."""

from __future__ import annotations

import asyncio
import json
import unittest
from datetime import datetime, timedelta, timezone
from typing import Any, Awaitable, Callable
from unittest.mock import patch

from guildrank import (
    CURVE_NAMES,
    CURVES,
    CardProgress,
    Curve,
    GuildStats,
    HideReason,
    InvalidInputError,
    Member,
    MemberCard,
    ProfileChange,
    RankedMember,
    RefusedError,
    StoreUnavailableError,
    XpRecord,
    level_for_xp,
    parse_curve,
    progress,
    xp_for_level,
)
from guildrank.name_search import NameSearch
from scratch import ScratchTest


class ReadTest(ScratchTest):
    async def test_a_member_has_rank_level_and_claims(self) -> None:
        claimed_at = datetime(2026, 11, 21, 3, 1, 38, 119_000, tzinfo=timezone(timedelta(hours=1)))
        profile: ProfileChange = {"username": "Ann", "daily_streak": 3, "last_daily_claim": claimed_at}
        await self.writer.record_many("1", [XpRecord("a", set=255, **profile), XpRecord("b", set=300), XpRecord("c", set=1, level=7)])
        self.assertEqual(await self.reader.member("1", "a"), Member(2, "a", "Ann", 2, 255, 3, claimed_at))
        self.assertEqual(await self.reader.member("1", "c"), Member(3, "c", "c", 7, 1, 0, None))
        await self.writer.hide("1", ["b"])
        self.assertEqual([await self.reader.member("1", user) for user in ("b", "nobody")], [None, None])

    async def test_a_member_shows_the_values_of_raw_writers(self) -> None:
        await self.connection.zadd("gr:{1}:xp", {"a": float("inf"), "b": 7.9, "c": -5})
        far = {"a": f"- {'9' * 30} 8640000000000001", "b": "- 2 8640000000000000", "c": "x y -99999999999999+5"}
        await self.connection.hset("gr:{1}:members", mapping=far)
        shown = [await self.reader.member("1", user) for user in "abc"]
        found = [member and (member.xp, member.daily_streak, member.last_daily_claim and member.last_daily_claim.year) for member in shown]
        self.assertEqual(found, [(2**53 - 1, 2**53 - 1, None), (7, 2, 9999), (0, 0, 1)])

    async def test_stats_have_the_counters_and_the_numbers_of_the_curve(self) -> None:
        self.assertEqual(await self.reader.stats("1"), GuildStats(0, 0, 0, "standard", CURVES["standard"], 1))
        await self.connection.hset("gr:{1}:config", mapping={"xp_curve": "custom", "xp_curve_custom": "0,0,50,0,1,1,10", "xp_multiplier": "1.5"})
        await self.writer.record_many("1", [XpRecord("a", set=100), XpRecord("b", set=50), XpRecord("c", set=0)])
        await self.writer.set_profiles("1", {"b": {"level": 3}})
        stats = await self.reader.stats("1")
        self.assertEqual(stats, GuildStats(2, 150, 3, "custom", Curve(0, 0, 50, 0, 1, 1, 10), 1.5))
        self.assertEqual(progress(stats.curve, 120).needed, 50)
        await self.connection.hset("gr:{1}:stats", mapping={"total_xp": str(2**63 - 1), "level_sum": str(2**63 - 1), "members": "3"})
        await self.connection.hset("gr:{1}:config", "xp_multiplier", "x")
        stats = await self.reader.stats("1")
        self.assertEqual((stats.total_xp, stats.average_level, stats.xp_multiplier), (2**63 - 1, 3074457345618258602, 1))
        await self.connection.hset("gr:{1}:stats", "model", "2")
        with self.assertRaisesRegex(StoreUnavailableError, "has data of version 2, this program knows version 1") as newer:
            await self.reader.stats("1")
        self.assertEqual((newer.exception.code, newer.exception.is_outage), ("MODEL", False))

    async def test_a_card_shows_a_ranked_member_between_its_neighbours(self) -> None:
        await self.writer.record_many("1", [XpRecord(user, set=xp) for user, xp in (("a", 300), ("b", 255), ("c", 120), ("d", 0))])
        await self.writer.set_profiles("1", {"b": {"username": "Ben", "daily_streak": 2}})
        above, below = RankedMember(1, "a", "a", 2, 300), RankedMember(3, "c", "c", 1, 120)
        card = MemberCard(2, 4, "b", "Ben", 2, 255, CardProgress(0, 220), 475, above, below, 2, None)
        self.assertEqual(await self.reader.card("1", "b"), card)
        first, last = await self.reader.card("1", "a"), await self.reader.card("1", "d")
        assert first and last
        self.assertEqual((first.above, first.below and first.below.username), (None, "Ben"))
        self.assertEqual((last.above, last.below, last.progress, last.next_level_xp), (below, None, CardProgress(0, 100), 100))

    async def test_a_card_shows_levels_above_the_bound_of_xp_for_level(self) -> None:
        await self.connection.hset("gr:{1}:config", mapping={"xp_curve": "custom", "xp_curve_custom": "0,0,1,0,1,1"})
        await self.writer.record("1", "a", set=2 * 10**9)
        card = await self.reader.card("1", "a")
        self.assertEqual(card and (card.level, card.progress, card.next_level_xp), (2 * 10**9, CardProgress(0, 1), 2 * 10**9 + 1))

    async def test_a_card_shows_hidden_members_explicit_levels_and_the_highest_level(self) -> None:
        await self.writer.record_many("1", [XpRecord("a", set=30, level=9), XpRecord("b", set=2**53 - 1), XpRecord("c", set=5)])
        await self.writer.hide("1", ["c"])
        hidden = await self.reader.card("1", "c")
        self.assertEqual(hidden, MemberCard(None, 2, "c", "c", 0, 5, CardProgress(5, 100), 100, None, None, 0, ("moderator",)))
        await self.writer.hide("1", ["c"], reason="left")
        cards = [await self.reader.card("1", user) for user in ("a", "b", "c")]
        shown = [card and (card.level, card.progress and card.progress.needed, card.next_level_xp, card.hidden) for card in cards]
        highest = level_for_xp("standard", 2**53 - 1)
        self.assertEqual(shown, [(9, None, None, None), (highest, 0, None, None), (0, 100, 100, ("left", "moderator"))])
        reasons: list[HideReason] = [reason for card in cards if card for reason in card.hidden or ()]
        self.assertEqual(reasons, ["left", "moderator"])
        self.assertIsNone(await self.reader.card("1", "nobody"))
        await self.connection.hset("gr:{1}:config", mapping={"xp_curve": "custom", "xp_curve_custom": "x"})
        with self.assertRaises(StoreUnavailableError) as unfit:
            await self.reader.card("1", "b")
        self.assertEqual(unfit.exception.code, "CURVE")

    async def test_find_finds_members_by_any_part_of_the_name_or_by_id(self) -> None:
        names = ["Señor Ünal", "𝓠𝓾𝓲𝓮𝓽 Raven", "STRASSE", "Οδός", "İzmir ılık", "Fox\u200b\u00a0 Den", "さくら🦊", "4 a"]
        await self.writer.record_many("1", [XpRecord(f"u{n}", set=100 - n, username=name) for n, name in enumerate(names)])
        await self.writer.record("1", "4", set=1)
        searches = {
            "senor": ["u0"],
            "OR UN": ["u0"],
            "quiet r": ["u1"],
            "straße": ["u2"],
            "ΟΔΟΣ": ["u3"],
            "IZMIR ILIK": ["u4"],
            " fox den ": ["u5"],
            "くら": ["u6"],
            "🦊": ["u6"],
            "a": ["u0", "u1", "u2", "u7"],
            " 4 ": ["4", "u7"],
            "nobody": [],
        }
        for text, users in searches.items():
            self.assertEqual([member.user_id for member in await self.reader.find("1", text)], users, text)
        self.assertEqual(await self.reader.find("1", "fox"), [Member(6, "u5", "Fox\u200b\u00a0 Den", 0, 95, 0, None)])
        for unfit in ("", " \u200b", "x" * 101, 7):
            with self.assertRaisesRegex(InvalidInputError, "^text must "):
                await self.reader.find("1", unfit)  # type: ignore[arg-type]

    async def test_find_shows_nobody_who_is_hidden_removed_or_renamed_and_reads_names_anew_after_a_minute(self) -> None:
        now = 0.0
        search = NameSearch(self.reader._scripts, self.reader._keys, self.reader._members, self.reader._revision, lambda: now)

        async def found(text: str) -> list[str]:
            return [member.user_id for member in await search.find("1", text)]

        await self.writer.record_many("1", [XpRecord(f"m{n:03}", set=n, username=f"Raven {n}") for n in range(600)])
        self.assertEqual(await found("raven"), [f"m{n}" for n in range(599, 589, -1)])
        await self.writer.hide("1", ["m599"])
        await self.writer.remove("1", ["m598"])
        await self.writer.set_profiles("1", {"m597": {"username": "Owl"}, "m001": {"username": "Owl 1"}})
        self.assertEqual(await found("raven"), [f"m{n}" for n in range(596, 586, -1)])
        now += 59.9
        self.assertEqual(await found("owl"), [])
        now += 0.1
        self.assertEqual(await found("owl"), ["m597", "m001"])

    async def test_find_refuses_guilds_beyond_its_queue_and_its_bytes(self) -> None:
        guilds = [str(n) for n in range(7)]
        for guild in guilds:
            await self.writer.record(guild, "a", set=1, username="Big Raven")
        # With a space it is no user id, so that nothing is read before the names.
        found = await asyncio.gather(*(self.reader.find(guild, "big raven") for guild in guilds), return_exceptions=True)
        self.assertEqual([isinstance(each, RefusedError) for each in found], [False] * 5 + [True] * 2)
        refusal = found[5]
        assert isinstance(refusal, RefusedError)
        self.assertEqual((refusal.code, refusal.params), ("search_busy", {"guild": "5", "seconds": 2}))
        with patch("guildrank.name_search.MAX_GUILD_BYTES", 100):
            with self.assertRaisesRegex(RefusedError, "^Guild 5 has too many names"):
                await self.reader.find("5", "raven")
            self.assertEqual([member.username for member in await self.reader.find("6", "a")], ["Big Raven"])
        with patch("guildrank.name_search.MAX_BYTES", 700):
            self.assertEqual(await self.reader.find("x", "raven"), [])
        with self.assertRaisesRegex(RefusedError, "cannot be read for a search yet: try again in (59|60) s$"):
            await self.reader.find("2", "raven")

    async def test_rewards_of_gives_levels_of_ranked_and_hidden_members_in_slices(self) -> None:
        await self.writer.record_many("1", [XpRecord(f"m{n}", set=n) for n in range(300)])
        await self.writer.record("1", "m1", set=1, level=40)
        await self.writer.hide("1", ["m255"])
        users = [f"m{n}" for n in range(300)]
        slices = [levels async for levels in self.reader.rewards_of("1", [*users, "nobody"])]
        self.assertEqual([len(levels) for levels in slices], [250, 50])
        levels = {member.user_id: member.level for some in slices for member in some}
        self.assertEqual([levels[user] for user in ("m0", "m1", "m100", "m255")], [0, 40, 1, 2])
        everybody = [member async for some in self.reader.rewards_of("1") for member in some]
        self.assertEqual({member.user_id: member.level for member in everybody}, levels)
        self.assertEqual(len(everybody), 300)

    async def test_rewards_of_refuses_user_ids_that_are_no_list(self) -> None:
        unfits: list[Any] = [5, "m1", b"m1", True]
        for unfit in unfits:
            with self.assertRaisesRegex(InvalidInputError, "^user_ids must be a list or another iterable, not "):
                [levels async for levels in self.reader.rewards_of("1", unfit)]
        self.assertEqual([levels async for levels in self.reader.rewards_of("1", (user for user in ["m1"]))], [[]])

    async def test_the_reader_returns_the_rules_that_are_stored(self) -> None:
        self.assertIsNone(await self.reader.rules("1"))
        await self.connection.hset("gr:{1}:config", "rules", json.dumps({"message": {"xp": 7}}))
        rules = await self.reader.rules("1")
        self.assertEqual(rules and rules.message.xp, 7)
        await self.connection.hset("gr:{1}:config", "rules", json.dumps({"message": {"xp": -7}}))
        with self.assertRaisesRegex(InvalidInputError, r"^message\.xp must be a whole number from 0 to 1000000000, not -7$"):
            await self.reader.rules("1")

    async def test_set_profiles_changes_members_and_creates_nobody(self) -> None:
        users = [f"u{n}" for n in range(1001)]
        await self.writer.record_many("1", [XpRecord(user, set=5) for user in users[:-1]])
        await self.writer.hide("1", ["u0"])
        found = await self.writer.set_profiles("1", {user: {"username": f"Name {user}"} for user in users})
        self.assertEqual(found, users[:-1])
        hidden, last = await self.reader.card("1", "u0"), await self.reader.member("1", "u999")
        self.assertEqual((hidden and hidden.username, last and last.username), ("Name u0", "Name u999"))
        with self.assertRaises(RefusedError) as refused:
            await self.writer.set_profiles("1", {user: {"username": "x" * (513 if user == "u700" else 512)} for user in users})
        self.assertEqual((refused.exception.params["index"], refused.exception.code), (700, "field"))
        with self.assertRaisesRegex(InvalidInputError, "^profiles\\['u1'\\]\\.last_daily_claim must have a time zone"):
            await self.writer.set_profiles("1", {"u1": {"last_daily_claim": datetime(2026, 1, 1)}})
        with self.assertRaisesRegex(InvalidInputError, "^The user id 'x y' must be"):
            await self.writer.set_profiles("1", {"x y": {"level": 1}})
        self.assertEqual(await self.writer.set_profiles("1", {}), [])

    async def test_the_reader_sends_no_unfit_argument_and_names_it(self) -> None:
        writer, reader = self.writer, self.reader
        unfit: dict[str, Callable[[], Awaitable[object]]] = {
            "amount": lambda: writer.award("1", "a", -1),
            "amount[0]": lambda: writer.award("1", "a", (6, 5)),
            "amount[1]": lambda: writer.award("1", "a", (0, 10**9 + 1)),
            "cooldown_ms": lambda: writer.award("1", "a", 1, cooldown_ms=-1),
            "event_id": lambda: writer.award("1", "a", 1, event_id=""),
            "reward": lambda: writer.claim_daily("1", "a", []),
            "utc_offset_minutes": lambda: writer.claim_daily("1", "a", 1, utc_offset_minutes=1441),
            "grace_days": lambda: writer.claim_daily("1", "a", 1, grace_days=366),
            "min_interval_ms": lambda: writer.claim_daily("1", "a", 1, min_interval_ms=604_800_001),
            "max_share": lambda: writer.sync_members("1", {"a"}, max_share=1.1),
            "ttl": lambda: writer.create_dashboard_link("1", url="https://dash.example.com", ttl=0),
            "url": lambda: writer.create_dashboard_link("1", url="dash.example.com"),
            "board": lambda: reader.member("1", "a", board="year"),  # type: ignore[arg-type]
            "The record has set and add": lambda: writer.record("1", "a", add=1, set=1),
            "The record has no XP": lambda: writer.record("1", "a", level=1),
            "records[1] has floor": lambda: writer.record_many("1", [XpRecord("a", add=1), XpRecord("b", set=1, floor=0)]),
            "level": lambda: writer.record("1", "a", set=1, level=-1),
        }
        for name, call in unfit.items():
            with self.assertRaises(InvalidInputError) as refused:
                await call()
            self.assertTrue(str(refused.exception).startswith(name), f"{name}: {refused.exception}")
        self.assertEqual(await self.connection.dbsize(), 0)


class CurveTest(unittest.TestCase):
    def test_levels_begin_where_xp_for_level_says(self) -> None:
        for text in [*CURVE_NAMES, "custom=0,0,50,0,1,1", "custom=1,0,-1,7,3,100,40", "", "unknown"]:
            curve = parse_curve(text)
            for level in (1, 2, 3, 39, 40, 1000):
                begin = xp_for_level(curve, level)
                highest = curve.max or level
                at, before = progress(curve, begin), progress(curve, max(begin - 1, 0))
                self.assertEqual(at.level, max(n for n in range(level, level + 9) if n == level or xp_for_level(curve, n) == begin) if highest >= level else 40)
                self.assertTrue(before.level < level or begin == 0 or before.level == highest)
                self.assertEqual(at.gained, begin - (xp_for_level(curve, at.level) if at.level else 0))
        for name in CURVE_NAMES:
            self.assertEqual(progress(name, 4700), progress(CURVES[name], 4700))
        self.assertEqual((level_for_xp("standard", 0), xp_for_level("standard", 10)), (0, 4675))

    def test_curves_refuse_unfit_numbers(self) -> None:
        for text in ("custom=", "custom=1,2,3", "custom=0,0,0,0,1,1", "custom=0,0,50,0,-1,1", "custom=0,0,50,0,1,1,0", "custom=0,0,50,0,1,1,1000001", "custom=0,0,50,0,1," + "1".zfill(11)):
            with self.assertRaisesRegex(InvalidInputError, "unfit numbers"):
                parse_curve(text)
        for xp in (-1, 2**53, True):
            with self.assertRaisesRegex(InvalidInputError, "^xp must be a whole number"):
                level_for_xp("standard", xp)
        self.assertEqual(xp_for_level("lurkr", 10**9), 50 * 10**18 - 100 * 10**9 + 150)
        for level in (0, 10**9 + 1, 1.0):
            with self.assertRaisesRegex(InvalidInputError, "^level must be a whole number from 1 to 1000000000, not "):
                xp_for_level("standard", level)  # type: ignore[arg-type]

    def test_the_type_of_the_name_of_a_curve_has_the_name_of_each_curve(self) -> None:
        self.assertEqual(CURVE_NAMES, tuple(CURVES))

    def test_a_mistyped_name_of_a_curve_and_numbers_that_make_no_curve_are_refused(self) -> None:
        number: Any = 1.5
        text: Any = "x"
        curves: list[Any] = [
            *("standart", "", "custom=0,0,50,0,1,1", None, 5),
            *(Curve(0, 0, text, 0, 1, 1), Curve(0, 0, 50, 0, 1, number), Curve(0, 0, 50, 0, 1, 1, text), Curve(0, 0, 50, 0, 1, True)),
            # These numbers would divide by zero, or search without an end.
            *(Curve(0, 0, 50, 0, 0, 1), Curve(0, 0, 0, 0, 1, 1), Curve(0, 0, 50, 0, 1, 1, 0)),
        ]
        for curve in curves:
            for call in (level_for_xp, xp_for_level, progress):
                with self.subTest(curve), self.assertRaisesRegex(
                    InvalidInputError, "^The curve must be one of standard, amari, lurkr, polaris, arcane, or"
                ):
                    call(curve, 5)

    def test_a_curve_that_is_no_text_is_refused(self) -> None:
        for unfit in (5, None, b"standard"):
            with self.assertRaisesRegex(InvalidInputError, "^A curve is a text, not "):
                parse_curve(unfit)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
