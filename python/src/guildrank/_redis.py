"""The names of redis-py that the kit uses. Only some versions of redis-py have types, and a strict check of types passes with every version."""

from __future__ import annotations

import importlib
from typing import Any

exceptions: Any = importlib.import_module("redis.exceptions")
backoff: Any = importlib.import_module("redis.backoff")
asyncio_retry: Any = importlib.import_module("redis.asyncio.retry")
