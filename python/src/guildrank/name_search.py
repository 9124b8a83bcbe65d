"""The search of members by name: a process keeps the names of the guilds that were searched."""

from __future__ import annotations

import asyncio
import re
import time
import unicodedata
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .checks import check_ids, is_id
from .errors import InvalidInputError, RefusedError
from .keys import Keys
from .profiles import split_profile
from .ranking import Member
from .scripts import Script, Scripts

# Members that a search finds at most, and characters of a text to search for.
MAX_HITS = 10
MAX_SEARCH_LENGTH = 100
# Most bytes of the names of all guilds together, and of one guild.
MAX_BYTES = 32 * 1024 * 1024
MAX_GUILD_BYTES = 16 * 1024 * 1024
# Seconds between two readings of the names of one guild.
RENEW_S = 60.0
# Guilds that are read or wait for it, and seconds after which a place is free again, most likely.
MAX_WAITING = 5
QUEUE_RETRY_S = 2
# Candidates that are confirmed at once, and at most.
CONFIRMED_AT_ONCE = 50
MAX_CONFIRMED = 1000
# Bytes of what keeps the names of a step, and of a guild.
_STEP_BYTES = 100
_GUILD_BYTES = 500
_NAMES = Script("names", writes=False)
_SPACES = re.compile(" {2,}")


def fold_text(text: str) -> str:
    """Returns a text in the form in which searches compare names: without case, accents and invisible characters, with compatible characters as one
    (NFKD), and with runs of spaces as one space, without spaces at the ends. The kit for JavaScript folds in the same way."""
    if not (text.isascii() and text.isprintable()):
        letters = (letter for letter in unicodedata.normalize("NFKD", text) if not _is_mark(letter))
        text = "".join(" " if _is_space(letter) else letter for letter in letters).upper()
    # Upper case first, because it has one form of letters such as the German ß and the Greek ς.
    return _SPACES.sub(" ", text.lower().replace("ς", "σ")).strip(" ")


def _is_mark(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category[0] == "M" or category == "Cf"


def _is_space(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category[0] == "Z" or category == "Cc"


class _Step(NamedTuple):
    """The members of a step, by rank, with their profiles."""

    revision: str
    state: str
    """Whether further members follow ("OK"), no further members follow ("END"), or the reading has to go back by a step ("MOVED")."""
    xp: str
    """XP of the first member, with which the next step begins."""
    user_ids: list[str]
    profiles: list[str | None]


def _step_of(reply: list[Any]) -> _Step:
    """Decodes the reply of names.lua."""
    return _Step(*reply)


@dataclass(frozen=True)
class _Segment:
    """Folded names and user ids of the members of a step, a line for each member."""

    names: str
    user_ids: str
    size: int


@dataclass(frozen=True)
class _Names:
    """The names of a guild's ranked members at one time, by rank. None for a guild whose names take too many bytes."""

    segments: list[_Segment] | None
    revision: str
    read_at: float
    size: int

    def user_ids_of(self, text: str) -> Iterator[str]:
        """Returns the user ids of the members whose name contains a folded text, by their rank at the time of the reading."""
        for segment in self.segments or ():
            if text in segment.names:
                for name, user_id in zip(segment.names.split("\n"), segment.user_ids.split("\n")):
                    if text in name:
                        yield user_id


class NameSearch:
    """Finds ranked members by name. One guild is read at a time, in steps between which Redis and the bot serve others."""

    def __init__(
        self,
        scripts: Scripts,
        keys: Keys,
        read_members: Callable[[str, list[str]], Awaitable[list[Member]]],
        revision_of: Callable[[str], Awaitable[str]],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._scripts = scripts
        self._keys = keys
        self._read_members = read_members
        self._revision_of = revision_of
        self._now = now
        # By guild id, the least recently used first.
        self._kept: dict[str, _Names] = {}
        # When the names of a guild were last read, the earliest first. It outlives the names.
        self._read_at: dict[str, float] = {}
        self._readings: dict[str, asyncio.Task[_Names]] = {}

    async def find(self, guild_id: str, text: str) -> list[Member]:
        """Finds members: see GuildReader.find."""
        check_ids(guild_id)
        wanted = _checked_text(text)
        user_id = text.strip()
        by_id = await self._read_members(guild_id, [user_id]) if is_id(user_id) else []
        try:
            named = await self._named(guild_id, wanted)
        except RefusedError:
            if by_id:
                return by_id
            raise
        return [*by_id, *(member for member in named if member.user_id != user_id)][:MAX_HITS]

    async def _named(self, guild_id: str, wanted: str) -> list[Member]:
        names = await self._names_of(guild_id)
        found: list[Member] = []
        # A member can come twice.
        seen: set[str] = set()
        waiting: list[str] = []

        async def confirm() -> None:
            members = await self._read_members(guild_id, waiting)
            found.extend(member for member in members if wanted in fold_text(member.username))
            waiting.clear()

        for user_id in names.user_ids_of(wanted):
            if user_id in seen:
                continue
            seen.add(user_id)
            waiting.append(user_id)
            if len(waiting) == CONFIRMED_AT_ONCE:
                await confirm()
                # The eleventh hit is needed because one hit can be the member that was found by its id.
                if len(found) > MAX_HITS or len(seen) >= MAX_CONFIRMED:
                    break
        if waiting:
            await confirm()
        return sorted(found, key=lambda member: member.rank)

    async def _names_of(self, guild_id: str) -> _Names:
        names = self._kept.get(guild_id)
        if names is None or not await self._is_fresh(guild_id, names):
            names = await self._renewed(guild_id, names)
        # These names now are the last to be dropped, unless they were dropped meanwhile.
        if self._kept.get(guild_id) is names:
            self._kept[guild_id] = self._kept.pop(guild_id)
        if names.segments is None:
            raise RefusedError("search_too_large", {"guild": guild_id})
        return names

    async def _is_fresh(self, guild_id: str, names: _Names) -> bool:
        if self._now() - names.read_at < RENEW_S:
            return True
        return names.segments is not None and names.revision != "" and await self._revision_of(guild_id) == names.revision

    async def _renewed(self, guild_id: str, kept: _Names | None) -> _Names:
        """Reads the names of a guild, or returns the kept names if reading is not possible now."""
        reading = self._readings.get(guild_id)
        if reading is None:
            wait_s = self._read_at.get(guild_id, float("-inf")) + RENEW_S - self._now()
            if wait_s > 0 or len(self._readings) >= MAX_WAITING:
                if kept is not None:
                    return kept
                seconds = -int(-wait_s // 1) if wait_s > 0 else QUEUE_RETRY_S
                raise RefusedError("search_busy", {"guild": guild_id, "seconds": seconds})
            before = list(self._readings.values())[-1:]
            reading = asyncio.create_task(self._read_in_turn(guild_id, before))
            self._readings[guild_id] = reading
        # A cancelled search does not end the reading, because other searches can wait for it.
        return await asyncio.shield(reading)

    async def _read_in_turn(self, guild_id: str, before: list[asyncio.Task[_Names]]) -> _Names:
        """Reads the names of a guild when the reading before has ended, however it has."""
        try:
            if before:
                await asyncio.wait(before)
            names = await self._read(guild_id)
            self._keep(guild_id, names)
            return names
        finally:
            del self._readings[guild_id]

    async def _read(self, guild_id: str) -> _Names:
        keys = self._keys.ranking(guild_id)
        steps: list[tuple[_Segment, list[str]]] = []
        revision, state, size = None, "", 0
        while state != "END":
            place = steps[-1][1] if steps else ["", ""]
            step = _step_of(await self._scripts.run(_NAMES, keys, place))
            state = step.state
            revision = step.revision if revision is None else revision
            if state == "MOVED":
                if steps:
                    size -= steps.pop()[0].size
                continue
            if step.user_ids:
                segment = _segment_of(step.user_ids, step.profiles)
                size += segment.size
                steps.append((segment, [step.user_ids[0], step.xp]))
            if size > MAX_GUILD_BYTES:
                return _Names(None, "", self._now(), _GUILD_BYTES)
        segments = [segment for segment, _ in reversed(steps)]
        return _Names(segments, revision or "", self._now(), size + _GUILD_BYTES)

    def _keep(self, guild_id: str, names: _Names) -> None:
        """Keeps names, and drops the names of the guilds that were searched least recently."""
        self._kept.pop(guild_id, None)
        self._kept[guild_id] = names
        size = sum(each.size for each in self._kept.values())
        while size > MAX_BYTES:
            size -= self._kept.pop(next(iter(self._kept))).size
        self._read_at = {other: at for other, at in self._read_at.items() if names.read_at - at < RENEW_S and other != guild_id}
        self._read_at[guild_id] = names.read_at


def _segment_of(user_ids: list[str], profiles: list[str | None]) -> _Segment:
    named = [(user_id, fold_text(split_profile(profile).username)) for user_id, profile in zip(user_ids, profiles)]
    names = "\n".join(name for _, name in named if name)
    ids = "\n".join(user_id for user_id, name in named if name)
    # A text with any character of a higher plane takes four bytes a character.
    width = 1 if names.isascii() else 4
    return _Segment(names, ids, width * len(names) + len(ids) + _STEP_BYTES)


def _checked_text(text: object) -> str:
    if not isinstance(text, str):
        raise InvalidInputError(f"text must be a text, not {text!r}")
    folded = fold_text(text) if len(text) <= MAX_SEARCH_LENGTH else ""
    if not folded:
        raise InvalidInputError(
            f"text must have 1 to {MAX_SEARCH_LENGTH} characters that can be seen, not {text[:MAX_SEARCH_LENGTH]!r}"
        )
    return folded
