"""The commands /privacy show, hide and delete: a member decides whether the ranking shows it, and may erase its data."""

from __future__ import annotations

from typing import Mapping, Sequence

from commands import Call, Command
from guildrank import GuildWriter, HiddenMember
from levels import Levels, Member


class Privacy:
    """Only the caller sees the answers. `archives` has guild ids of ended seasons, such as 123.2026-s1."""

    def __init__(self, writer: GuildWriter, levels: Levels, archives: Sequence[str]) -> None:
        self._writer = writer
        self._levels = levels
        self._archives = archives
        verbs: Mapping[str, Command] = {"show": self._show, "hide": self._hide, "delete": self._delete}
        self.commands = {f"privacy {verb}": command for verb, command in verbs.items()}

    def _rankings(self, member: Member) -> list[str]:
        guild = str(member.guild.id)
        return [guild, *(archive for archive in self._archives if archive.startswith(f"{guild}."))]

    async def _show(self, call: Call) -> None:
        user = str(call.member.id)
        for ranking in self._rankings(call.member):
            await self._writer.unhide(ranking, [user], reason="self")
        # Whoever calls a command is on the server.
        hidden = (await self._writer.unhide(str(call.member.guild.id), [user], reason="left")).hidden
        await call.answer(hidden_text(hidden[0]) if hidden else "The ranking shows you.", True)

    async def _hide(self, call: Call) -> None:
        user = str(call.member.id)
        # Only a member can be hidden, and this one may have written nothing yet.
        await self._writer.record(str(call.member.guild.id), user, add=0)
        for ranking in self._rankings(call.member):
            await self._writer.hide(ranking, [user], reason="self")
        await call.answer("The ranking does not show you. You keep your XP and gain on. `/privacy show` ends that.", True)

    async def _delete(self, call: Call) -> None:
        if not call.options["sure"]:
            await call.answer("Nothing was erased.", True)
            return
        for ranking in self._rankings(call.member):
            await self._writer.remove(ranking, [str(call.member.id)])
        erased = "Your XP and your profile are erased. Your next message begins anew: call `/privacy hide` to stay out of the ranking."
        await call.answer(erased, True)
        await self._levels.set_roles(call.member, 0)


def hidden_text(member: HiddenMember) -> str:
    if "moderator" in member.reasons:
        return "A moderator has hidden you from the ranking."
    return "You are hidden from the ranking. `/privacy show` ends that."
