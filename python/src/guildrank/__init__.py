"""The kit of Guildrank for a bot in Python: it writes and reads XP, levels and rankings over the bot's own connection of redis.asyncio.

`create_writer` and `create_reader` make the two objects that a bot calls. `parse_rules`, `xp_for` and `reward_roles` compute with the rules
of a guild, and `level_for_xp`, `xp_for_level` and `progress` with its curve. The kit for JavaScript has the same calls, with names in camel
case.
"""

from __future__ import annotations

from .card import CardProgress, MemberCard
from .connection_options import connection_options
from .curves import CURVE_NAMES, CURVES, MAX_XP, Curve, CurveName, LevelProgress, level_for_xp, parse_curve, progress, xp_for_level
from .description import GuildChannel, GuildRole
from .errors import InvalidInputError, RefusedError, StoreUnavailableError
from .gains import Award, Claim, Gain
from .hiding import HiddenMember, HideResult, SyncResult
from .keys import BoardName
from .parse_rules import parse_rules
from .parsed_rules import MessageRules, Multipliers, NoXp, Reward, Rules, Stacking, VoiceRules, VoiceState, XpAmount
from .plain_text import plain_text
from .profiles import HideReason
from .ranking import GuildStats, Member, Period, RankedMember, RankingPage, RankingPart
from .reader import GuildReader, MemberLevel, create_reader
from .records import MemberChange, ProfileChange, RecordResult, XpChange, XpRecord
from .refusals import Sentences
from .rules import NoXpReason, RoleChange, XpGain, reward_roles, xp_for
from .scripts import Connection
from .season import SeasonResult
from .unchanged import Unchanged
from .writer import GuildWriter, create_writer

__version__ = "1.0.0"

__all__ = [
    "Award",
    "BoardName",
    "CURVES",
    "CURVE_NAMES",
    "CardProgress",
    "Claim",
    "Connection",
    "Curve",
    "CurveName",
    "Gain",
    "GuildChannel",
    "GuildReader",
    "GuildRole",
    "GuildStats",
    "GuildWriter",
    "HiddenMember",
    "HideReason",
    "HideResult",
    "InvalidInputError",
    "LevelProgress",
    "MAX_XP",
    "Member",
    "MemberCard",
    "MemberChange",
    "MemberLevel",
    "MessageRules",
    "Multipliers",
    "NoXp",
    "NoXpReason",
    "Period",
    "ProfileChange",
    "RankedMember",
    "RankingPage",
    "RankingPart",
    "RecordResult",
    "RefusedError",
    "Reward",
    "RoleChange",
    "Rules",
    "SeasonResult",
    "Sentences",
    "Stacking",
    "StoreUnavailableError",
    "SyncResult",
    "Unchanged",
    "VoiceRules",
    "VoiceState",
    "XpAmount",
    "XpChange",
    "XpGain",
    "XpRecord",
    "connection_options",
    "create_reader",
    "create_writer",
    "level_for_xp",
    "parse_curve",
    "parse_rules",
    "plain_text",
    "progress",
    "reward_roles",
    "xp_for",
    "xp_for_level",
]
