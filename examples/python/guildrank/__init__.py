"""The kit of Guildrank for an asyncio bot: it calls the Lua scripts on the bot's connection of redis.asyncio.

Copy this folder, and the scripts of `dist/lua` as the folder `lua` into it. Python 3.9 and redis-py 4.2, or later.
"""

from __future__ import annotations

from pathlib import Path

from .card import Card, CardProgress
from .checks import ConflictError, RefusedError, UnreplicatedError, check_whole
from .curves import CURVES, MAX_XP, Curve, Progress, level_for_xp, parse_curve, progress, xp_for_level
from .gains import Award, Claim, Gain
from .hiding import Places, Sync
from .keys import BOARDS, Keys
from .parse_rules import parse_rules
from .plain_text import plain_text
from .ranking import Member, Page, Row, Stats
from .reader import Reader
from .records import Change, Profile, Record
from .rules import RoleChange, XpGain, reward_roles, xp_for
from .rules_document import Multipliers, NoXp, Reward, Rules, VoiceState, XpAmount
from .scripts import Connection, Scripts
from .season import SeasonResult
from .writer import Writer

__all__ = [
    "Award", "BOARDS", "Card", "CardProgress", "Change", "Claim", "ConflictError", "Connection", "Curve",
    "CURVES", "Gain", "Guildrank", "level_for_xp", "MAX_XP", "Member", "Multipliers", "NoXp", "Page",
    "parse_curve", "parse_rules", "Places", "plain_text", "Profile", "progress", "Progress", "Record", "RefusedError",
    "Reward", "reward_roles", "RoleChange", "Row", "Rules", "SeasonResult", "Stats", "Sync",
    "UnreplicatedError", "VoiceState", "xp_for", "xp_for_level", "XpAmount", "XpGain",
]


class Guildrank(Writer, Reader):
    """The calls of a levelling bot on one connection.

    Each method is one script and one round trip, by Redis's clock. It changes everything or nothing. With more than 500 members it takes
    one for each 500, in order. A call is never sent again, except when Redis refused it because it did not know the script, or wants the
    keys of boards. A bot that sends one again itself names an `event_id`: then Redis does it once, and a repeat gets the first reply.

    An unfit argument is a ValueError that names it, and nothing was sent. A script that refuses a call raises RefusedError, and nothing
    was changed. An error of Redis or of the connection is that of redis-py; without a reply, the call may have been done.

    With `replicas`, a call that writes sends WAIT after its script, on the same connection, and succeeds when that many replicas have it.
    Give the number of all that may be promoted. A call that fewer have after a second is an UnreplicatedError.
    """

    def __init__(
        self,
        redis: Connection,
        lua: str | Path = Path(__file__).with_name("lua"),
        prefix: str = "gr",
        event_ttl_ms: int = 600_000,
        replicas: int = 0,
    ) -> None:
        """`lua` is the folder of the scripts, `prefix` the KEY_PREFIX of the service. The reply of an event is kept for `event_ttl_ms`."""
        check_whole("event_ttl_ms", event_ttl_ms, 1, 86_400_000)
        check_whole("replicas", replicas, 0, 100)
        self._scripts = Scripts(redis, Path(lua), replicas)
        self._keys = Keys(prefix)
        self._event_ttl_ms = event_ttl_ms
