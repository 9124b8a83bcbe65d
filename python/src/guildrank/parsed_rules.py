"""The parts of a guild's rules, as `parse_rules` makes them from a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Mapping

# XP of one gain, 0 .. 10^9: a number, or the least and the greatest number of a range from which each gain draws a random number.
XpAmount = int | tuple[int, int]

Stacking = Literal["max", "sum", "product"]
"""How several multipliers make one: the greatest; 1 plus the sum of what each adds to 1, not below 0; or their product."""


@dataclass(frozen=True)
class VoiceState:
    """The states that can keep a member of a voice channel from XP. `alone`: no other member is there; `afk`: the channel of absent members."""

    alone: bool = False
    deafened: bool = False
    muted: bool = False
    afk: bool = False


@dataclass(frozen=True)
class MessageRules:
    """XP of a message, the time until the next message of a member gives XP, and the characters that a message needs."""

    xp: XpAmount
    cooldown_ms: int
    min_chars: int


@dataclass(frozen=True)
class VoiceRules:
    """XP of one tick of the bot's clock, and the states in which a member gains it all the same."""

    xp: XpAmount
    counts: VoiceState


@dataclass(frozen=True)
class NoXp:
    """Ids of roles, and of channels, threads and categories: a channel or thread below one of these gives no XP either."""

    roles: tuple[str, ...]
    channels: tuple[str, ...]


@dataclass(frozen=True)
class Multipliers:
    """Multipliers by id. Only the nearest channel, thread or category with a multiplier counts.

    `role_stacking` combines the roles of a member, `stacking` combines this with the channel.
    """

    roles: Mapping[str, float]
    channels: Mapping[str, float]
    role_stacking: Stacking
    stacking: Stacking


@dataclass(frozen=True)
class Reward:
    """A role that a member has from a level on. Unless `kept`, it loses the role at the level of the next reward."""

    level: int
    role: str
    kept: bool


@dataclass(frozen=True)
class Rules:
    """How members of a guild gain XP, and which roles a level gives."""

    message: MessageRules
    voice: VoiceRules
    no_xp: NoXp
    multipliers: Multipliers
    rewards: tuple[Reward, ...]
