"""Every backend of working memory keeps the same promises, on real servers where there are any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inspector.memory import (
    ConflictError,
    DatabaseMemoryManager,
    InMemoryManager,
    RedisMemoryManager,
    RetentionPolicy,
    SQLiteMemoryManager,
    WorkingMemoryError,
)
from inspector.memory.working_memory.backends.base import HISTORY, MemoryManagerBase

BACKENDS = ("memory", "sqlite", "redis", "postgres")
ODD = ["", "a:b", "a", "history:a", "ä\n漢\x00\x1b[31m", "%61", "*", "a/../b", "x" * 2_000, "\ud800"]
START = datetime(2026, 3, 1, tzinfo=UTC)
Make = Callable[[], MemoryManagerBase]


class Clock:
    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def forward(self, **time: float) -> None:
        self.time += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=BACKENDS)
async def make(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[Make]:
    """Makes managers of one backend; all but those in memory share what they keep."""
    managers: list[MemoryManagerBase] = []

    def make_one() -> MemoryManagerBase:
        match request.param:
            case "memory":
                manager: MemoryManagerBase = managers[0] if managers else InMemoryManager(clock)
            case "sqlite":
                manager = SQLiteMemoryManager(tmp_path / "folder" / "memory.db", clock)
            case "redis":
                manager = RedisMemoryManager(request.getfixturevalue("redis_address"), clock=clock)
            case _:
                manager = DatabaseMemoryManager(request.getfixturevalue("postgres_address"), clock)
        managers.append(manager)
        return manager

    yield make_one
    for record in await managers[0].list():
        await managers[0].delete({"conversation_id": record.conversation_id})
    for manager in managers:
        await manager.close()


async def put(manager: MemoryManagerBase, name: str, text: str, **more: Any) -> None:
    await manager.store({"conversation_id": name, "working_memory": text, **more})


async def text_of(manager: MemoryManagerBase, name: str) -> str | None:
    records = await manager.retrieve({"conversation_id": name})
    return None if records is None else records[0].working_memory


async def test_what_was_stored_comes_back(make: Make, clock: Clock) -> None:
    manager = make()
    assert await text_of(manager, "a") is None
    await put(manager, "a", "first")
    clock.forward(minutes=1)
    await put(manager, "a", "second")
    [record] = await make().retrieve({"conversation_id": "a"}) or []
    assert (record.conversation_id, record.working_memory) == ("a", "second")
    assert record.updated_at == START + timedelta(minutes=1)


async def test_a_request_without_a_conversation_is_passed_over(make: Make) -> None:
    manager = make()
    for data in ({}, {"conversation_id": None}, {"conversation_id": ""}):
        await manager.store({"working_memory": "lost", **data})
        assert await manager.retrieve(data) is None
        assert await manager.history(data) == []
        assert not await manager.delete(data)
    assert await manager.list() == []


async def test_what_is_no_text_is_refused(make: Make) -> None:
    manager = make()
    for data in ({"conversation_id": 7}, {"conversation_id": "a", "working_memory": 7}):
        with pytest.raises(TypeError, match="is a text, not int"):
            await manager.store(data)
    assert await manager.list() == []


async def test_no_id_stands_for_another(make: Make) -> None:
    manager = make()
    names = ODD[1:]
    for name in names:
        await put(manager, name, f"of {name}")
    assert [await text_of(manager, name) for name in names] == [f"of {name}" for name in names]
    assert sorted(record.conversation_id for record in await manager.list()) == sorted(names)
    assert await manager.delete({"conversation_id": "a"})
    assert await text_of(manager, "a:b") == "of a:b"


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
async def test_any_text_is_kept_as_it_is(make: Make, text: str) -> None:
    manager = make()
    await put(manager, "a", text)
    assert await text_of(manager, "a") == text
    await put(manager, "a", "next", previous=text)
    assert [record.working_memory for record in await manager.history({"conversation_id": "a"})] == [text, "next"]


async def test_only_what_was_read_is_replaced(make: Make) -> None:
    manager, other = make(), make()
    await put(manager, "a", "", previous=None)
    for previous in (None, "another"):
        with pytest.raises(ConflictError):
            await put(other, "a", "mine", previous=previous)
    with pytest.raises(ConflictError):
        await put(other, "b", "mine", previous="")
    assert await text_of(manager, "a") == "" and await text_of(manager, "b") is None
    await put(other, "a", "mine", previous="")
    assert await text_of(manager, "a") == "mine"


async def test_writers_at_once_lose_nothing(make: Make) -> None:
    async def add(word: str) -> None:
        manager = make()
        while True:
            previous = await text_of(manager, "a")
            await asyncio.sleep(0)
            try:
                return await put(manager, "a", f"{previous or ''}{word}", previous=previous)
            except ConflictError:
                continue

    await asyncio.gather(*map(add, "abcde"))
    assert sorted(await text_of(make(), "a") or "") == list("abcde")


async def test_history_ends_with_what_is_now_and_has_its_limit(make: Make, clock: Clock) -> None:
    manager = make()
    await put(manager, "other", "stays")
    for number in range(HISTORY + 3):
        clock.forward(seconds=1)
        await put(manager, "a", str(number))
    history = await manager.history({"conversation_id": "a"})
    assert [record.working_memory for record in history] == [str(number) for number in range(3, HISTORY + 3)]
    assert history[-1].updated_at == clock.time
    assert await manager.delete({"conversation_id": "a"})
    assert await manager.history({"conversation_id": "a"}) == []
    assert not await manager.delete({"conversation_id": "a"})
    assert await text_of(manager, "other") == "stays"


async def test_what_a_policy_does_not_keep_is_removed(make: Make, clock: Clock) -> None:
    manager = make()
    for name in ("old", "middle", "new"):
        await put(manager, name, "ä")
        clock.forward(hours=1)
    assert [record.conversation_id for record in await manager.list()] == ["new", "middle", "old"]
    metrics = await manager.metrics()
    assert (metrics.entries, metrics.bytes, metrics.writes) == (3, 6, 3)
    assert (metrics.oldest, metrics.newest) == (timedelta(hours=3), timedelta(hours=1))
    assert await manager.cleanup(RetentionPolicy()) == []
    assert await manager.cleanup(RetentionPolicy(max_age=timedelta(hours=2))) == ["old"]
    assert await manager.cleanup(RetentionPolicy(max_entries=1)) == ["middle"]
    assert [record.conversation_id for record in await manager.list()] == ["new"]
    assert await manager.cleanup(RetentionPolicy(max_entries=0)) == ["new"]
    assert (await manager.metrics()).oldest is None


@pytest.mark.parametrize("policy", [{"max_age": timedelta(-1)}, {"max_entries": -1}])
def test_a_policy_has_no_limits_below_nothing(policy: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="from 0 on"):
        RetentionPolicy(**policy)


async def test_a_server_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database at all, whatever is asked of it", encoding="utf-8")
    for manager in (
        SQLiteMemoryManager(tmp_path / "file"),
        SQLiteMemoryManager(tmp_path / "file" / "below"),
        RedisMemoryManager(f"unix://{tmp_path}/none"),
        DatabaseMemoryManager(f"postgresql://nobody@/none?host={tmp_path}"),
    ):
        with pytest.raises(WorkingMemoryError) as failure:
            await put(manager, "a", "text")
        assert "\n" not in str(failure.value)
        await manager.close()


async def test_deleted_text_leaves_no_trace_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    manager = SQLiteMemoryManager(path)
    await put(manager, "who-it-was", "what-was-said" * 500)
    assert path.stat().st_mode & 0o077 == 0
    assert b"what-was-said" in path.read_bytes()
    await manager.delete({"conversation_id": "who-it-was"})
    assert b"what-was-said" not in path.read_bytes() and b"who-it-was" not in path.read_bytes()


async def test_redis_keeps_plain_text_for_a_day_and_reads_what_others_wrote(redis_address: str) -> None:
    from redis.asyncio import Redis

    async with RedisMemoryManager(redis_address) as manager, Redis.from_url(redis_address) as redis:
        await put(manager, "a", "text")
        assert await redis.get("memory:a") == b"text"
        assert 86_000 < await redis.ttl("memory:a") <= 86_400
        await redis.set("memory:b", "theirs", ex=86_400 - 60)
        [record] = await manager.retrieve({"conversation_id": "b"}) or []
        assert record.working_memory == "theirs"
        age = datetime.now(UTC) - record.updated_at
        assert timedelta(seconds=59) < age < timedelta(seconds=90)
        for name in ("a", "b"):
            await manager.delete({"conversation_id": name})


async def test_a_first_write_that_is_refused_leaves_a_table_behind(postgres_address: str) -> None:
    from psycopg import AsyncConnection

    async with await AsyncConnection.connect(postgres_address, autocommit=True) as connection:
        await connection.execute("DROP TABLE IF EXISTS conversation_memory")
    async with DatabaseMemoryManager(postgres_address) as manager:
        with pytest.raises(ConflictError):
            await put(manager, "a", "mine", previous="theirs")
        assert await manager.list() == []


async def test_memories_are_counted_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    manager = InMemoryManager()
    await put(manager, "a", "one\x1b[31m\ntwo")
    await put(manager, "a", "three\x1b[31m\nfour")
    manager.show_memory("a")
    manager.show_memory("b")
    assert manager.memories == {"a": "three\x1b[31m\nfour"} and manager.access_count == {"a": 2}
    assert capsys.readouterr().out == (
        "a (stored 2 times):\n  three␛[31m\n  four\nb (stored 0 times):\n  there is no memory\n"
    )
