"""Calls the Lua scripts of Guildrank from an asyncio bot. Copy this file and the folder `lua`.

Every method is one script and one round trip, by Redis's clock. It changes everything or nothing. With more than 500 members it takes
one for each 500. A call is never sent again, except when Redis does not know the script yet. A bot that sends one again itself names an
`event_id`: then Redis does it once, and a repeat gets the first reply. The end of a season takes many steps: run the command
`guildrank season reset` for it.
"""

from __future__ import annotations

import hashlib
import inspect
import random
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Awaitable, Callable, Collection, Mapping, Protocol, Sequence, Union

from redis.exceptions import NoScriptError

MAX_XP = 2**53 - 1
# The last second of the year 9999, which a datetime can show.
MAX_TIME_MS = 253_402_300_799_000
# Members of one script call. Redis serves nobody else meanwhile.
ENTRIES_A_CALL = 500
# Time in which the replicas must have a call.
CONFIRM_MS = 1000
MAX_PAGE_SIZE = 100
MAX_REACH = 50
ID = re.compile("[A-Za-z0-9_.-]{1,64}")
# Scripts that change nothing.
READS = ("batch", "around")
CURVES = {
    "standard": (10, 135, 455, 0, 6, 1),
    "amari": (0, 20, -40, 55, 1, 1),
    "lurkr": (0, 50, -100, 150, 1, 1),
    "polaris": (1, 50, 100, 0, 1, 100),
    "arcane": (0, 50, 25, 0, 1, 5),
}


class Connection(Protocol):
    """A connection of redis.asyncio. Only its shape counts."""

    def evalsha(self, sha: str, numkeys: int, *keys_and_args: Any) -> Awaitable[Any]: ...

    def script_load(self, script: str) -> Awaitable[Any]: ...


class RefusedError(Exception):
    """A script refused a call. Nothing was changed."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"entry {index} was refused: {reason}")
        self.index = index
        self.reason = reason


class UnreplicatedError(Exception):
    """A call was done, but replicas may lack it, so a failover may lose it. Send it again with the same `event_id`."""


@dataclass(frozen=True)
class Gain:
    """XP and level of a member before and after a call. A greater level afterwards is a level-up, a smaller one a level-down."""

    xp_before: int
    level_before: int
    xp: int
    level: int
    created: bool
    hidden: bool


@dataclass(frozen=True)
class Change(Gain):
    """`repeated` says that the event had this answer before, and nothing was changed."""

    repeated: bool = False


@dataclass(frozen=True)
class Award(Gain):
    awarded: int
    on_cooldown: bool
    cooldown_left_ms: int
    xp_to_next_level: int | None
    rank: int | None
    repeated: bool


@dataclass(frozen=True)
class Claim(Gain):
    claimed: bool
    reward: int
    streak: int
    xp_to_next_level: int | None
    next_claim_at: datetime
    repeated: bool


@dataclass(frozen=True)
class Record:
    """XP to add or to set for one user, with fields of the profile: username, level, daily_streak, last_daily_claim (milliseconds since
    1970). "" or None removes a field.

    With `floor=0`, an `add` below 0 takes what is there, and passes over a user who is no member. Without XP, only the profile of a member
    that exists changes.
    """

    user: str
    add: int | None = None
    set: int | None = None
    profile: Mapping[str, Union[str, int, None]] | None = None
    floor: int | None = None


@dataclass(frozen=True)
class Places:
    """How many members left the ranking or came back, and the reasons of those named that are hidden now."""

    changed: int
    hidden: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Sync:
    """Ranked members before; those of them that had left; hidden ones that had come back. With `dry_run` nothing was changed."""

    ranked: int
    left: int
    returned: int


@dataclass(frozen=True)
class Row:
    rank: int
    user_id: str
    username: str
    level: int
    xp: int


@dataclass(frozen=True)
class Page:
    rows: list[Row]
    total: int


class Guildrank:
    """The calls of a levelling bot on one connection.

    An unfit id, page, limit or reach is a ValueError, and nothing was sent. Scripts refuse other unfit values.

    With `replicas`, a call that writes sends WAIT after its script, on the same connection, and succeeds when that many replicas have it.
    Give the number of all that may be promoted. A call that fewer have after a second is an UnreplicatedError.
    """

    def __init__(
        self,
        redis: Connection,
        lua: Union[str, Path] = Path(__file__).with_name("lua"),
        prefix: str = "gr",
        event_ttl_ms: int = 600_000,
        replicas: int = 0,
    ) -> None:
        _check_whole("event_ttl_ms", event_ttl_ms, 1, 86_400_000)
        _check_whole("replicas", replicas, 0, 100)
        if replicas and (hasattr(redis, "get_nodes") or not hasattr(redis, "pipeline")):
            raise ValueError("replicas needs a connection of redis.asyncio that is none of a Cluster: leave it out")
        execute = getattr(redis, "execute_command", None)
        if execute is not None and not inspect.iscoroutinefunction(execute):
            raise TypeError("Guildrank needs a connection of redis.asyncio, such as redis.asyncio.Redis.from_url(url)")
        self._redis: Any = redis
        self._lua = Path(lua)
        self._prefix = prefix
        self._event_ttl_ms = event_ttl_ms
        self._replicas = replicas
        self._scripts: dict[str, tuple[str, str]] = {}

    async def run(self, script: str, keys: Sequence[str], args: Sequence[Union[str, int]]) -> Any:
        """Runs a script with the keys and arguments that its header names. Returns its reply, with bytes as text."""
        if script not in self._scripts:
            source = (self._lua / f"{script}.lua").read_text(encoding="utf-8")
            self._scripts[script] = (source, hashlib.sha1(source.encode()).hexdigest())
        source, sha = self._scripts[script]
        send: Callable[..., Awaitable[Any]] = self._confirmed if self._replicas and script not in READS else self._redis.evalsha
        try:
            reply = await send(sha, len(keys), *keys, *args)
        except NoScriptError:
            await self._redis.script_load(source)
            reply = await send(sha, len(keys), *keys, *args)
        return _decoded(reply)

    async def _confirmed(self, *call: Any) -> Any:
        """Runs a script, and WAIT on the same connection: only the server that ran the script can tell which replicas have it."""
        async with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.evalsha(*call)
            pipeline.wait(self._replicas, CONFIRM_MS)
            reply, confirmed = await pipeline.execute(raise_on_error=False)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(confirmed, Exception) or confirmed < self._replicas:
            raise UnreplicatedError(f"the call was done, but a failover may lose it: {confirmed} of {self._replicas} replicas have it")
        return reply

    async def award(
        self,
        guild: str,
        user: str,
        amount: Union[int, tuple[int, int]],
        *,
        cooldown_ms: int = 0,
        username: str = "",
        rank: bool = False,
        event_id: str = "",
        factor: Union[int, float, str] = "",
    ) -> Award:
        """Adds XP for a message, times the guild's multiplier, unless the member's cooldown runs. A range gives a random number of it.

        `factor` multiplies this award too: 0 to 1000 with six decimals at most. The product is rounded half up once.
        """
        _check_ids(guild, user)
        xp = amount if isinstance(amount, int) else random.randint(*amount)
        keys = [*self._guild_keys(guild), self._key(guild, f"cooldown:{user}")]
        args: list[Union[str, int]] = [user, xp, cooldown_ms, username, "rank" if rank else ""]
        if factor != "":
            args.append(_factor(factor))
        reply = await self._refusable("award", *self._once(guild, event_id, keys, args))
        return Award(
            **_gain(reply),
            awarded=int(reply[2]),
            on_cooldown=reply[0] == "WAIT",
            cooldown_left_ms=int(reply[10]),
            xp_to_next_level=_optional(reply[7]),
            rank=_optional(reply[9]),
            repeated=reply[-1] == "repeated",
        )

    async def claim_daily(
        self,
        guild: str,
        user: str,
        reward: Union[int, Sequence[int]],
        *,
        utc_offset_minutes: int = 0,
        grace_days: int = 0,
        min_interval_ms: int = 72_000_000,
        username: str = "",
        event_id: str = "",
    ) -> Claim:
        """Gives the reward of the day once for each calendar day of the member, and counts the streak.

        Between two claims lie `min_interval_ms` at least, 20 hours unless given.
        """
        _check_ids(guild, user)
        rewards = [reward] if isinstance(reward, int) else list(reward)
        args: list[Union[str, int]] = [user, utc_offset_minutes, grace_days, min_interval_ms, username, *rewards]
        reply = await self._refusable("claim", *self._once(guild, event_id, self._guild_keys(guild), args))
        return Claim(
            **_gain(reply),
            claimed=reply[0] == "OK",
            reward=int(reply[2]),
            streak=int(reply[9]),
            xp_to_next_level=_optional(reply[7]),
            next_claim_at=datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=min(int(reply[10]), MAX_TIME_MS)),
            repeated=reply[-1] == "repeated",
        )

    async def record(
        self,
        guild: str,
        user: str,
        *,
        add: int | None = None,
        set: int | None = None,
        profile: Mapping[str, Union[str, int, None]] | None = None,
        floor: int | None = None,
        event_id: str = "",
    ) -> Change:
        """Records one member: see `Record`."""
        return (await self.record_many(guild, [Record(user, add, set, profile, floor)], event_id=event_id))[0]

    async def set_level(self, guild: str, user: str, level: int, *, event_id: str = "") -> Change:
        """Sets the least XP of a level by the guild's curve, and drops an explicit level. Refused with "level" when no XP gives it."""
        _check_ids(guild, user)
        _check_whole("level", level, 0, MAX_XP)
        args: list[Union[str, int]] = ["each", "level", user, level, 1, "level", ""]
        reply = await self._refusable("record", *self._once(guild, event_id, self._guild_keys(guild), args))
        return _change(reply[5], reply[-1] == "repeated")

    async def record_many(self, guild: str, records: Sequence[Record], *, event_id: str = "") -> list[Change]:
        """Records many members, a user named twice in that order, all or none of each 500. Redis serves others between.

        `RefusedError.index` is that of the record that was refused. Those before its 500 were recorded.
        """
        _check_ids(guild, *(record.user for record in records))
        for record in records:
            _operation(record)
        changes: list[Change] = []
        for first in range(0, max(1, len(records)), ENTRIES_A_CALL):
            try:
                changes += await self._record(guild, records[first : first + ENTRIES_A_CALL], event_id, first // ENTRIES_A_CALL)
            except RefusedError as error:
                raise RefusedError(error.index + first, error.reason) from None
        return changes

    async def _record(self, guild: str, records: Sequence[Record], event_id: str, part: int) -> list[Change]:
        args: list[Union[str, int]] = ["each"]
        for record in records:
            operation, xp = _operation(record)
            fields = ["" if part is None else str(part) for pair in (record.profile or {}).items() for part in pair]
            args += [operation, record.user, str(xp), len(fields) // 2, *fields]
        reply = await self._refusable("record", *self._once(guild, event_id, self._guild_keys(guild), args, part))
        return [_change(text, reply[-1] == "repeated") for text in reply[5 : 5 + len(records)]]

    async def hide(self, guild: str, *users: str, reason: str = "moderator") -> Places:
        """Gives members a reason to be hidden: "left", "self" or "moderator". They leave the ranking, and keep XP and profile."""
        return await self._move("hide", guild, users, reason)

    async def unhide(self, guild: str, *users: str, reason: str = "moderator") -> Places:
        """Lifts a reason from hidden members. Those without another one come back into the ranking."""
        return await self._move("unhide", guild, users, reason)

    async def sync_members(self, guild: str, present: Collection[str], *, dry_run: bool = False, max_share: float = 0.2) -> Sync:
        """Hides as "left" the ranked members that are not present, and lifts "left" from those that are, for the start of a bot.

        `present` is a set with the ids of all who are on the server. When more than `max_share` of the ranked members would be hidden, it is taken for
        an incomplete list: a ValueError, and nothing was changed.
        """
        if len(present) == 0:
            raise ValueError("The list of present members is empty: give all user ids of the server")
        left, ranked = await self._listed(guild, "ranked", lambda user: user not in present)
        returned, _ = await self._listed(guild, "left", lambda user: user in present)
        if not dry_run:
            if len(left) > max_share * ranked:
                raise ValueError(f"The list lacks {len(left)} of {ranked} ranked members: nothing was changed. Complete it, or raise max_share")
            await self.unhide(guild, *returned, reason="left")
            await self.hide(guild, *(user for user in left if user not in present), reason="left")
        return Sync(ranked, len(left), len(returned))

    async def remove(self, guild: str, *users: str) -> int:
        """Erases members with all that is stored of them in the guild. Returns how many were members."""
        _check_ids(guild, *users)
        removed = 0
        for some in _slices(users):
            cooldowns = [self._key(guild, f"cooldown:{user}") for user in some]
            keys = [*self._guild_keys(guild), self._key(guild, "season:xp"), self._key(guild, "hidden:reasons"), *cooldowns]
            removed += int(await self.run("remove", keys, some))
        return removed

    async def top(self, guild: str, page: int = 1, limit: int = 10) -> Page:
        """Returns one page of the ranking, from page 1, with 1 to 100 rows."""
        _check_ids(guild)
        _check_whole("page", page, 1, MAX_XP)
        _check_whole("limit", limit, 1, MAX_PAGE_SIZE)
        first = (page - 1) * limit
        reply = await self.run("batch", [f"{self._prefix}:quota:{{{guild}}}"], [f"page {first} {first + limit - 1}\n"])
        if len(reply[0]) == 1:
            raise RuntimeError(reply[0][0])
        return _page(reply[0], first)

    async def around(self, guild: str, user: str, reach: int = 3) -> Page | None:
        """Returns a member with up to `reach` (0 to 50) members above and below it, None for a user who is not ranked."""
        _check_ids(guild, user)
        _check_whole("reach", reach, 0, MAX_REACH)
        keys = [self._key(guild, name) for name in ("xp", "stats", "config", "members")]
        first, rows = await self.run("around", keys, [user, reach])
        return None if int(first) < 0 else _page(rows, int(first))

    async def dashboard_link(self, guild: str, url: str, *, ttl: int = 900, user: str = "") -> str:
        """Returns a link that signs its reader in to the dashboard of the guild, once, for `ttl` seconds. Send it to the owner alone."""
        _check_ids(guild, *([user] if user else []))
        token = secrets.token_urlsafe(32)
        key = f"{self._prefix}:invite:{hashlib.sha256(token.encode()).hexdigest()}"
        await self.run("invite", [key], [guild, ttl, user])
        return f"{url.rstrip('/')}/sign-in/{token}"

    async def _listed(self, guild: str, kind: str, passes: Callable[[str], bool]) -> tuple[list[str], int]:
        _check_ids(guild)
        found: dict[str, None] = {}
        cursor = "0"
        while True:
            cursor, ranked, *users = await self.run("list", self._hiding_keys(guild), [kind, cursor])
            found.update((user, None) for user in users if passes(user))
            if cursor == "0":
                return list(found), int(ranked)

    async def _move(self, direction: str, guild: str, users: Sequence[str], reason: str) -> Places:
        _check_ids(guild, *users)
        changed = 0
        hidden: dict[str, list[str]] = {}
        for some in _slices(users):
            reply = await self._refusable("hide", self._hiding_keys(guild), [direction, reason, *some])
            changed += int(reply[2])
            for user, *reasons in (text.split(" ") for text in reply[3:]):
                hidden[user] = reasons
        return Places(changed, hidden)

    def _once(
        self, guild: str, event_id: str, keys: Sequence[str], args: Sequence[Union[str, int]], part: int = 0
    ) -> tuple[Sequence[str], Sequence[Union[str, int]]]:
        """Returns keys and arguments of a call that is done once for an event."""
        if event_id == "":
            return keys, args
        if len(event_id.encode()) > 64:
            raise ValueError("event_id must be a text of 1 to 64 bytes")
        key = self._key(guild, f"event-part:{part}:{event_id}" if part else f"event:{event_id}")
        return [*keys, key], [self._event_ttl_ms, *args]

    async def _refusable(self, script: str, keys: Sequence[str], args: Sequence[Union[str, int]]) -> list[Any]:
        reply: list[Any] = await self.run(script, keys, args)
        if reply[0] == "REFUSED":
            raise RefusedError(int(reply[1]), reply[2])
        return reply

    def _key(self, guild: str, name: str) -> str:
        return f"{self._prefix}:{{{guild}}}:{name}"

    def _hiding_keys(self, guild: str) -> list[str]:
        return [*self._guild_keys(guild), self._key(guild, "hidden:reasons")]

    def _guild_keys(self, guild: str) -> list[str]:
        return [self._key(guild, name) for name in ("xp", "stats", "config", "hidden", "members")]


def _check_ids(guild: str, *users: str) -> None:
    for kind, value in (("guild", guild), *(("user", user) for user in users)):
        if not (isinstance(value, str) and ID.fullmatch(value)):
            raise ValueError(f"The {kind} id {value!r} must be a text of 1 to 64 of A-Z a-z 0-9 _ - .")


def _check_whole(name: str, value: int, least: int, most: int) -> None:
    if not (type(value) is int and least <= value <= most):
        raise ValueError(f"{name} must be a whole number from {least} to {most}, not {value!r}")


def _factor(factor: Union[int, float, str]) -> str:
    text = factor if isinstance(factor, str) else f"{factor:.6f}"
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{0,6})?", text) or float(text) > 1000 or float(text) != float(factor):
        raise ValueError(f"factor must be a number from 0 to 1000 with six decimals at most, not {factor!r}")
    return text


def _operation(record: Record) -> tuple[str, int]:
    if record.floor not in (None, 0):
        raise ValueError("floor can be 0 only")
    if record.set is not None:
        return "set", record.set
    if record.add is None:
        return "keep", 0
    return ("take", -record.add) if record.floor == 0 and record.add < 0 else ("add", record.add)


def _slices(users: Sequence[str]) -> list[Sequence[str]]:
    return [users[first : first + ENTRIES_A_CALL] for first in range(0, len(users), ENTRIES_A_CALL)]


def level_for_xp(curve: str, xp: int) -> int:
    """Returns the level of a total XP on a curve of the table, or on "custom=a,b,c,d,q,m", with a seventh number as the highest level.

    An unknown name means the curve "standard". Unfit numbers are a ValueError.
    """
    (a, b, c, d, q, m), highest = _numbers(curve)

    def reach(level: int) -> int:
        exact = (((a * level + b) * level + c) * level + d) // q
        return (exact + m // 2) // m * m

    low, high = 0, 1
    while reach(high) <= xp:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reach(middle) <= xp else (low, middle)
    return low if highest is None else min(low, highest)


def _numbers(curve: str) -> tuple[tuple[int, int, int, int, int, int], int | None]:
    name, _, own = curve.partition("=")
    if name != "custom":
        return CURVES.get(name, CURVES["standard"]), None
    if not re.fullmatch("-?[0-9]+(,-?[0-9]+){5,6}", own):
        raise ValueError(f"The guild has the curve {curve}, with unfit numbers: set a known curve")
    a, b, c, d, q, m, *highest = map(int, own.split(","))
    rises = a >= 0 and b >= 0 and 3 * a + 2 * b + c > 0 and a + b + c + d >= 0
    small = max(a, b, abs(c)) <= 10**6 and abs(d) <= 10**9 and max(q, m) <= 1000 and all(1 <= most <= 10**6 for most in highest)
    if not (rises and small and q >= 1 and m >= 1 and (a + b > 0 or c >= q * q)):
        raise ValueError(f"The guild has the curve {curve}, with unfit numbers: set a known curve")
    return (a, b, c, d, q, m), highest[0] if highest else None


def _decoded(reply: Any) -> Any:
    if isinstance(reply, list):
        return [_decoded(part) for part in reply]
    return reply.decode(errors="replace") if isinstance(reply, bytes) else reply


def _optional(value: Any) -> int | None:
    return None if value == "" else int(value)


def _change(text: str, repeated: bool) -> Change:
    *numbers, place = text.split(" ")
    xp_before, level_before, xp, level = map(int, numbers)
    return Change(xp_before, level_before, xp, level, created=place == "new", hidden=place == "hidden", repeated=repeated)


def _gain(reply: list[Any]) -> dict[str, Any]:
    xp_before, level_before, xp, level = (int(part) for part in reply[3:7])
    known = {"xp_before": xp_before, "level_before": level_before, "xp": xp, "level": level}
    return {**known, "created": reply[8] == "new", "hidden": reply[8] == "hidden"}


def _page(reply: list[Any], first: int) -> Page:
    _, total, curve, cells, profiles = reply
    rows = []
    for index, profile in enumerate(profiles):
        user, score = cells[2 * index : 2 * index + 2]
        xp = _whole(score)
        level, username = _shown(profile)
        rows.append(Row(first + index + 1, user, username or user, level_for_xp(curve, xp) if level is None else level, xp))
    return Page(rows, int(total))


def _whole(score: str) -> int:
    """Returns an XP 0 .. 2^53-1 for any score: a raw writer can leave a fraction, a negative number or an infinity."""
    if "inf" in score:
        return 0 if score.startswith("-") else MAX_XP
    return min(max(int(float(score)) if "." in score or "e" in score else int(score), 0), MAX_XP)


def _shown(profile: str | None) -> tuple[int | None, str]:
    """Returns the explicit level and the name of a profile: "LEVEL STREAK CLAIM NAME". One without a readable part says nothing."""
    level, streak, claim, *name = (profile or "").split(" ", 3)[:4] if (profile or "").count(" ") >= 2 else ("", "", "")
    if not (level == "-" or _is_whole(level) or _is_whole(streak) or re.fullmatch("-?[0-9]+([+-][0-9]*)?", claim)):
        return None, ""
    return (min(int(level), MAX_XP) if _is_whole(level) else None), "".join(name)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()
