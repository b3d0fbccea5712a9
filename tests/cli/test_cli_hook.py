"""`hook`: an agent gets back what a compaction dropped, and nothing that it sends makes the hook fail."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings, strategies as st

from inspector.analysis.context_loss import restore
from inspector.cli.command_line import cli
from inspector.core.crash import log_folder
from inspector.formats import load
from inspector.library import answer_in_time, run_hook
from inspector.library.agent_hooks.hook_entry import has_grown
from inspector.library.agent_hooks.hook_files import hook_folder, key_of, read_hook_file, try_lock
from tests.cli.calling import inspect, process
from tests.cli.test_cli_restore import compacted

NAMES = ("SessionStart", "PreCompact", "PostCompact", "Stop", "SubagentStop", "SessionEnd", "PostToolUse", "Unknown")
FIELDS = ("hook_event_name", "source", "transcript_path", "agent_id", "trigger", "reason", "session_id", "cwd")
SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from((*NAMES, "compact", "/dev/null", "/"))
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
EVENTS = st.dictionaries(st.sampled_from(FIELDS) | st.text(), JSON) | JSON


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("INSPECTOR_DB", str(tmp_path / "store.db"))


def event(name: str, path: object, **more: object) -> bytes:
    common = {"session_id": "s", "transcript_path": path and str(path), "cwd": "/pier", "hook_event_name": name}
    return json.dumps(common | more).encode()


def hook(text: bytes, *words: str) -> str:
    """The output of the hook, which exits with 0 and prints no error."""
    ended = CliRunner().invoke(cli, ["hook", "--timeout", "120", *words], input=text)
    assert (ended.exit_code, ended.exception, ended.stderr) == (0, None, "")
    return ended.stdout


def failures() -> list[str]:
    log = log_folder() / "hooks.log"
    return log.read_text().splitlines() if log.exists() else []


def stored() -> int:
    return len(inspect("ls", "--json").json["sessions"])


CLAUDE = {"source": "compact", "model": "claude", "agent_type": "main"}
CODEX = {"source": "compact", "turn_id": "t1", "permission_mode": "default"}


@pytest.mark.parametrize("more", [CLAUDE, CODEX])
def test_a_start_after_a_compaction_gives_back_what_was_dropped(tmp_path: Path, more: dict[str, str]) -> None:
    path = compacted(tmp_path)
    restored = restore(load(path)[0], tokens=2_400, chars=10_000)
    assert restored and "python count.py --pier 4" in restored.text
    context = {"hookEventName": "SessionStart", "additionalContext": restored.text}
    first = hook(event("SessionStart", path, **more), "claude-code")
    assert json.loads(first) == {"hookSpecificOutput": context}
    assert first == hook(event("SessionStart", path, **more))
    assert first.isascii() and first.count("\n") == 1
    assert failures() == []


def test_the_text_has_at_most_10_000_characters(tmp_path: Path) -> None:
    path = compacted(tmp_path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["message"]["content"] = "Never touch lamp. " + " ".join(f"a{number}" for number in range(30_000))
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    text = json.loads(hook(event("SessionStart", path, source="compact")))["hookSpecificOutput"]["additionalContext"]
    assert 0 < len(text) <= 10_000


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "fork", None, ["compact"]])
def test_other_starts_get_nothing(tmp_path: Path, source: object) -> None:
    assert hook(event("SessionStart", compacted(tmp_path), source=source)) == ""


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("PreCompact", {"trigger": "auto", "custom_instructions": None}),
        ("Stop", {"stop_hook_active": False, "last_assistant_message": "On we go.", "background_tasks": []}),
        ("SessionEnd", {"reason": "other"}),
    ],
)
def test_a_transcript_is_kept_once(tmp_path: Path, name: str, more: dict[str, object]) -> None:
    path = compacted(tmp_path)
    before = path.read_bytes()
    assert [hook(event(name, path, **more)) for _ in range(2)] == ["", ""]
    assert stored() == 1
    assert path.read_bytes() == before
    assert failures() == []


@pytest.mark.parametrize("name", ["PostCompact", "SubagentStop", "PostToolUse", "UserPromptSubmit", "Unknown"])
def test_other_events_do_nothing(tmp_path: Path, name: str) -> None:
    assert hook(event(name, compacted(tmp_path), compact_summary="It was counted.")) == ""
    assert not (tmp_path / "store.db").exists()
    assert failures() == []


@pytest.mark.parametrize("name", ["SessionStart", "Stop", "SessionEnd"])
def test_events_of_a_sub_agent_do_nothing(tmp_path: Path, name: str) -> None:
    assert hook(event(name, compacted(tmp_path), source="compact", agent_id="a1")) == ""
    assert not (tmp_path / "store.db").exists()


def test_a_large_transcript_is_kept_at_the_end_of_its_session(tmp_path: Path) -> None:
    path = compacted(tmp_path)
    with path.open("a") as file:
        file.write(json.dumps({"type": "progress", "data": "a" * 10_000_000}) + "\n")
    assert hook(event("Stop", path)) == hook(event("PreCompact", path)) == ""
    assert stored() == 0
    assert hook(event("SessionEnd", path)) == ""
    assert stored() == 1


def test_a_codex_event_without_a_transcript_does_nothing() -> None:
    assert hook(event("SessionStart", None, **CODEX)) == hook(event("Stop", None)) == ""
    assert failures() == []


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b"[" * 200_000, b'{"hook_event_name": NaN'])
def test_broken_json_is_logged_in_a_line(text: bytes) -> None:
    assert hook(text) == ""
    assert len(failures()) == 1


@pytest.mark.parametrize("name", ["SessionStart", "Stop"])
def test_a_hostile_transcript_is_logged_without_its_text(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "noise").write_bytes(os.urandom(5_000) + b"\nprivate words\n")
    paths = [tmp_path / "absent", tmp_path, tmp_path / "fifo", "/dev/zero", tmp_path / "noise", "a\0b", "x" * 5_000]
    assert [hook(event(name, path, source="compact")) for path in paths] == [""] * len(paths)
    assert len(failures()) == len(paths)
    assert "private" not in "".join(failures())
    assert (log_folder() / "hooks.log").stat().st_mode & 0o777 == 0o600


def test_unknown_options_are_ignored(tmp_path: Path) -> None:
    assert hook(event("Stop", compacted(tmp_path)), "codex", "--later", "-x", "--json") == ""
    assert stored() == 1


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EVENTS.map(lambda value: json.dumps(value).encode()) | st.binary())
def test_any_input_exits_with_0_and_prints_nothing(text: bytes) -> None:
    assert hook(text) == ""


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EVENTS.map(lambda value: json.dumps(value).encode()) | st.binary())
def test_any_input_of_the_installed_program_prints_nothing(text: bytes) -> None:
    with pytest.MonkeyPatch.context() as patched:
        out = io.TextIOWrapper(io.BytesIO())
        patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        patched.setattr(sys, "stdout", out)
        assert run_hook(["claude-code", "--timeout", "60"]) == 0
        out.flush()
        assert out.buffer.getvalue() == b""


@pytest.mark.parametrize("name", ["SessionStart", "Stop", "PreCompact", "SessionEnd"])
def test_the_installed_program_survives_hostile_transcripts(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in [tmp_path / "absent", tmp_path, tmp_path / "fifo", "/dev/zero", "a\0b", "x" * 5_000, "~nobody/x"]:
        ended = process("hook", "--timeout", 60, input=event(name, path, source="compact"))
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert "fifo" not in "".join(failures())


def test_concurrent_processes_give_the_same_text_and_keep_one_session(tmp_path: Path) -> None:
    path = compacted(tmp_path)
    events = [event("SessionStart", path, source="compact"), event("Stop", path)] * 3
    with ThreadPoolExecutor(6) as pool:
        ended = list(pool.map(lambda text: process("hook", "--timeout", 50, input=text), events))
    assert [(one.returncode, one.stderr) for one in ended] == [(0, b"")] * 6
    assert failures() == []
    assert len({one.stdout for one in ended[::2]}) == 1 and ended[0].stdout.startswith(b'{"hookSpecificOutput"')
    assert [one.stdout for one in ended[1::2]] == [b""] * 3
    until(lambda: stored() == 1)


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


COMMON = {"session_id": "s1", "cwd": "/pier"}
INPUTS: dict[str, list[dict[str, object]]] = {
    "claude-code": [
        {"hook_event_name": "SessionStart", "source": "compact", "model": "claude-x", "session_title": "Lamps"},
        {"hook_event_name": "SessionStart", "source": "startup", "model": "claude-x"},
        {"hook_event_name": "SessionStart", "source": "resume", "seconds_since_last_response": 5, "context_tokens": 9},
        {"hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": ""},
        {"hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": "Keep the names."},
        {"hook_event_name": "PostCompact", "trigger": "auto", "compact_summary": "It was counted."},
        {"hook_event_name": "Stop", "stop_hook_active": True, "last_assistant_message": "", "background_tasks": []},
        {"hook_event_name": "SubagentStop", "stop_hook_active": False, "agent_id": "a1", "agent_type": "Explore"},
        {"hook_event_name": "SessionEnd", "reason": "clear"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "Go on.", "source": "user"},
        {
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {},
            "tool_response": {},
            "duration_ms": 1,
        },
    ],
    "codex": [
        {"hook_event_name": "SessionStart", "source": "compact", "permission_mode": "default", "model": "gpt-5"},
        {"hook_event_name": "PreCompact", "turn_id": "t1", "model": "gpt-5", "trigger": "auto"},
        {"hook_event_name": "PostCompact", "turn_id": "t1", "model": "gpt-5", "trigger": "manual"},
        {"hook_event_name": "Stop", "turn_id": "t1"},
    ],
}


@pytest.mark.parametrize("tool", INPUTS)
def test_every_event_of_an_agent_has_its_exact_output(tool: str, tmp_path: Path) -> None:
    path = compacted(tmp_path)
    restored = restore(load(path)[0], tokens=2_400, chars=10_000)
    assert restored
    context = {"hookEventName": "SessionStart", "additionalContext": restored.text}
    for fields in INPUTS[tool]:
        data = json.dumps({**COMMON, "transcript_path": str(path), **fields}).encode()
        ended = process("hook", tool, "--timeout", 90, input=data)
        assert (ended.returncode, ended.stderr) == (0, b"")
        expected = {"hookSpecificOutput": context} if fields.get("source") == "compact" else None
        assert (json.loads(ended.stdout) if ended.stdout else None) == expected
    until(lambda: stored() == 1)
    assert failures() == []


def test_an_answer_is_prepared_while_the_agent_compacts(tmp_path: Path) -> None:
    path = compacted(tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if "compact_boundary" in line)
    path.write_text("".join(lines[:start]))
    assert process("hook", input=event("PreCompact", path, trigger="auto")).stdout == b""
    with try_lock(key_of(str(path))) as is_free:  # a start that follows at once waits for the answer
        assert not is_free
    path.write_text("".join(lines[: start + 2]))
    until(lambda: bool(read_hook_file("answers", key_of(str(path)))))
    restored = restore(load(path)[0], tokens=2_400, chars=10_000)
    assert restored
    ended = process("hook", "--timeout", 0.5, input=event("SessionStart", path, source="compact"))
    answer = json.loads(ended.stdout)["hookSpecificOutput"]["additionalContext"]
    assert answer == restored.text
    verdict = read_hook_file("verdicts", "s")
    assert verdict["lost"] and verdict["turn"] == 8
    state = json.dumps({"session_id": "s", "context_window": {}}).encode()
    assert "last compaction lost 1 rule, 2 prompts" in process("statusline", input=state).stdout.decode()
    folder = Path(hook_folder("answers"))
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}


def test_the_end_of_a_turn_imports_what_has_grown_by_a_quarter(tmp_path: Path) -> None:
    path = compacted(tmp_path)
    process("hook", input=event("Stop", path))
    until(lambda: bool(read_hook_file("imports", key_of(str(path)))))
    size = path.stat().st_size
    assert read_hook_file("imports", key_of(str(path))) == {"size": size} and not has_grown(path)
    with path.open("a") as file:
        file.write(json.dumps({"type": "progress", "data": "a" * (size // 8)}) + "\n")
    assert not has_grown(path)
    with path.open("a") as file:
        file.write(json.dumps({"type": "progress", "data": "a" * (size // 8)}) + "\n")
    assert has_grown(path)


def test_the_end_of_a_long_transcript_gives_the_same_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = compacted(tmp_path)
    whole = json.loads(hook(event("SessionStart", path, source="compact")))
    lines = path.read_text().splitlines(keepends=True)
    earlier = [
        json.dumps({"type": "progress", "uuid": f"p{number}", "data": "a" * 9_000}) + "\n" for number in range(900)
    ]
    path.write_text("".join([*earlier, *lines]))
    monkeypatch.setattr("inspector.library.agent_hooks.hook_events._BYTES_BEFORE", 60_000)
    assert path.stat().st_size > 6_000_000
    assert json.loads(hook(event("SessionStart", path, source="compact"))) == whole
    padded = [*earlier, *(line.replace('"m', '"msg_0') for line in lines[:1]), *earlier[:20], *lines]
    path.write_text("".join(padded))
    assert json.loads(hook(event("SessionStart", path, source="compact"))) == whole


def test_the_time_limit_ends_an_event_that_never_arrives() -> None:
    never = Event()
    assert answer_in_time(lambda: bytes(never.wait()), seconds=0.01) is None
    assert len(failures()) == 1 and failures()[0].endswith(" builtins.TimeoutError")
    never.set()


@pytest.mark.parametrize("words", [["--timeout", "soon"], ["--db"], ["--timeout"]])
def test_wrong_options_do_not_stop_the_agent(words: list[str]) -> None:
    ended = process("hook", *words, input=b"{}")
    assert ended.returncode == 0 and not ended.stdout


def reply(tokens: int) -> str:
    usage = {"input_tokens": tokens - 30, "cache_read_input_tokens": 20, "output_tokens": 10}
    message = {"role": "assistant", "model": "claude-opus-4-5", "usage": usage, "content": []}
    return json.dumps({"type": "assistant", "message": message}) + "\n"


@pytest.mark.parametrize(
    ("tokens", "trigger", "blocks"),
    [(20_000, "auto", True), (100_000, "auto", False), (20_000, "manual", False), (190_000, "auto", False)],
)
def test_the_guard_refuses_only_automatic_compactions_below_the_threshold(
    tmp_path: Path, tokens: int, trigger: str, blocks: bool
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(reply(5) + reply(tokens))
    output = hook(event("PreCompact", path, trigger=trigger), "--guard", "conservative")
    assert bool(output) == blocks
    if blocks:
        assert json.loads(output) == {
            "decision": "block",
            "reason": "Inspector: The context has 20,000 tokens, and the preset conservative compacts at 60,000.",
        }
    assert hook(event("PreCompact", path, trigger=trigger)) == ""
    assert hook(event("PreCompact", path, trigger=trigger), "--guard", "unknown") == ""


def test_a_long_result_is_cut_in_its_own_shape_and_kept_whole(tmp_path: Path) -> None:
    long = "".join(f"line {number}\n" for number in range(9_000))
    response = {"stdout": long, "stderr": "", "interrupted": False, "lines": [1, {"text": long}]}
    text = event("PostToolUse", tmp_path, tool_name="Bash", tool_use_id="toolu_1", tool_response=response)
    assert hook(text) == "" and hook(text, "--trim", "100000") == ""
    specific = json.loads(hook(text, "--trim", "1000"))["hookSpecificOutput"]
    cut = specific["updatedToolOutput"]
    assert specific["hookEventName"] == "PostToolUse"
    assert cut["stderr"] == "" and cut["interrupted"] is False and cut["lines"][0] == 1
    assert cut["stdout"] == cut["lines"][1]["text"] and len(cut["stdout"]) < 4_300
    assert cut["stdout"].startswith("line 0\n") and cut["stdout"].endswith("line 8999\n")
    assert f"{len(long) - 4_000:,} characters left out" in cut["stdout"]
    (kept,) = Path(hook_folder("results")).glob("*.json")
    assert str(kept) in cut["stdout"] and json.loads(kept.read_text()) == response
    assert kept.stat().st_mode & 0o777 == 0o600
