"""A failure is one line in the log and one short answer to the person."""

from __future__ import annotations

import re
from typing import Any, Awaitable, Callable, Protocol, TypeVar

from guildrank import RefusedError, StoreUnavailableError

# Seconds before a call of Redis is sent again. An answer to a command has to be there after three seconds.
RETRY_S = 0.3
# Seconds between two lines of the log about an outage.
LOG_S = 60
# Failures that last until a person mends them: a repeated call fails in the same way.
LASTING = ("NOAUTH", "WRONGPASS", "NOPERM")

Log = Callable[[str], None]
Wait = Callable[[float], Awaitable[Any]]


class Repeatable(Protocol):
    """A reply that tells whether its event had it before."""

    @property
    def repeated(self) -> bool: ...


Reply = TypeVar("Reply", bound=Repeatable)


def line_of(error: BaseException) -> str:
    """Returns the cause of a failure in one line."""
    text = f"Redis: {error.reason}" if isinstance(error, StoreUnavailableError) else str(error) or type(error).__name__
    return re.sub(r"\s*\n\s*", " ", text)


def answer_to(error: BaseException) -> str:
    """Returns what a person is told of a failure."""
    if isinstance(error, StoreUnavailableError):
        return "The ranking cannot be reached now. Try again in a minute."
    if isinstance(error, RefusedError):
        return f"{error.tell()}. Nothing was changed."
    return "That did not work. Try again in a minute."


async def attempt(log: Log, what: str, step: Callable[[], Awaitable[Any]]) -> Any:
    """Does a step on its own: a failure is a line in the log, and the caller goes on with None."""
    try:
        return await step()
    except Exception as error:
        log(f"{what}: {line_of(error)}")
        return None


async def once(call: Callable[[], Awaitable[Reply | None]], wait: Wait) -> Reply | None:
    """Makes a call that names an event, and makes it once more when Redis fails: it is done once all the same.

    Returns None when another process of this bot has done it, and tells its members.
    """
    try:
        reply = await call()
    except StoreUnavailableError:
        await wait(RETRY_S)
        return await call()
    return None if reply is not None and reply.repeated else reply


class Outages:
    """Repeats calls over an outage of Redis, and logs one line a minute, however many calls fail. `now` gives seconds since any moment."""

    def __init__(self, log: Log, wait: Wait, now: Callable[[], float], attempts: int) -> None:
        self._log = log
        self._wait = wait
        self._now = now
        self._attempts = attempts
        self._logged_at = float("-inf")

    async def outlast(self, call: Callable[[], Awaitable[Reply | None]]) -> Reply | None:
        """Makes a call that names an event until Redis has done it. Returns as `once` does."""
        for attempt_number in range(1, self._attempts + 1):
            try:
                reply = await call()
            except StoreUnavailableError as error:
                if self._now() - self._logged_at >= LOG_S:
                    self._log(line_of(error))
                    self._logged_at = self._now()
                if error.code in LASTING or attempt_number == self._attempts:
                    raise
                await self._wait(RETRY_S)
                continue
            return None if attempt_number == 1 and reply is not None and reply.repeated else reply
        return None
