"""The commands /xp give, take and set: who manages the server changes XP."""

from __future__ import annotations

from typing import Any, Awaitable, Mapping

from commands import Call, Command
from failures import Log, Wait, attempt, once
from guildrank import GuildWriter, RecordResult, plain_text
from levels import Levels


class Xp:
    """The options are `member`, and `amount` of give and take, or `level` or `xp` of set. The roles of the member follow."""

    def __init__(self, writer: GuildWriter, levels: Levels, log: Log, wait: Wait) -> None:
        self._writer = writer
        self._levels = levels
        self._log = log
        self._wait = wait
        self.commands: Mapping[str, Command] = {f"xp {verb}": self._command(verb) for verb in ("give", "take", "set")}

    def _command(self, verb: str) -> Command:
        return lambda call: self._run(verb, call)

    async def _run(self, verb: str, call: Call) -> None:
        guild, target = str(call.member.guild.id), call.options["member"]
        user, name = str(target.id), target.display_name
        if target.bot:
            await call.answer("A bot has no XP.", True)
            return
        level, xp = call.options.get("level"), call.options.get("xp")
        if verb == "set" and (level is None) == (xp is None):
            await call.answer("Give a level or XP, one of both.", True)
            return
        change = await once(lambda: self._change(verb, guild, user, name, call), self._wait)
        if change is None:
            return
        was = f"{change.xp_before} XP, level {change.level_before}"
        text = f"{plain_text(name)} had {was}, and has {change.xp} XP, level {change.level} now."
        await attempt(self._log, "/xp", lambda: call.answer(text, True))
        # Who is not on the server has no roles.
        if hasattr(target, "roles"):
            await self._levels.set_roles(target, change.level)
        if change.created:
            # set_level stores no name, and a new member has none yet.
            await self._writer.set_profiles(guild, {user: {"username": name}})

    def _change(self, verb: str, guild: str, user: str, name: str, call: Call) -> Awaitable[RecordResult]:
        options: Mapping[str, Any] = call.options
        if verb == "give":
            return self._writer.record(guild, user, add=options["amount"], username=name, event_id=call.id)
        if verb == "take":
            return self._writer.record(guild, user, add=-options["amount"], floor=0, username=name, event_id=call.id)
        if options.get("level") is not None:
            return self._writer.set_level(guild, user, options["level"], event_id=call.id)
        # Without an explicit level, the level is that of the XP.
        return self._writer.record(guild, user, set=options["xp"], username=name, level=None, event_id=call.id)
