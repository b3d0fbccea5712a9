"""The conversation that agents share: one suite for every place where it may be kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from inspector.memory.shared.conversation_memory import ConversationMemory
from inspector.memory.shared.logs.base import MessageLog, SharedMemoryError
from inspector.memory.shared.logs.in_memory_log import InMemoryLog
from inspector.memory.shared.logs.redis_log import RedisLog
from inspector.memory.shared.logs.sql_log import PostgresLog, SQLiteLog
from tests.warm import Program

MakeLog = Callable[[str], MessageLog]


@pytest.fixture(scope="module", params=["memory", "sqlite", "redis", "postgres"])
def make_log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeLog]:
    """Opens the log of a conversation by its name; two of one name share it, but for those in memory."""
    match request.param:
        case "memory":
            logs: dict[str, InMemoryLog] = {}
            yield lambda name: logs.setdefault(name, InMemoryLog())
        case "sqlite":
            path = tmp_path_factory.mktemp("shared") / "shared.db"
            yield lambda name: SQLiteLog(path, name)
        case "redis":
            address = request.getfixturevalue("redis_address")
            yield lambda name: RedisLog(address, name)
        case _:
            address = request.getfixturevalue("postgres_address")
            yield lambda name: PostgresLog(address, name)


@pytest.fixture
def memory(make_log: MakeLog) -> Iterator[ConversationMemory]:
    log = make_log(uuid4().hex)
    yield ConversationMemory(log)
    log.close()


def said(*texts: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text, **fields} for text in texts]


async def texts_in(memory: ConversationMemory, limit: int | None = None) -> list[str]:
    return [message["content"] for message in await memory.get_messages(limit)]


async def test_messages_come_back_in_their_order_with_ids(memory: ConversationMemory) -> None:
    await memory.add(said("one")[0])
    await memory.add(said("two", "three"))
    await memory.add(None)
    messages = await memory.get_messages()
    assert [message["content"] for message in messages] == ["one", "two", "three"]
    assert len({message["id"] for message in messages}) == 3
    assert await memory.size() == 3
    assert await texts_in(memory, 2) == ["two", "three"]
    assert await texts_in(memory, 0) == []
    assert await memory.get_last_message() == messages[-1]
    assert memory.messages == messages


async def test_what_comes_back_is_a_copy(memory: ConversationMemory) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    await memory.add(message)
    message["content"][0]["text"] = "b"  # type: ignore[index]
    (copy,) = await memory.get_messages()
    copy["content"][0]["text"] = "c"
    assert (await memory.get_messages())[0]["content"][0]["text"] == "a"
    assert "id" not in message


async def test_a_known_id_is_added_again_only_where_duplicates_are_allowed(memory: ConversationMemory) -> None:
    await memory.add(said("one", id="a"))
    await memory.add(said("one again", "and again", id="a"))
    assert await texts_in(memory) == ["one"]
    await memory.add(said("one again", id="a"), allow_duplicates=True)
    assert await texts_in(memory) == ["one", "one again"]
    await memory.delete(0)
    await memory.add(said("third", id="a"))
    assert await texts_in(memory) == ["one again"]
    await memory.delete(0)
    await memory.add(said("third", id="a"))
    assert await texts_in(memory) == ["third"]


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
async def test_what_a_log_cannot_keep_is_refused_whole(tmp_path: Path, value: Any) -> None:
    memory = ConversationMemory(SQLiteLog(tmp_path / "shared.db"))
    with pytest.raises(ValueError, match="cannot be kept outside this program"):
        await memory.add([*said("a"), {"role": "user", "content": value}])
    assert await memory.size() == 0


async def test_odd_values_come_back_as_they_were(memory: ConversationMemory) -> None:
    message = {"role": "user", "content": "half \ud800 of a pair", "n": 2**80, "nothing": None, "id": "odd \udfff"}
    await memory.add(message)
    assert await memory.get_messages() == [message]


@pytest.mark.parametrize("wrong", ["text", 3, [3], [{"role": "user"}, "text"], b"x"])
async def test_what_is_no_message_is_refused_whole(memory: ConversationMemory, wrong: Any) -> None:
    with pytest.raises(TypeError, match="dictionary"):
        await memory.add(wrong)
    assert await memory.size() == 0


async def test_messages_are_taken_out_by_their_places(memory: ConversationMemory) -> None:
    await memory.add(said("a", "b", "c", "d"))
    await memory.delete([0, 2, 2])
    assert await texts_in(memory) == ["b", "d"]
    for place in (2, -1):
        with pytest.raises(IndexError, match="2 are held"):
            await memory.delete([0, place])
    assert await texts_in(memory) == ["b", "d"]
    await memory.delete(1)
    assert await texts_in(memory) == ["b"]
    await memory.clear()
    assert (await memory.size(), await memory.get_last_message()) == (0, None)


async def test_truncating_keeps_the_newest_and_0_keeps_none(memory: ConversationMemory) -> None:
    await memory.add(said("a", "b", "c"))
    await memory.truncate_to_size(5)
    assert await texts_in(memory) == ["a", "b", "c"]
    await memory.truncate_to_size(2)
    assert await texts_in(memory) == ["b", "c"]
    await memory.truncate_to_size(0)
    assert await texts_in(memory) == []
    with pytest.raises(ValueError, match="from 0 on"):
        await memory.truncate_to_size(-1)


async def test_roles_are_told_apart_and_nothing_is_searched(memory: ConversationMemory) -> None:
    await memory.add([*said("a"), {"role": "assistant", "content": "b"}])
    assert [message["content"] for message in await memory.get_messages_by_role("assistant")] == ["b"]
    with pytest.raises(NotImplementedError):
        await memory.retrieve("a")


async def test_a_state_moves_to_another_memory(memory: ConversationMemory) -> None:
    await memory.add(said("a\0b", "ü \U0001f600"))
    other = ConversationMemory()
    other.load_state_dict(memory.state_dict())
    assert other.messages == await memory.get_messages()
    memory.load_state_dict({"messages": said("new", id="n")})
    assert await memory.get_messages() == said("new", id="n")
    await memory.add(said("again", id="n"))
    assert await memory.size() == 1


@pytest.mark.parametrize("state", [{}, {"message": []}, {"messages": [3]}, {"messages": [], "more": 1}, None, []])
async def test_what_is_no_state_is_refused(memory: ConversationMemory, state: Any) -> None:
    await memory.add(said("a"))
    with pytest.raises(ValueError, match="state"):
        memory.load_state_dict(state)
    assert await texts_in(memory) == ["a"]


async def test_a_state_that_is_not_strict_may_lack_messages(memory: ConversationMemory) -> None:
    await memory.add(said("a"))
    memory.load_state_dict({"more": 1}, strict=False)
    assert await texts_in(memory) == ["a"]
    memory.load_state_dict({"messages": said("b"), "more": 1}, strict=False)
    assert await texts_in(memory) == ["b"]


async def test_the_revision_grows_with_every_change_and_only_then(memory: ConversationMemory) -> None:
    revisions = [await memory.revision()]

    async def note(has_changed: bool) -> None:
        revisions.append(await memory.revision())
        assert (revisions[-1] > revisions[-2]) is has_changed

    await memory.add(said("a", id="a"))
    await note(True)
    await memory.add(said("a", id="a"))
    await memory.get_messages()
    await note(False)
    await memory.add(said("b", "c"))
    await note(True)
    await memory.delete(0)
    await note(True)
    await memory.truncate_to_size(9)
    await note(False)
    await memory.truncate_to_size(1)
    await note(True)


async def test_conversations_do_not_mix(make_log: MakeLog) -> None:
    name = uuid4().hex
    first, second = ConversationMemory(make_log(name)), ConversationMemory(make_log(f"{name}:ids"))
    await first.add(said("one", id="a"))
    await second.add(said("two", id="a"))
    await first.clear()
    assert (await texts_in(first), await texts_in(second)) == ([], ["two"])
    for memory in (first, second):
        memory.log.close()


async def test_fifty_agents_that_write_at_once_lose_nothing(make_log: MakeLog) -> None:
    name = uuid4().hex
    memories = [ConversationMemory(make_log(name)) for _ in range(5)]
    await asyncio.gather(
        *(memories[agent % 5].add(said(f"{agent} {turn}")) for turn in range(2) for agent in range(50)),
        *(memories[agent % 5].add(said("the same", id="same")) for agent in range(50)),
    )
    texts = await texts_in(memories[0])
    assert sorted(texts) == sorted([f"{agent} {turn}" for turn in range(2) for agent in range(50)] + ["the same"])
    for memory in memories:
        memory.log.close()


WRITER = """
import asyncio, sys
from inspector.memory.shared.conversation_memory import ConversationMemory
from inspector.memory.shared.logs.sql_log import SQLiteLog
memory = ConversationMemory(SQLiteLog(sys.argv[1]))
async def write():
    for number in range(10):
        await memory.add({"role": "assistant", "content": f"{sys.argv[2]} {number}", "agent_id": sys.argv[2]})
asyncio.run(write())
"""


async def test_programs_share_one_file_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    programs = [Program(["-c", WRITER, path, f"agent{i}"]) for i in range(3)]
    assert [program.wait(60) for program in programs] == [0, 0, 0]
    messages = await ConversationMemory(SQLiteLog(path)).get_messages()
    for agent in range(3):
        own = [message["content"] for message in messages if message["agent_id"] == f"agent{agent}"]
        assert own == [f"agent{agent} {number}" for number in range(10)]


async def test_a_log_that_cannot_be_used_says_so_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "no database").write_text("these are words" * 100)
    for log in (
        SQLiteLog(tmp_path / "no database"),
        RedisLog("redis://127.0.0.1:1/0"),
        PostgresLog("postgresql://nobody@127.0.0.1:1/none"),
    ):
        with pytest.raises(SharedMemoryError, match=r"cannot be used: .*\.$"):
            await ConversationMemory(log).add(said("a"))


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_log_may_use_an_open_connection(postgres_address: str, is_async: bool) -> None:
    from psycopg import AsyncConnection, Connection

    connection: Any = (
        await AsyncConnection.connect(postgres_address, autocommit=True)
        if is_async
        else Connection.connect(postgres_address, autocommit=True)
    )
    memory = ConversationMemory(PostgresLog(connection, f"connected {is_async}"))
    await asyncio.gather(*(memory.add(said(str(number))) for number in range(20)))
    contents = [message["content"] for message in await memory.get_messages()]
    assert sorted(contents, key=int) == [str(number) for number in range(20)]
    if is_async:
        with pytest.raises(SharedMemoryError, match="event loop"):
            memory.messages  # noqa: B018  it would wait for itself
        await connection.close()
    else:
        assert len(memory.messages) == 20
        memory.log.close()
    with pytest.raises(SharedMemoryError, match="closed"):
        await memory.size()


def test_the_file_is_its_owners_alone_and_forgets_what_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    memory = ConversationMemory(SQLiteLog(path))
    asyncio.run(memory.add(said("a very secret word")))
    asyncio.run(memory.clear())
    assert path.stat().st_mode & 0o077 == 0
    assert b"secret" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


operations = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(st.integers(0, 5), max_size=3), st.booleans()),
        st.tuples(st.just("delete"), st.sets(st.integers(0, 6), max_size=3)),
        st.tuples(st.just("truncate"), st.integers(0, 6)),
        st.tuples(st.just("clear")),
    ),
    max_size=12,
)


@given(operations)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
def test_every_log_does_what_a_list_does(make_log: MakeLog, steps: list[tuple[Any, ...]]) -> None:
    log = make_log(uuid4().hex)
    rows: list[int] = []
    for step in steps:
        match step:
            case "add", numbers, once:
                log.append([{"id": str(number), "content": number} for number in numbers], once)
                for number in numbers:
                    if not (once and number in rows):
                        rows.append(number)
            case "delete", places:
                if all(place < len(rows) for place in places):
                    log.remove(places)
                    rows = [row for place, row in enumerate(rows) if place not in places]
                else:
                    with pytest.raises(IndexError):
                        log.remove(places)
            case "truncate", size:
                log.truncate(size)
                rows = rows[len(rows) - size :] if size < len(rows) else rows
            case _:
                log.replace(())
                rows = []
        assert [message["content"] for message in log.read()] == rows
        assert log.size() == len(rows)
        assert [message["content"] for message in log.read(2)] == rows[-2:]
    log.close()
