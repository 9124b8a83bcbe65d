"""Runs the Lua scripts of the package on a connection."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Awaitable, Callable, NamedTuple, Protocol, Sequence

from ._redis import exceptions
from .errors import InvalidInputError, StoreUnavailableError
from .keys import with_boards

# Time in which the replicas must have a call.
CONFIRM_MS = 1000
# Guilds with boards that are remembered.
MAX_KNOWN_GUILDS = 10_000

Args = Sequence[str | int]


class Connection(Protocol):
    """A connection of redis.asyncio. Only its shape counts, so you choose the version."""

    def evalsha(self, sha: str, numkeys: int, *keys_and_args: Any) -> Awaitable[Any]:
        """Runs the script with this digest. Raises redis.exceptions.NoScriptError if Redis does not know the script."""
        ...

    def script_load(self, script: str) -> Awaitable[Any]:
        """Loads the source of a script on each node."""
        ...


@dataclass(frozen=True)
class Script:
    """A script by its name. The header of `lua/NAME.lua` says its keys, its arguments and its reply."""

    name: str
    boards: bool = False
    """Whether it takes the keys of a guild's boards, after the five of the guild."""
    writes: bool = True


class Source(NamedTuple):
    """The text of a script, and its SHA-1 in hexadecimal digits, by which Redis knows it."""

    text: str
    sha: str


@lru_cache(maxsize=None)
def source_of(name: str) -> Source:
    """Returns a script of the package, which reads it once."""
    text = resources.files("guildrank").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")
    return Source(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


class Scripts:
    """The scripts on one connection. Each call is one round trip, and one more when Redis does not know the script yet."""

    def __init__(self, client: Connection, replicas: int = 0) -> None:
        execute = getattr(client, "execute_command", None)
        is_asyncio = execute is None or inspect.iscoroutinefunction(execute)
        if not (is_asyncio and callable(getattr(client, "evalsha", None)) and callable(getattr(client, "script_load", None))):
            raise InvalidInputError(
                "The connection must be a client of redis.asyncio, such as redis.asyncio.Redis.from_url(url, **connection_options()), "
                "or an object with the coroutines evalsha and script_load"
            )
        if replicas and hasattr(client, "get_nodes"):
            raise InvalidInputError(
                "replicas does not work on a Cluster: leave it out, and fail over with CLUSTER FAILOVER, which loses no write"
            )
        if replicas and not hasattr(client, "pipeline"):
            raise InvalidInputError(
                "replicas needs a client of redis.asyncio, because WAIT must follow the script on the same connection"
            )
        self._client: Any = client
        self._replicas = replicas
        # First keys of guilds with boards. Other guilds do without the keys of boards, which take Redis time.
        self._with_boards: set[str] = set()

    async def run(self, script: Script, keys: list[str], args: Args = ()) -> Any:
        """Runs a script with the keys and arguments that its header names, and the keys of boards if the guild has them.

        Returns its reply, with bytes as text. The first call for a guild with boards takes a round trip more. Raises StoreUnavailableError.
        """
        has_boards = script.boards and keys[0] in self._with_boards
        try:
            return await self.send(script, with_boards(keys) if has_boards else keys, args)
        except StoreUnavailableError as error:
            if has_boards or not script.boards or error.code != "BOARDS":
                raise
        if len(self._with_boards) >= MAX_KNOWN_GUILDS:
            self._with_boards.clear()
        self._with_boards.add(keys[0])
        return await self.send(script, with_boards(keys), args)

    async def send(self, script: Script, keys: Sequence[str], args: Args = ()) -> Any:
        """Runs a script with exactly these keys. Returns its reply, with bytes as text. Raises StoreUnavailableError."""
        try:
            return _decoded(await self._evaluate(script, keys, args))
        except StoreUnavailableError:
            raise
        except (exceptions.RedisError, exceptions.RedisClusterException, OSError, asyncio.TimeoutError) as error:
            if isinstance(error, exceptions.ReadOnlyError):
                await self._leave_replica()
            raise StoreUnavailableError.of(error) from error

    async def _evaluate(self, script: Script, keys: Sequence[str], args: Args) -> Any:
        evalsha: Callable[..., Awaitable[Any]] = self._client.evalsha
        if self._replicas and script.writes:
            evalsha = self._confirmed
        source = source_of(script.name)
        with suppress(exceptions.NoScriptError):
            return await evalsha(source.sha, len(keys), *keys, *args)
        await self._client.script_load(source.text)
        return await evalsha(source.sha, len(keys), *keys, *args)

    async def _confirmed(self, *call: Any) -> Any:
        """Runs a script, and WAIT on the same connection: only the server that ran the script can tell which replicas have it."""
        async with self._client.pipeline(transaction=False) as pipeline:
            pipeline.evalsha(*call)
            pipeline.wait(self._replicas, CONFIRM_MS)
            reply, confirmed = await pipeline.execute(raise_on_error=False)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(confirmed, Exception):
            raise _unreplicated(f"WAIT failed: {confirmed}") from confirmed
        if confirmed < self._replicas:
            raise _unreplicated(f"{confirmed} of {self._replicas} replicas have it after {CONFIRM_MS} ms")
        return reply

    async def _leave_replica(self) -> None:
        """Closes the connections to a server that became a replica. The next call opens a connection, which reaches the new master."""
        pool = getattr(self._client, "connection_pool", None)
        if pool is not None:
            await pool.disconnect(inuse_connections=False)


def _unreplicated(doubt: str) -> StoreUnavailableError:
    message = f"The call was done, but a failover may lose it: {doubt}. Send it again with the same event_id"
    return StoreUnavailableError(message, "timeout", message=message)


def _decoded(reply: Any) -> Any:
    if isinstance(reply, list):
        return [_decoded(part) for part in reply]
    return reply.decode(errors="replace") if isinstance(reply, bytes) else reply
