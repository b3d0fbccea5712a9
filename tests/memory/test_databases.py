"""Databases that keep memories: one suite for SQLite and PostgreSQL, and what Redis does of it, on real servers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from inspector.core.errors import InspectorError
from inspector.memory import DatabaseMemoryManager, RedisMemoryManager
from inspector.memory.databases.base import SQLDatabase, Steps
from inspector.memory.databases.postgres_database import PostgresDatabase
from inspector.memory.databases.redis_database import RedisDatabase
from inspector.memory.databases.sqlite_database import SQLiteDatabase

SCHEMA = """
    CREATE TABLE IF NOT EXISTS counting (number {serial}, name {bytes} NOT NULL, total BIGINT NOT NULL, at {time});
"""
Make = Callable[[], SQLDatabase]


class CountError(InspectorError):
    """An error that the owner of a database chooses."""


@pytest.fixture(params=["sqlite", "postgres", "postgres by a connection"])
async def make(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Make]:
    """Open one database, several times."""
    opened: list[SQLDatabase] = []
    if request.param == "sqlite":

        def make_one() -> SQLDatabase:
            return SQLiteDatabase(tmp_path / "folder" / "count.db", SCHEMA, CountError, "The count")

    elif request.param == "postgres":
        address = request.getfixturevalue("postgres_address")

        def make_one() -> SQLDatabase:
            return PostgresDatabase(address, SCHEMA, CountError, lock_group=9)

    else:
        from psycopg import AsyncConnection

        connection = await AsyncConnection.connect(request.getfixturevalue("postgres_address"), autocommit=True)
        shared = PostgresDatabase(connection, SCHEMA, CountError, lock_group=9)

        def make_one() -> SQLDatabase:
            return shared

    def make_and_note() -> SQLDatabase:
        opened.append(make_one())
        return opened[-1]

    yield make_and_note
    for database in opened:
        await database.close_in_task()


def total(name: bytes) -> Steps[int]:
    rows = yield "SELECT total FROM counting WHERE name = ? ORDER BY number DESC LIMIT ?", (name, 1)
    return int(rows[0][0]) if rows else 0


def increase(name: bytes, fail: bool = False) -> Steps[int]:
    """Read the total and write the next one, which is lost if two transactions do it at once."""
    count = yield from total(name)
    rows = yield (
        "INSERT INTO counting (name, total, at) VALUES (?, ?, ?)",
        (name, count + 1, "2026-03-01T00:00:00+00:00"),
    )
    assert rows == []
    if fail:
        raise KeyError("stop")
    return count + 1


async def test_a_transaction_returns_its_result_and_lasts(make: Make) -> None:
    name = uuid4().bytes + b"\0\xff'"
    assert await make().run_in_task(total(name), name) == 0
    assert await make().run_in_task(increase(name), name) == 1
    assert await make().run_in_task(increase(name), name) == 2
    assert await make().run_in_task(total(name), name) == 2


async def test_a_transaction_that_raises_writes_nothing(make: Make) -> None:
    name, database = uuid4().bytes, make()
    with pytest.raises(KeyError, match="stop"):
        await database.run_in_task(increase(name, fail=True), name)
    assert await database.run_in_task(total(name), name) == 0
    assert await database.run_in_task(increase(name), name) == 1


async def test_transactions_with_one_lock_lose_nothing(make: Make) -> None:
    name = uuid4().bytes
    databases = [make() for _ in range(4)]
    await asyncio.gather(*(database.run_in_task(increase(name), name) for database in databases * 5))
    assert await make().run_in_task(total(name), name) == 20


async def test_a_statement_that_is_wrong_raises_the_owners_error_in_one_sentence(make: Make) -> None:
    def wrong() -> Steps[None]:
        yield "SELECT nothing FROM nowhere", ()

    database = make()
    with pytest.raises(CountError, match="cannot be used") as failure:
        await database.run_in_task(wrong())
    assert "\n" not in str(failure.value)
    assert await database.run_in_task(total(b"none")) == 0


def test_threads_share_a_database_without_a_loop(tmp_path: Path, postgres_address: str) -> None:
    for database in (
        SQLiteDatabase(tmp_path / "count.db", SCHEMA, CountError, "The count"),
        PostgresDatabase(postgres_address, SCHEMA, CountError, lock_group=9),
    ):
        name = uuid4().bytes
        with ThreadPoolExecutor(4) as pool:
            counts = list(pool.map(lambda _: database.run(increase(name), name), range(12)))  # noqa: B023
        assert sorted(counts) == list(range(1, 13))
        database.close()


def test_a_lost_connection_is_opened_again(postgres_address: str) -> None:
    database = PostgresDatabase(postgres_address, SCHEMA, CountError, lock_group=9)
    name = uuid4().bytes
    assert database.run(increase(name), name) == 1
    database.close()
    assert database.run(increase(name), name) == 2
    database.close()


async def test_redis_runs_functions_of_its_client(redis_address: str) -> None:
    database, name = RedisDatabase(redis_address, CountError), uuid4().hex
    results = await asyncio.gather(*(database.run_in_task(lambda client: client.incr(name)) for _ in range(9)))
    assert sorted(results) == list(range(1, 10))
    assert database.run(lambda client: client.get(name)) == b"9"
    with pytest.raises(CountError, match="cannot be used"):
        database.run(lambda client: client.lpush(name, "x"))
    database.close()


async def test_a_manager_takes_an_open_connection(postgres_address: str) -> None:
    from psycopg import AsyncConnection

    connection = await AsyncConnection.connect(postgres_address, autocommit=True)
    async with DatabaseMemoryManager(connection) as manager:
        await manager.store({"conversation_id": "by connection", "working_memory": "kept"})
        async with DatabaseMemoryManager(postgres_address) as other:
            [record] = await other.retrieve({"conversation_id": "by connection"}) or []
            assert record.working_memory == "kept"
            assert await other.delete({"conversation_id": "by connection"})
    assert connection.closed


def test_managers_and_loops_may_change(redis_address: str) -> None:
    """A manager that was used in one event loop works in the next one."""
    manager = RedisMemoryManager(redis_address)
    data = {"conversation_id": "two loops", "working_memory": "kept"}
    asyncio.run(manager.store(data))
    assert asyncio.run(manager.retrieve(data)) is not None
    assert asyncio.run(manager.delete(data))
    asyncio.run(manager.close())


def never() -> Steps[None]:
    """A statement that the server answers long after the timeout."""
    yield "SELECT pg_sleep(60)", ()


async def test_a_slow_statement_is_cancelled_and_the_connection_stays(postgres_address: str) -> None:
    from psycopg import AsyncConnection

    connection = await AsyncConnection.connect(postgres_address, autocommit=True)
    for address in (postgres_address, connection):
        database = PostgresDatabase(address, SCHEMA, CountError, lock_group=9, timeout=0.2)
        with pytest.raises(CountError, match="statement timeout"):
            await database.run_in_task(never())
        assert await database.run_in_task(total(b"never written")) == 0
        await database.close_in_task()


def process() -> Steps[int]:
    """The process of the server that serves the connection."""
    rows = yield "SELECT pg_backend_pid()", ()
    return int(rows[0][0])


async def test_a_server_that_hangs_is_given_up(postgres_address: str) -> None:
    from psycopg import AsyncConnection

    connection = await AsyncConnection.connect(postgres_address, autocommit=True)
    for address in (postgres_address, connection):
        database = PostgresDatabase(address, SCHEMA, CountError, lock_group=9, timeout=0.4)
        server = await database.run_in_task(process())
        os.kill(server, signal.SIGSTOP)
        try:
            with pytest.raises(CountError, match=r"the server did not answer within 1\.2 seconds\.$"):
                await database.run_in_task(total(b"never written"))
        finally:
            os.kill(server, signal.SIGCONT)
        if address is connection:
            with pytest.raises(CountError, match="the connection is lost"):
                await database.run_in_task(total(b"never written"))
        else:
            assert await database.run_in_task(total(b"never written")) == 0, "it connects again"
        await database.close_in_task()


async def test_a_server_that_accepts_and_never_speaks_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.memory.databases.postgres_database._CONNECT_TIMEOUT", 2)
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    database = PostgresDatabase(f"postgresql://a@127.0.0.1:{port}/a?sslmode=disable", SCHEMA, CountError, lock_group=9)
    with pytest.raises(CountError, match=r"timeout expired\.$"):
        await database.run_in_task(total(b"a"))
    server.close()
