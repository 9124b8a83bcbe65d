"""Writes of a bot."""

from __future__ import annotations

import re
import secrets
from typing import Any, Collection, Mapping, Sequence, Union
from urllib.parse import urlsplit

from .checks import ENTRIES_A_CALL, RefusedError, accepted, check_ids, check_whole, in_slices
from .curves import MAX_XP
from .gains import Award, Claim, award_args, award_of, claim_args, claim_of
from .hiding import Places, Sync, change_reason, sync_members
from .keys import Keys
from .records import Change, Profile, Record, change_of, profile_change, record_args
from .rules_document import XpAmount
from .scripts import Args, Scripts
from .season import SeasonReset, SeasonResult


class Writer:
    """Writes XP and profiles of guilds: see `Guildrank`."""

    _scripts: Scripts
    _keys: Keys
    _event_ttl_ms: int

    async def award(
        self,
        guild: str,
        user: str,
        amount: XpAmount,
        *,
        cooldown_ms: int = 0,
        username: str = "",
        rank: bool = False,
        event_id: str | None = None,
        factor: Union[int, float, str, None] = None,
    ) -> Award:
        """Adds XP for a message, times the guild's multiplier, unless the member's cooldown runs. O(log m).

        `amount` is 0 to 10^9, or the least and the greatest of a range that gives a random number. `factor` multiplies this award too, such
        as that of `xp_for`: 0 to 1000 with six decimals at most. The product is rounded half up once.
        """
        check_ids(guild, user)
        args = [user, *award_args(amount, cooldown_ms, username, rank, factor)]
        keys = self._keys.guild(guild, f"cooldown:{user}")
        return award_of(await self._once("award", guild, event_id, keys, args))

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
        event_id: str | None = None,
    ) -> Claim:
        """Gives the reward of the day once for each calendar day of the member, and counts the streak. O(log m).

        `reward` is XP, or XP for a streak of 1, 2, ... days, whose last entry counts for all longer ones. Between two claims lie
        `min_interval_ms` at least, 20 hours unless given.
        """
        check_ids(guild, user)
        args = [user, *claim_args(reward, utc_offset_minutes, grace_days, min_interval_ms, username)]
        return claim_of(await self._once("claim", guild, event_id, self._keys.guild(guild), args))

    async def record(
        self,
        guild: str,
        user: str,
        *,
        add: int | None = None,
        set: int | None = None,
        profile: Profile | None = None,
        floor: int | None = None,
        event_id: str | None = None,
    ) -> Change:
        """Records one member: see `Record`. O(log m)."""
        return (await self.record_many(guild, [Record(user, add, set, profile, floor)], event_id=event_id))[0]

    async def record_many(self, guild: str, records: Sequence[Record], *, event_id: str | None = None) -> list[Change]:
        """Records many members, a user named twice in that order, all or none of each 500. O(n log m).

        `RefusedError.index` is that of the record that was refused. Those before its 500 were recorded.
        """
        check_ids(guild, *(record.user for record in records))
        return await self._record(guild, [record_args(record) for record in records], event_id)

    async def set_level(self, guild: str, user: str, level: int, *, event_id: str | None = None) -> Change:
        """Sets the least XP of a level by the guild's curve, and drops an explicit level. Refused with "level" when no XP gives it. O(log m)."""
        check_ids(guild, user)
        check_whole("level", level, 0, MAX_XP)
        return (await self._record(guild, [[f"level {level}", user, "none - -"]], event_id))[0]

    async def set_profiles(self, guild: str, profiles: Mapping[str, Profile]) -> list[str]:
        """Changes profiles of members, ranked or hidden, by user id. Passes over users who are none, and creates nobody. O(n log m).

        Returns the user ids of the members that were found. RefusedError is that of `record_many`.
        """
        check_ids(guild, *profiles)
        calls: list[Args] = []
        for user, profile in profiles.items():
            calls.append(["keep", user, profile_change(profile)])
        found = []
        for first in range(0, len(calls), ENTRIES_A_CALL):
            reply = await self._record_slice(guild, calls, first, None)
            users = [str(call[1]) for call in calls[first : first + ENTRIES_A_CALL]]
            found += [user for user, text in zip(users, reply[5:]) if not text.endswith(" none")]
        return found

    async def hide(self, guild: str, *users: str, reason: str = "moderator") -> Places:
        """Gives members a reason to be hidden: "left", "self" or "moderator". They leave the ranking, and keep XP and profile. O(n log m)."""
        return await change_reason(self._scripts, self._keys, "hide", guild, users, reason)

    async def unhide(self, guild: str, *users: str, reason: str = "moderator") -> Places:
        """Lifts a reason from hidden members. Those without another one come back into the ranking. O(n log m)."""
        return await change_reason(self._scripts, self._keys, "unhide", guild, users, reason)

    async def sync_members(self, guild: str, present: Collection[str], *, dry_run: bool = False, max_share: float = 0.2) -> Sync:
        """Hides as "left" the ranked members that are not present, and lifts "left" from those that are, for the start of a bot.

        `present` has the ids of all who are on the server. It is asked again before each step, so a set can be kept up to date. When more
        than `max_share` of the ranked members would be hidden, it is taken for an incomplete list: a ConflictError, and nothing was changed.
        O(n log n), in steps.
        """
        return await sync_members(self._scripts, self._keys, guild, present, dry_run, max_share)

    async def remove(self, guild: str, *users: str) -> int:
        """Erases members with all that is stored of them in the guild. Returns how many were members. O(n log m)."""
        check_ids(guild, *users)
        removed = 0
        for some in in_slices(users):
            keys = self._keys.guild(guild, "season:xp", "hidden:reasons", *(f"cooldown:{user}" for user in some))
            removed += int(await self._scripts.run("remove", keys, some))
        return removed

    async def reset_season(self, guild: str, archive_as: str, *, keep_members: bool = True) -> SeasonResult:
        """Ends a season: copies all members, with XP and profile, into the guild `archive_as`, then takes that XP and the explicit levels.

        XP that a member gains meanwhile counts for the new season. Hidden members stay hidden in both. Without `keep_members`, those go who
        gained nothing since, except members hidden by `self` or `moderator`. A cancelled call stops between two steps. The same call goes on after an interruption, and does nothing after
        its end. A ConflictError says that another call, an import or a deletion runs, or that the archive has other data. O(n log n).
        """
        return await SeasonReset(self._scripts, self._keys, guild, archive_as, keep_members).run()

    async def dashboard_link(self, guild: str, url: str, *, ttl: int = 900, user: str = "") -> str:
        """Returns a link that signs its reader in to the dashboard of the guild, once, for `ttl` seconds, a day at most.

        `url` is DASHBOARD_URL. Send the link to the owner alone. O(1).
        """
        check_ids(guild, *([user] if user else []))
        check_whole("ttl", ttl, 1, 86_400)
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must be the address of the dashboard, such as https://dash.example.com, not {url}")
        token = secrets.token_urlsafe(32)
        await self._scripts.run("invite", [self._keys.invite(token)], [guild, ttl, user])
        return f"{url.rstrip('/')}/sign-in/{token}"

    async def _record(self, guild: str, calls: Sequence[Args], event_id: str | None) -> list[Change]:
        changes: list[Change] = []
        for first in range(0, max(1, len(calls)), ENTRIES_A_CALL):
            reply = await self._record_slice(guild, calls, first, event_id)
            texts = reply[5 : 5 + min(len(calls) - first, ENTRIES_A_CALL)]
            changes += [change_of(text, reply[-1] == "repeated") for text in texts]
        return changes

    async def _record_slice(self, guild: str, calls: Sequence[Args], first: int, event_id: str | None) -> list[Any]:
        """Runs record.lua on one slice. A refusal names the index among all."""
        args = ["each", *(arg for call in calls[first : first + ENTRIES_A_CALL] for arg in call)]
        try:
            return await self._once("record", guild, event_id, self._keys.guild(guild), args, first // ENTRIES_A_CALL)
        except RefusedError as error:
            raise RefusedError(error.index + first, error.reason) from None

    async def _once(self, script: str, guild: str, event_id: str | None, keys: list[str], args: Args, part: int = 0) -> list[Any]:
        """Runs a script, once for an event if there is one."""
        if event_id is not None:
            keys = [*keys, *self._keys.of(guild, f"event-part:{part}:{event_id}" if part else f"event:{event_id}")]
            args = [self._event_ttl_ms, *args]
            if not (isinstance(event_id, str) and _is_text(event_id)):
                raise ValueError(f"event_id must be a text of 1 to 64 bytes, not {event_id!r}")
        return accepted(await self._scripts.run(script, keys, args))


def _is_text(event_id: str) -> bool:
    # A lone surrogate has no bytes in UTF-8.
    return not re.search("[\ud800-\udfff]", event_id) and 1 <= len(event_id.encode()) <= 64
