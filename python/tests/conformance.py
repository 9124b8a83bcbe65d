"""Runs conformance/*.json through the kit: conformance.py CONFORMANCE_FOLDER URL_OF_AN_EMPTY_DATABASE."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from guildrank import InvalidInputError, StoreUnavailableError, VoiceState, XpAmount, parse_rules, reward_roles, xp_for
from guildrank.scripts import Script, Scripts, Source, source_of
from scratch import connect, disconnect, require_empty


class Clocked:
    """A connection whose scripts have the clock of a case. Redis's own clock cannot be set."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.now = 0
        self.digests: dict[str, str] = {}

    async def evalsha(self, sha: str, numkeys: int, *rest: Any) -> Any:
        return await self.connection.evalsha(self.digests.get(f"{sha} {self.now}", sha), numkeys, *rest)

    async def load(self, source: Source) -> None:
        """Loads a script for the present time."""
        if f"{source.sha} {self.now}" in self.digests:
            return
        clock = f"({{ '{self.now // 1_000_000}', '{self.now % 1_000_000}' }})"
        text = source.text.replace("redis.call('TIME')", clock)
        self.digests[f"{source.sha} {self.now}"] = await self.connection.script_load(text)

    async def script_load(self, script: str) -> Any:
        return await self.connection.script_load(script)


def full(key: str) -> str:
    return f"gr:{{g}}{key}" if key.startswith(":") else key


async def fill(connection: Any, state: dict[str, Any]) -> None:
    batch = connection.pipeline(transaction=False)
    batch.flushdb()
    for key, value in state.items():
        if "hash" in value:
            batch.hset(full(key), mapping=value["hash"])
        elif "zset" in value:
            batch.zadd(full(key), value["zset"])
        else:
            batch.set(full(key), value["string"], px=value.get("ms"))
    await batch.execute()


async def content(connection: Any) -> dict[str, dict[str, Any]]:
    keys = await connection.keys("*")
    types, values = connection.pipeline(transaction=False), connection.pipeline(transaction=False)
    for key in keys:
        types.type(key)
    for key, kind in zip(keys, await types.execute()):
        if kind == "hash":
            values.hgetall(key)
        elif kind == "zset":
            values.zrange(key, 0, -1, withscores=True)
        else:
            values.get(key)
        values.pttl(key)
    replies = await values.execute()
    return {key: described(value, ms) for key, value, ms in zip(keys, replies[::2], replies[1::2])}


def described(value: Any, ms: int) -> dict[str, Any]:
    """Describes what a key has, as the cases do."""
    if isinstance(value, dict):
        return {"hash": value}
    return {"zset": dict(value)} if isinstance(value, list) else {"string": value, "ms": ms}


def is_same(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    if "string" not in expected:
        return found == expected
    most = expected.get("ms")
    return bool(found.get("string") == expected["string"] and (most / 2 < found["ms"] <= most if most else found["ms"] == -1))


def is_expected(reply: Any, expected: Any) -> bool:
    if isinstance(expected, list):
        return isinstance(reply, list) and len(reply) == len(expected) and all(map(is_expected, reply, expected))
    if isinstance(expected, dict) and "at_most" in expected:
        return isinstance(reply, int) and 0 < reply <= expected["at_most"]
    return bool(reply == expected)


async def failures_of(suite: dict[str, Any], connection: Any) -> list[str]:
    """Runs the cases of a script. A case names all keys of its call, so they are sent as they are."""
    failures = []
    clocked = Clocked(connection)
    scripts, script = Scripts(clocked), Script(suite["script"])
    for case in suite["cases"]:
        before = suite["states"][case["state"]]
        await fill(connection, before)
        clocked.now = case["now"]
        await clocked.load(source_of(script.name))
        try:
            reply = await scripts.send(script, [full(key) for key in case["keys"]], case["args"])
        except StoreUnavailableError as error:
            # The kit has no code for an error of Redis that begins with ERR.
            reply = {"error": "ERR" if error.code == "other" else error.code}
        after = {full(key): value for key, value in {**before, **case["changed"]}.items() if value is not None}
        found = await content(connection)
        is_right = found.keys() == after.keys() and all(is_same(found[key], after[key]) for key in after)
        if not is_expected(reply, case["reply"]) or not is_right:
            failures.append(f"{suite['script']} {case['name']}: {reply} instead of {case['reply']}, {found}")
    return failures


def refusal_of(document: Any) -> str:
    try:
        return f"{parse_rules(document)} is a result"
    except InvalidInputError as error:
        return str(error)


def rules_failures(suite: dict[str, Any]) -> tuple[int, list[str]]:
    """Computes the cases of rules. Returns their number, and a text for each that fails."""
    outcomes: list[tuple[Any, Any, Any]] = []
    documents = [(parse_rules(document), parse_rules(json.dumps(document))) for document in suite["rules"]]
    outcomes += [("parse", from_text, from_object) for from_object, from_text in documents]
    rules = [from_object for from_object, _ in documents]
    for case in suite["xp"]:
        event: dict[str, Any] = {**case["event"], "voice": VoiceState(**case["event"].get("voice", {}))}
        gain = xp_for(rules[case["rules"]], **event)
        amount: XpAmount = (case["amount"]["min"], case["amount"]["max"]) if isinstance(case["amount"], dict) else case["amount"]
        expected = (amount, case["factor"], case["cooldown_ms"], case["reason"])
        outcomes.append((case, (gain.amount, gain.factor, gain.cooldown_ms, gain.reason), expected))
    for case in suite["rewards"]:
        change = reward_roles(rules[case["rules"]], case["level"], case["roles"])
        outcomes.append((case, [list(change.add), list(change.remove)], [case["add"], case["remove"]]))
    failures = [f"rules {case}: {found} instead of {expected}" for case, found, expected in outcomes if found != expected]
    for case in suite["refused"]:
        refusal = refusal_of(case["document"])
        if not refusal.startswith(f"{case['field']} "):
            failures.append(f"rules {case}: {refusal}")
    return len(outcomes) + len(suite["refused"]), failures


async def main(folder: str, url: str) -> int:
    connection = connect(url, decode_responses=True)
    await require_empty(connection)
    cases, failures = 0, []
    run_id = (await connection.info("server"))["run_id"]
    for file in sorted(Path(folder).glob("*.json")):
        suite = json.loads(file.read_text(encoding="utf-8").replace("$run_id", run_id))
        if "script" in suite:
            cases += len(suite["cases"])
            failures += await failures_of(suite, connection)
        else:
            number, failed = rules_failures(suite)
            cases += number
            failures += failed
    await connection.flushdb()
    await disconnect(connection)
    print("\n".join([*failures, f"{cases} cases, {len(failures)} failed"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:3])))
