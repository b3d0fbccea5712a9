"""Check the installations of Inspector in coding agents: the files, the versions, and the newest run of each hook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from inspector.core.json_objects import json_object
from inspector.library.agent_hooks.hook_runs import HookRun, hook_runs
from inspector.library.agent_setup.json_places import SettingsError
from inspector.library.agent_setup.managed_files import ManagedFile
from inspector.library.agent_setup.setup_record import read_record, read_text_file
from inspector.library.agent_setup.tool_plans import SETUP_TOOLS, disabled_reason, installed_limits, tool_plan

FileState = Literal["installed", "outdated", "missing", "unreadable"]


@json_object(title="Installed file")
@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file of a coding agent."""

    path: str
    state: Annotated[FileState, "`outdated` if setup would change it"]


@json_object(title="Installation")
@dataclass(frozen=True, slots=True)
class Installation:
    """Inspector in one coding agent."""

    tool: Annotated[str, "as in inspector setup"]
    project: Annotated[str, "folder of the project; empty for the user's own settings"]
    version: Annotated[str, "of Inspector when it was installed; empty if unknown"]
    installed: bool
    files: Sequence[CheckedFile]
    hooks: Annotated[Sequence[HookRun], "newest run of each hook, newest first"]
    problems: Annotated[Sequence[str], "each a sentence with a remedy"]


def installations(project: Path) -> list[Installation]:
    """Return the state of Inspector in each coding agent, and in a project's settings where it is installed there.

    Args:
        project: Folder of the project.
    """
    runs = hook_runs()
    own = [_installation(tool, None, runs) for tool in SETUP_TOOLS]
    return [*own, *(row for tool in SETUP_TOOLS if (row := _installation(tool, project, runs)).installed)]


def _installation(tool: str, project: Path | None, runs: Sequence[HookRun]) -> Installation:
    record = read_record(tool, project)
    problems: list[str] = []
    files: list[CheckedFile] = []
    is_present: list[bool] = []
    try:
        for file in tool_plan(tool, project, installed_limits(tool, project)).files:
            state, present, problem = _checked(file)
            files.append(CheckedFile(str(file.path), state))
            is_present.append(present)
            problems += [problem] if problem else []
    except SettingsError as error:
        problems.append(str(error))
    installed = any(is_present) or bool(record.files)
    command = f"inspector setup {tool}{' --project' if project else ''}"
    ran = [run for run in runs if run.tool == tool]
    if installed:
        if any(file.state in ("outdated", "missing") for file in files):
            problems.append(f"Files are missing, or name another version or program: run {command}.")
        problems += [*_hook_problems(ran), *_off(tool, project)]
    return Installation(tool, str(project or ""), record.version, installed, files, ran, problems if installed else [])


def _checked(file: ManagedFile) -> tuple[FileState, bool, str]:
    """Return the state of a file, whether it contains a part of Inspector's, and a problem or ""."""
    try:
        text = read_text_file(file.path)
        if text is None:
            return "missing", False, ""
        present = file.removed(text) != text
        return ("installed" if file.added(text) == text else "outdated" if present else "missing"), present, ""
    except SettingsError as error:
        return "unreadable", False, str(error)
    except OSError as error:
        return "unreadable", False, f"{file.path} cannot be read: {error.strerror or error}."


def _hook_problems(runs: Sequence[HookRun]) -> Iterator[str]:
    for run in runs:
        if run.outcome in ("failed", "timeout"):
            when = f"{datetime.fromtimestamp(run.time):%Y-%m-%d %H:%M}"
            reason = "failed" if run.outcome == "failed" else f"gave up after {run.seconds:.1f} s"
            yield f"The newest hook of {run.event} {reason} ({when}): see hooks.log."


def _off(tool: str, project: Path | None) -> list[str]:
    try:
        reason = disabled_reason(tool, project)
    except (SettingsError, OSError, ValueError):
        return []  # Reported with the file.
    return [reason] if reason else []
