"""Reading the sessions of a file of any format."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from inspector import formats
from inspector.core.conversation import Problem, Session
from inspector.core.gc_tuning import skip_young_gc
from inspector.core.text import dumps, one_line
from inspector.formats.base import Format, FormatMatch
from inspector.formats.building.call_order import CallOrder, TurnOrder
from inspector.formats.building.uncached_usage import without_uncached_usage
from inspector.formats.file_discovery import files_read_with_others, has_known_suffix
from inspector.formats.reading.archive_members import read_members, visible_members
from inspector.formats.reading.content import Content
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.source import Progress, UnreadableError, open_source
from inspector.formats.reading.text_files import cut_content, lines_of, text_content
from inspector.formats.reading.yaml_text import yaml_value
from inspector.formats.recognition import format_of, rank, unknown_format
from inspector.formats.registry import FORMATS
from inspector.formats.sidecar import is_companion, request_path
from inspector.formats.unsupported import UnsupportedFile, find_fallback, find_unsupported

_YAML = re.compile(r"\s*(?:---\s*\n)?(?:- )?[\w.-]{1,60}:(?:\s|$)")
"""The beginning of a YAML object, or of a list of them."""
_LARGE_FILE_BYTES = 8 << 20
"""Minimum size of a file whose tail is shown while the rest is read."""
_CONFIDENT = 0.3
"""Minimum confidence for a format to be used without a warning."""
_MIN_SHARE = 0.5
"""Minimum share of a file's records that the format has to understand."""
_MAX_SHARE = 0.9
"""Share of understood records below which the session has a warning."""


def load(path: str | Path, progress: Progress | None = None) -> list[Session]:
    """Read the sessions of a file.

    Args:
        path: A file in any supported format.
        progress: Called repeatedly with the number of bytes read and the total number of bytes.

    Returns:
        At least one session. If the file is damaged, `Session.problems` lists the parts that could not be read.

    Raises:
        UnreadableError: The file contains no conversation that can be read. No other error is raised.
    """
    try:
        return _load(path, progress)
    except RecursionError as error:
        raise UnreadableError(path, f"{path} is nested too deeply to be read: choose another file.") from error
    except MemoryError as error:
        size = f"{Path(path).stat().st_size / 1e6:,.0f} MB"
        text = f"There is not enough memory to read {path} ({size}): close other programs, or open a part of it."
        raise UnreadableError(path, text) from error


def _load(path: str | Path, progress: Progress | None) -> list[Session]:
    content = open_content(path, progress)
    if content.sample.shape == "archive" and not rank(content.sample) and (names := _recordings_in(content)):
        return read_members(content, names, _sessions_in, progress)
    try:
        return _sessions_in(content, progress)
    except UnreadableError:
        sessions = _sessions_before_cut(content) or _sessions_in_yaml(content)
        if not sessions:
            raise
        return sessions


def _sessions_before_cut(content: Content) -> list[Session]:
    """Return the sessions of a file that was cut off in its first messages. Returns [] for any other file."""
    if is_companion(content.value) or find_unsupported(content.sample):
        return []
    with suppress(UnreadableError, OSError):
        cut = cut_content(content.source)
        return _sessions_in(cut) if cut is not None else []
    return []


def _memories_error(content: Content) -> UnreadableError | None:
    """Return the error for a file with memories of an agent, or None for any other file."""
    path = content.source.path
    what = formats.memories_title(content.sample, path)
    text = f"{path} holds {what} and no conversation: open it with inspector memory {path}"
    return UnreadableError(path, text) if what else None


def _sessions_in_yaml(content: Content) -> list[Session]:
    """Return the sessions of a YAML file whose value is a recording in JSON's terms, or [] for any other file.

    The records of a stream may be a list in it.
    """
    if content.sample.shape != "text" or not _YAML.match(content.sample.head):
        return []
    source = content.source
    with suppress(UnreadableError, OSError):
        value = yaml_value(content, "YAML")
        rows = value.get("messages") if isinstance(value, dict) else value
        lists = [b"\n".join(dumps(row).encode() for row in rows)] if isinstance(rows, list) and len(rows) > 1 else []
        for data in (*lists, dumps(value).encode()):
            with suppress(UnreadableError):
                return _sessions_in(text_content(replace(source, size=len(data), data=data, start=0)))
    return []


def _recordings_in(content: Content) -> list[str]:
    """Return the names of the files in an archive that may be read as separate conversations."""
    names = visible_members(content)
    if len(names) == 1:
        return names
    some = {name: path for name in names if has_known_suffix(path := Path(name))}
    others = files_read_with_others(some.values(), set(map(Path, names)))
    if others:
        which = "1 file in the archive belongs" if len(others) == 1 else f"{len(others):,} files in the archive belong"
        content.problems.add(f"{which} to another, which is read without it: unpack the archive, and open the folder")
    return [name for name, path in some.items() if path not in others]


def _sessions_in(content: Content, progress: Progress | None = None) -> list[Session]:
    path = content.source.path
    if is_companion(content.value):
        request = request_path(Path(path)) or "an exported request"
        raise UnreadableError(path, f"{path} is the sidecar that Inspector keeps next to {request}: open that.")
    if refusal := _unsupported_error(path, find_unsupported(content.sample)):
        raise refusal
    ranks = rank(content.sample)
    if not ranks:
        raise (
            _unsupported_error(path, find_fallback(content.sample))
            or _memories_error(content)
            or unknown_format(content)
        )
    content.check_order(ranks[0][1].order)
    try:
        with _no_garbage_collection():
            sessions = [*map(without_uncached_usage, _read_as(ranks[0][1], content, progress))]
    except OSError as error:
        raise UnreadableError(path, f"{path} could not be read to its end ({error.strerror}): try again.") from error
    _require_coverage(content, *ranks[0])
    if ranks[0][1].order.calls:
        sessions = [_with_order_problems(session, content) for session in sessions]
    return _with_problems(sessions, _doubts(content, ranks), content.all_problems())


def _unsupported_error(path: str, kind: UnsupportedFile | None) -> UnreadableError | None:
    """Return the error for a file of a known kind without a conversation."""
    if kind is None:
        return None
    advice = f"open {kind.instead}" if kind.instead else "choose another file"
    return UnreadableError(path, f"{path} is {kind.what}: {advice}.")


def _read_as(best: Format, content: Content, progress: Progress | None) -> list[Session]:
    """Read the sessions of a file. An error of a plugin's format becomes an UnreadableError that names the format."""
    try:
        return best.read(content, progress)
    except UnreadableError as error:
        path = content.source.path
        rest = str(error).removeprefix(f"{path} ")
        if not rest.startswith("has no message in it"):
            raise
        raise UnreadableError(path, f"{path} is of the format {best.title} and {rest}") from error
    except (OSError, RecursionError, MemoryError):
        raise
    except Exception as error:
        if best.name in FORMATS.own:
            raise
        path = content.source.path
        why = f"{type(error).__name__}: {one_line(str(error))}"
        raise UnreadableError(path, f"{path} cannot be read by the plugin format {best.name}: {why}.") from error


def _require_coverage(content: Content, match: FormatMatch, best: Format) -> None:
    """Raise UnreadableError if the format understood only a small part of the file."""
    coverage, path = content.coverage, content.source.path
    looks = f"{path} looks like {best.title} (it has {match.reason})"
    if coverage.share < _MIN_SHARE:
        raise UnreadableError(
            path,
            f"{looks}, but {coverage.rejected:,} of its {coverage.records:,} records are not in this format; "
            f"the first is {coverage.first}. Choose another file.",
        )
    prose = coverage.prose / max(1, content.source.size)
    if prose > 1 - _MIN_SHARE:
        raise UnreadableError(
            path,
            f"{looks}, but {prose:.0%} of it is on lines that are not JSON; "
            f"the first is line {coverage.first_prose:,}. Choose another file.",
        )


def _doubts(content: Content, ranks: Sequence[tuple[FormatMatch, Format]]) -> list[Problem]:
    """Return warnings that the file may have another format."""
    match, best = ranks[0]
    coverage = content.coverage
    doubts = []
    if coverage.share < _MAX_SHARE:
        doubts.append(f"only {coverage.share:.0%} of the {coverage.records:,} records could be read as {best.title}")
    if match.confidence < _CONFIDENT:
        doubts.append(f"this was read as {best.title}, because it has {match.reason}: that is a guess")
    twins = [entry.title for other, entry in ranks[1:] if other.confidence == match.confidence]
    if twins:
        doubts.append(f"this was read as {best.title}; it could also be {' or '.join(twins)}")
    return [*map(Problem, doubts)]


def _with_order_problems(session: Session, content: Content) -> Session:
    problems = CallOrder().problems(session.messages)
    if content.checks_turns:
        problems += TurnOrder().problems(session.messages)
    return replace(session, problems=(*session.problems, *problems)) if problems else session


def _with_problems(sessions: list[Session], doubts: list[Problem], problems: Sequence[Problem]) -> list[Session]:
    """Return the sessions with the doubts first in each, and the problems of the file last in the first session."""
    first, *others = sessions
    new = [problem for problem in problems if problem not in first.problems]
    first = replace(first, problems=(*first.problems, *new)) if new else first
    if not doubts:
        return [first, *others]
    return [replace(session, problems=(*doubts, *session.problems)) for session in (first, *others)]


def tail(path: str | Path) -> Session | None:
    """Return the newest context of a long file, to be shown while the rest is read.

    Returns None for short files, for formats without such an end, and for files that cannot be read.
    """
    try:
        if Path(path).stat().st_size < _LARGE_FILE_BYTES:
            return None
        content = open_content(path)
        best = format_of(content.sample)
        return best.tail(content) if best else None
    except (OSError, UnreadableError, RecursionError):
        return None


def stays_in_file(path: str | Path) -> bool:
    """Return True if the texts of a file's messages are read when they are needed, and not held in memory.

    Reads only the beginning of the file. Returns False for files that cannot be read.
    """
    try:
        content = lines_of(open_source(path))
    except (OSError, UnreadableError, RecursionError):
        return False
    best = format_of(content.sample) if content and content.source.data is None else None
    return best is not None and best.leaves_texts


def is_log(path: str | Path) -> bool:
    """Return True if a file is a recording rather than a single request, which may be an export."""
    try:
        content = open_content(path)
        best = format_of(content.sample)
    except (UnreadableError, RecursionError):
        return False
    shape = content.sample.shape
    if best is None:
        return shape == "lines" or (shape == "archive" and bool(_recordings_in(content)))
    return shape in ("lines", "list") or not best.is_request


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Disable garbage collection, which would take a fifth of the time and free nothing while a session is built."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        skip_young_gc()  # searching the new objects takes as long as making them
        gc.enable()
