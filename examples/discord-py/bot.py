"""Connects handlers.py to Discord and Redis."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Sequence

import discord
import redis.asyncio
from discord import app_commands
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

# A bot of your own has the folder guildrank beside it.
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/python"))

from guildrank import Guildrank  # noqa: E402
from handlers import Handlers, Say  # noqa: E402


class Bot(discord.Client):
    """A bot of one Redis. Its commands are those of handlers.py."""

    def __init__(self, handlers: Handlers) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, members=True)
        super().__init__(intents=intents, allowed_mentions=discord.AllowedMentions(everyone=False, roles=False))
        self.handlers = handlers
        self.tree = app_commands.CommandTree(self)

        # Older versions of mypy cannot read the types of this decorator.
        @self.tree.command(description="Shows your rank and the members around you")  # type: ignore[arg-type]
        @app_commands.guild_only()
        async def rank(interaction: discord.Interaction) -> None:
            await handlers.rank(member_of(interaction), interaction.response.send_message)

        @self.tree.command(description="Shows the leaderboard")  # type: ignore[arg-type]
        @app_commands.guild_only()
        async def top(interaction: discord.Interaction) -> None:
            await handlers.top(member_of(interaction), interaction.response.send_message)

        @self.tree.command(description="Claims the XP of the day")  # type: ignore[arg-type]
        @app_commands.guild_only()
        async def daily(interaction: discord.Interaction) -> None:
            await handlers.daily(member_of(interaction), interaction.response.send_message, interaction.followup.send)

        privacy = app_commands.Group(
            name="privacy", description="Shows you in the ranking, hides you, or erases your data", guild_only=True
        )

        @privacy.command(description="Puts you into the ranking")  # type: ignore[arg-type]
        async def show(interaction: discord.Interaction) -> None:
            await handlers.show(member_of(interaction), quietly(interaction))

        @privacy.command(description="Takes you out of the ranking. You keep your XP")  # type: ignore[arg-type]
        async def hide(interaction: discord.Interaction) -> None:
            await handlers.hide(member_of(interaction), quietly(interaction))

        @privacy.command(description="Erases your XP and your profile for good")  # type: ignore[arg-type]
        async def delete(interaction: discord.Interaction, sure: bool) -> None:
            await handlers.delete(member_of(interaction), sure, quietly(interaction))

        self.tree.add_command(privacy)

        # Manage Server: whoever opens the link manages the data.
        @self.tree.command(description="Sends you a link to the dashboard of this server")  # type: ignore[arg-type]
        @app_commands.guild_only()
        @app_commands.default_permissions(manage_guild=True)
        async def dashboard(interaction: discord.Interaction) -> None:
            await handlers.dashboard(member_of(interaction), quietly(interaction))

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def on_ready(self) -> None:
        for guild in self.guilds:
            try:
                await self.handlers.ready(guild.id, guild.members)
            except Exception as error:
                print(f"{guild.name}: {error}", file=sys.stderr)

    async def on_message(self, message: discord.Message) -> None:
        if isinstance(message.author, discord.Member) and not message.is_system():
            await self.handlers.message(message.author, message.channel.send)

    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        await self.handlers.member_left(event.guild_id, event.user.id)

    async def on_member_join(self, member: discord.Member) -> None:
        await self.handlers.member_joined(member)


def member_of(interaction: discord.Interaction) -> discord.Member:
    assert isinstance(interaction.user, discord.Member)
    return interaction.user


def quietly(interaction: discord.Interaction) -> Say:
    """Returns a reply that only the caller sees."""

    async def reply(text: str) -> None:
        await interaction.response.send_message(text, ephemeral=True)

    return reply


async def give_roles(member: Any, roles: Sequence[int]) -> None:
    await member.add_roles(*(discord.Object(role) for role in roles))


def main() -> None:
    token = os.environ.get("DISCORD_TOKEN")
    if not token:
        sys.exit("Set DISCORD_TOKEN to the token of your bot.")
    # A call whose reply was lost is not sent again: it could count twice.
    url = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379")
    connection = redis.asyncio.Redis.from_url(url, decode_responses=True, retry=Retry(NoBackoff(), 0))
    # LEVEL_ROLES=5=ROLE_ID,10=ROLE_ID
    pairs = [entry.split("=") for entry in os.environ.get("LEVEL_ROLES", "").split(",") if entry]
    roles = {int(level): int(role) for level, role in pairs}
    guildrank = Guildrank(connection, ROOT / "dist/lua")
    archives = [archive for archive in os.environ.get("ARCHIVES", "").split(",") if archive]
    Bot(Handlers(guildrank, give_roles, roles, os.environ.get("DASHBOARD_URL", ""), archives)).run(token)


if __name__ == "__main__":
    main()
