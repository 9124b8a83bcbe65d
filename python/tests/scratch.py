"""A database for tests: it must be empty before, and is empty after."""

from __future__ import annotations

import importlib
import os
import unittest
from typing import Any

from guildrank import connection_options, create_reader, create_writer
from guildrank.keys import Keys
from guildrank.scripts import Script, Scripts

# By its name, because some versions of redis-py have types and others have none: so all pass a strict check.
redis: Any = importlib.import_module("redis")
redis_asyncio: Any = importlib.import_module("redis.asyncio")


def connect(url: str, **options: Any) -> Any:
    # The machine of a test can be slow.
    return redis_asyncio.Redis.from_url(url, **{**connection_options(), "socket_connect_timeout": 60, "socket_timeout": 60, **options})


async def disconnect(connection: Any) -> None:
    # A client that got a URL leaves the connections of its pool open.
    await connection.connection_pool.disconnect()


async def require_empty(connection: Any) -> None:
    """Raises RuntimeError unless the database is empty, so that no test deletes what it did not write."""
    keys = await connection.dbsize()
    if keys > 0:
        raise RuntimeError(
            f"The database has {keys} keys, which these tests would delete: give them one that is empty. "
            "If a run that was killed left them there, remove them with FLUSHDB."
        )


async def configure(connection: Any, guild_id: str, field: str, value: str) -> None:
    """Changes a setting of a guild, as the command `guild set` does."""
    await Scripts(connection).run(Script("configure", boards=True), Keys("gr").guild(guild_id), [field, value])


class ScratchTest(unittest.IsolatedAsyncioTestCase):
    """Tests on the empty database at TEST_REDIS_URL."""

    async def asyncSetUp(self) -> None:
        self.connection = connect(os.environ["TEST_REDIS_URL"])
        await require_empty(self.connection)
        self.writer = create_writer(self.connection)
        self.reader = create_reader(self.connection)

    async def asyncTearDown(self) -> None:
        await self.connection.flushdb()
        await disconnect(self.connection)
