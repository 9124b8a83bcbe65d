"""Tells the service what a server, its roles and its channels are called, so that its pages show names instead of ids."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from failures import Log, Wait, attempt
from guildrank import GuildChannel, GuildRole, GuildWriter

# A change comes with others: a role that is moved changes the position of each role below.
OTHER_CHANGES_S = 5


class Descriptions:
    """Describes guilds of discord.py."""

    def __init__(self, writer: GuildWriter, log: Log, wait: Wait) -> None:
        self._writer = writer
        self._log = log
        self._wait = wait
        # Ids of guilds that have changed and are not described yet.
        self._changed: set[int] = set()

    async def describe(self, guild: Any) -> None:
        """Describes a guild, for the start."""
        roles: list[GuildRole] = [
            {"id": str(role.id), "name": role.name, "color": role.color.value, "position": role.position}
            for role in sorted(guild.roles, key=attrgetter("position"), reverse=True)
            if role.id != guild.id
        ]
        channels: list[GuildChannel] = [
            {
                "id": str(channel.id),
                "name": channel.name,
                "type": channel.type.value,
                "parent": str(channel.category_id) if channel.category_id else None,
            }
            for channel in sorted(guild.channels, key=attrgetter("position"))
        ]
        icon = guild.icon.key if guild.icon else None
        call = lambda: self._writer.describe_guild(str(guild.id), name=guild.name, icon=icon, roles=roles, channels=channels)
        await attempt(self._log, f"Description of guild {guild.id}", call)

    async def describe_change(self, guild: Any) -> None:
        """Describes a guild some seconds after it, a role or a channel has changed."""
        if guild.id in self._changed:
            return
        self._changed.add(guild.id)
        await self._wait(OTHER_CHANGES_S)
        self._changed.discard(guild.id)
        await self.describe(guild)
