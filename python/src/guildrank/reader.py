"""Reads of a guild."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any

from .card import MemberCard, card_of
from .checks import check_ids, check_whole
from .curves import MAX_XP, level_for_xp
from .errors import InvalidInputError, StoreUnavailableError
from .keys import BoardName, Keys, check_board
from .listed import list_members
from .name_search import NameSearch
from .parse_rules import parse_rules
from .parsed_rules import Rules
from .profiles import stored_member_of
from .ranking import GuildStats, Member, RankingPage, RankingPart, around_of, member_of, part_of, stats_of, stored_curve
from .scripts import Connection, Script, Scripts

MAX_PAGE_SIZE = 100
MAX_AROUND = 50
# Members in one script call. Redis serves no other client during a call, which takes a few milliseconds.
MEMBERS_PER_SLICE = 250
_BATCH = Script("batch", writes=False)
_AROUND = Script("around", writes=False)
_CARD = Script("card", writes=False)
_MEMBERS = Script("members", writes=False)


@dataclass(frozen=True)
class MemberLevel:
    """A member with the level that its roles follow."""

    user_id: str
    level: int
    """The explicit level, or else the level by the curve. Hidden members have a level too."""


def create_reader(client: Connection, *, key_prefix: str = "gr") -> GuildReader:
    """Returns a reader on a connection of redis.asyncio, which you close. `key_prefix` is the KEY_PREFIX of the service.

    Raises InvalidInputError for a connection of another kind and for an unfit prefix.
    """
    return GuildReader(Scripts(client), Keys(key_prefix))


class GuildReader:
    """Reads guilds. `create_reader` makes a reader. It reads the same data as the API, without HTTP and without its quota.

    Each call but `find` and `rewards_of` is one script and one round trip. With `board`, a call reads a board: "week", "week.prev", "month"
    or "month.prev". The XP on a board is the XP gained in the period, and the levels are the levels in the guild. All calls raise
    InvalidInputError for a wrong argument, and StoreUnavailableError, whose `code` is MODEL or CURVE for a guild with data of a newer
    version or an unfit curve.
    """

    def __init__(self, scripts: Scripts, keys: Keys) -> None:
        self._scripts = scripts
        self._keys = keys
        self._search = NameSearch(scripts, keys, self._members, self._revision)

    async def page(self, guild_id: str, page: int = 1, limit: int = 10, *, board: BoardName | None = None) -> RankingPage:
        """Returns one page of a ranking, from page 1, with 1 to 100 rows. O(log m + limit)."""
        check_whole("page", page, 1, MAX_XP)
        check_whole("limit", limit, 1, MAX_PAGE_SIZE)
        first = min((page - 1) * limit, MAX_XP)
        part = part_of(await self._read(guild_id, "page", board, f" {first} {first + limit - 1}"), first)
        return RankingPage(part.data, part.total, part.period, page)

    async def member(self, guild_id: str, user_id: str, *, board: BoardName | None = None) -> Member | None:
        """Returns a ranked member, or None. O(log m)."""
        check_ids(guild_id, user_id)
        return member_of(await self._read(guild_id, "member", board, f" {user_id}"), user_id)

    async def stats(self, guild_id: str, *, board: BoardName | None = None) -> GuildStats:
        """Returns the counters and the curve of a guild. O(1)."""
        return stats_of(await self._read(guild_id, "stats", board))

    async def rules(self, guild_id: str) -> Rules | None:
        """Returns the rules of a guild for `xp_for` and `reward_roles`; None for a guild without rules. O(1).

        A bot keeps the rules for a while, because the channel `gr:changed` names a guild whose rules changed. Wrong rules, which another
        program has stored, raise an InvalidInputError that names the field.
        """
        return _rules_of(await self._read(guild_id, "rules", None))

    async def around(
        self, guild_id: str, user_id: str, n: int = 5, *, board: BoardName | None = None
    ) -> RankingPart | None:
        """Returns a ranked member with up to `n` (0 to 50) members above and below it, None for a user who is not ranked. O(log m + n)."""
        check_ids(guild_id, user_id)
        check_board(board)
        check_whole("n", n, 0, MAX_AROUND)
        keys = [*self._keys.ranking(guild_id), *(self._keys.board_rankings(guild_id, board) if board else [])]
        return around_of(await self._scripts.run(_AROUND, keys, [user_id, n, board or ""]))

    async def card(self, guild_id: str, user_id: str) -> MemberCard | None:
        """Returns the data for the rank card of a member, ranked or hidden. None for a user who is not a member. O(log m)."""
        check_ids(guild_id, user_id)
        return card_of(await self._scripts.run(_CARD, self._keys.guild(guild_id, "hidden:reasons"), [user_id]), user_id)

    async def find(self, guild_id: str, text: str) -> list[Member]:
        """Finds ranked members by a part of their name, or by their user id: ten at most, the member with this id first, then by rank.

        `text` has 1 to 100 characters. Case and accents do not matter. The reader keeps the names of the guilds that were searched, in 32 MiB
        at most, and reads the names anew when a minute has passed and the guild has changed. The reader reads each hit again before it
        returns the hit, so that no search shows a member who is hidden, removed or renamed. Raises RefusedError "search_too_large" when the
        names of the guild take more than 16 MiB: then a search finds only user ids. Raises "search_busy" when too many guilds wait to be
        read: `params["seconds"]` says when to try again.
        """
        return await self._search.find(guild_id, text)

    async def rewards_of(self, guild_id: str, user_ids: Iterable[str] | None = None) -> AsyncIterator[list[MemberLevel]]:
        """Lists members with the level that their roles follow, in slices of about 250: for each level, `reward_roles` says which roles are
        missing and which are too many.

        Hidden members come too. Each slice is of one moment. `user_ids` are the members of the server, as the bot has them; users without
        XP are left out. Without `user_ids`, all members of the guild are listed. O(n log m) for n members; one round trip a slice, two
        without `user_ids`.
        """
        given = None if user_ids is None else _list_of(user_ids)
        check_ids(guild_id, *(given or ()))
        keys = self._keys.guild(guild_id, "hidden:reasons", "avatars")
        async for some in self._all_members(guild_id) if given is None else _slices_of(given):
            yield _levels_of(await self._scripts.run(_MEMBERS, keys, some))

    async def _all_members(self, guild_id: str) -> AsyncIterator[list[str]]:
        """Lists the user ids of a guild, ranked and hidden, each once, in the steps in which Redis scans them."""
        # A scan can give a member twice.
        seen: set[str] = set()
        # Hidden members are read first, and again at the end, so that no member is missed that is hidden or put back meanwhile.
        for kind in ("hidden", "ranked", "hidden"):
            cursor = "0"
            while True:
                step = await list_members(self._scripts, self._keys, guild_id, kind, cursor)
                some = [user_id for user_id in dict.fromkeys(step.user_ids) if user_id not in seen]
                seen.update(some)
                cursor = step.cursor
                if some:
                    yield some
                if cursor == "0":
                    break

    async def _members(self, guild_id: str, user_ids: list[str]) -> list[Member]:
        """Reads members with one script, and leaves out members that are not ranked."""
        keys = [self._keys.quota(guild_id), *self._keys.ranking(guild_id)]
        commands = "".join(f"member {user_id}\n" for user_id in user_ids)
        replies = _replies_of(await self._scripts.run(_BATCH, keys, [commands]))
        members = (member_of(reply, user_id) for reply, user_id in zip(replies, user_ids))
        return [member for member in members if member is not None]

    async def _revision(self, guild_id: str) -> str:
        return _revision_of(await self._read(guild_id, "stats", None))

    async def _read(self, guild_id: str, command: str, board: BoardName | None, args: str = "") -> list[Any]:
        """Runs one command of batch.lua, with its keys declared, as a Cluster wants it."""
        check_ids(guild_id)
        check_board(board)
        keys = [self._keys.quota(guild_id), *self._keys.ranking(guild_id)]
        if board is not None:
            keys += self._keys.board_rankings(guild_id)
        name = command if board is None else f"{command}~{board}"
        (reply,) = _replies_of(await self._scripts.run(_BATCH, keys, [f"{name}{args}\n"]))
        return reply


def _rules_of(reply: list[Any]) -> Rules | None:
    """Decodes a reply of "rules" in batch.lua."""
    _, stored = reply
    return parse_rules(stored) if stored != "" else None


def _levels_of(reply: list[Any]) -> list[MemberLevel]:
    """Decodes the reply of members.lua as the levels of the members."""
    _, curve_text, *rows = reply
    curve = stored_curve(curve_text)
    levels = []
    # The row of a user who is not a member is "".
    for member in (stored_member_of(row) for row in rows if row):
        level = member.profile.level
        levels.append(MemberLevel(member.user_id, level_for_xp(curve, member.xp) if level is None else level))
    return levels


def _replies_of(reply: list[Any]) -> list[list[Any]]:
    """Decodes the reply of batch.lua: the reply of each command. Raises StoreUnavailableError if a command has failed."""
    for message, *rest in reply:
        # Only the reply of a command that has failed has a single value, the message of the error.
        if not rest:
            raise StoreUnavailableError.of(Exception(message))
    return reply


def _revision_of(reply: list[Any]) -> str:
    """Decodes the revision of a guild from a reply of "stats" in batch.lua."""
    revision, *_ = reply
    return str(revision)


def _list_of(user_ids: Iterable[str]) -> list[str]:
    """Returns user ids as a list. A text would be a list of its letters, which nobody means."""
    if isinstance(user_ids, (str, bytes)) or not isinstance(user_ids, Iterable):
        raise InvalidInputError(f"user_ids must be a list or another iterable, not {user_ids!r}")
    return list(user_ids)


async def _slices_of(user_ids: list[str]) -> AsyncIterator[list[str]]:
    for first in range(0, len(user_ids), MEMBERS_PER_SLICE):
        yield user_ids[first : first + MEMBERS_PER_SLICE]
