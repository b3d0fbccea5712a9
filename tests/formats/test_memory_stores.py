"""What holds of the memory stores of every program, and what is special about some."""

from __future__ import annotations

import json
import os
import sqlite3
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from inspector.formats import MemoryStore, UnreadableError, discover_memories, load, memories_in, open_memories
from tests.formats.memory_samples import STORES, letta_server, mem0, notes, rules


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def opened(kind: str, folder: Path) -> list[MemoryStore]:
    return open_memories(STORES[kind](folder))


@pytest.mark.parametrize("kind", STORES)
def test_a_store_of_every_kind_opens_and_is_not_changed(kind: str, tmp_path: Path) -> None:
    path = STORES[kind](tmp_path)
    before = contents(tmp_path)
    stores = open_memories(path)
    assert [store.kind for store in stores] in ([kind], [kind, kind]) and not any(store.problems for store in stores)
    for store in stores:
        ids = [item.id for item in (*store.items, *store.deleted)]
        assert store.items and store.title and len(ids) == len(set(ids))
        assert all(item.text.strip() and item.tokens > 0 for item in store.items)
        times = [time for item in store.items for time in (item.created, item.updated, item.expires) if time]
        assert all(datetime.fromisoformat(time).tzinfo for time in times)
    assert contents(tmp_path) == before
    assert [store.kind for store in memories_in(tmp_path)[0]] == [store.kind for store in stores]


@pytest.mark.parametrize("kind", STORES)
def test_a_damaged_store_opens_in_part_or_is_refused_in_a_sentence(kind: str, tmp_path: Path) -> None:
    path = STORES[kind](tmp_path)
    file = path if path.is_file() else path / "MEMORY.md"
    whole, random = file.read_bytes(), Random(f"memories {kind}")
    outcomes = set()
    for _ in range(12):
        damaged = bytearray(whole[: random.randrange(1, len(whole))] if random.random() < 0.5 else whole)
        for _ in range(random.randint(1, 6)):
            damaged[random.randrange(len(damaged))] = random.randrange(256)
        file.write_bytes(damaged)
        try:
            outcomes.add(all(isinstance(item.text, str) for store in open_memories(path) for item in store.items))
        except UnreadableError as error:
            outcomes.add(bool(error.sentence))
    assert outcomes == {True}


@pytest.mark.parametrize("kind", STORES)
def test_a_store_is_read_up_to_the_limit_of_items(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_MEMORY_ITEMS", "1")
    assert all(len([*store.items, *store.deleted]) <= 2 for store in opened(kind, tmp_path))


def test_the_life_of_a_memory_of_mem0_is_replayed(tmp_path: Path) -> None:
    (store,) = open_memories(mem0(tmp_path))
    (lamp,), (cat,) = store.items, store.deleted
    assert lamp.text == "The lamp is green." and [event.event for event in lamp.history] == ["added", "updated"]
    assert (lamp.history[1].before, lamp.history[1].by) == ("The lamp is red.", "mia")
    assert cat.is_deleted and cat.text == "Mia has a cat." and cat.history[-1].event == "deleted"


def test_an_item_of_langgraph_has_its_namespace_update_and_end(tmp_path: Path) -> None:
    (store,) = opened("langgraph-store", tmp_path)
    lamp, cat = store.items
    assert (lamp.scope, lamp.name, [event.event for event in lamp.history]) == ("users.mia", "a", ["added", "updated"])
    assert cat.text == "Mia has a cat." and cat.expires


def test_a_relation_of_a_graph_names_the_entity_that_is_missing(tmp_path: Path) -> None:
    path = STORES["knowledge-graph"](tmp_path)
    with path.open("a", encoding="utf-8") as file:
        file.write('\n{"type": "relation", "from": "Ben", "to": "lamp", "relationType": "sees"}')
    relations = [item for store in open_memories(path) for item in store.items if item.kind == "relation"]
    assert [item.about for item in relations] == [(), ("no entity: Ben",)]


def test_imports_of_a_rule_file_are_opened_five_deep_and_never_twice(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.md").write_text(f"@{number + 1}.md\n\nRule {number}.\n\n@0.md", encoding="utf-8")
    (tmp_path / "CLAUDE.md").write_text("@0.md and `@no.md`, me@host.md, @types/node\n@gone.md\n", encoding="utf-8")
    first, *others = open_memories(tmp_path / "CLAUDE.md")
    assert [(name, bool(file)) for _, name, file in first.imports] == [("0.md", True), ("gone.md", False)]
    assert [Path(store.path).name for store in others] == ["0.md", "1.md", "2.md", "3.md", "4.md"]


def test_a_rule_file_in_a_subfolder_is_loaded_with_the_file_that_imports_it(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "style.md").write_text("- Use tabs.\n", encoding="utf-8")
    (tmp_path / "CLAUDE.md").write_text("@docs/style.md\n", encoding="utf-8")
    assert [store.load for store in memories_in(tmp_path)[0]] == ["always", "always"]


def test_lines_that_end_a_sentence_each_are_rules_by_themselves(tmp_path: Path) -> None:
    (tmp_path / ".windsurfrules").write_text("Use tabs.\nSell lamps.\n\nA long rule\nof two lines.\n", encoding="utf-8")
    (store,) = open_memories(tmp_path / ".windsurfrules")
    assert [item.text for item in store.items] == ["Use tabs.", "Sell lamps.", "A long rule\nof two lines."]


def test_a_rule_with_paths_and_a_rule_file_of_a_subfolder_are_loaded_by_path(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "rules").mkdir(parents=True)
    (tmp_path / ".claude" / "rules" / "go.md").write_text(
        "---\npaths: 'cmd/**/*.{go,mod}', x\n---\n- Run gofmt.", "utf-8"
    )
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "AGENTS.md").write_text("Use pnpm.", "utf-8")
    (tmp_path / "AGENTS.md").write_text("Be brief.", "utf-8")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    stores = {Path(store.path).relative_to(tmp_path).as_posix(): store for store in memories_in(tmp_path)[0]}
    assert {path: (store.load, *store.paths) for path, store in stores.items()} == {
        "AGENTS.md": ("always",),
        ".claude/rules/go.md": ("by path", "cmd/**/*.{go,mod}", "x"),
        "web/AGENTS.md": ("by path", "web/**"),
    }


@pytest.mark.parametrize(
    ("path", "head", "load"),
    [
        (".kiro/steering/a.md", "inclusion: fileMatch\nfileMatchPattern: '**/*.go'", "by path"),
        (".kiro/steering/a.md", "inclusion: manual", "on demand"),
        (".kiro/steering/a.md", "inclusion: always", "always"),
        (".windsurf/rules/a.md", "trigger: glob\nglobs: '*.py'", "by path"),
        (".windsurf/rules/a.md", "trigger: always_on", "always"),
        (".cursor/rules/a.mdc", "description: Lamps\nglobs:\nalwaysApply: false", "on demand"),
        (".github/instructions/a.instructions.md", "applyTo: '**'", "always"),
    ],
)
def test_the_head_of_a_rule_file_says_when_it_is_loaded(path: str, head: str, load: str, tmp_path: Path) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(f"---\n{head}\n---\n- Wipe lamps.\n", encoding="utf-8")
    (store,) = open_memories(file)
    assert {store.load, *(item.load for item in store.items)} == {load}


def test_the_end_of_a_long_index_is_never_loaded(tmp_path: Path) -> None:
    place = notes(tmp_path)
    with (place / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.writelines(f"- point {number}\n" for number in range(220))
    (store,) = open_memories(place)
    assert store.cap == 200 and sum(item.load == "never" for item in store.items) == 23


def test_pickled_points_are_named_and_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "storage.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE points (id TEXT, point BLOB); INSERT INTO points VALUES ('a', x'80049530')")
    connection.close()
    (store,) = open_memories(path)
    assert not store.items and "pickled" in store.problems[0]


def test_a_database_of_another_kind_is_refused_with_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    sqlite3.connect(path).executescript("CREATE TABLE lamps (id TEXT, colour TEXT)")
    with pytest.raises(UnreadableError, match=r"the tables lamps: none is known as a memory store"):
        open_memories(path)


def test_an_unknown_table_next_to_memories_is_named(tmp_path: Path) -> None:
    path = mem0(tmp_path)
    sqlite3.connect(path).executescript("CREATE TABLE lamps (id TEXT)")
    assert open_memories(path)[0].problems == ["1 other table not read: lamps."]


def test_discovery_finds_the_user_the_parents_and_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, project = tmp_path / "home", tmp_path / "work" / "shop"
    (home / ".claude").mkdir(parents=True)
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (home / ".claude" / "CLAUDE.md").write_text("Be brief.", "utf-8")
    notes(home / ".claude")
    (tmp_path / "work" / "AGENTS.md").write_text("Use pnpm.", "utf-8")
    rules(project)
    stores = [(store.kind, store.scope, Path(store.path).name) for store in discover_memories(project)]
    assert stores == [
        ("rule-file", "user", "CLAUDE.md"),
        ("notes", "project:-home-mia-lamp", "memory"),
        ("rule-file", "project", "AGENTS.md"),
        ("rule-file", "project", "CLAUDE.md"),
        ("rule-file", "project", "style.md"),
    ]


def test_a_deletion_without_a_time_ends_the_life_of_a_memory_of_mem0(tmp_path: Path) -> None:
    path = mem0(tmp_path)
    with sqlite3.connect(path) as connection:
        row = ("9", "lamp", "The lamp is green.", None, "DELETE", None, None, 1, None, None)
        connection.execute(f"INSERT INTO history VALUES ({', '.join('?' * 10)})", row)
    connection.close()
    (store,) = open_memories(path)
    assert not store.items and [event.event for event in store.deleted[0].history] == ["added", "updated", "deleted"]


def test_the_blocks_and_passages_of_letta_have_their_agents_and_checkpoints(tmp_path: Path) -> None:
    (store,) = open_memories(letta_server(tmp_path))
    lamp, human = sorted(store.items, key=lambda item: item.text)[::-1]
    assert (human.name, human.text, human.scope, human.load) == ("human", "Mia has two cats.", "agent:shop", "at start")
    assert human.about == ("The user.",)
    changes = [(event.event, event.before, event.after, event.by) for event in human.history]
    assert changes == [
        ("added", "", "", "user-1"),
        ("updated", "", "Mia has a cat.", "agent-1"),
        ("updated", "Mia has a cat.", "Mia has two cats.", ""),
    ]
    assert (lamp.text, lamp.scope, lamp.load, lamp.about) == (
        "The lamp is green.",
        "agent:shop",
        "recalled",
        ("lamps",),
    )
    assert not store.problems


def test_a_block_in_an_agent_file_of_letta_has_its_agent_and_description(tmp_path: Path) -> None:
    path = tmp_path / "shop.af"
    agent = {"id": "agent-0", "name": "shop", "block_ids": ["block-0"], "memory_blocks": [], "messages": []}
    block = {"id": "block-0", "label": "human", "value": "Mia has a cat.", "description": "The user.", "limit": 5000}
    path.write_text(json.dumps({"agents": [agent], "groups": [], "blocks": [block], "files": [], "sources": []}))
    ((item,),) = (store.items for store in open_memories(path))
    assert (item.id, item.name, item.scope, item.about) == ("block-0", "human", "agent:shop", ("The user.",))


def test_records_without_a_name_or_an_end_are_left_out_of_a_graph(tmp_path: Path) -> None:
    whole = {"type": "entity", "name": "lamp", "entityType": "thing", "observations": ["is green"]}
    records = [{"type": "relation", "from": "lamp"}, {"type": "entity"}, whole, {"type": "entity", "name": "bulb"}]
    path = tmp_path / "memory.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    (store,) = open_memories(path)
    assert [item.id for item in store.items] == ["lamp#1", "bulb"]
    assert [problem.partition(":")[0] for problem in store.problems] == ["Line 1", "Line 2"]


def test_links_in_a_circle_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be brief.", "utf-8")
    (tmp_path / "memory").mkdir()
    for one, other in (("a", "b"), ("b", "a"), ("memory/x.md", "y.md"), ("memory/y.md", "x.md")):
        (tmp_path / one).symlink_to(other)
    (tmp_path / "memory" / "MEMORY.md").write_text("- [x](x.md)\n", "utf-8")
    assert [store.kind for store in memories_in(tmp_path)[0]] == ["rule-file", "notes"]


@pytest.mark.parametrize("name", ["kg.jsonl", "my-knowledge.json", "graph.jsonl"])
def test_a_graph_in_a_file_with_another_name_is_found_in_its_folder(name: str, tmp_path: Path) -> None:
    STORES["knowledge-graph"](tmp_path).rename(tmp_path / name)
    assert [store.kind for store in memories_in(tmp_path)[0]] == ["knowledge-graph"]


def test_the_root_of_a_memory_of_letta_code_is_loaded_at_the_start(tmp_path: Path) -> None:
    place = tmp_path / ".letta" / "agents" / "agent-7" / "memory"
    for name, text in {
        "MEMORY.md": "# Memory\n\n- [Lamp](lamp/MEMORY.md)\n",
        "human.md": "---\nname: Human\ndescription: who it is\n---\nMia likes green.\n",
        "lamp/MEMORY.md": "# Lamp\n\n- [Colour](colour.md)\n",
        "lamp/colour.md": "---\nname: Colour\ndescription: of the lamp\n---\nThe lamp is green.\n",
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    (store,) = open_memories(place)
    assert {item.scope for item in store.items} == {"agent:agent-7"}
    assert {item.id: item.load for item in store.items if item.name != "Memory"} == {
        "human.md": "at start",
        "lamp/MEMORY.md": "on demand",
        "lamp/colour.md": "on demand",
    }


def test_rule_files_next_to_an_index_of_notes_stay_rule_files(tmp_path: Path) -> None:
    for name, text in {
        "MEMORY.md": "# Memory\n\n- [Lamp](notes/lamp.md)\n- [Rules](CLAUDE.md)\n- [Gone](gone.md)\n",
        "CLAUDE.md": "- Oil the lamp on Mondays.\n@docs/style.md\n",
        "docs/style.md": "- Write short sentences.\n",
        "notes/lamp.md": "The lamp is green.\n",
        "README.md": "A lighthouse.\n",
        "memory/day.md": "Rain.\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    stores = {os.path.relpath(store.path, tmp_path): store for store in memories_in(tmp_path)[0]}
    assert {name: store.kind for name, store in stores.items()} == {
        "CLAUDE.md": "rule-file",
        "docs/style.md": "rule-file",
        ".": "notes",
        "memory": "notes",
    }
    assert [item.id for item in stores["."].items if item.load == "on demand"] == ["notes/lamp.md"]


def test_a_record_of_chroma_without_a_document_has_its_metadata_as_text(tmp_path: Path) -> None:
    path = STORES["chroma"](tmp_path)
    with sqlite3.connect(next(path.rglob("chroma.sqlite3")) if path.is_dir() else path) as database:
        database.execute("DELETE FROM embedding_metadata WHERE key = 'chroma:document'")
    assert all(item.text for store in open_memories(path) for item in store.items)


@pytest.mark.parametrize("kind", ["agno", "knowledge-graph", "rule-file"])
def test_a_store_opened_as_a_session_is_refused_with_the_command_that_opens_it(kind: str, tmp_path: Path) -> None:
    path = STORES[kind](tmp_path)
    with pytest.raises(UnreadableError, match="inspector memory"):
        load(path)


def test_a_damaged_database_is_a_store_that_says_so(tmp_path: Path) -> None:
    path = mem0(tmp_path)
    path.write_bytes(path.read_bytes()[:60])
    (store,) = memories_in(tmp_path)[0]
    assert (store.kind, store.path, [*store.items]) == ("damaged", str(path), [])
    (problem,) = store.problems
    assert problem.startswith(f"{path} is a damaged SQLite database (") and problem.endswith("cannot be read.")
