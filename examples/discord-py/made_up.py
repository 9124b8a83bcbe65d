"""Made-up events of Discord, and a bot on the empty database at TEST_REDIS_URL. PYTHONPATH has python/tests."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from commands import Call
from guildrank import create_reader, create_writer
from handlers import Handlers
from redis.exceptions import ConnectionError as NoConnection
from scratch import ScratchTest, configure, connect

REWARDS = [{"level": 1, "role": "101", "kept": False}, {"level": 2, "role": "102"}, {"level": 5, "role": "105"}]


@dataclass
class MadeUpMember:
    """Its roles are those that the bot gave, and `refused` are roles that Discord refuses."""

    id: int
    display_name: str
    bot: bool = False
    guild: Any = field(default_factory=lambda: SimpleNamespace(id=9, afk_channel=SimpleNamespace(id=60)))
    role_ids: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    voice: Any = None
    avatar: Any = None

    @property
    def roles(self) -> list[Any]:
        return [SimpleNamespace(id=role) for role in self.role_ids]

    async def add_roles(self, *roles: Any) -> None:
        for role in roles:
            if role.id in self.refused:
                raise RuntimeError("Missing\nPermissions")
            self.role_ids.append(role.id)

    async def remove_roles(self, *roles: Any) -> None:
        for role in roles:
            self.role_ids.remove(role.id)


class LosingRedis:
    """A connection that does each call, and loses the first reply, and as many as `left` is set to."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.left = 1
        self.failure: Exception = NoConnection("Connection closed by server.")

    async def script_load(self, script: str) -> Any:
        return await self._connection.script_load(script)

    async def evalsha(self, *call: Any) -> Any:
        reply = await self._connection.evalsha(*call)
        self.left -= 1
        if self.left >= 0:
            raise self.failure
        return reply


class BotTest(ScratchTest):
    """`handlers` are the bot, `said` is what it says in public, `answers` are its answers, `lines` its log."""

    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.said: list[str] = []
        self.answers: list[tuple[str, bool]] = []
        self.lines: list[str] = []
        self.waits: list[float] = []
        self.now = 0.0
        self.events = 0
        self.ann = MadeUpMember(7, "A*nn")
        self.handlers = self.bot()

    def bot(self, connection: Any = None, **options: Any) -> Handlers:
        """Returns a bot on a connection, that of the test unless given."""
        dashboard = "https://dash.example.com/"
        settings: dict[str, Any] = {"dashboard_url": dashboard, "log": self.lines.append, "wait": self.wait, "now": lambda: self.now}
        client = connection or self.connection
        return Handlers(create_writer(client), create_reader(client), **{**settings, **options})

    def losing_bot(self) -> Handlers:
        self.losing = LosingRedis(self.connection)
        return self.bot(self.losing)

    def bot_without_redis(self) -> Handlers:
        return self.bot(connect("redis://127.0.0.1:1"))

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def say(self, text: str) -> None:
        self.said.append(text)

    async def configure(self, field: str, value: str) -> None:
        await configure(self.connection, "9", field, value)

    async def set_rules(self, **rules: Any) -> None:
        await self.configure("rules", json.dumps(rules))

    async def xp(self, user: int = 7) -> int:
        card = await self.reader.card("9", str(user))
        return card.xp if card else 0

    def message(self, member: MadeUpMember | None = None, content: str = "", **channel: Any) -> Any:
        """Returns a message in a thread of a channel of a category."""
        category = SimpleNamespace(id=52, category=None)
        parent = SimpleNamespace(id=51, category=category)
        thread = {"id": 50, "parent": parent, "send": self.say}
        self.events += 1
        where = SimpleNamespace(**{**thread, **channel})
        return SimpleNamespace(id=self.events, author=member or self.ann, channel=where, content=content)

    async def call(self, name: str, caller: MadeUpMember | None = None, **options: Any) -> None:
        await self.handlers.command(name, self.call_of(caller, **options))

    def call_of(self, caller: MadeUpMember | None = None, **options: Any) -> Call:
        async def reply(text: str, quietly: bool) -> None:
            self.answers.append((text, quietly))

        async def edit(text: str) -> None:
            self.answers.append((text, True))

        self.events += 1
        return Call(f"call-{self.events}", caller or self.ann, reply, edit, self.say, options)
