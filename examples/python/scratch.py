"""A database for tests: it must be empty before, and is empty after."""

from __future__ import annotations

from typing import Any


async def require_empty(connection: Any) -> None:
    """Raises RuntimeError unless the database is empty, so that no test deletes what it did not write."""
    keys = await connection.dbsize()
    if keys > 0:
        raise RuntimeError(
            f"The database has {keys} keys, which these tests would delete: give them one that is empty. "
            "If a run that was killed left them there, remove them with FLUSHDB."
        )
