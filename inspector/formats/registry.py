"""The formats by their names, and reading a file of any of them."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path

from inspector.conversation import Session
from inspector.formats.base import Format
from inspector.formats.claude_code.reader import ClaudeCode
from inspector.formats.companion import is_companion, is_companion_file, request_path
from inspector.formats.group_chat import GroupChat
from inspector.formats.locomo import LoCoMo
from inspector.formats.orchestration import Orchestration
from inspector.formats.requests import RequestFormat
from inspector.formats.sample import Sample, describe_sample, lines_of, open_content
from inspector.formats.sharegpt import ShareGPT
from inspector.formats.source import Progress, UnreadableError, open_source
from inspector.providers import DIALECTS

_ALL: tuple[Format, ...] = (
    ClaudeCode(),
    ShareGPT(),
    LoCoMo(),
    GroupChat(),
    Orchestration(),
    *map(RequestFormat, DIALECTS),
)
FORMATS: Mapping[str, Format] = {entry.name: entry for entry in _ALL}

_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ""})
_LONG = 8 << 20
"""Bytes from which on a file is long enough for its tail to be shown first."""


def format_of(sample: Sample) -> Format | None:
    """The format that a file with this sample is most likely of; None where it is of none."""
    confidence, best = max(((candidate.sniff(sample), candidate) for candidate in _ALL), key=itemgetter(0))
    return best if confidence else None


def load(path: str | Path, progress: Progress | None = None) -> list[Session]:
    """The sessions in a file. `progress` is called now and then with the bytes done and the bytes in all.

    Raises `UnreadableError`, and nothing else, when there is no conversation to be had; a file that is broken in part
    gives what can be read, with the rest in `Session.problems`.
    """
    content = open_content(path, progress)
    if is_companion(content.value):
        request = request_path(Path(path)) or "an exported request"
        raise UnreadableError(path, f"{path} is what Inspector keeps beside {request}: open that.")
    try:
        if best := format_of(content.sample):
            with _no_garbage_collection():
                return best.read(content, progress)
    except RecursionError as error:
        raise UnreadableError(path, f"{path} is nested too deeply to be read: choose another file.") from error
    except OSError as error:
        raise UnreadableError(path, f"{path} could not be read to its end ({error.strerror}): try again.") from error
    titles = ", ".join(kind.title for kind in _ALL)
    raise UnreadableError(
        path,
        f"{path} holds {describe_sample(content.sample)}, which is none of the formats known here ({titles}): "
        "choose another file.",
    )


def tail(path: str | Path) -> Session | None:
    """The newest context of a long file, for a first frame while the rest is read.

    None for short files, for formats that have no such end, and where none is found. Raises nothing: what is wrong with
    the file is told when all of it is read.
    """
    try:
        if Path(path).stat().st_size < _LONG:
            return None
        content = open_content(path)
        best = format_of(content.sample)
        return best.tail(content) if best else None
    except (OSError, UnreadableError, RecursionError):
        return None


def stays_in_file(path: str | Path) -> bool:
    """Whether the texts of a file's messages are read from there when they are asked for, and not held in memory.

    Reads the beginning only. False, too, for what cannot be read.
    """
    try:
        content = lines_of(open_source(path))
    except (OSError, UnreadableError, RecursionError):
        return False
    best = format_of(content.sample) if content and content.source.data is None else None
    return best is not None and best.leaves_texts


def files_of(path: Path) -> list[Path]:
    """The files that `load` reads for one: the file itself, and those that belong to it."""
    return [path, *dict.fromkeys(part for kind in _ALL for part in kind.parts(path))]


def is_log(path: str | Path) -> bool:
    """Whether a file holds a recording in a form that no export has: records one a line, or several conversations.

    A single request is no log: it may be an export.
    """
    try:
        sample = open_content(path).sample
        best = format_of(sample)
    except (UnreadableError, RecursionError):
        return False
    return sample.shape == "lines" or (best is not None and (sample.shape == "list" or not best.is_request))


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
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

    Hidden folders are left out, and so are companions of exports and the files of sub-agents that
    are read with their session's own file.
    Whether a file really holds a conversation is told by `load`.
    """
    root = Path(path)
    if not root.is_dir():
        return [root]
    paths: list[Path] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        candidates = (Path(folder, name) for name in files if not name.startswith("."))
        paths.extend(file for file in candidates if file.suffix.lower() in _SUFFIXES and file.is_file())
    all_paths = set(paths)
    alone = [path for path in paths if all_paths.isdisjoint(filter(None, (kind.whole(path) for kind in _ALL)))]
    return sorted(path for path in alone if not is_companion_file(path))
