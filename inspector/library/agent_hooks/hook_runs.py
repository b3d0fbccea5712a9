"""The newest run of each hook: when it ran, how long it took, and its outcome. One private file for each event."""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from inspector.core.crash import log_folder
from inspector.core.json_objects import json_object
from inspector.core.text import make_private_folder, write_whole

HookOutcome = Literal["answered", "silent", "failed", "timeout"]
_NAME = re.compile(r"[A-Za-z][A-Za-z-]{0,40}")
_OUTCOMES = ("answered", "silent", "failed", "timeout")
_MAX_RUNS = 100


@json_object(title="Hook run")
@dataclass(frozen=True, slots=True)
class HookRun:
    """The newest run of a hook."""

    tool: Annotated[str, "the agent, as in its settings"]
    event: str
    time: Annotated[float, "Unix time of its end"]
    seconds: Annotated[float, "from its start to its answer"]
    outcome: Annotated[HookOutcome, "`silent` for a run without output"]


def record_run(tool: str, event: str, seconds: float, outcome: HookOutcome) -> None:
    """Record a run of a hook, in place of the one before. Never raises."""
    if not _NAME.fullmatch(tool) or not _NAME.fullmatch(event):
        return
    with suppress(Exception):
        folder = _folder()
        make_private_folder(folder)
        path = folder / f"{tool}.{event}.json"
        if not path.exists() and len(list(folder.iterdir())) > _MAX_RUNS:
            return
        values = {"tool": tool, "event": event, "time": time.time(), "seconds": seconds, "outcome": outcome}
        write_whole(path, json.dumps(values) + "\n")


def hook_runs() -> list[HookRun]:
    """Return the newest run of each hook, the newest first. Files that cannot be read are left out."""
    runs = []
    folder = _folder()
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        with suppress(OSError, ValueError, TypeError, KeyError):
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["outcome"] in _OUTCOMES:
                tool, event = str(values["tool"]), str(values["event"])
                runs.append(HookRun(tool, event, float(values["time"]), float(values["seconds"]), values["outcome"]))
    return sorted(runs, key=lambda run: run.time, reverse=True)


def _folder() -> Path:
    return log_folder() / "hook-runs"
