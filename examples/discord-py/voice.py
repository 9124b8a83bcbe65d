"""XP for members in voice channels, each minute."""

from __future__ import annotations

import asyncio
from typing import Any, Iterable

from failures import Log, line_of
from guildrank import VoiceState, xp_for
from levels import Levels, parents_of, roles_of

MINUTE_S = 60
# Members at once: each call takes a connection of redis-py.
AT_ONCE = 50


def seconds_to_tick(now: float) -> float:
    """Returns the time to the next tick: the middle of a minute.

    So the clocks of two processes may differ by some seconds, and both mean the same minute.
    """
    return MINUTE_S - (now + MINUTE_S / 2) % MINUTE_S


class Voice:
    """A minute of a member counts once, also when two processes run, or one starts anew."""

    def __init__(self, levels: Levels, log: Log) -> None:
        self._levels = levels
        self._log = log

    async def tick(self, guilds: Iterable[Any], now: float) -> None:
        """Gives the XP of a minute to the people in the voice channels of guilds. `now` is in seconds since 1970."""
        minute = int(now // MINUTE_S)
        gains = []
        for guild in guilds:
            for channel in (*guild.voice_channels, *guild.stage_channels):
                people = [member for member in channel.members if not member.bot and member.voice]
                gains += [(member, channel, len(people) == 1) for member in people]
        errors: list[BaseException] = []
        for first in range(0, len(gains), AT_ONCE):
            calls = [self._give(*gain, minute) for gain in gains[first : first + AT_ONCE]]
            results = await asyncio.gather(*calls, return_exceptions=True)
            errors += [result for result in results if isinstance(result, BaseException)]
        # Without Redis all of them fail in the same way: one line is enough.
        for line in dict.fromkeys(line_of(error) for error in errors):
            self._log(f"Voice: {line}")

    async def _give(self, member: Any, channel: Any, alone: bool, minute: int) -> None:
        state, afk = member.voice, member.guild.afk_channel
        voice = VoiceState(
            alone=alone,
            deafened=state.deaf or state.self_deaf,
            # Who may only listen on a stage is muted too.
            muted=state.mute or state.self_mute or state.suppress,
            afk=afk is not None and afk.id == channel.id,
        )
        roles, parents = roles_of(member), parents_of(channel)
        award = await self._levels.gain(
            member,
            f"voice:{member.id}:{minute}",
            lambda rules: xp_for(rules, "voice", roles=roles, channel=str(channel.id), parents=parents, voice=voice),
        )
        await self._levels.level_up(award, member, channel.send)
