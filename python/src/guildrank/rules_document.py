"""The parts of a guild's rules, as `parse_rules` makes them from a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

# XP of one gain, 0 .. 10^9: a number, or the least and the greatest of a range that gives a random one.
XpAmount = int | tuple[int, int]


@dataclass(frozen=True)
class VoiceState:
    """What can keep a member of a voice channel from XP. With `alone`, no other member is there; `afk` is the channel of absent members."""

    alone: bool = False
    deafened: bool = False
    muted: bool = False
    afk: bool = False


@dataclass(frozen=True)
class MessageRules:
    """XP of a message: how long its author then waits for the next XP, and how many characters the message must have."""

    xp: XpAmount
    cooldown_ms: int
    min_chars: int


@dataclass(frozen=True)
class VoiceRules:
    """XP of one tick of the bot's clock, and who gains it all the same."""

    xp: XpAmount
    counts: VoiceState


@dataclass(frozen=True)
class NoXp:
    """Ids of roles, and of channels, threads and categories: what is below one of them gives none either."""

    roles: tuple[str, ...]
    channels: tuple[str, ...]


@dataclass(frozen=True)
class Multipliers:
    """Multipliers by id. The nearest channel, thread or category that has one counts alone.

    `role_stacking` combines the roles of a member, `stacking` combines this with the channel: "max", "sum" or "product".
    """

    roles: Mapping[str, float]
    channels: Mapping[str, float]
    role_stacking: str
    stacking: str


@dataclass(frozen=True)
class Reward:
    """A role that a member has from a level on. Unless `kept`, it loses the role at the level of the next reward."""

    level: int
    role: str
    kept: bool


@dataclass(frozen=True)
class Rules:
    """Who gains how much XP in a guild, and which roles a level gives."""

    message: MessageRules
    voice: VoiceRules
    no_xp: NoXp
    multipliers: Multipliers
    rewards: tuple[Reward, ...]
