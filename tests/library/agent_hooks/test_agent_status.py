"""The status line fits its width, says only what is known, and never fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.library import STATUS_FIELDS
from inspector.library.agent_hooks.agent_status import status_text
from inspector.library.agent_hooks.hook_files import write_hook_file
from tests.places import ROOT

STATE = {"context_window": {"context_window_size": 200_000, "used_percentage": 62}, "cost": {"total_cost_usd": 1.5}}


def test_the_line_states_the_window_the_next_compaction_and_a_cold_cache(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.touch()
    os.utime(path, (0, 0))
    state = STATE | {"transcript_path": str(path)}
    line = "62 % · compacts in ~43k · cache cold (75 min)"
    assert status_text(state, STATUS_FIELDS, {"COLUMNS": str(len(line))}, 75 * 60) == line
    assert status_text(state, STATUS_FIELDS, {"COLUMNS": str(len(line) - 1)}, 75 * 60) == "62 % · compacts in ~43k"
    assert status_text(state, STATUS_FIELDS, {}, 20 * 60) == "62 % · compacts in ~43k"
    assert status_text(state, "cost, used,unknown", {}, 0) == "$1.50 · 62 %"
    window = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "160000"}
    assert status_text(state, "compacts", window, 0) == "compacts in ~3k"


def test_the_line_states_what_the_last_compaction_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    state = STATE | {"session_id": "s1", "model": {"display_name": "Opus\x1b"}, "workspace": {"current_dir": "/a/pier"}}
    assert status_text(state, "lost", {}, 0) == ""
    write_hook_file("verdicts", "s1", {"lost": {"read": 9, "command": 3, "rule": 1, "state": 4}})
    assert status_text(state, "lost", {}, 0) == "last compaction lost 1 rule, 3 commands"
    assert status_text(state, "used,lost/model,folder/cost", {"COLUMNS": "40"}, 0) == "62 %\nOpus · pier"
    write_hook_file("verdicts", "s1", {"lost": {}})
    assert status_text(state, "lost", {}, 0) == "last compaction lost nothing"
    write_hook_file("verdicts", "s1", {"lost": "x"})
    assert status_text(state, "lost", {}, 0) == ""


def run(data: bytes, *words: str, code: str = "") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, *(["-c", code] if code else ["-m", "inspector", "statusline", *words])]
    return subprocess.run(command, input=data, cwd=ROOT, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "state", [b"", b"{", b"[]", b"\xff", b"[" * 50_000, b'{"context_window":7}', b'{"transcript_path":"a\\u0000"}']
)
def test_input_that_is_not_understood_prints_nothing(state: bytes) -> None:
    ended = run(state)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_fields_are_chosen_and_nothing_slow_is_loaded() -> None:
    state: Any = json.dumps(STATE).encode()
    assert run(state, "--fields", "used").stdout.decode() == "62 %\n"
    code = (
        "import sys, runpy\nsys.argv = ['inspector', 'statusline', '--fields', 'used']\n"
        "try: runpy.run_module('inspector', run_name='__main__')\nexcept SystemExit: print(*sys.modules)"
    )
    loaded = run(state, code=code).stdout.decode().split()
    assert "inspector.library.agent_hooks.agent_status" in loaded
    assert not {"click", "orjson", "inspector.engine", "inspector.formats"}.intersection(loaded)
