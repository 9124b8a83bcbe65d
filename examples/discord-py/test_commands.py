"""Tests the commands with made-up events."""

from __future__ import annotations

import re
import unittest
from types import SimpleNamespace
from typing import Any

from made_up import REWARDS, BotTest, MadeUpMember

AWAY = "The ranking cannot be reached now. Try again in a minute."


class CommandsTest(BotTest):
    async def test_rank_and_top_show_the_ranking_with_harmless_names(self) -> None:
        await self.call("rank")
        await self.call("top")
        await self.writer.record("9", "7", set=300, username="A*nn")
        await self.writer.record("9", "8", set=255, username="[a](https://b)\n", level=7)
        await self.call("rank")
        await self.call("top", board="all")
        rows = "**1. A\\*nn: level 2, 300 XP**\n2. \\[a\\]\\(https\\:\\/\\/b\\): level 7, 255 XP"
        texts = [("You have no XP yet. Write something!", True), ("Nobody has XP yet.", False)]
        self.assertEqual(self.answers, [*texts, (rows, False), (f"{rows}\n2 members", False)])

    async def test_top_shows_the_boards_of_the_week_and_the_month(self) -> None:
        await self.writer.record("9", "7", set=300, username="Ann")
        await self.configure("boards", "week")
        await self.writer.record("9", "7", add=20)
        for board in ("week", "month"):
            await self.call("top", board=board)
        week = "**XP of this week**\n**1. Ann: level 2, 20 XP**\n1 member"
        self.assertEqual(self.answers, [(week, False), ("Nobody gained XP this month.", False)])

    async def test_sync_roles_counts_and_then_gives_the_roles_of_all_levels(self) -> None:
        await self.set_rules(rewards=REWARDS)
        people = [MadeUpMember(1, "One"), MadeUpMember(2, "Two", role_ids=[101, 5]), MadeUpMember(3, "Three"), MadeUpMember(4, "Bot", bot=True)]
        self.ann.guild.members = people
        await self.writer.record("9", "1", set=300)
        await self.writer.record("9", "2", set=0)
        await self.writer.record("9", "3", set=100)
        await self.writer.hide("9", ["3"])
        await self.call("sync-roles")
        self.assertEqual(self.answers[-1], ("3 of 3 members would have other roles. Call the command with apply to change them.", True))
        self.assertEqual([each.role_ids for each in people], [[], [101, 5], [], []])
        await self.call("sync-roles", apply=True)
        texts = ["Checking 3 members …", "3 of 3 members checked, 3 changed …", "Done: 3 of 3 members have other roles now."]
        self.assertEqual([text for text, _ in self.answers[-3:]], texts)
        self.assertEqual([each.role_ids for each in people], [[102], [5], [101], []])

    async def test_a_hidden_member_alone_is_told_why(self) -> None:
        await self.writer.record("9", "7", set=300)
        await self.writer.hide("9", ["7"], reason="left")
        await self.writer.hide("9", ["7"])
        await self.call("rank")
        why = "you left this server, and a moderator decided so"
        self.assertEqual(self.answers, [(f"You are hidden from the ranking: {why}. You have level 2 with 300 XP.", True)])

    async def test_daily_pays_once_a_day_also_when_a_reply_is_lost_or_discord_takes_no_answer(self) -> None:
        await self.set_rules(rewards=REWARDS)
        self.handlers = self.losing_bot()
        first = self.call_of()
        for call in (first, first, self.call_of()):
            await self.handlers.command("daily", call)
        answers = [(re.sub(r"<t:\d+:R>", "later", text), quietly) for text, quietly in self.answers]
        texts = [("100 XP, day 1 in a row. Come back later.", False), ("You have claimed already. Come back later.", True)]
        self.assertEqual(answers, texts)
        self.assertEqual((self.said, self.ann.role_ids, self.lines), (["<@7> is now level 1!"], [101], []))
        bob = MadeUpMember(8, "Bob")
        await self.handlers.command("daily", self.unanswered(bob))
        self.assertEqual((self.said[1:], bob.role_ids), (["<@8> is now level 1!"], [101]))
        self.assertEqual(self.lines, ["/daily: unknown interaction"])

    async def test_xp_gives_takes_and_sets_and_the_roles_follow(self) -> None:
        await self.set_rules(rewards=[{"level": 1, "role": "101"}, {"level": 2, "role": "102"}])
        # The reply of the first call is lost, and it counts once.
        self.handlers = self.losing_bot()

        async def change(verb: str, **options: Any) -> tuple[str, list[int]]:
            await self.call(f"xp {verb}", MadeUpMember(1, "Manager"), **{"member": self.ann, **options})
            return self.answers.pop()[0].replace("A\\*nn", "A"), [*self.ann.role_ids]

        self.assertEqual(await change("give", amount=100), ("A had 0 XP, level 0, and has 100 XP, level 1 now.", [101]))
        self.assertEqual(await change("set", level=2), ("A had 100 XP, level 1, and has 255 XP, level 2 now.", [101, 102]))
        self.assertEqual(await change("take", amount=100), ("A had 255 XP, level 2, and has 155 XP, level 1 now.", [101]))
        self.assertEqual(await change("take", amount=1000), ("A had 155 XP, level 1, and has 0 XP, level 0 now.", []))
        await self.writer.set_profiles("9", {"7": {"level": 9}})
        self.assertEqual(await change("set", xp=300), ("A had 0 XP, level 9, and has 300 XP, level 2 now.", [101, 102]))
        for change_of_both in (change("set"), change("set", level=1, xp=1)):
            self.assertEqual((await change_of_both)[0], "Give a level or XP, one of both.")
        refused = "By the guild's curve, no amount of XP gives this level. Nothing was changed."
        self.assertEqual((await change("set", level=10**9))[0], refused)
        self.assertEqual((await change("give", amount=1, member=MadeUpMember(8, "B", bot=True)))[0], "A bot has no XP.")
        self.assertEqual((self.lines, self.said), (["/xp set: By the guild's curve, no amount of XP gives this level (entry 0)"], []))

    async def test_xp_names_a_new_member_whose_level_is_set_and_who_is_not_on_the_server(self) -> None:
        user = SimpleNamespace(id=8, display_name="Gone", bot=False)
        await self.call("xp set", member=user, level=1)
        rows = (await self.reader.page("9")).data
        self.assertEqual([(row.username, row.level, row.xp) for row in rows], [("Gone", 1, 100)])
        self.assertEqual(self.answers, [("Gone had 0 XP, level 0, and has 100 XP, level 1 now.", True)])

    async def test_dashboard_gives_a_link_for_this_guild_to_the_caller_alone(self) -> None:
        await self.call("dashboard")
        text, quietly = self.answers[0]
        self.assertTrue(quietly)
        self.assertRegex(text, r"^https://dash\.example\.com/sign-in/[\w-]{43}\nIt works once, for 15 minutes\.$")
        keys = await self.connection.keys("gr:invite:*")
        self.assertRegex(await self.connection.get(keys[0]), rb"^9 7 [0-9]{16}$")
        self.handlers = self.bot(dashboard_url="")
        await self.call("dashboard")
        self.assertEqual(self.answers[1], ("This bot has no dashboard.", True))

    async def test_who_opted_out_stays_hidden_when_it_leaves_and_returns_and_decides_alone(self) -> None:
        rankings = ("9", "9.s1", "99.s1")
        await self.set_rules(rewards=REWARDS)
        for ranking in rankings:
            await self.writer.record(ranking, "7", set=300)
        self.handlers = self.bot(archives=rankings[1:])
        new = MadeUpMember(8, "New")
        await self.call("privacy hide")
        await self.call("privacy hide", new)
        await self.handlers.member_left(9, 7)
        await self.handlers.member_joined(self.ann)
        await self.handlers.ready(9, [self.ann, new])
        totals = [(await self.reader.page(ranking)).total for ranking in rankings]
        self.assertEqual((totals, self.ann.role_ids), ([0, 0, 1], [102]))
        await self.call("privacy show")
        self.assertEqual([(await self.reader.page(ranking)).total for ranking in rankings], [1, 1, 1])
        await self.writer.hide("9", ["7"])
        await self.call("privacy show")
        await self.call("privacy delete", sure=False)
        self.assertEqual(self.ann.role_ids, [102])
        await self.call("privacy delete", sure=True)
        self.assertEqual([await self.writer.remove(ranking, ["7"]) for ranking in rankings], [0, 0, 1])
        self.assertEqual((self.ann.role_ids, self.lines), ([], []))
        expected = ["does not show", "does not show", "The ranking shows you", "A moderator has hidden", "Nothing was erased", "are erased"]
        self.assertEqual(len(self.answers), len(expected))
        for (text, quietly), part in zip(self.answers, expected):
            self.assertIn(part, text)
            self.assertTrue(quietly)

    async def test_without_redis_the_caller_alone_is_told_and_the_log_has_one_line(self) -> None:
        self.handlers = self.bot_without_redis()
        names = ["rank", "top", "daily", "dashboard", "privacy show"]
        for name in names:
            await self.call(name)
        self.assertEqual(self.answers, [(AWAY, True)] * len(names))
        await self.handlers.command("top", self.unanswered(self.ann))
        self.assertEqual(len(self.lines), len(names) + 1)
        for name, line in zip([*names, "top"], self.lines):
            self.assertRegex(line, rf"^/{name}: Redis: [^\n]+$")

    def unanswered(self, member: MadeUpMember) -> Any:
        """Returns a call whose answer Discord does not take."""

        async def fail(text: str, quietly: bool) -> None:
            raise RuntimeError("unknown interaction")

        call = self.call_of(member)
        call.reply = fail
        return call


if __name__ == "__main__":
    unittest.main()
