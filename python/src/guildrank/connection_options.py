"""The options with which a bot opens its connection."""

from __future__ import annotations

from typing import Any

from ._redis import asyncio_retry, backoff

CONNECT_TIMEOUT_S = 1
# Above the second that a call with `replicas` waits for them.
REPLY_TIMEOUT_S = 2


def connection_options() -> dict[str, Any]:
    """Returns options of redis.asyncio that keep what the kit promises: `Redis.from_url(url, **connection_options())`.

    With them, redis-py sends no call again by itself, because XP would be added twice, and a call fails after two seconds without a reply
    instead of waiting for ever. To change an option, write `{**connection_options(), "socket_timeout": 5}`.
    """
    return {
        "retry": asyncio_retry.Retry(backoff.NoBackoff(), 0),
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
        "socket_timeout": REPLY_TIMEOUT_S,
    }
