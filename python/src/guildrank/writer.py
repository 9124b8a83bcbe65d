"""Writes of a bot."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Collection, Mapping, Sequence

from .checks import (
    ENTRIES_A_CALL,
    accepted,
    check_event_id,
    check_ids,
    check_list,
    check_whole,
    checked_user_ids,
    in_slices,
)
from .curves import MAX_XP
from .dashboard_link import INVITE_TTL_S, create_dashboard_link
from .description import GuildChannel, GuildRole, description_args, is_description_new
from .errors import InvalidInputError, RefusedError
from .gains import MIN_INTERVAL_MS, Award, Claim, award_args, award_of, claim_args, claim_of
from .hiding import HideResult, SyncResult, change_reason, sync_members
from .keys import Keys
from .parsed_rules import XpAmount
from .profiles import HideReason
from .records import ProfileChange, Recorded, RecordResult, XpRecord, call_args, profile_change, record_args, record_result, recorded_of
from .rules import NoXpReason
from .scripts import Args, Connection, Script, Scripts
from .season import SeasonReset, SeasonResult
from .unchanged import UNCHANGED, Unchanged

EVENT_TTL_MS = 600_000
MAX_EVENT_TTL_MS = 86_400_000
MAX_REPLICAS = 100
_AWARD = Script("award", boards=True)
_CLAIM = Script("claim", boards=True)
_DESCRIBE = Script("describe")
_RECORD = Script("record", boards=True)
_REMOVE = Script("remove", boards=True)


def create_writer(
    client: Connection, *, key_prefix: str = "gr", event_ttl_ms: int = EVENT_TTL_MS, replicas: int | None = None
) -> GuildWriter:
    """Returns a writer on a connection of redis.asyncio, which you close.

    `key_prefix` is the KEY_PREFIX of the service. Redis keeps the reply of a call with an `event_id` for `event_ttl_ms` (a day at most), and
    returns it to each repeat of the call. With `replicas`, a call succeeds when that many replicas have it: give the number of all that may
    become master, and no failover loses a call that succeeded. If too few replicas confirm a call within a second, it raises
    StoreUnavailableError, although the master may have done it. Each call then also waits for one round trip between master and replicas.

    Raises InvalidInputError for a connection of another kind, for an unfit option, and for `replicas` on a Cluster.
    """
    check_whole("event_ttl_ms", event_ttl_ms, 1, MAX_EVENT_TTL_MS)
    if replicas is not None:
        check_whole("replicas", replicas, 1, MAX_REPLICAS)
    return GuildWriter(Scripts(client, replicas or 0), Keys(key_prefix), event_ttl_ms)


class GuildWriter:
    """Writes what a levelling bot needs. `create_writer` makes a writer.

    Each call is one script and one round trip, goes by Redis's clock, and changes everything or nothing. A call with more than 500 members
    runs one script for each 500 members, in order. No call is sent again, except when Redis did not know the script or wants the keys of
    boards.

    All calls raise InvalidInputError when an argument is wrong, RefusedError when the data do not allow the call, and StoreUnavailableError
    when Redis did not confirm the call; then the write may have happened. If you repeat a call, give it an `event_id` of 1 to 64 bytes that
    no other call of the guild has. Redis then does the call once, and the repeat gets the first reply.
    """

    def __init__(self, scripts: Scripts, keys: Keys, event_ttl_ms: int) -> None:
        self._scripts = scripts
        self._keys = keys
        self._event_ttl_ms = event_ttl_ms

    async def award(
        self,
        guild_id: str,
        user_id: str,
        amount: XpAmount,
        *,
        factor: float | None = None,
        cooldown_ms: int = 0,
        username: str = "",
        avatar: str | None | Unchanged = UNCHANGED,
        rank: bool = False,
        event_id: str | None = None,
        reason: NoXpReason | None = None,
    ) -> Award:
        """Adds XP for a message, times the guild's multiplier, unless the member's cooldown runs. O(log m).

        `amount` is 0 to 10^9, or the least and the greatest number of a range that gives a random number. `factor` multiplies this award
        too, such as the factor that `xp_for` gives: 0 to 1000 with six decimals at most. The product is exact, and rounded half up once. A
        product above 2^53-1 is refused as "range". `cooldown_ms` keeps the member from the next award. `username` is stored if it differs.
        An empty name leaves the stored name: `record` and `set_profiles` can remove a name. `avatar` is Discord's hash of the avatar, and
        None removes the stored avatar. With `rank`, the reply has the rank. `reason` comes with the result of `xp_for`, and changes
        nothing.
        """
        check_ids(guild_id, user_id)
        args = [user_id, *award_args(amount, cooldown_ms, username, rank, factor, avatar)]
        keys = self._keys.guild(guild_id, f"cooldown:{user_id}", *(["avatars"] if avatar is not UNCHANGED else []))
        return award_of(await self._once(_AWARD, guild_id, event_id, keys, args))

    async def claim_daily(
        self,
        guild_id: str,
        user_id: str,
        reward: int | Sequence[int],
        *,
        utc_offset_minutes: int = 0,
        grace_days: int = 0,
        min_interval_ms: int = MIN_INTERVAL_MS,
        username: str = "",
        event_id: str | None = None,
    ) -> Claim:
        """Gives the reward of the day once for each calendar day of the member, and counts the streak. O(log m).

        `reward` is XP, or a list of XP for a streak of 1, 2, ... days, whose last entry counts for all longer streaks; each 0 to 10^9.
        `utc_offset_minutes` lead from UTC to the member's clock, such as 60 or -300. `grace_days`, 0 to 365, may be missed without an end
        of the streak. Between two claims lie `min_interval_ms` at least, 20 hours unless given. Without this time, a member that gives
        another offset could claim two days at once.
        """
        check_ids(guild_id, user_id)
        args = [user_id, *claim_args(reward, utc_offset_minutes, grace_days, min_interval_ms, username)]
        return claim_of(await self._once(_CLAIM, guild_id, event_id, self._keys.guild(guild_id), args))

    async def record(
        self,
        guild_id: str,
        user_id: str,
        *,
        add: int | None = None,
        set: int | None = None,
        floor: int | None = None,
        hidden: bool = False,
        username: str | None | Unchanged = UNCHANGED,
        level: int | None | Unchanged = UNCHANGED,
        daily_streak: int | None | Unchanged = UNCHANGED,
        last_daily_claim: datetime | str | None | Unchanged = UNCHANGED,
        avatar: str | None | Unchanged = UNCHANGED,
        event_id: str | None = None,
    ) -> RecordResult:
        """Records one member's XP and fields of the profile: see `XpRecord`. O(log m)."""
        record = XpRecord(user_id, add, set, floor, hidden, username, level, daily_streak, last_daily_claim, avatar)
        return await self.record_many(guild_id, [record], event_id=event_id)

    async def record_many(
        self, guild_id: str, records: Sequence[XpRecord], *, event_id: str | None = None
    ) -> RecordResult:
        """Records many members, all or none of each group of 500. A member named twice is recorded twice, in order. O(n log m).

        `RefusedError.params["index"]` is the index of the refused record. All earlier groups of 500 were recorded.
        """
        check_list("records", records)
        calls: list[Args] = []
        for index, record in enumerate(records):
            calls.append(record_args(record, f"records[{index}]" if len(records) > 1 else ""))
        check_ids(guild_id, *(record.user_id for record in records))
        return await self._record(guild_id, calls, event_id)

    async def set_level(self, guild_id: str, user_id: str, level: int, *, event_id: str | None = None) -> RecordResult:
        """Sets the XP of a member to the least XP of a level, by the guild's curve, and drops an explicit level. O(log m).

        Makes a user who is not a member yet a member. Raises RefusedError "level" for a level that no XP gives: a level above the highest
        level, or a level that the curve rounds away.
        """
        check_ids(guild_id, user_id)
        check_whole("level", level, 0, MAX_XP)
        return await self._record(guild_id, [[f"level {level}", user_id, "none - -", ""]], event_id)

    async def set_profiles(self, guild_id: str, profiles: Mapping[str, ProfileChange]) -> list[str]:
        """Changes profiles of members, ranked or hidden, by user id. Passes over users who are not members, and creates nobody. O(n log m).

        Returns the user ids of the members that were found. Raises RefusedError as `record_many` does.
        """
        if not isinstance(profiles, Mapping):
            raise InvalidInputError(f"profiles must be a dict of profiles by user id, not {profiles!r}")
        check_ids(guild_id, *profiles)
        calls: list[Args] = []
        for user_id, profile in profiles.items():
            calls.append(["keep", user_id, *profile_change(profile, f"profiles[{user_id!r}]")])
        found: list[str] = []
        for first in range(0, len(calls), ENTRIES_A_CALL):
            recorded = await self._record_slice(guild_id, calls, first, None)
            found += [member.user_id for member in recorded.members if member.user_id not in recorded.passed_over]
        return found

    async def hide(self, guild_id: str, user_ids: Collection[str], *, reason: HideReason = "moderator") -> HideResult:
        """Gives members a reason to be hidden: "left", "self" or "moderator". O(n log m).

        A hidden member is in no ranking, total or counter. It keeps its XP and profile, and can still gain XP. The call passes over users
        who are not members.
        """
        return await change_reason(self._scripts, self._keys, "hide", guild_id, user_ids, reason)

    async def unhide(self, guild_id: str, user_ids: Collection[str], *, reason: HideReason = "moderator") -> HideResult:
        """Lifts a reason from hidden members. A member without another reason comes back into the ranking, with all its XP. O(n log m)."""
        return await change_reason(self._scripts, self._keys, "unhide", guild_id, user_ids, reason)

    async def sync_members(
        self, guild_id: str, present_ids: Collection[str], *, dry_run: bool = False, max_share: float = 0.2
    ) -> SyncResult:
        """Hides as "left" the ranked members who are not on the server, and lifts "left" from the hidden members who are on the server.

        Call it when a bot starts, because the bot has missed which members have left or come in the meantime. `present_ids` are all members
        of the server: a list, or a set or a dict by user id. Each step looks into a set or dict anew, so keep it up to date. When more than
        `max_share` of the ranked members would be hidden, the call takes the list for incomplete, raises RefusedError, and changes nothing.
        With `dry_run`, the call only counts. O(n log n) in steps of a few milliseconds. The same call goes on after an interruption.
        """
        return await sync_members(self._scripts, self._keys, guild_id, present_ids, dry_run, max_share)

    async def remove(self, guild_id: str, user_ids: Collection[str]) -> int:
        """Erases members, ranked or hidden, with all that is stored of them in the guild. Returns how many were members. O(n log m)."""
        removed = 0
        for some in in_slices(checked_user_ids(guild_id, user_ids)):
            keys = self._keys.guild(guild_id, "season:xp", "hidden:reasons", "avatars", *(f"cooldown:{user_id}" for user_id in some))
            removed += _removed_of(await self._scripts.run(_REMOVE, keys, some))
        return removed

    async def reset_season(self, guild_id: str, *, archive_as: str, keep_members: bool = True) -> SeasonResult:
        """Ends a season: copies all members, with XP and profile, into the guild `archive_as`, such as "123.2026-s1".

        When the archive has all members, takes the archived XP and the explicit levels from the members. XP that a member gains meanwhile
        counts for the new season. Hidden members stay hidden in the guild and in the archive. Without `keep_members`, members who have
        gained no XP since are removed, except members hidden by "self" or "moderator". A cancelled call stops between two steps. The same
        call goes on after an interruption, and does nothing after its end. O(n log n), in steps of a few milliseconds.

        Raises RefusedError when another call, an import or a deletion of either guild runs, or the archive has other data.
        """
        return await SeasonReset(self._scripts, self._keys, guild_id, archive_as, keep_members).run()

    async def describe_guild(
        self,
        guild_id: str,
        *,
        name: str | None = None,
        icon: str | None = None,
        roles: Sequence[GuildRole] = (),
        channels: Sequence[GuildChannel] = (),
    ) -> bool:
        """Stores what the guild, its roles and its channels are called, in place of what was stored before. O(n) for n bytes.

        Call it at the start of a bot, and when one of these names changes. A role or channel that you leave out has no name, and shows as
        its id. `icon` is Discord's hash of the icon. Give `channels` in the order in which they should be shown. There may be 250 roles,
        500 channels, 100 characters a name, and 262,144 bytes of UTF-8 in all. A guild that is described is in the lists of guilds, also
        while it has no members.

        Returns whether the description has changed. Then the revision rises, and pages show the change at once.
        """
        check_ids(guild_id)
        args = description_args(name, icon, roles, channels)
        return is_description_new(await self._scripts.run(_DESCRIBE, self._keys.of(guild_id, "stats", "about"), args))

    async def create_dashboard_link(
        self, guild_id: str, *, url: str, ttl: int = INVITE_TTL_S, user_id: str = ""
    ) -> str:
        """Returns a link that signs its reader in to the dashboard of the guild, once, for `ttl` seconds, 1 to 86400. O(1).

        `url` is the dashboard's DASHBOARD_URL. Everybody who opens the link may manage the guild, so send the link to its owner alone.
        `user_id` is the user id of the person, for the audit log.
        """
        return await create_dashboard_link(self._scripts, self._keys, guild_id, url, ttl, user_id)

    async def _record(self, guild_id: str, calls: Sequence[Args], event_id: str | None) -> RecordResult:
        slices = range(0, max(1, len(calls)), ENTRIES_A_CALL)
        return record_result([await self._record_slice(guild_id, calls, first, event_id) for first in slices])

    async def _record_slice(self, guild_id: str, calls: Sequence[Args], first: int, event_id: str | None) -> Recorded:
        """Runs record.lua on one slice. A refusal names the index among all records of the call."""
        some = calls[first : first + ENTRIES_A_CALL]
        has_avatars, args = call_args(some)
        keys = self._keys.guild(guild_id, *(["avatars"] if has_avatars else []))
        try:
            reply = await self._once(_RECORD, guild_id, event_id, keys, ["each", *args], first // ENTRIES_A_CALL)
        except RefusedError as error:
            raise RefusedError(error.code, {"index": error.params["index"] + first}) from None
        return recorded_of(reply, [str(user_id) for _, user_id, *_ in some])

    async def _once(
        self, script: Script, guild_id: str, event_id: str | None, keys: list[str], args: Args, part: int = 0
    ) -> list[Any]:
        """Runs a script, once for an event if there is one. Raises RefusedError."""
        if event_id is not None:
            check_event_id(event_id)
            event = f"event-part:{part}:{event_id}" if part else f"event:{event_id}"
            keys = [*keys, *self._keys.of(guild_id, event)]
            args = [self._event_ttl_ms, *args]
        return accepted(await self._scripts.run(script, keys, args))


def _removed_of(reply: int | str) -> int:
    """Decodes the reply of remove.lua: how many of the users were members."""
    return int(reply)
