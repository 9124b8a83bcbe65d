"""Tests what a call raises when Redis fails or refuses it: see scratch.py. Makes TEST_REPLICA_URL a replica for a moment."""

from __future__ import annotations

import asyncio
import os
import unittest
from typing import Any

from guildrank import RefusedError, StoreUnavailableError, connection_options, create_reader, create_writer
from scratch import ScratchTest, connect, disconnect, redis, redis_asyncio


class FailureTest(ScratchTest):
    async def failure_of(self, connection: Any) -> StoreUnavailableError:
        with self.assertRaises(StoreUnavailableError) as failed:
            await create_writer(connection).award("1", "a", 5)
        return failed.exception

    async def test_a_server_that_is_away_is_an_outage_and_nothing_was_sent(self) -> None:
        failure = await self.failure_of(connect("redis://127.0.0.1:1"))
        self.assertEqual((failure.code, failure.is_outage, failure.not_sent), ("unreachable", True, True))
        self.assertIn("127.0.0.1:1", failure.reason)
        self.assertIn(failure.reason, str(failure))
        self.assertIsInstance(failure.__cause__, redis.exceptions.ConnectionError)

    async def test_a_connection_that_breaks_before_the_reply_may_have_been_served_and_is_not_sent_again(self) -> None:
        calls = 0

        async def break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal calls
            calls += b"EVALSHA" in await reader.read(65536)
            writer.close()

        server = await asyncio.start_server(break_off, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        failure = await self.failure_of(connect(f"redis://127.0.0.1:{port}"))
        server.close()
        self.assertEqual((failure.code, failure.not_sent, calls), ("unreachable", False, 1))

    async def test_a_server_that_does_not_answer_is_late_after_the_time_of_the_options(self) -> None:
        released = asyncio.Event()

        async def keep_waiting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await released.wait()
            writer.close()

        server = await asyncio.start_server(keep_waiting, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.assertEqual(connection_options()["socket_timeout"], 2)
        failure = await self.failure_of(connect(f"redis://127.0.0.1:{port}", socket_timeout=0.1))
        released.set()
        server.close()
        self.assertEqual((failure.code, failure.is_outage, failure.not_sent), ("timeout", True, False))

    async def test_a_refusal_by_redis_has_its_code(self) -> None:
        await self.connection.hset("gr:{1}:stats", "model", "2")
        model = await self.failure_of(self.connection)
        self.assertEqual((model.code, model.is_outage), ("MODEL", False))
        self.assertEqual(str(model), "gr:{1}:stats has data of version 2, this program knows version 1: update it")
        await self.connection.delete("gr:{1}:stats")
        await self.connection.set("gr:{1}:xp", "no sorted set")
        self.assertEqual((await self.failure_of(self.connection)).code, "WRONGTYPE")
        await self.connection.delete("gr:{1}:xp")
        await self.connection.config_set("maxmemory", 1)
        try:
            self.assertEqual((await self.failure_of(self.connection)).code, "OOM")
        finally:
            await self.connection.config_set("maxmemory", 0)
        await self.connection.execute_command("ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@all", "-evalsha")
        try:
            limited = connect(os.environ["TEST_REDIS_URL"].replace("://", "://reader:secret@"))
            self.assertEqual((await self.failure_of(limited)).code, "NOPERM")
            wrong = connect(os.environ["TEST_REDIS_URL"].replace("://", "://reader:wrong@"))
            self.assertEqual((await self.failure_of(wrong)).code, "WRONGPASS")
            await disconnect(limited)
        finally:
            await self.connection.execute_command("ACL", "DELUSER", "reader")

    async def test_the_connection_leaves_a_server_that_became_a_replica(self) -> None:
        for replicas in (None, 1):
            replica = connect(os.environ["TEST_REPLICA_URL"])
            writer = create_writer(replica, replicas=replicas)
            server = self.connection.connection_pool.connection_kwargs
            try:
                first = await replica.client_id()
                await replica.execute_command("REPLICAOF", server["host"], server["port"])
                with self.assertRaises(StoreUnavailableError) as failed:
                    await writer.award("1", "a", 5)
                self.assertEqual(failed.exception.code, "READONLY")
                # Behind an address, the next connection reaches the new master.
                self.assertNotEqual(await replica.client_id(), first)
            finally:
                await replica.execute_command("REPLICAOF", "NO", "ONE")
                await replica.flushdb()
                await disconnect(replica)

    async def test_a_cancelled_call_does_not_confuse_the_replies_of_later_calls(self) -> None:
        await self.writer.record("1", "a", set=7)
        for _ in range(20):
            call = asyncio.ensure_future(self.reader.page("1"))
            await asyncio.sleep(0)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            member = await self.reader.member("1", "a")
            self.assertEqual(member and member.xp, 7)

    async def test_a_refusal_has_a_sentence_that_a_bot_may_word_itself(self) -> None:
        with self.assertRaises(RefusedError) as refused:
            await self.writer.record("1", "a", add=-1)
        error = refused.exception
        self.assertEqual((error.code, error.params), ("range", {"index": 0}))
        self.assertEqual(str(error), "The addition would take the XP out of the range 0 .. 9007199254740991 (entry 0)")
        self.assertEqual(error.tell(), "The addition would take the XP out of the range 0 .. 9007199254740991")
        self.assertEqual(error.tell({"range": lambda params: f"Too much at {params['index']}"}), "Too much at 0")
        self.assertEqual(error.tell({"level": lambda params: "No such level"}), error.tell())

    async def test_the_kit_takes_any_object_that_runs_scripts(self) -> None:
        class Own:
            def __init__(self, connection: Any) -> None:
                self.connection = connection

            async def evalsha(self, sha: str, numkeys: int, *rest: Any) -> Any:
                return await self.connection.evalsha(sha, numkeys, *rest)

            async def script_load(self, script: str) -> Any:
                return await self.connection.script_load(script)

        await self.connection.script_flush()
        await create_writer(Own(self.connection)).record("1", "a", set=3)
        self.assertEqual((await create_reader(Own(redis_asyncio.Redis(connection_pool=self.connection.connection_pool))).page("1")).total, 1)


if __name__ == "__main__":
    unittest.main()
