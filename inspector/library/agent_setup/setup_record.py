"""Apply a plan to the files of a tool, and undo it: backups, and a record of the installed files.

The record and the backups are written before any file of the tool. If the power fails between two files, each is either
as it was or as it was meant to be, and the next run goes on from there.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from inspector import __version__
from inspector.core.limits import limit, limit_text
from inspector.core.text import is_stream, lock_folder, make_private_folder, write_whole
from inspector.library.agent_setup.json_places import SettingsError
from inspector.library.agent_setup.managed_files import JsonSettings, ManagedFile, OwnFile
from inspector.library.agent_setup.tool_plans import ToolPlan

FileAction = Literal["create", "change", "delete", "keep"]
_PRIVATE, _SHARED = 0o600, 0o644


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """A file of a tool before and after a change; None where it does not exist."""

    path: Path
    before: str | None
    after: str | None

    @property
    def action(self) -> FileAction:
        if self.before == self.after:
            return "keep"
        return "create" if self.before is None else "delete" if self.after is None else "change"


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file that was changed."""

    path: str
    digest: str
    """SHA-256 of the text that was written."""
    backup: str
    """File with the text before; "" if there was no file."""
    folders: tuple[str, ...] = ()
    """Folders that were created for it, the innermost first."""


@dataclass(frozen=True, slots=True)
class SetupRecord:
    """An installation: its version, and the files that it changed."""

    version: str = ""
    files: tuple[RecordedFile, ...] = ()

    def of(self, path: Path) -> RecordedFile | None:
        return next((file for file in self.files if file.path == str(path)), None)


def _setup_folder() -> Path:
    """Return the folder with the records and backups, which may not exist."""
    from platformdirs import user_data_path

    return user_data_path("inspector", appauthor=False) / "setup"


def read_record(tool: str, project: Path | None) -> SetupRecord:
    """Return the record of an installation; an empty one if it does not exist or cannot be read."""
    try:
        values = json.loads(_record_path(tool, project).read_text(encoding="utf-8"))
        files = tuple(RecordedFile(**file | {"folders": tuple(file["folders"])}) for file in values["files"])
        return SetupRecord(values["version"], files)
    except (OSError, ValueError, TypeError, KeyError):
        return SetupRecord()


def planned_changes(plan: ToolPlan, record: SetupRecord, remove: bool = False) -> list[SettingsChange]:
    """Return how each file of a plan changes when it is installed or removed. Nothing is written.

    Raises:
        SettingsError: If a file is not understood.
        OSError: If a file cannot be read.
    """
    paths = {file.path for file in plan.files}
    others = [OwnFile(Path(file.path), "") for file in record.files if Path(file.path) not in paths]
    return [_planned(file, record, remove) for file in (*plan.files, *(others if remove else ()))]


def _planned(file: ManagedFile, record: SetupRecord, remove: bool) -> SettingsChange:
    before = read_text_file(file.path)
    if not remove:
        return SettingsChange(file.path, before, file.added(before))
    recorded = record.of(file.path)
    if before is None:
        return SettingsChange(file.path, None, None)
    if recorded and recorded.digest == _text_digest(before):
        return SettingsChange(file.path, before, read_text_file(Path(recorded.backup)) if recorded.backup else None)
    after = file.removed(before)
    return SettingsChange(file.path, before, "{}\n" if after is None and recorded and recorded.backup else after)


def kept_members(plan: ToolPlan, changes: Sequence[SettingsChange]) -> list[str]:
    """Return a sentence for each setting that belongs to others and is left as it is."""
    texts = {change.path: change.before or "" for change in changes}
    return [
        f"{file.path} sets {key} already: it is left as it is."
        for file in plan.files
        if isinstance(file, JsonSettings)
        for key in file.kept(texts[file.path])
    ]


def read_text_file(path: Path) -> str | None:
    """Return the text of a settings file; None if it does not exist.

    Raises:
        SettingsError: If it is not a text of a usual size.
        OSError: If it cannot be read.
    """
    if not path.exists():
        return None
    if not path.is_file() or is_stream(path):
        raise SettingsError(f"{path} is not a file. Inspector leaves it as it is.")
    if path.stat().st_size > limit("settings_file"):
        raise SettingsError(f"{path} is larger than {limit_text('settings_file')}. Inspector leaves the file as it is.")
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: it is not UTF-8. Inspector leaves the file as it is.") from None


def apply_changes(
    tool: str, project: Path | None, changes: Sequence[SettingsChange], remove: bool = False
) -> list[str]:
    """Write the changed files, and return the backups of those that existed.

    Raises:
        SettingsError: If a file has changed since it was read.
        OSError: If a file cannot be written.
    """
    folder = _setup_folder()
    make_private_folder(folder)
    with lock_folder(folder):
        record = read_record(tool, project)
        for change in changes:
            if read_text_file(change.path) != change.before:
                raise SettingsError(f"{change.path} has just been changed by another program. Try again.")
        if remove:
            return _remove(tool, project, changes, record)
        files = {file.path: file for file in record.files}
        backups = []
        for change in changes:
            if change.action != "keep":
                recorded = _with_backup(folder, change, record.of(change.path))
                files[recorded.path] = recorded
                backups += [recorded.backup] if recorded.backup else []
        _write_record(tool, project, SetupRecord(__version__, tuple(files.values())))
        for change in changes:
            if change.action != "keep":
                _write_change(change, _PRIVATE if project is None else _SHARED)
    return backups


def _remove(tool: str, project: Path | None, changes: Sequence[SettingsChange], record: SetupRecord) -> list[str]:
    """Restore or delete the files, then forget the record and its backups."""
    for change in changes:
        if change.action != "keep":
            _write_change(change, _PRIVATE if project is None else _SHARED)
    for file in record.files:
        for created in file.folders:
            with suppress(OSError):  # not empty, or already gone
                Path(created).rmdir()
    _record_path(tool, project).unlink(missing_ok=True)
    restored = {_text_digest(change.after) for change in changes if change.after is not None}
    kept = []
    for file in record.files:
        if file.backup and _text_digest(read_text_file(Path(file.backup)) or "") in restored:
            Path(file.backup).unlink()
        elif file.backup:
            kept.append(file.backup)  # The file was edited since, and only Inspector's part was removed.
    return kept


def _with_backup(folder: Path, change: SettingsChange, recorded: RecordedFile | None) -> RecordedFile:
    """Keep the text before a change, and return what the record says of the file."""
    assert change.after is not None, "an installation deletes no file"
    digest = _text_digest(change.after)
    if recorded and change.before is not None and recorded.digest == _text_digest(change.before):
        return replace(recorded, digest=digest)  # The backup has the text before the first installation.
    missing = tuple(str(parent) for parent in change.path.parents if not parent.exists())
    folders = missing or (recorded.folders if recorded else ())
    if change.before is None:
        return RecordedFile(str(change.path), digest, "", folders)
    backup = (
        folder / f"{change.path.name}.{_text_digest(str(change.path))[:8]}.{_text_digest(change.before)[:12]}.backup"
    )
    write_whole(backup, change.before)
    return RecordedFile(str(change.path), digest, str(backup), folders)


def _write_change(change: SettingsChange, mode: int) -> None:
    if change.after is None:
        change.path.resolve().unlink(missing_ok=True)  # A link of the user's stays.
        return
    if not change.path.parent.exists():
        if mode == _PRIVATE:
            make_private_folder(change.path.parent)
        else:
            change.path.parent.mkdir(parents=True, exist_ok=True)
    if change.path.exists():
        mode = stat.S_IMODE(change.path.stat().st_mode)
    write_whole(change.path, change.after, mode=mode)


def _write_record(tool: str, project: Path | None, record: SetupRecord) -> None:
    files: list[Mapping[str, Any]] = [
        {"path": file.path, "digest": file.digest, "backup": file.backup, "folders": list(file.folders)}
        for file in record.files
    ]
    values = {"tool": tool, "project": str(project or ""), "version": record.version, "files": files}
    write_whole(_record_path(tool, project), json.dumps(values, indent=2) + "\n")


def _record_path(tool: str, project: Path | None) -> Path:
    scope = _text_digest(os.fspath(project))[:12] if project else "user"
    return _setup_folder() / f"{tool}-{scope}.json"


def _text_digest(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()
