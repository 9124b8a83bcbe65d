"""Reads of a guild."""

from __future__ import annotations

from typing import Any

from .card import Card, card_of
from .checks import check_ids, check_whole
from .curves import MAX_XP
from .keys import Keys, check_board
from .parse_rules import parse_rules
from .ranking import Member, Page, Stats, member_of, page_of, stats_of
from .rules_document import Rules
from .scripts import Scripts, exceptions

MAX_PAGE_SIZE = 100
MAX_REACH = 50


class Reader:
    """Reads guilds: the same data as the API, without HTTP and without its quota.

    With `board` the reads are of a board: "week", "week.prev", "month" or "month.prev". Its XP is that gained in the period, the levels are
    those in the guild. A guild with data of a newer version or an unfit curve is a ResponseError, MODEL or CURVE.
    """

    _scripts: Scripts
    _keys: Keys

    async def page(self, guild: str, page: int = 1, limit: int = 10, *, board: str | None = None) -> Page:
        """Returns one page of the ranking, from page 1, with 1 to 100 rows. O(log m + limit)."""
        check_whole("page", page, 1, MAX_XP)
        check_whole("limit", limit, 1, MAX_PAGE_SIZE)
        first = min((page - 1) * limit, MAX_XP)
        return page_of(await self._read(guild, "page", board, f" {first} {first + limit - 1}"), first)

    async def member(self, guild: str, user: str, *, board: str | None = None) -> Member | None:
        """Returns a ranked member, or None. O(log m)."""
        check_ids(guild, user)
        return member_of(await self._read(guild, "member", board, f" {user}"), user)

    async def stats(self, guild: str, *, board: str | None = None) -> Stats:
        """Returns the counters of the guild and its curve. O(1)."""
        return stats_of(await self._read(guild, "stats", board))

    async def rules(self, guild: str) -> Rules | None:
        """Returns the rules for `xp_for` and `reward_roles`, None without any. A bot keeps them for a minute. O(1).

        Rules that another program stored and that are wrong are a ValueError, which names the field.
        """
        stored = (await self._read(guild, "rules", None))[1]
        return parse_rules(stored) if stored != "" else None

    async def around(self, guild: str, user: str, reach: int = 5, *, board: str | None = None) -> Page | None:
        """Returns a member with up to `reach` (0 to 50) members above and below it, None for a user who is not ranked. O(log m + reach)."""
        check_ids(guild, user)
        check_board(board)
        check_whole("reach", reach, 0, MAX_REACH)
        keys = [*self._keys.ranking(guild), *(self._keys.board_rankings(guild, board) if board else [])]
        first, page = await self._scripts.run("around", keys, [user, reach, board or ""])
        return None if int(first) < 0 else page_of(page, int(first))

    async def card(self, guild: str, user: str) -> Card | None:
        """Returns what a rank card shows of a member, ranked or hidden. None for a user who is no member. O(log m)."""
        check_ids(guild, user)
        return card_of(await self._scripts.run("card", self._keys.guild(guild, "hidden:reasons"), [user]), user)

    async def _read(self, guild: str, command: str, board: str | None, args: str = "") -> list[Any]:
        """Runs one command of batch.lua, with its keys declared, as a Cluster wants it."""
        check_ids(guild)
        check_board(board)
        keys = [self._keys.quota(guild), *self._keys.ranking(guild), *(self._keys.board_rankings(guild) if board else [])]
        reply: list[Any] = (await self._scripts.run("batch", keys, [f"{command}{f'~{board}' if board else ''}{args}\n"]))[0]
        if len(reply) == 1:
            raise exceptions.ResponseError(reply[0])
        return reply
