"""The command /sync-roles: gives all members of the server the roles of their levels, such as after an import."""

from __future__ import annotations

from typing import Mapping

from commands import Call, Command
from failures import Log, attempt
from guildrank import GuildReader
from levels import Levels


class SyncRoles:
    """Without the option `apply` it only counts. It changes one member after the other: discord.py waits as long as Discord asks for."""

    def __init__(self, reader: GuildReader, levels: Levels, log: Log) -> None:
        self._reader = reader
        self._levels = levels
        self._log = log
        self._running: set[str] = set()
        self.commands: Mapping[str, Command] = {"sync-roles": self._run}

    async def _run(self, call: Call) -> None:
        guild = str(call.member.guild.id)
        if guild in self._running:
            await call.answer("The roles of this server are being changed already.", True)
            return
        self._running.add(guild)
        try:
            await self._sync(guild, call, bool(call.options.get("apply")))
        finally:
            self._running.discard(guild)

    async def _sync(self, guild: str, call: Call, apply: bool) -> None:
        people = {str(member.id): member for member in call.member.guild.members if not member.bot}
        await call.answer(f"Checking {len(people)} members …", True)
        checked = changed = 0
        async for levels in self._reader.rewards_of(guild, people):
            for reward in levels:
                member = people[reward.user_id]
                if not await self._levels.is_due(member, reward.level):
                    continue
                changed += 1
                if apply:
                    await self._levels.set_roles(member, reward.level)
            checked = min(len(people), checked + 250)
            verb = "changed" if apply else "would change"
            await self._tell(call, f"{checked} of {len(people)} members checked, {changed} {verb} …")
        if apply:
            await self._tell(call, f"Done: {changed} of {len(people)} members have other roles now.")
        else:
            would = f"{changed} of {len(people)} members would have other roles."
            await self._tell(call, f"{would} Call the command with apply to change them.")

    async def _tell(self, call: Call, text: str) -> None:
        # Discord takes a change of the answer for 15 minutes. Longer work goes on without one.
        await attempt(self._log, "/sync-roles", lambda: call.edit(text))
