"""The end of a season, in steps."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Coroutine, Sequence, TypeVar

from .checks import accepted, check_ids
from .errors import InvalidInputError, RefusedError
from .keys import Keys
from .profiles import StoredMember
from .scripts import Scripts
from .season_steps import (
    BEGIN,
    END_COPY,
    FINISH,
    HOLD,
    MARK,
    OPEN_ARCHIVE,
    PLACE,
    RESET,
    STAGE,
    UNLOCK,
    EndedCopy,
    Step,
    begun_of,
    check_conflict,
    ended_copy_of,
    marked_of,
    place_args,
    reset_of,
    server_of,
    stage_args,
)

# Members of one step. Redis serves no other client during a step, which takes a few milliseconds in a guild of a million.
MEMBERS_A_STEP = 100
# Most readings of all members. Members who come after the last reading belong to the next season.
MAX_PASSES = 4

Result = TypeVar("Result")


@dataclass(frozen=True)
class SeasonResult:
    """How far a call ended a season."""

    archived: int
    """Members copied into the archive by this call."""
    reset: int
    """Members that this call reset."""


class SeasonReset:
    """Ends a season of one guild. One call at a time holds the locks of the guild and of the archive, and every step checks them."""

    def __init__(self, scripts: Scripts, keys: Keys, guild_id: str, archive_as: str, keep_members: bool) -> None:
        check_ids(guild_id)
        check_ids(archive_as)
        if archive_as == guild_id:
            raise InvalidInputError("archive_as must differ from the id of the guild whose season ends")
        self._scripts = scripts
        self._keys = keys
        self._guild = guild_id
        self._archive = archive_as
        self._rest = "keep" if keep_members else "drop"
        self._token = secrets.token_hex(16)

    async def run(self) -> SeasonResult:
        """Copies all members, then resets them."""
        try:
            begun = begun_of(await self._step(self._guild, BEGIN, self._archive, self._rest), self._guild)
            if begun.phase == "done":
                return SeasonResult(0, 0)
            # The address of an icon has the id of its guild, which readers find at the start of the archive's.
            own_icon = begun.icon if self._archive.startswith(f"{self._guild}.") else ""
            archive = [f"{self._guild} {begun.id}", begun.curve, begun.multiplier, begun.name, own_icon]
            return await self._end(begun.phase != "copy", archive)
        finally:
            await _to_the_end(self._unlock())

    async def _end(self, is_copied: bool, archive: Sequence[str]) -> SeasonResult:
        archived = reset = 0
        is_done = False
        while not is_done:
            if not is_copied:
                check_conflict(await self._step(self._archive, OPEN_ARCHIVE, *archive), self._archive)
                archived = await self._copy()
            count, is_done = await self._reset()
            reset += count
            is_copied = False
        await self._step(self._guild, FINISH)
        return SeasonResult(archived, reset)

    async def _copy(self) -> int:
        """Copies all members, again if a server of the guild or of the archive was replaced meanwhile. Returns how many."""
        while True:
            servers = [await self._hold(guild) for guild in (self._guild, self._archive)]
            copied = EndedCopy("MISSED", 0)
            # In a guild that gets members all the time, each pass misses the members who came meanwhile. After the last pass, these members
            # belong to the next season.
            for number in range(1, MAX_PASSES + 1):
                await self._copy_listed("" if number == 1 else "unmarked")
                if await self._hold(self._archive) != servers[1]:
                    break
                wanted = "all" if number < MAX_PASSES else ""
                copied = ended_copy_of(await self._step(self._guild, END_COPY, servers[0], wanted))
                if copied.status != "MISSED":
                    break
            if copied.status == "OK":
                return copied.marked

    async def _copy_listed(self, which: str) -> None:
        """Marks members with the XP that they have now, and copies them."""
        # A call that was killed can have marked members that it did not copy, and these can change their place between the readings of
        # the places.
        for place in ("ranked", "hidden") if which else ("marked", "ranked", "hidden"):
            cursor = "0"
            while True:
                marked = marked_of(await self._step(self._guild, MARK, MEMBERS_A_STEP, cursor, place, which))
                if marked.invalid is not None:
                    raise RefusedError("user_id_unfit", {"guild": self._guild, "user": marked.invalid, "list": self._list_of(place)})
                await self._archive_some(marked.members)
                cursor = marked.cursor
                if cursor == "0":
                    break

    async def _archive_some(self, members: Sequence[StoredMember]) -> None:
        """Copies members with the XP that is marked."""
        if not members:
            # Any step renews the lock of the archive.
            await self._hold(self._archive)
            return
        # A member can have changed its place after its first copy.
        await self._step(self._archive, PLACE, *place_args(members))
        try:
            await self._step(self._archive, STAGE, *stage_args(members))
        except RefusedError as error:
            if error.code != "field":
                raise
            user_id = members[error.params["index"]].user_id
            raise RefusedError("name_unfit", {"guild": self._guild, "user": user_id}) from error
        # Members that this step has added to the archive have no reasons there yet.
        hidden = [member for member in members if member.is_hidden]
        if hidden:
            await self._step(self._archive, PLACE, *place_args(hidden))

    def _list_of(self, place: str) -> str:
        """Returns the key that lists the members of a place."""
        name = {"marked": "season:xp", "ranked": "xp", "hidden": "hidden"}[place]
        return self._keys.of(self._guild, name)[0]

    async def _reset(self) -> tuple[int, bool]:
        """Resets the members that are marked, unless a failover lost the step before. Returns how many, and whether all are reset."""
        reset = 0
        while True:
            step = reset_of(await self._step(self._guild, RESET, MEMBERS_A_STEP))
            if step.must_copy_again:
                return reset, False
            reset += step.reset
            if step.left == 0:
                return reset, True

    async def _hold(self, guild: str) -> str:
        """Renews the lock of the guild or of the archive. Returns the name of its server."""
        return server_of(await self._step(guild, HOLD))

    async def _step(self, guild: str, step: Step, *args: str | int) -> list[Any]:
        """Runs a script on the guild or on the archive. Raises RefusedError "lock" after a suspension of ten seconds."""
        keys = self._keys.of(guild, *step.keys)
        return accepted(await _to_the_end(self._scripts.run(step.script, keys, [self._token, *args])))

    async def _unlock(self) -> None:
        # Without Redis, or for another call that has the lock now, there is nothing to give back.
        for locked in (self._guild, self._archive):
            with suppress(Exception):
                await self._step(locked, UNLOCK)


async def _to_the_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Awaits a call to its end, also when the caller is cancelled, so that no step of the season arrives after the locks are given back."""
    call = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(call)
    except asyncio.CancelledError:
        with suppress(Exception):
            await call
        raise
