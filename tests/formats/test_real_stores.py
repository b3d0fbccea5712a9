"""Stores that their real packages wrote are opened item by item (`make test-frameworks` installs the packages)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

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
def test_the_graph_of_the_real_mcp_memory_server_is_opened_item_by_item(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if os.environ.get("FRAMEWORKS") != "required" or not npm:
        pytest.skip("make test-frameworks installs the server with npm")
    package = "@modelcontextprotocol/server-memory"
    install = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(tmp_path / "npm"), package]
    subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    graph = tmp_path / "graph" / "memory.jsonl"
    graph.parent.mkdir()
    call_memory_server(tmp_path / "npm" / "node_modules" / package / "dist" / "index.js", graph)
    (store,) = open_memories(graph.parent)
    assert (store.kind, store.problems) == ("knowledge-graph", [])
    assert [item.text for item in store.items] == [
        "uses pnpm",
        "needs PostgreSQL 16",
        "Ana\nBell",
        "Ana\nBell maintains shop",
    ]


def call_memory_server(script: Path, graph: Path) -> None:
    """Let the server write a graph, with an observation and an entity that are deleted again."""
    shop = {"name": "shop", "entityType": "project", "observations": ["uses pnpm", "deploys on Fridays"]}
    ana = {"name": "Ana\nBell", "entityType": "person", "observations": []}
    old = {"name": "old", "entityType": "thing", "observations": ["gone"]}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("create_entities", {"entities": [shop, ana, old]}),
        ("create_relations", {"relations": [{"from": "Ana\nBell", "to": "shop", "relationType": "maintains"}]}),
        ("add_observations", {"observations": [{"entityName": "shop", "contents": ["needs PostgreSQL 16"]}]}),
        ("delete_observations", {"deletions": [{"entityName": "shop", "observations": ["deploys on Fridays"]}]}),
        ("delete_entities", {"entityNames": ["old"]}),
    ]
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    environment = {**os.environ, "MEMORY_FILE_PATH": str(graph)}
    with subprocess.Popen(
        ["node", str(script)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin and server.stdout

        def ask(number: int, method: str, params: object) -> None:
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            print(json.dumps(request), file=server.stdin, flush=True)
            while json.loads(server.stdout.readline()).get("id") != number:  # type: ignore[union-attr]
                pass

        ask(0, "initialize", client)
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), file=server.stdin, flush=True)
        for number, (name, arguments) in enumerate(calls, 1):
            ask(number, "tools/call", {"name": name, "arguments": arguments})


@pytest.mark.timeout(INSTALL_SECONDS + SECONDS)
def test_a_store_of_langgraph_in_postgresql_is_opened_item_by_item() -> None:
    python = environment_for(POSTGRES)
    with postgres_server() as address:
        write(python, "langgraph-postgres", address)
        assert texts_in(address) == expected()
