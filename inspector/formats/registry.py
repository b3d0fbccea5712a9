"""The formats by their names, and reading a file of any of them; a new one is one more entry here."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from inspector.conversation import Session
from inspector.formats import anthropic, openai, sharegpt
from inspector.formats.claude_code import reader
from inspector.formats.sample import described, open_content
from inspector.formats.source import Progress, UnreadableError
from inspector.providers import DIALECTS

FORMATS: dict[str, ModuleType] = {
    "claude-code": reader,
    "sharegpt": sharegpt,
    "anthropic": anthropic,
    "openai": openai,
}


SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ""})


def load(path: str | Path, progress: Progress | None = None) -> list[Session]:
    """The sessions in a file. `progress` is called now and then with the bytes done and the bytes in all.

    Raises `UnreadableError`, and nothing else, when there is no conversation to be had; a file that is broken in part
    gives what can be read, with the rest in `Session.problems`.
    """
    content = open_content(path, progress)
    try:
        for module in FORMATS.values():
            if module.recognise(content.sample):
                with uncollected():
                    sessions: list[Session] = module.read(content, progress)
                return sessions
    except RecursionError as error:
        raise UnreadableError(path, f"{path} is nested too deeply to be read: choose another file.") from error
    except OSError as error:
        raise UnreadableError(path, f"{path} could not be read to its end ({error.strerror}): try again.") from error
    known = ", ".join(FORMATS)
    raise UnreadableError(
        path,
        f"{path} holds {described(content.sample)}, which is none of the formats known here ({known}): "
        "choose another file.",
    )


def files_read(path: Path) -> list[Path]:
    """The files that `load` reads for one: the file itself, and those of sub-agents beside it."""
    return [path, *reader.files_of_sub_agents(path)]


def is_log(path: str | Path) -> bool:
    """Whether a file holds a recording in a form that no export has: records one a line, or several conversations.

    A single request is no log: it may be an export.
    """
    try:
        sample = open_content(path).sample
    except (UnreadableError, RecursionError):
        return False
    if sample.shape == "lines":
        return True
    known = next((name for name, module in FORMATS.items() if module.recognise(sample)), None)
    return known is not None and (sample.shape == "list" or known not in DIALECTS)


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for garbage while a session is built: all of it stays, and searching takes a fifth of the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def find(path: str | Path) -> list[Path]:
    """The files that may hold conversations: a file itself; of a folder, all below it that may, in order.

    Hidden folders are left out, and so are the files of sub-agents that are read with their session's own file.
    Whether a file really holds a conversation is told by `load`.
    """
    root = Path(path)
    if not root.is_dir():
        return [root]
    found: list[Path] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        candidates = (Path(folder, name) for name in files if not name.startswith("."))
        found.extend(file for file in candidates if file.suffix.lower() in SUFFIXES and file.is_file())
    known = set(found)
    return sorted(file for file in found if session_file(file) not in known)


def session_file(file: Path) -> Path | None:
    """The file of the session that a sub-agent's file belongs to, by where it lies; None for any other file."""
    if file.parent.name != "subagents" or not file.name.startswith("agent-"):
        return None
    folder = file.parent.parent
    return folder.with_name(f"{folder.name}.jsonl") if folder.name else None
