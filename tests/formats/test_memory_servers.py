"""Memory stores in a PostgreSQL database, which is only read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from inspector.formats import UnreadableError, open_memories
from tests.cli.calling import inspect
from tests.formats.memory_samples import LETTA_TABLES
from tests.servers import postgres_server

psycopg: Any = pytest.importorskip("psycopg")
TABLES = """
    CREATE TABLE store (prefix text, key text, value jsonb, created_at timestamptz, updated_at timestamptz,
        expires_at timestamptz, ttl_minutes int);
    CREATE TABLE store_migrations (v int);
    CREATE TABLE orders (id int);
    CREATE SCHEMA ai;
    CREATE TABLE ai.agno_memories (memory_id text, memory json, input text, agent_id text, team_id text, user_id text,
        topics json, updated_at bigint, created_at bigint);
    INSERT INTO store VALUES ('users.mia', 'a', '{"content": "The lamp is green."}', '2026-03-01',
        '2026-04-01', NULL, 5);
    INSERT INTO ai.agno_memories VALUES
        ('m1', '"Mia has a cat."', 'hello', NULL, NULL, 'mia', '["pets"]', 1772352000, 1772352000);
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres_server() as address:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(TABLES)
            connection.execute(f"CREATE SCHEMA letta; SET search_path = letta; {LETTA_TABLES}")
        yield address


def test_the_tables_of_memory_libraries_are_read_from_all_schemas(server: str) -> None:
    stores = {store.kind: store for store in open_memories(server)}
    (lamp,) = stores["langgraph-store"].items
    assert (lamp.text, lamp.scope, lamp.updated[:10]) == ("The lamp is green.", "users.mia", "2026-04-01")
    (cat,) = stores["agno"].items
    assert (cat.text, cat.scope, cat.about, cat.created[:10]) == ("Mia has a cat.", "user:mia", ("pets",), "2026-03-01")
    assert {(item.scope, len(item.history)) for item in stores["letta"].items} == {("agent:shop", 3), ("agent:shop", 0)}
    assert stores["agno"].problems == ["1 other table not read: orders."]


def test_a_password_is_not_part_of_a_name_or_an_error() -> None:
    with pytest.raises(UnreadableError) as caught:
        open_memories("postgresql://mia:s3cret@127.0.0.1:9/shop?connect_timeout=1")
    assert "postgresql://mia@127.0.0.1:9/shop cannot be read" in caught.value.sentence
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("end", ["@hidden@127.0.0.1", "/hidden@127.0.0.1", "#hidden@127.0.0.1", "hidden@[127.0.0.1"])
def test_the_password_of_an_invalid_address_is_never_shown(end: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        open_memories(f"postgresql://mia:7f{end}:9/shop")
    assert "The address of the server is invalid" in caught.value.sentence
    assert "hidden" not in str(caught.value) + caught.value.sentence


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["audit", "SERVER"], "0 findings"),
        (["history", "SERVER"], "updated"),
        (["diff", "SERVER", "SERVER"], "0 added, 0 removed, 0 changed"),
        (["recall", "green lamp", "--in", "SERVER"], "The lamp is green."),
    ],
)
def test_the_commands_for_memories_take_the_address_of_a_server(words: list[str], expected: str, server: str) -> None:
    ended = inspect("memory", *[server if word == "SERVER" else word for word in words])
    assert ended.code == 0 and expected in ended.out
