"""The XP that a guild's rules give, and the roles of a level. It computes, and does no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Collection, Literal, Mapping, Sequence

from .checks import check_list, check_one_of
from .errors import InvalidInputError
from .gain_limits import MAX_FACTOR
from .parse_rules import VOICE_STATES, VoiceStateName
from .parsed_rules import MessageRules, Multipliers, NoXp, Reward, Rules, Stacking, VoiceRules, VoiceState, XpAmount

# A multiplier of 1, in the unit of multipliers here: whole millionths, which multiply exactly.
_ONE = 1_000_000
_MOST = MAX_FACTOR * _ONE

NoXpReason = Literal["off", "role", "channel", "length", VoiceStateName]
"""Why an event gives no XP, as `XpGain` says."""


@dataclass(frozen=True)
class XpGain:
    """XP to give, as `award` takes it. If there is no XP, `reason` is the first reason that applies; otherwise it is None.

    "off": the rules give no XP for this kind. "role", "channel": a role gives no XP, or the channel or a category or channel above it.
    "length": the message is too short. "alone", "deafened", "muted", "afk": the state in a voice channel. Multipliers that make 0 together
    count as the channel.
    """

    amount: XpAmount
    factor: float
    cooldown_ms: int
    reason: NoXpReason | None


@dataclass(frozen=True)
class RoleChange:
    """Roles to give to a member, and roles to take from it, in the order of the rules."""

    add: tuple[str, ...]
    remove: tuple[str, ...]


def xp_for(
    rules: Rules,
    kind: Literal["message", "voice"],
    *,
    roles: Collection[str],
    channel: str,
    parents: Sequence[str | None] | None = None,
    chars: int | None = None,
    voice: VoiceState | None = None,
) -> XpGain:
    """Returns the XP that a "message" gives, or for "voice" a tick of the bot's clock. O(n) for n roles, channels and rules.

    `roles` are the ids of the member's roles, and `channel` is the id of the channel or thread. `parents` are the ids above the channel,
    the nearest first: the channel of a thread, then its category. None in the list, or in place of the list, is ignored. Without `chars`,
    because a bot may not read all messages, a message is long enough. Without `voice`, no state of voice holds. Raises InvalidInputError.
    """
    _check_rules(rules)
    check_one_of("kind", kind, ("message", "voice"))
    if not (voice is None or isinstance(voice, VoiceState)):
        raise InvalidInputError(f"voice must be a VoiceState, not {voice!r}")
    _check_ids("roles", roles)
    places = _checked_places(channel, () if parents is None else parents)
    if kind == "message" and chars is not None:
        _check_count("chars", chars)
    amount = rules.message.xp if kind == "message" else rules.voice.xp
    if (amount[1] if isinstance(amount, tuple) else amount) == 0:
        return _none("off")
    multipliers = rules.multipliers
    by_role = _millionths(multipliers.roles, roles)
    of_roles = _stacked(by_role, multipliers.role_stacking)
    if any(role in rules.no_xp.roles for role in roles) or 0 in by_role or of_roles == 0:
        return _none("role")
    nearest = _millionths(multipliers.channels, places)[:1]
    factor = _stacked([*([of_roles] if by_role else []), *nearest], multipliers.stacking)
    if any(place in rules.no_xp.channels for place in places) or 0 in nearest or factor == 0:
        return _none("channel")
    if kind == "message" and chars is not None and chars < rules.message.min_chars:
        return _none("length")
    for state in VOICE_STATES if kind == "voice" else ():
        if getattr(voice, state, False) and not getattr(rules.voice.counts, state):
            return _none(state)
    # A tick of voice starts no cooldown of messages.
    return XpGain(amount, min(factor, _MOST) / _ONE, rules.message.cooldown_ms if kind == "message" else 0, None)


def reward_roles(rules: Rules, level: int, roles: Collection[str]) -> RoleChange:
    """Returns the change of roles that a member needs at a level: rewards that it lacks, and rewards that are above it or replaced.

    A role that is no reward is in neither. Without a change both are empty, so you can call it at any time. O(n) for n rewards and roles.
    Raises InvalidInputError.
    """
    _check_rules(rules)
    _check_count("level", level)
    _check_ids("roles", roles)
    reached = [reward for reward in rules.rewards if reward.level <= level]
    highest = max((reward.level for reward in reached), default=0)
    due = dict.fromkeys(reward.role for reward in reached if reward.kept or reward.level == highest)
    known = dict.fromkeys(reward.role for reward in rules.rewards)
    return RoleChange(
        add=tuple(role for role in due if role not in roles),
        remove=tuple(role for role in known if role in roles and role not in due),
    )


def _check_rules(rules: object) -> None:
    """A guild without rules has None."""
    if not (isinstance(rules, Rules) and _has_parts(rules)):
        raise InvalidInputError(
            f"rules must be what parse_rules or reader.rules returns, not {rules!r}; for a guild without rules use parse_rules({{}})"
        )


def _has_parts(rules: Rules) -> bool:
    """Returns whether rules have the parts that `parse_rules` makes. A program that makes its own rules can leave some out."""
    kinds = [(rules.message, MessageRules), (rules.voice, VoiceRules), (rules.no_xp, NoXp), (rules.multipliers, Multipliers)]
    are_rewards = isinstance(rules.rewards, (list, tuple)) and all(isinstance(reward, Reward) for reward in rules.rewards)
    return are_rewards and all(isinstance(part, kind) for part, kind in kinds)


def _check_ids(name: str, ids: Collection[str]) -> None:
    """Checks a list of ids. A number would be equal to no id of the rules, so that it would not count."""
    check_list(name, ids)
    for value in ids:
        if not isinstance(value, str):
            raise InvalidInputError(f"{name} must be ids, each a text, not {value!r}")


def _checked_places(channel: str, parents: Sequence[str | None]) -> list[str]:
    """Returns the channel and the parents that are there, the nearest first, after a check of all."""
    if not isinstance(channel, str):
        raise InvalidInputError(f"channel must be an id, a text, not {channel!r}")
    check_list("parents", parents)
    known_parents = [parent for parent in parents if parent is not None]
    _check_ids("parents", known_parents)
    return [channel, *known_parents]


def _check_count(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        raise InvalidInputError(f"{name} must be a number from 0 on, not {value!r}")


def _none(reason: NoXpReason) -> XpGain:
    return XpGain(0, 0, 0, reason)


def _millionths(multipliers: Mapping[str, float], ids: Collection[str]) -> list[int]:
    """Returns the multipliers that the ids have, in their order."""
    return [round(multipliers[each] * _ONE) for each in ids if each in multipliers]


def _stacked(factors: Sequence[int], stacking: Stacking) -> int:
    """Returns the multiplier that several multipliers make together, rounded half up; 1 for an empty list."""
    if not factors:
        return _ONE
    if stacking == "max":
        return max(factors)
    if stacking == "sum":
        return max(_ONE + sum(factor - _ONE for factor in factors), 0)
    product, unit = factors[0], 1
    for factor in factors[1:]:
        product, unit = product * factor, unit * _ONE
    return (2 * product + unit) // (2 * unit)
