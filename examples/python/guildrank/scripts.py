"""Runs the Lua scripts on a connection."""

from __future__ import annotations

import hashlib
import importlib
import inspect
from pathlib import Path
from typing import Any, Awaitable, Callable, NamedTuple, Protocol, Sequence, Union

from .checks import UnreplicatedError
from .keys import with_boards

# By its name, because some versions of redis-py have types and others have none: so all pass a strict check.
exceptions: Any = importlib.import_module("redis.exceptions")

# Time in which the replicas must have a call.
CONFIRM_MS = 1000
# Guilds with boards that are remembered.
MAX_KNOWN_GUILDS = 10_000
# Scripts that change nothing.
READS = ("batch", "around", "card")

Args = Sequence[Union[str, int]]


class Connection(Protocol):
    """A connection of redis.asyncio. Only its shape counts."""

    def evalsha(self, sha: str, numkeys: int, *keys_and_args: Any) -> Awaitable[Any]: ...

    def script_load(self, script: str) -> Awaitable[Any]: ...


class _Script(NamedTuple):
    source: str
    sha: str
    takes_boards: bool


class Scripts:
    """The scripts of a folder on one connection. Each is one round trip, and one more when Redis does not know it yet."""

    def __init__(self, redis: Connection, lua: Path, replicas: int = 0) -> None:
        if replicas and (hasattr(redis, "get_nodes") or not hasattr(redis, "pipeline")):
            raise ValueError("replicas needs a connection of redis.asyncio that is none of a Cluster: leave it out")
        execute = getattr(redis, "execute_command", None)
        if execute is not None and not inspect.iscoroutinefunction(execute):
            raise TypeError("Guildrank needs a connection of redis.asyncio, such as redis.asyncio.Redis.from_url(url)")
        self._redis: Any = redis
        self._lua = lua
        self._replicas = replicas
        self._loaded: dict[str, _Script] = {}
        # First keys of guilds with boards. Other guilds do without the keys of boards, which take Redis time.
        self._with_boards: set[str] = set()

    async def run(self, name: str, keys: list[str], args: Args) -> Any:
        """Runs a script with the keys and arguments that its header names, and the keys of boards if the guild has them.

        Returns its reply, with bytes as text. The first call for a guild with boards takes a round trip more.
        """
        if self._script(name).takes_boards and keys[0] in self._with_boards:
            return await self.send(name, with_boards(keys), args)
        try:
            return await self.send(name, keys, args)
        except exceptions.ResponseError as error:
            if "BOARDS " not in str(error):
                raise
        if len(self._with_boards) >= MAX_KNOWN_GUILDS:
            self._with_boards.clear()
        self._with_boards.add(keys[0])
        return await self.send(name, with_boards(keys), args)

    async def send(self, name: str, keys: Sequence[str], args: Args) -> Any:
        """Runs a script with exactly these keys. Returns its reply, with bytes as text."""
        script = self._script(name)
        evalsha: Callable[..., Awaitable[Any]] = self._redis.evalsha
        if self._replicas and name not in READS:
            evalsha = self._confirmed
        try:
            reply = await evalsha(script.sha, len(keys), *keys, *args)
        except exceptions.NoScriptError:
            await self._redis.script_load(script.source)
            reply = await evalsha(script.sha, len(keys), *keys, *args)
        return _decoded(reply)

    async def _confirmed(self, *call: Any) -> Any:
        """Runs a script, and WAIT on the same connection: only the server that ran the script can tell which replicas have it."""
        async with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.evalsha(*call)
            pipeline.wait(self._replicas, CONFIRM_MS)
            reply, confirmed = await pipeline.execute(raise_on_error=False)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(confirmed, Exception) or confirmed < self._replicas:
            raise UnreplicatedError(f"the call was done, but a failover may lose it: {confirmed} of {self._replicas} replicas have it")
        return reply

    def _script(self, name: str) -> _Script:
        if name not in self._loaded:
            source = (self._lua / f"{name}.lua").read_text(encoding="utf-8")
            sha = hashlib.sha1(source.encode()).hexdigest()
            # A script takes the keys of boards if it can miss them.
            self._loaded[name] = _Script(source, sha, takes_boards="'BOARDS '" in source)
        return self._loaded[name]


def _decoded(reply: Any) -> Any:
    if isinstance(reply, list):
        return [_decoded(part) for part in reply]
    return reply.decode(errors="replace") if isinstance(reply, bytes) else reply
