"""The rules of a guild, and what follows from them: XP, roles, announcements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Protocol, Sequence

from failures import Log, Outages, Wait, attempt, once
from guildrank import Award, Gain, GuildReader, GuildWriter, Rules, XpGain, parse_rules, reward_roles

# How long the rules of a guild are kept.
RULES_S = 60

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
    def avatar(self) -> Any: ...

    @property
    def guild(self) -> Any: ...

    @property
    def roles(self) -> Sequence[Any]: ...

    async def add_roles(self, *roles: Any) -> None: ...

    async def remove_roles(self, *roles: Any) -> None: ...


@dataclass(frozen=True)
class RoleId:
    """A role for discord.py, which asks for no more than the id."""

    id: int


class Levels:
    """`wait` waits for seconds, and `now` gives seconds since any moment."""

    def __init__(
        self,
        writer: GuildWriter,
        reader: GuildReader,
        log: Log,
        wait: Wait,
        now: Callable[[], float],
        attempts: int = 0,
    ) -> None:
        """`attempts` of an award over an outage; 0 = one more attempt."""
        self._outages = Outages(log, wait, now, attempts) if attempts else None
        self._writer = writer
        self._reader = reader
        self._log = log
        self._wait = wait
        self._now = now
        self._known: dict[str, tuple[float, Rules]] = {}

    async def rules_of(self, guild: str) -> Rules:
        """Returns the rules of a guild, those of the last minute."""
        until, rules = self._known.get(guild, (None, None))
        if until is not None and rules is not None and self._now() < until:
            return rules
        stored = await self._reader.rules(guild)
        rules = parse_rules({}) if stored is None else stored
        self._known[guild] = (self._now() + RULES_S, rules)
        return rules

    async def gain(self, member: Member, event_id: str, xp_by: Callable[[Rules], XpGain]) -> Award | None:
        """Gives the XP that the rules have for a message or a minute of voice.

        The event is counted once, by all processes together. None: there is no XP, or another process has it.
        """
        guild = str(member.guild.id)

        async def call() -> Award | None:
            xp = xp_by(await self.rules_of(guild))
            if xp.reason is not None:
                return None
            avatar = member.avatar.key if member.avatar else None
            shown: dict[str, Any] = {"username": member.display_name, "avatar": avatar}
            return await self._writer.award(guild, str(member.id), **vars(xp), **shown, event_id=event_id)

        return await (self._outages.outlast(call) if self._outages else once(call, self._wait))

    async def set_roles(self, member: Member, level: int) -> None:
        """Gives a member the roles of its level, and takes the rewards that it has no more. Other roles stay.

        One role that Discord refuses keeps no other one back.
        """

        async def change() -> None:
            roles = reward_roles(await self.rules_of(str(member.guild.id)), level, roles_of(member))
            for role in roles.add:
                await attempt(self._log, f"Role {role} of member {member.id}", lambda: member.add_roles(RoleId(int(role))))
            for role in roles.remove:
                await attempt(self._log, f"Role {role} of member {member.id}", lambda: member.remove_roles(RoleId(int(role))))

        await attempt(self._log, f"Roles of member {member.id}", change)

    async def is_due(self, member: Member, level: int) -> bool:
        """Returns whether the roles of a member do not fit a level."""
        roles = reward_roles(await self.rules_of(str(member.guild.id)), level, roles_of(member))
        return bool(roles.add or roles.remove)

    async def level_up(self, change: Gain | None, member: Member, announce: Say) -> None:
        """Does what a new level brings: the roles, then the announcement of a level-up, unless the member is hidden.

        Each is done whether or not the other one fails: of many calls at once, exactly one has the level-up, and it does not come again.
        """
        if change is None or change.level == change.level_before:
            return
        await self.set_roles(member, change.level)
        if change.level > change.level_before and not change.hidden:
            text = f"<@{member.id}> is now level {change.level}!"
            await attempt(self._log, "Level-up", lambda: announce(text))


def roles_of(member: Member) -> list[str]:
    return [str(role.id) for role in member.roles]


def parents_of(channel: Any) -> list[str]:
    """Returns the ids of what holds a channel, the nearest first: the channel of a thread, its category."""
    parent = channel.parent if hasattr(channel, "parent") else getattr(channel, "category", None)
    return [str(parent.id), *parents_of(parent)] if parent else []
