"""The connection of the bot to Redis."""

from __future__ import annotations

from typing import Any

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ReadOnlyError


def connect(url: str) -> Any:
    """Opens a connection that sends no call again by itself, but for one that a replica refused.

    A master that became a replica has done nothing of the call. The connection is closed, and a new one reaches the new master.
    """
    limits = {"socket_timeout": 1, "socket_connect_timeout": 1}
    retry = Retry(NoBackoff(), 1, supported_errors=(ReadOnlyError,))
    return redis.asyncio.Redis.from_url(url, decode_responses=True, retry=retry, retry_on_error=[ReadOnlyError], **limits)
