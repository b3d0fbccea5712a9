"""The newest run of each hook: when it ran, how long it took, and its outcome. One private file for each event."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, cast

from inspector.core.json_objects import json_object
from inspector.library.agent_hooks.hook_files import hook_folder, read_hook_file, write_hook_file

HookOutcome = Literal["answered", "silent", "failed", "timeout"]
_NAME = re.compile(r"[A-Za-z][A-Za-z-]{0,40}")
_OUTCOMES = ("answered", "silent", "failed", "timeout")
_RUNS = "runs"
"""Kind of the files."""


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
    values = {"tool": tool, "event": event, "time": time.time(), "seconds": seconds, "outcome": outcome}
    with suppress(OSError):
        write_hook_file(_RUNS, f"{tool}.{event}", values)


def hook_runs() -> list[HookRun]:
    """Return the newest run of each hook, the newest first. Files that cannot be read are left out."""
    runs = []
    folder = Path(hook_folder(_RUNS))
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        values = read_hook_file(_RUNS, path.stem)
        texts = [str(values.get(key)) for key in ("tool", "event", "outcome")]
        numbers = [value for key in ("time", "seconds") if isinstance(value := values.get(key), int | float)]
        if texts[2] in _OUTCOMES and len(numbers) == 2:
            runs.append(HookRun(texts[0], texts[1], numbers[0], numbers[1], cast(HookOutcome, texts[2])))
    return sorted(runs, key=lambda run: run.time, reverse=True)
