"""XP for messages, by the rules of the guild."""

from __future__ import annotations

from typing import Any

from failures import Log, attempt
from guildrank import xp_for
from levels import Levels, parents_of, roles_of


class Messages:
    def __init__(self, levels: Levels, log: Log) -> None:
        self._levels = levels
        self._log = log

    async def give(self, message: Any) -> None:
        """Gives XP for a message of a member, as discord.Message is one."""
        member, channel = message.author, message.channel
        if member.bot:
            return
        award = await attempt(
            self._log,
            f"Message {message.id}",
            lambda: self._levels.gain(
                member,
                str(message.id),
                lambda rules: xp_for(
                    rules,
                    "message",
                    roles=roles_of(member),
                    channel=str(channel.id),
                    parents=parents_of(channel),
                    # Without the Message Content Intent the text is empty, and counts as long enough.
                    chars=len(message.content) or None,
                ),
            ),
        )
        await self._levels.level_up(award, member, channel.send)
