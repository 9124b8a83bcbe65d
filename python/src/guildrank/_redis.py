"""redis-py by its names: some versions have types and others have none, so that a strict check of types passes with all of them."""

from __future__ import annotations

import importlib
from typing import Any

exceptions: Any = importlib.import_module("redis.exceptions")
backoff: Any = importlib.import_module("redis.backoff")
asyncio_retry: Any = importlib.import_module("redis.asyncio.retry")
