"""Connects handlers.py to Discord and Redis."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import Any, Literal

import discord
import redis.asyncio
from discord import app_commands
from guildrank import connection_options, create_reader, create_writer
from commands import Call
from failures import line_of
from handlers import Handlers
from voice import seconds_to_tick

Board = Literal["all", "week", "month"]
Amount = app_commands.Range[int, 1, 1_000_000_000]
Whole = app_commands.Range[int, 0, 2**53 - 1]
ATTEMPTS = 300
MANAGERS = discord.Permissions(manage_guild=True)
# Older versions of mypy cannot read the types of the decorators for commands.


class Bot(discord.Client):
    """A bot of one Redis. Its commands are those of the handlers."""

    def __init__(self, handlers: Handlers) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, members=True, voice_states=True)
        super().__init__(intents=intents, allowed_mentions=discord.AllowedMentions(everyone=False, roles=False))
        self.handlers = handlers
        self.tree = app_commands.CommandTree(self)
        self.add_commands()
        self.tree.add_command(self.privacy())
        self.tree.add_command(self.xp())

    def add_commands(self) -> None:
        @self.tree.command(description="Shows your rank and the members around you")  # type: ignore[arg-type]
        @app_commands.guild_only()
        async def rank(interaction: discord.Interaction) -> None:
            await self.run_command("rank", interaction)

        @self.tree.command(description="Shows the leaderboard")  # type: ignore[arg-type]
        @app_commands.guild_only()
        @app_commands.describe(board="All XP, or that of this week or month")
        async def top(interaction: discord.Interaction, board: Board = "all") -> None:
            await self.run_command("top", interaction, board=board)

        @self.tree.command(description="Claims the XP of the day")  # type: ignore[arg-type]
        @app_commands.guild_only()
        async def daily(interaction: discord.Interaction) -> None:
            await self.run_command("daily", interaction)

        # Whoever opens the link manages the data.
        @self.tree.command(description="Sends you a link to the dashboard of this server")  # type: ignore[arg-type]
        @app_commands.guild_only()
        @app_commands.default_permissions(manage_guild=True)
        async def dashboard(interaction: discord.Interaction) -> None:
            await self.run_command("dashboard", interaction)

        @self.tree.command(name="sync-roles", description="Gives all members the roles of their levels")  # type: ignore[arg-type]
        @app_commands.guild_only()
        @app_commands.default_permissions(manage_guild=True)
        @app_commands.describe(apply="Changes the roles; without it, you only see how many members would change")
        async def sync_roles(interaction: discord.Interaction, apply: bool = False) -> None:
            await self.run_command("sync-roles", interaction, apply=apply)

    def privacy(self) -> app_commands.Group:
        text = "Shows you in the ranking, hides you, or erases your data"
        privacy = app_commands.Group(name="privacy", description=text, guild_only=True)

        @privacy.command(description="Puts you into the ranking")  # type: ignore[arg-type]
        async def show(interaction: discord.Interaction) -> None:
            await self.run_command("privacy show", interaction)

        @privacy.command(description="Takes you out of the ranking. You keep your XP")  # type: ignore[arg-type]
        async def hide(interaction: discord.Interaction) -> None:
            await self.run_command("privacy hide", interaction)

        @privacy.command(description="Erases your XP and your profile for good")  # type: ignore[arg-type]
        @app_commands.describe(sure="Yes, erase all of it")
        async def delete(interaction: discord.Interaction, sure: bool) -> None:
            await self.run_command("privacy delete", interaction, sure=sure)

        return privacy

    def xp(self) -> app_commands.Group:
        text = "Gives, takes or sets the XP of a member"
        xp_group = app_commands.Group(name="xp", description=text, guild_only=True, default_permissions=MANAGERS)

        @xp_group.command(description="Gives XP")  # type: ignore[arg-type]
        async def give(interaction: discord.Interaction, member: discord.User, amount: Amount) -> None:
            await self.run_command("xp give", interaction, member=member, amount=amount)

        @xp_group.command(description="Takes XP, down to 0")  # type: ignore[arg-type]
        async def take(interaction: discord.Interaction, member: discord.User, amount: Amount) -> None:
            await self.run_command("xp take", interaction, member=member, amount=amount)

        @xp_group.command(description="Sets the level or the XP")  # type: ignore[arg-type]
        @app_commands.describe(level="The level, at its least XP", xp="The XP")
        async def set(
            interaction: discord.Interaction, member: discord.User, level: Whole | None = None, xp: Whole | None = None
        ) -> None:
            await self.run_command("xp set", interaction, member=member, level=level, xp=xp)

        return xp_group

    async def run_command(self, name: str, interaction: discord.Interaction, **options: Any) -> None:
        member, channel = interaction.user, interaction.channel
        assert isinstance(member, discord.Member)

        async def reply(text: str, quietly: bool) -> None:
            none = discord.AllowedMentions.none()
            await interaction.response.send_message(text, ephemeral=quietly, allowed_mentions=none)

        async def edit(text: str) -> None:
            await interaction.edit_original_response(content=text)

        async def say(text: str) -> None:
            if isinstance(channel, discord.abc.Messageable):
                await channel.send(text)

        await self.handlers.command(name, Call(str(interaction.id), member, reply, edit, say, options))

    async def setup_hook(self) -> None:
        await self.tree.sync()
        self.ticks = asyncio.create_task(self.tick())

    async def tick(self) -> None:
        await self.wait_until_ready()
        while True:
            await asyncio.sleep(seconds_to_tick(time.time()))
            await self.handlers.voice(self.guilds, time.time())

    async def on_ready(self) -> None:
        for guild in self.guilds:
            await self.on_guild_join(guild)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self.handlers.describe(guild)
        await self.handlers.ready(guild.id, guild.members)

    async def on_guild_update(self, _before: discord.Guild, guild: discord.Guild) -> None:
        await self.handlers.describe_change(guild)

    async def on_guild_role_create(self, role: discord.Role) -> None:
        await self.handlers.describe_change(role.guild)

    async def on_guild_role_update(self, _before: discord.Role, role: discord.Role) -> None:
        await self.handlers.describe_change(role.guild)

    async def on_guild_role_delete(self, role: discord.Role) -> None:
        await self.handlers.describe_change(role.guild)

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        await self.handlers.describe_change(channel.guild)

    async def on_guild_channel_update(self, _before: discord.abc.GuildChannel, channel: discord.abc.GuildChannel) -> None:
        await self.handlers.describe_change(channel.guild)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.handlers.describe_change(channel.guild)

    async def on_message(self, message: discord.Message) -> None:
        if isinstance(message.author, discord.Member) and not message.is_system():
            await self.handlers.message(message)

    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        await self.handlers.member_left(event.guild_id, event.user.id)

    async def on_member_join(self, member: discord.Member) -> None:
        await self.handlers.member_joined(member)


def handlers_on(url: str) -> Handlers:
    """Returns the handlers on a Redis.

    They send a call again, with the same event. Twice a second and a pause are less than the three that Discord waits for an answer. Awards
    for messages and voice, which nobody waits for, outlast an outage of some minutes: Redis remembers their events for ten.
    """
    connection: Any = redis.asyncio.Redis.from_url(url, **{**connection_options(), "socket_timeout": 1})
    archives = [archive for archive in os.environ.get("ARCHIVES", "").split(",") if archive]
    dashboard_url = os.environ.get("DASHBOARD_URL", "")
    return Handlers(create_writer(connection), create_reader(connection), dashboard_url, archives, attempts=ATTEMPTS)


def main() -> None:
    token = os.environ.get("DISCORD_TOKEN")
    if not token:
        sys.exit("Set DISCORD_TOKEN to the token of your bot.")
    try:
        Bot(handlers_on(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"))).run(token)
    except (discord.DiscordException, OSError) as error:
        sys.exit(f"Discord: {line_of(error)}")


if __name__ == "__main__":
    main()
