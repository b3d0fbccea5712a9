"""Stores that their real packages wrote are opened item by item (`make test-frameworks` installs the packages)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from inspector.formats import open_memories
from tests.formats.real_stores import CHANGED, DELETED, MEMORIES, NEW_TEXT
from tests.memory.adapters.test_frameworks import INSTALL_SECONDS, SECONDS, environment_for
from tests.places import ROOT
from tests.servers import postgres_server

PACKAGES = {
    "langgraph": ["langgraph-checkpoint-sqlite>=3"],
    "chroma": ["chromadb>=1"],
    "agno": ["agno>=2", "sqlalchemy>=2", "greenlet"],
    "mem0": ["mem0ai>=1"],
}
POSTGRES = ["langgraph-checkpoint-postgres>=3", "psycopg[binary]>=3.2"]


def texts_in(place: str | Path) -> list[tuple[str, str]]:
    """Return the key and the text of each item that was opened."""
    items = [item for store in open_memories(place) for item in store.items]
    return sorted((item.name or item.id, item.text) for item in items)


def expected() -> list[tuple[str, str]]:
    rows = [(f"k{number}", NEW_TEXT if number == CHANGED else text) for number, (_, text) in enumerate(MEMORIES)]
    return [row for number, row in enumerate(rows) if number != DELETED]


def write(python: Path, kind: str, place: str | Path) -> None:
    command = [str(python), "-m", "tests.formats.real_stores", kind, str(place)]
    environment = {**os.environ, "ANONYMIZED_TELEMETRY": "False", "MEM0_TELEMETRY": "False"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.timeout(INSTALL_SECONDS + SECONDS)
@pytest.mark.parametrize("kind", PACKAGES)
def test_a_store_of_the_real_package_is_opened_item_by_item(kind: str, tmp_path: Path) -> None:
    write(environment_for(PACKAGES[kind]), kind, tmp_path)
    assert texts_in(tmp_path) == expected()


@pytest.mark.timeout(INSTALL_SECONDS + SECONDS)
def test_a_store_of_langgraph_in_postgresql_is_opened_item_by_item() -> None:
    python = environment_for(POSTGRES)
    with postgres_server() as address:
        write(python, "langgraph-postgres", address)
        assert texts_in(address) == expected()
