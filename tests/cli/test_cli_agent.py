"""`inspector agent`: a run against a model on loopback, in a store that another program can read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.memory import FolderTools, MemoryManager
from inspector.store import Store
from tests.cli.calling import inspect
from tests.engine.summaries.endpoint import Asked, Endpoint, fails, says, serving
from tests.provider_rules import check_openai


def completion(text: str | None, *calls: tuple[str, dict[str, str]]) -> dict[str, Any]:
    uses = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(values)}}
        for n, (name, values) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text} | ({"tool_calls": uses} if uses else {})
    choice = {"index": 0, "finish_reason": "tool_calls" if uses else "stop", "message": message}
    usage = {"prompt_tokens": 40, "completion_tokens": 6, "total_tokens": 46}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def reply(text: str | None, *calls: tuple[str, dict[str, str]]) -> Callable[[Asked], None]:
    return says(json.dumps(completion(text, *calls)), "application/json")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "INSPECTOR_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with serving(reply("There are twelve.")) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        yield endpoint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    (place / "orders.txt").write_text("twelve orders")
    return place


def test_a_run_prints_answer_and_statistics_and_is_in_the_store(model: Endpoint, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    ended = inspect("agent", "Count the orders", "--model", "gpt-4o", "--db", str(path), "--session", "run")
    assert ended.code == 0 and "There are twelve." in ended.out and "Session run" in ended.out
    memory = MemoryManager.load(Store(path), "run")
    assert [message.role for message in memory.get_context_for_llm()] == ["system", "user", "assistant"]
    again = inspect("agent", "And now?", "--model", "gpt-4o", "--db", str(path), "--session", "run", "--json")
    assert again.json["answer"] == "There are twelve." and again.json["statistics"]["total_messages"] == 5
    assert [len(asked.body["messages"]) for asked in model.requests] == [2, 4]
    assert not any("tools" in asked.body for asked in model.requests)


def test_a_tool_reads_files_of_the_folder_and_nothing_is_written_or_run_unasked(
    model: Endpoint, tmp_path: Path, folder: Path
) -> None:
    calls = (
        ("read_file", {"path": "orders.txt"}),
        ("read_file", {"path": "../secret.txt"}),
        ("write_file", {"path": "new.txt", "content": "x"}),
        ("run_command", {"command": "touch ran.txt"}),
    )
    (tmp_path / "secret.txt").write_text("secret")
    model.then(reply(None, *calls), reply("Done."))
    options = ("--model", "gpt-4o", "--tools", "shell,files", "--folder", str(folder), "--db", str(tmp_path / "s.db"))
    assert inspect("agent", "Count", *options).code == 0
    request = model.requests[-1].body
    assert check_openai({name: request[name] for name in ("model", "messages", "tools")}) == []
    results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    assert results[0] == "twelve orders"
    assert results[1].startswith("Error: ValueError") and "secret" not in results[1].replace("secret.txt", "")
    assert results[2:] == ["The user did not allow it."] * 2
    assert [path.name for path in folder.iterdir()] == ["orders.txt"]


async def test_allowed_actions_are_done_in_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setenv("SOME_API_KEY", "hidden")
    tools = FolderTools(folder, lambda action: not asked.append(action), seconds=5)  # type: ignore[func-returns-value]
    assert await tools.write_file("a/b.txt", "text") == "Written."
    assert (folder / "a" / "b.txt").read_text() == "text"
    assert await tools.run_command("cat a/b.txt; echo $SOME_API_KEY; exit 3") == "text\n\n[exit code 3]"
    assert tools.list_files() == "a/\norders.txt" or tools.list_files().splitlines() == ["a/", "orders.txt"]
    assert len(asked) == 2 and "cat a/b.txt" in asked[1]


async def test_no_link_leads_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (folder / "link").symlink_to(tmp_path)
    tools = FolderTools(folder, lambda _: True)
    for path in ("link/x", "/etc/passwd", ".."):
        with pytest.raises(ValueError, match="not in the folder"):
            tools.read_file(path)
    with pytest.raises(ValueError, match="not in the folder"):
        await tools.write_file("link/x", "y")


async def test_a_command_that_prints_or_runs_for_ever_is_stopped(folder: Path) -> None:
    tools = FolderTools(folder, lambda _: True, seconds=1)
    assert (await tools.run_command("yes")).endswith("[stopped after 200,000 bytes of output]")
    assert (await tools.run_command("echo first; sleep 60")).splitlines() == ["first", "", "[stopped after 1 seconds]"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--model", "m", "--tools", "network"], "There are no tools 'network'"),
        ([], "Name the model"),
        (["--model", "m", "--preset", "bold"], "no preset 'bold'"),
    ],
)
def test_wrong_usage_is_named(model: Endpoint, tmp_path: Path, words: list[str], reason: str) -> None:
    ended = inspect("agent", "Go", "--db", str(tmp_path / "s.db"), *words)
    assert ended.code in (1, 2) and reason in ended.err
    assert not model.requests


def test_a_failing_endpoint_is_one_sentence_and_the_task_is_kept(model: Endpoint, tmp_path: Path) -> None:
    model.then(fails(401, {"message": "bad key a-key"}))
    path = tmp_path / "store.db"
    ended = inspect("agent", "Go", "--model", "gpt-4o", "--db", str(path), "--session", "run")
    assert ended.code == 1 and "a-key" not in ended.err + ended.out
    assert len(MemoryManager.load(Store(path), "run").get_context_for_llm()) == 2
