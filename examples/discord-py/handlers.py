"""The handlers of a levelling bot. They know nothing of a connection: bot.py gives them Discord's events, the tests made-up ones."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any, Callable, Sequence

from commands import Commands
from descriptions import Descriptions
from failures import Log, Wait, attempt
from guildrank import GuildReader, GuildWriter
from levels import Levels, Member
from messages import Messages
from privacy import Privacy
from voice import Voice
from sync_roles import SyncRoles
from xp import Xp


class Handlers:
    """What the bot does. None of its methods fails: a failure is a line in the log.

    `archives` has guild ids of ended seasons, such as 123.2026-s1. `wait` waits for seconds, and `now` gives seconds since any moment.
    `attempts` is how often an award for a message or for voice is tried while Redis is away; 0 = twice.
    """

    def __init__(
        self,
        writer: GuildWriter,
        reader: GuildReader,
        dashboard_url: str = "",
        archives: Sequence[str] = (),
        log: Log = lambda line: print(line, file=sys.stderr),
        wait: Wait = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
        attempts: int = 0,
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._log = log
        self._levels = Levels(writer, reader, log, wait, now, attempts)
        further = {
            **Xp(writer, self._levels, log, wait).commands,
            **SyncRoles(reader, self._levels, log).commands,
            **Privacy(writer, self._levels, archives).commands,
        }
        self.message = Messages(self._levels, log).give
        self.voice = Voice(self._levels, log).tick
        descriptions = Descriptions(writer, log, wait)
        self.describe, self.describe_change = descriptions.describe, descriptions.describe_change
        self.command = Commands(writer, reader, self._levels, log, wait, dashboard_url, further).run

    async def ready(self, guild_id: int, present: Sequence[Any]) -> None:
        """At the start, hides who left while the bot was away, and shows who came back. `present` are all members of the server."""
        ids = {str(member.id) for member in present}
        await attempt(self._log, f"Members of guild {guild_id}", lambda: self._writer.sync_members(str(guild_id), ids))

    async def member_left(self, guild_id: int, user_id: int) -> None:
        """A member who leaves keeps XP and profile, and is in no ranking."""
        step = lambda: self._writer.hide(str(guild_id), [str(user_id)], reason="left")
        await attempt(self._log, f"Leave of member {user_id}", step)

    async def member_joined(self, member: Member) -> None:
        """A member who returns gets the place in the ranking back, unless there is another reason to hide it, and the roles of its level."""

        async def welcome() -> None:
            guild, user = str(member.guild.id), str(member.id)
            await self._writer.unhide(guild, [user], reason="left")
            card = await self._reader.card(guild, user)
            if card is not None:
                await self._levels.set_roles(member, card.level)

        await attempt(self._log, f"Return of member {member.id}", welcome)
