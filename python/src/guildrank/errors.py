"""The three errors of the kit. Each call raises one of them and nothing else."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Mapping

from ._redis import exceptions
from .refusals import SENTENCES, Sentences

# Errors of redis-py whose message lacks the code that Redis sent. Some versions of redis-py have only some of them.
_CODES_BY_CLASS = {
    "AuthenticationError": "NOAUTH",
    "NoPermissionError": "NOPERM",
    "BusyLoadingError": "LOADING",
    "ReadOnlyError": "READONLY",
    "NoScriptError": "NOSCRIPT",
    "OutOfMemoryError": "OOM",
    "ClusterDownError": "CLUSTERDOWN",
    "MasterDownError": "MASTERDOWN",
    "TryAgainError": "TRYAGAIN",
    "ClusterCrossSlotError": "CROSSSLOT",
    "MovedError": "MOVED",
    "AskError": "ASK",
}
# Redis 7.0 and Valkey give the refusal of a command in a script no code of its own.
_NO_PERMISSION = re.compile("user executing the script can't|ACL failure in script")
# Messages of redis-py for a call that found no connection, so that it was never sent.
_NEVER_SENT = re.compile(
    "Error (-?[0-9]+ )?connecting to |Timeout connecting to server|Too many connections|No connection available|No master found|"
    "Redis Cluster cannot be connected"
)
# The text before the error of a script, on servers that report such errors like a Redis before 7.
_PREFIX = re.compile(r"^(ERR )?Error running script \(call to \w+\): (@user_script:\d+: )?")
# The error of a script about a guild whose data has a newer version, or a curve that the script lacks.
_OF_GUILD = re.compile(r"(?:^|: )(MODEL|CURVE) (.*?)(?: script: \w+, on @user_script:\d+\.)?$", re.DOTALL)


class InvalidInputError(ValueError):
    """An argument is wrong. The message names it and what it must be. Nothing was sent."""


class RefusedError(Exception):
    """The data do not allow the call: other work holds the guild, or an amount would leave its bounds.

    A script that refuses changes nothing. Of a call with several steps, the steps before it were done. The message is for a log, and `tell`
    for a person.
    """

    def __init__(self, code: str, params: Mapping[str, Any]) -> None:
        entry = f" (entry {params['index']})" if "index" in params else ""
        super().__init__(SENTENCES[code](params) + entry)
        self.code = code
        """Why: the codes are the same in each language."""
        self.params = params
        """The values that the sentence names. An `index` counts the entries of the call from 0, and names the refused entry."""

    def tell(self, own: Sentences | None = None) -> str:
        """Returns the sentence without its full stop. `own` has functions of `params` by code, for the sentences that you word yourself."""
        return {**SENTENCES, **(own or {})}[self.code](self.params)


class StoreUnavailableError(Exception):
    """Redis cannot be reached, was too slow, or refused the command. `__cause__` is the error of redis-py.

    Unless `not_sent` is true or `code` is the code of a refusal by Redis, the call may have been done: repeat the call with its `event_id`.
    """

    def __init__(self, reason: str, code: str, not_sent: bool = False, message: str | None = None) -> None:
        super().__init__(message or f"Redis did not confirm the call ({code}): {reason}")
        self.reason = reason
        """The message of redis-py or of Redis. It can contain an address, so it is for logs only."""
        self.code = code
        """The code of Redis, such as OOM or READONLY, or "timeout", "unreachable" or "other"."""
        self.not_sent = not_sent
        """Whether the call surely never left the process, so that it was not done."""

    @property
    def is_outage(self) -> bool:
        """Whether Redis was out of reach or late, and did not refuse the call: the same call may succeed soon."""
        return self.code in ("timeout", "unreachable")

    @staticmethod
    def of(error: BaseException) -> StoreUnavailableError:
        """Returns an error of redis-py or of the system as StoreUnavailableError."""
        reason = str(error) or type(error).__name__
        of_guild = _OF_GUILD.search(reason)
        if of_guild:
            return StoreUnavailableError(reason, of_guild[1], message=of_guild[2])
        return StoreUnavailableError(reason, _code_of(error, reason), not_sent=_NEVER_SENT.match(reason) is not None)


def _code_of(error: BaseException, reason: str) -> str:
    if _NO_PERMISSION.search(reason):
        return "NOPERM"
    if "invalid username-password pair" in reason:
        return "WRONGPASS"
    for kind in type(error).__mro__:
        if kind.__name__ in _CODES_BY_CLASS:
            return _CODES_BY_CLASS[kind.__name__]
    if isinstance(error, (exceptions.TimeoutError, asyncio.TimeoutError, TimeoutError)):
        return "timeout"
    if isinstance(error, (exceptions.ConnectionError, exceptions.RedisClusterException, OSError)):
        return "unreachable"
    code = re.match("([A-Z]{2,})( |$)", _PREFIX.sub("", reason))
    return code[1] if code and code[1] != "ERR" else "other"
