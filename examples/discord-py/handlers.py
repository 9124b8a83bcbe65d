"""The handlers of a levelling bot. They know nothing of a connection: bot.py gives them Discord's events, the tests made-up ones."""

from __future__ import annotations

import re
from typing import Any, Awaitable, Callable, Mapping, Protocol, Sequence

from guildrank import Award, Claim, Guildrank, Row

MESSAGE_XP = (15, 25)
COOLDOWN_MS = 60_000
# XP for a streak of 1, 2, ... days. The last one counts for all longer streaks.
DAILY_XP = (100, 120, 140, 160, 180, 200, 300)
TOP = 10

Say = Callable[[str], Awaitable[object]]



class Member(Protocol):
    """A member, as discord.Member is one."""

    @property
    def id(self) -> int: ...

    @property
    def bot(self) -> bool: ...

    @property
    def display_name(self) -> str: ...

    @property
    def guild(self) -> Any: ...


class Handlers:
    """What the bot does. `give_roles` gives a member roles by their ids, and `roles` says which level gives which role.

    `archives` has guild ids of ended seasons, such as 123.2026-s1.
    """

    def __init__(
        self,
        guildrank: Guildrank,
        give_roles: Callable[[Any, Sequence[int]], Awaitable[object]],
        roles: Mapping[int, int] | None = None,
        dashboard_url: str = "",
        archives: Sequence[str] = (),
    ) -> None:
        self._guildrank = guildrank
        self._give_roles = give_roles
        self._roles = roles or {}
        self._dashboard_url = dashboard_url
        self._archives = archives

    async def message(self, member: Member, say: Say) -> None:
        """Gives XP for a message."""
        if member.bot:
            return
        award = await self._guildrank.award(
            str(member.guild.id),
            str(member.id),
            MESSAGE_XP,
            cooldown_ms=COOLDOWN_MS,
            username=member.display_name,
        )
        await self._level_up(award, member, say)

    async def rank(self, member: Member, reply: Say) -> None:
        page = await self._guildrank.around(str(member.guild.id), str(member.id), 2)
        await reply(table(page.rows, member.id) if page else "You have no XP yet. Write something!")

    async def top(self, member: Member, reply: Say) -> None:
        page = await self._guildrank.page(str(member.guild.id), 1, TOP)
        await reply(f"{table(page.rows, member.id)}\n{page.total} members" if page.rows else "Nobody has XP yet.")

    async def daily(self, member: Member, reply: Say, say: Say) -> None:
        claim = await self._guildrank.claim_daily(
            str(member.guild.id), str(member.id), DAILY_XP, username=member.display_name
        )
        again = f"Come back <t:{int(claim.next_claim_at.timestamp())}:R>."
        if not claim.claimed:
            await reply(f"You have claimed already. {again}")
            return
        await self._level_up(claim, member, say, lambda: reply(f"{claim.reward} XP, day {claim.streak} in a row. {again}"))

    async def dashboard(self, member: Member, reply: Say) -> None:
        """Replies with a link. Only the caller may see the reply, and only someone who manages the server may call this."""
        if not self._dashboard_url:
            await reply("This bot has no dashboard.")
            return
        link = await self._guildrank.dashboard_link(str(member.guild.id), self._dashboard_url, user=str(member.id))
        await reply(f"{link}\nIt works once, for 15 minutes.")

    async def show(self, member: Member, reply: Say) -> None:
        """Ends the wish of a member to be hidden."""
        user = str(member.id)
        for board in self._boards(member):
            await self._guildrank.unhide(board, user, reason="self")
        # Whoever calls a command is on the server.
        hidden = (await self._guildrank.unhide(str(member.guild.id), user, reason="left")).hidden
        await reply(hidden_text(hidden[user]) if user in hidden else "The ranking shows you.")

    async def hide(self, member: Member, reply: Say) -> None:
        """Takes a member out of the ranking by its own wish."""
        # Only a member can be hidden, and this one may have written nothing yet.
        await self._guildrank.record(str(member.guild.id), str(member.id), add=0)
        for board in self._boards(member):
            await self._guildrank.hide(board, str(member.id), reason="self")
        await reply("The ranking does not show you. You keep your XP and gain on. `/privacy show` ends that.")

    async def delete(self, member: Member, sure: bool, reply: Say) -> None:
        """Erases a member."""
        if not sure:
            await reply("Nothing was erased.")
            return
        for board in self._boards(member):
            await self._guildrank.remove(board, str(member.id))
        await reply(
            "Your XP and your profile are erased. Your next message begins anew: call `/privacy hide` to stay out of the ranking."
        )

    async def ready(self, guild_id: int, present: Sequence[Any]) -> None:
        """At the start, hides who left while the bot was away, and shows who came back. `present` are all members of the server."""
        await self._guildrank.sync_members(str(guild_id), {str(member.id) for member in present})

    def _boards(self, member: Member) -> list[str]:
        guild = str(member.guild.id)
        return [guild, *(board for board in self._archives if board.startswith(f"{guild}."))]

    async def member_left(self, guild_id: int, user_id: int) -> None:
        """A member who leaves keeps XP and profile, and is in no ranking."""
        await self._guildrank.hide(str(guild_id), str(user_id), reason="left")

    async def member_joined(self, member: Member) -> None:
        """A member who returns gets the place in the ranking back, and the roles, unless there is another reason to hide it."""
        guild, user = str(member.guild.id), str(member.id)
        if (await self._guildrank.unhide(guild, user, reason="left")).changed == 0:
            return
        page = await self._guildrank.around(guild, user, 0)
        await self._reward(member, 0, page.rows[0].level if page else 0)

    async def _level_up(
        self, change: Award | Claim, member: Member, say: Say, answer: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        """Gives the roles of a level-up, answers, and announces it, each whether or not another one fails.

        Of many calls at once, exactly one has the level-up, and it does not come again.
        """
        is_level_up = change.level > change.level_before and not change.hidden
        steps: list[Callable[[], Awaitable[object]]] = [answer] if answer else []
        if is_level_up:
            roles = lambda: self._reward(member, change.level_before, change.level)
            steps = [roles, *steps, lambda: say(f"<@{member.id}> is now level {change.level}!")]
        errors: list[Exception] = []
        for step in steps:
            try:
                await step()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]

    async def _reward(self, member: Member, above: int, up_to: int) -> None:
        earned = [role for level, role in self._roles.items() if above < level <= up_to]
        if earned:
            await self._give_roles(member, earned)


def hidden_text(reasons: Sequence[str]) -> str:
    if "moderator" in reasons:
        return "A moderator has hidden you from the ranking."
    return "You are hidden from the ranking. `/privacy show` ends that."


def table(rows: Sequence[Row], own_id: int) -> str:
    lines = []
    for row in rows:
        name = re.sub(r"([\\*_~`|<>#\n])", r"\\\1", row.username)
        line = f"{row.rank}. {name}: level {row.level}, {row.xp} XP"
        lines.append(f"**{line}**" if row.user_id == str(own_id) else line)
    return "\n".join(lines)
