"""Every recorded file of these formats that is at hand loads whole, reads whole, and goes out as valid requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Dialect, Message, Session
from inspector.formats import find, load
from inspector.llm.providers import PROVIDERS, count_characters, message_from_raw
from tests.places import DATA
from tests.provider_rules import check_anthropic, check_openai

FOLDERS = {
    "claude-code": "claude-code",
    "tau-bench": "openai",
    "litellm-log": "openai",
    "openai-completions": "openai",
    "sharegpt": "sharegpt",
}
FILES = [(path, FOLDERS[folder]) for folder in FOLDERS for path in sorted((DATA / folder).rglob("*")) if path.is_file()]
CHECKS: dict[Dialect, Any] = {"openai": check_openai, "anthropic": check_anthropic}

pytestmark = pytest.mark.skipif(not FILES, reason="the recorded sessions are not at hand (../shared/data)")
NAMES = [str(path.relative_to(DATA)) for path, _ in FILES]
each_path = pytest.mark.parametrize("path", [path for path, _ in FILES], ids=NAMES)


def contexts(session: Session) -> Iterator[list[Message]]:
    """The context of each agent as it stands at the end, and the whole log as if it were one."""
    for agent in session.agents:
        ends = [at for at, message in enumerate(session) if message.agent == agent]
        yield [session.messages[at] for at in session.path_to(ends[-1] if ends else -1)]
    yield list(session.messages)


@pytest.mark.parametrize(("path", "format"), FILES, ids=NAMES)
def test_it_loads_as_its_format(path: Path, format: str) -> None:
    sessions = load(path)
    assert {session.format for session in sessions} == {format}
    assert len({session.id for session in sessions}) == len(sessions)
    assert all(session.title and "\n" not in session.title and len(session.title) <= 120 for session in sessions)


@each_path
def test_every_message_reads_whole_and_is_as_large_as_its_head_says(path: Path) -> None:
    for session in load(path):
        assert len({message.id for message in session}) == len(session.messages)
        for position, message in enumerate(session):
            assert -1 <= message.parent < position
            assert sum(map(count_characters, message.parts)) == message.chars
            again = message_from_raw(message.id, message.raw, message.dialect)
            heads = [(m.calls, m.answers, m.is_error, m.thinks, m.preview, m.images) for m in (message, again)]
            assert heads[0] == heads[1]
            assert isinstance(message.record, dict)


@each_path
def test_every_result_stands_behind_its_call(path: Path) -> None:
    for session in load(path):
        for position, message in enumerate(session):
            if message.answers is None:
                continue
            before = [session.messages[at] for at in session.path_to(position)]
            callers = [m for m in before if any(call.id == message.answers for call in m.calls)]
            assert callers or "edge_cases" in path.name
            assert all(m.role == "tool" for m in before[before.index(callers[-1]) + 1 :])


@each_path
@pytest.mark.parametrize("to", CHECKS)
def test_every_context_goes_out_as_a_valid_request(path: Path, to: Dialect) -> None:
    for session in load(path):
        for messages in contexts(session):
            assert CHECKS[to](PROVIDERS[to].request(session.context, messages)) == []


def joined(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Recorded messages with neighbours of one side joined, as a request must have them."""
    result: list[dict[str, Any]] = []
    for item in items:
        if result and item["role"] == result[-1]["role"] == "user":
            result[-1] = {**item, "content": f"{result[-1]['content']}\n\n{item['content']}"}
        else:
            result.append(item)
    return result


@pytest.mark.parametrize("folder", ["tau-bench", "litellm-log"])
def test_recorded_chat_messages_go_out_as_they_came_in(folder: str) -> None:
    paths = [path for path, _ in FILES if folder in path.parts]
    if not paths:
        pytest.skip(f"no file of {folder} is at hand")
    for path in paths:
        recorded = json.loads(path.read_text(encoding="utf-8"))
        runs = [run["traj"] for run in recorded] if isinstance(recorded, list) else [recorded["messages"]]
        for session, run in zip(load(path), runs, strict=True):
            ids = [call["id"] for item in run for call in item.get("tool_calls") or ()]
            if len(set(ids)) < len(ids):  # one of the two must be renamed
                continue
            sent = PROVIDERS["openai"].request(session.context, session.messages[: len(run)])["messages"]
            expected = [item if item["content"] != [] else item | {"content": None} for item in joined(run)]
            assert sent[: len(expected)] == expected


def test_sub_agents_are_found_with_their_session() -> None:
    paths = find(DATA / "claude-code")
    assert not [path for path in paths if path.parent.name == "subagents"]


COUNTED = {"copilot-cli", "gemini-cli", "inspect-eval", "locomo", "sharegpt", "tau-bench", "who-and-when"}
"""Formats whose messages the list of the files counts as the log has them, with or without results and prompts."""


def test_the_counts_agree_with_the_list_of_the_files() -> None:
    rows = [line.strip("| ").split(" | ") for line in (DATA / "MANIFEST.md").read_text(encoding="utf-8").splitlines()]
    counts = {DATA / row[1]: (row[0], int(row[5]), int(row[6])) for row in rows if len(row) > 6 and row[6].isdigit()}
    counts = {path: row for path, row in counts.items() if row[0] in COUNTED | {"claude-code"}}
    assert counts
    for path, (form, messages, calls) in counts.items():
        if path.with_suffix("").is_dir():  # its sub-agents' files are rows of their own
            continue
        log = [message for session in load(path) for message in session]
        assert sum(len(message.calls) for message in log) == calls, path.name
        talk = [message for message in log if message.role != "tool"]
        words = [message for message in talk if message.role != "system"]
        assert form not in COUNTED or messages in map(len, (log, talk, words)), path.name
