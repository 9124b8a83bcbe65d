"""The commands of the bot. `xp.py` and `privacy.py` have those with several verbs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Mapping

from failures import Log, Wait, answer_to, attempt, line_of, once
from guildrank import GuildReader, GuildWriter
from levels import Levels, Member, Say
from texts import card_text, table

# XP for a streak of 1, 2, ... days. The last one counts for all longer streaks.
DAILY_XP = (100, 120, 140, 160, 180, 200, 300)
TOP = 10
# The boards of a guild, and the time that each counts.
BOARDS = {"week": "this week", "month": "this month"}


@dataclass
class Call:
    """A command that a member calls.

    `reply` takes a text, and whether only the caller sees it. `edit` puts another text in its place, and `say` writes into the channel.
    """

    id: str
    member: Member
    reply: Callable[[str, bool], Awaitable[object]]
    edit: Say
    say: Say
    options: Mapping[str, Any] = field(default_factory=dict)
    answered: bool = False

    async def answer(self, text: str, quietly: bool = False) -> None:
        await self.reply(text, quietly)
        self.answered = True


Command = Callable[[Call], Awaitable[None]]


class Commands:
    """`further` has the commands of other files by their names."""

    def __init__(
        self,
        writer: GuildWriter,
        reader: GuildReader,
        levels: Levels,
        log: Log,
        wait: Wait,
        dashboard_url: str,
        further: Mapping[str, Command],
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._levels = levels
        self._log = log
        self._wait = wait
        self._dashboard_url = dashboard_url
        own = {"rank": self._rank, "top": self._top, "daily": self._daily, "dashboard": self._dashboard}
        self._commands: dict[str, Command] = {**own, **further}

    async def run(self, name: str, call: Call) -> None:
        """Runs a command. A failure is one line in the log, and a short answer."""
        try:
            await self._commands[name](call)
        except Exception as error:
            self._log(f"/{name}: {line_of(error)}")
            # When this answer fails too, the line in the log has the cause.
            with suppress(Exception):
                if not call.answered:
                    await call.answer(answer_to(error), True)

    async def _rank(self, call: Call) -> None:
        card = await self._reader.card(str(call.member.guild.id), str(call.member.id))
        if card is None:
            await call.answer("You have no XP yet. Write something!", True)
        else:
            await call.answer(card_text(card), card.hidden is not None)

    async def _top(self, call: Call) -> None:
        choice = call.options.get("board")
        board = choice if choice in BOARDS else None
        page = await self._reader.page(str(call.member.guild.id), 1, TOP, board=board)
        if not page.data:
            await call.answer(f"Nobody gained XP {BOARDS[board]}." if board else "Nobody has XP yet.")
            return
        title = f"**XP of {BOARDS[board]}**\n" if board else ""
        count = "1 member" if page.total == 1 else f"{page.total} members"
        await call.answer(f"{title}{table(page.data, call.member.id)}\n{count}")

    async def _daily(self, call: Call) -> None:
        member = call.member
        claim = await once(
            lambda: self._writer.claim_daily(
                str(member.guild.id), str(member.id), DAILY_XP, username=member.display_name, event_id=call.id
            ),
            self._wait,
        )
        if claim is None:
            return
        again = f"Come back <t:{int(claim.next_claim_at.timestamp())}:R>."
        is_late = not claim.claimed
        text = "You have claimed already." if is_late else f"{claim.reward} XP, day {claim.streak} in a row."
        await attempt(self._log, "/daily", lambda: call.answer(f"{text} {again}", is_late))
        await self._levels.level_up(claim, member, call.say)

    async def _dashboard(self, call: Call) -> None:
        """Answers with a link. Only someone who manages the server may call this."""
        if not self._dashboard_url:
            await call.answer("This bot has no dashboard.", True)
            return
        guild, user = str(call.member.guild.id), str(call.member.id)
        link = await self._writer.create_dashboard_link(guild, url=self._dashboard_url, user_id=user)
        await call.answer(f"{link}\nIt works once, for 15 minutes.", True)
