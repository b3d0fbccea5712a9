"""The commands that change a store or files, what they start from, and what is compared after a kill."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from inspector.store.connections import files_of
from tests.cli.calling import chat, transcript, written
from tests.fuzz.stores import FILE

CHANGING: dict[str, list[str]] = {
    "import": ["import", "NEW"],
    "keep": ["keep", "--all"],
    "discover": ["discover", "claude", "--import"],
    "apply": ["compress", "FILE", "--strategy", "sliding_window", "--apply"],
    "undo": ["undo", "FILE"],
    "pin": ["pin", "FILE", "50"],
    "drop": ["drop", "FILE", "49"],
    "bookmark": ["bookmarks", "add", "FILE", "7", "the lamp"],
    "unbookmark": ["bookmarks", "rm", "FILE", "3"],
    "promote": ["memory", "promote", "2"],
    "demote": ["memory", "demote", "6"],
    "inject": ["memory", "inject", "FILE", "--query", "lamp cellar", "--apply"],
    "memory pin": ["memory", "pin", "1"],
    "forget": ["memory", "forget", "1", "--yes"],
    "rm": ["rm", "FILE", "--yes"],
    "prune": ["store", "prune", "--older", "1d", "--yes"],
    "prune to totals": ["store", "prune", "--older", "1d", "--keep-rollups", "--yes"],
    "stats": ["stats", "--backfill"],
    "backup": ["store", "backup", "BACKUP"],
    "repair": ["store", "repair", "--replace"],
    "setup": ["setup", "claude-code", "--yes"],
    "setup of Codex": ["setup", "codex", "--yes"],
    "setup --remove": ["setup", "claude-code", "--remove", "--yes"],
    "preset": ["presets", "save", "mine", "-s", "sliding_window"],
    "preset remove": ["presets", "remove", "other"],
    "export": ["export", "FILE", "--to", "anthropic", "--force", "--out", "OUT"],
    "redact": ["redact", "FILE", "--force", "--out", "OUT"],
}
WITHOUT_STORE = ("setup", "setup of Codex", "setup --remove", "preset", "preset remove", "export", "redact")
"""Commands that write other files and need no page of a store."""
TABLES = (
    *("session", "message", "body", "context", "plan", "plan_fate", "plan_message", "session_tier", "memory"),
    *("bookmark", "rollup", "rollup_day"),
)
_TOOL = {
    "claude/settings.json": '{\n  "model": "opus",\n  "hooks": {}\n}\n',
    "codex/config.toml": 'model = "gpt-5"  # the good one\n',
    "presets.toml": '[other]\nstrategy = "trim_outputs"\n',
    "out.json": "{}\n",
}
State = tuple[object, ...]


def environment(place: Path, store: Path) -> dict[str, str]:
    """Return the variables that keep every file of a command within a folder."""
    tool = place / "tool"
    return {
        **{"INSPECTOR_DB": str(store), "HOME": str(tool), "INSPECTOR_PRESETS": str(tool / "presets.toml")},
        **{"CLAUDE_CONFIG_DIR": str(tool / "claude"), "CODEX_HOME": str(tool / "codex")},
        **{"XDG_DATA_HOME": str(tool / "data"), "XDG_STATE_HOME": str(tool / "state"), "COLUMNS": "80"},
        **{"XDG_CONFIG_HOME": str(tool / "config"), "XDG_CACHE_HOME": str(tool / "cache")},
    }


def arguments(words: list[str], place: Path) -> list[str]:
    names = {"FILE": place / FILE, "NEW": place / "new.json", "BACKUP": place / "kept.backup"}
    names["OUT"] = place / "tool" / "out.json"
    return [str(names.get(word, word)) for word in words]


def prepare(place: Path, base: Path, run: Callable[[list[str]], tuple[int, str]]) -> None:
    """Add what some commands need to a base store, and make the files that others start from.

    Args:
        place: Folder for the files.
        base: The base store.
        run: Runs a command on the base store. Returns its exit code and its output.
    """
    written(place / "new.json", chat(steps=30))
    tool = place / "tool"
    for name, text in _TOOL.items():
        (tool / name).parent.mkdir(parents=True, exist_ok=True)
        (tool / name).write_text(text)
    code, output = run(["bookmarks", "add", "FILE", "3", "the parcel"])
    assert code == 0, output
    with closing(sqlite3.connect(base)) as connection, connection:
        connection.execute("DELETE FROM rollup WHERE session_id = (SELECT min(session_id) FROM rollup)")
    shutil.copytree(tool, place / "tool.new")
    code, output = run(["setup", "claude-code", "--yes"])
    assert code == 0, output
    shutil.copytree(tool, place / "tool.installed")
    then = time.time() - 25 * 86_400
    for folder in ("tool.new", "tool.installed"):
        for name in ("1", "2"):
            log = place / folder / "claude" / "projects" / "-pier" / f"{name}.jsonl"
            written(log, transcript(name, prompt=f"Count {name}."))
            os.utime(log, (then, then))


def fresh(base: Path, place: Path, name: str) -> Path:
    """Return a copy of the base store for a command, damaged for a repair, and put back the files of tools."""
    store = place / "store.db"
    for old in (*files_of(store), *place.glob("kept.backup*"), *place.glob("store.*"), place / "tool"):
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink(missing_ok=True)
    if (place / "tool.new").exists():
        shutil.copytree(place / ("tool.installed" if name == "setup --remove" else "tool.new"), place / "tool")
    shutil.copyfile(base, store)
    store.chmod(0o600)
    if name == "repair":
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("UPDATE message SET parent = position WHERE position = 1")
    return store


def rows_of(path: Path) -> tuple[int, ...]:
    """Return the number of rows of the tables that commands change."""
    with closing(sqlite3.connect(path)) as connection:
        return tuple(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES)


def state_of(store: Path, place: Path) -> State:
    """Return the rows of a store, and the digests of the files of tools and of what commands write there."""
    files = (
        path
        for path in (place / "tool").rglob("*")
        if path.is_file() and not path.name.endswith(".part") and {"data", "state", "cache"}.isdisjoint(path.parts)
    )
    digests = sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)
    return tuple(json.loads(json.dumps([*rows_of(store), *digests])))
