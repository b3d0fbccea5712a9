"""The memories in the window of a turn: injected files, notes that were read, recalled items, and unrecorded rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspector.analysis.memory_audit import ItemFinder, WindowItem, window_items
from inspector.formats import load, open_memories
from inspector.library import Workbench
from tests.formats.memory_samples import mem0
from tests.generated import sized


def transcript(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """Write a session of Claude Code from records without their ids."""
    lines = []
    for number, row in enumerate(rows):
        ids = {"uuid": str(number), "parentUuid": str(number - 1) if number else None, "sessionId": "s"}
        stamp = f"2026-03-01T10:00:{number:02}Z"
        lines.append(json.dumps({**ids, "timestamp": stamp, "version": "2.1.0", "cwd": "/shop", **row}))
    path = folder / "session.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def words(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def reply(*content: dict[str, Any]) -> dict[str, Any]:
    blocks = [*content] or [{"type": "text", "text": "Done."}]
    return {"type": "assistant", "message": {"role": "assistant", "model": "claude-sonnet-4-5", "content": blocks}}


def call(key: str, name: str, given: dict[str, Any], result: str) -> list[dict[str, Any]]:
    asked = {"type": "tool_use", "id": key, "name": name, "input": given}
    answer = {"type": "tool_result", "tool_use_id": key, "content": result}
    return [reply(asked), {"type": "user", "message": {"role": "user", "content": [answer]}}]


def nested(path: str, text: str) -> dict[str, Any]:
    return {"type": "attachment", "attachment": {"type": "nested_memory", "path": path, "content": {"content": text}}}


def items_at(path: Path, turn: int | None, *stores: Path) -> list[WindowItem]:
    session = load(path)[0]
    finder = ItemFinder([store for place in stores for store in open_memories(place)])
    return window_items(Workbench(session, sized(session)).window(turn), session, finder)


def test_nested_memory_is_listed_item_by_item_from_the_turn_that_holds_it(tmp_path: Path) -> None:
    rules = nested("/shop/src/CLAUDE.md", "# Source\n\n- Use tabs in every file.\n- Never log a token.\n")
    path = transcript(tmp_path, [words("Hello."), reply(), rules, words("Go on."), reply()])
    assert items_at(path, 1) == []
    listed = items_at(path, 2)
    assert [(item.how, item.text, item.path, item.number) for item in listed] == [
        ("injected", "Use tabs in every file.", "/shop/src/CLAUDE.md", 3),
        ("injected", "Never log a token.", "/shop/src/CLAUDE.md", 3),
    ]


def test_an_item_leads_to_its_line_where_the_file_is_on_this_machine(tmp_path: Path) -> None:
    file = tmp_path / "CLAUDE.md"
    file.write_text("# Rules\n\nBe brief.\n\n- Use tabs in every file.\n", encoding="utf-8")
    reminder = "<system-reminder>\nContents of /x/CLAUDE.md (project instructions):\n\n- Use tabs in every file.\n"
    path = transcript(tmp_path, [words(f"{reminder}</system-reminder>\nHello."), reply()])
    (injected, *others) = items_at(path, None, file)
    assert (injected.how, injected.path, injected.line, injected.number) == ("injected", str(file), 5, 1)
    assert [(item.how, item.text, item.message) for item in others] == [("unrecorded", "Be brief.", "")]


def test_notes_that_were_read_and_items_that_a_tool_gave_back_are_listed(tmp_path: Path) -> None:
    store = mem0(tmp_path)
    rows = [words("What colour?")]
    rows += call("a", "Read", {"file_path": "/home/mia/memory/lamps.md"}, "     1→- The desk lamp is blue.")
    rows += call("b", "mcp__mem0__search", {"query": "lamp"}, '{"results": ["The lamp is green."]}')
    rows += call("c", "Bash", {"command": "date"}, "Monday")
    listed = items_at(transcript(tmp_path, [*rows, reply()]), None, store)
    assert [(item.how, item.text) for item in listed] == [
        ("read", "The desk lamp is blue."),
        ("recalled", "The lamp is green."),
    ]
    assert (listed[1].store, listed[1].item) == (str(store), "lamp")


def test_a_compaction_replaces_the_items_by_its_summary(tmp_path: Path) -> None:
    rules = nested("/shop/CLAUDE.md", "- Use tabs in every file.\n")
    summary = {**words("The user wants tabs."), "isCompactSummary": True}
    path = transcript(tmp_path, [rules, words("Go."), reply(), summary, words("On."), reply()])
    assert [item.how for item in items_at(path, 1)] == ["injected"]
    assert "summary" in [item.how for item in items_at(path, 2)]


def test_lines_that_a_command_found_in_notes_are_recalled(tmp_path: Path) -> None:
    found = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n4:- The desk lamp is blue.\n"
    rows = [words("What colour?"), *call("a", "Bash", {"command": "rg -n lamp /home/mia/memories/MEMORY.md"}, found)]
    (item,) = items_at(transcript(tmp_path, [*rows, reply()]), None)
    assert (item.how, item.text, item.path) == ("recalled", "The desk lamp is blue.", "/home/mia/memories/MEMORY.md")


def codex_session(folder: Path, *blocks: str) -> Path:
    parts = [{"type": "input_text", "text": text} for text in blocks]
    given = [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/shop", "cli_version": "0.60.0"}},
        {"type": "response_item", "payload": {"type": "message", "role": "developer", "content": parts}},
    ]
    for role, text in (("user", "Hello."), ("assistant", "Done.")):
        kind = "input_text" if role == "user" else "output_text"
        content = [{"type": kind, "text": text}]
        given.append({"type": "response_item", "payload": {"type": "message", "role": role, "content": content}})
    path = folder / "rollout.jsonl"
    path.write_text(
        "\n".join(json.dumps({"timestamp": "2026-03-01T10:00:00Z", **row}) for row in given), encoding="utf-8"
    )
    return path


def test_the_memory_summary_that_codex_injects_is_listed_item_by_item(tmp_path: Path) -> None:
    memory = (
        "## Memory\n\n- /home/mia/.codex/memories/memory_summary.md (already provided below)\n\n"
        "========= MEMORY_SUMMARY BEGINS =========\n- Mia wants short answers.\n- The shop is in Graz.\n"
        "========= MEMORY_SUMMARY ENDS =========\n\nSearch the memories first.\n"
    )
    listed = items_at(codex_session(tmp_path, "Be careful.", memory), None)
    assert [(item.how, item.text, item.path) for item in listed] == [
        ("injected", "Mia wants short answers.", "/home/mia/.codex/memories/memory_summary.md"),
        ("injected", "The shop is in Graz.", "/home/mia/.codex/memories/memory_summary.md"),
    ]


def test_skills_and_commands_that_a_program_injects_are_no_memories(tmp_path: Path) -> None:
    skill = {
        "type": "user",
        "isMeta": True,
        "message": {"role": "user", "content": "Base directory for this skill: /x"},
    }
    notes = {**skill, "message": {"role": "user", "content": "<memories>\nMia likes blue lamps.\n</memories>"}}
    listed = items_at(transcript(tmp_path, [skill, notes, words("Go on."), reply()]), None)
    assert [(item.how, item.number) for item in listed] == [("injected", 2)]
