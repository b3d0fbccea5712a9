"""Reading all files of a source, in worker processes if there are many, and with progress."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from inspector.core.local_processes import LocalProcesses, safe_start
from inspector.core.work_pool import ProgressCallback, Stop, ThisProcess, WorkError, processor_count
from inspector.report.findings import Detection
from inspector.report.source.detectors import run_detectors
from inspector.report.source.expressions import dotted
from inspector.report.source.list_flows import Flow, read_flows
from inspector.report.source.modules import ClassFacts, ParsedModule, ParseError, Scope
from inspector.report.source.source_files import Listing, SourceError, list_files, read_text

_PIECE = 20
"""Number of files per unit of work."""
_PAYS = 120
"""Minimum number of files for which worker processes are started."""
_MAX_DETECTIONS = 2_000
"""Maximum number of detections per file. More add no information."""
_MAX_CALLS = 400
# e.g. "chat_history", "summarize", "list[Message]"
_MAY_HOLD = re.compile(
    r"message|msgs|prompt|histor|memor|token|conversation|chat|context|summar|transcript|completion|dialog|"
    r"list\[|sequence\[|deque\[",
    re.IGNORECASE,
)
"""Words of which at least one is in every file that manages a context. Detectors skip all other files."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """A call as written in the source."""

    name: str
    """Last name of the callee."""
    receiver: str
    """Receiver of the call: "self", "super" or "other", or empty for a plain name."""
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """A function and its calls."""

    name: str
    """Name with its class."""
    owner: str
    path: str
    line: int
    code: str
    calls: tuple[CallFacts, ...]
    is_deprecated: bool = False

    @property
    def bare_name(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Facts about one file."""

    path: str
    lines: int = 0
    problem: str = ""
    """Reason why the file could not be read; empty if it was read."""
    classes: tuple[ClassFacts, ...] = ()
    aliases: tuple[tuple[str, frozenset[str]], ...] = ()
    functions: tuple[FunctionFacts, ...] = ()
    detections: tuple[Detection, ...] = ()
    flows: frozenset[Flow] = frozenset()


@dataclass(frozen=True)
class SourceFacts:
    """Facts about all files of a source."""

    listing: Listing
    files: tuple[FileFacts, ...] = field(repr=False)
    """Facts in the order of the paths."""

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Paths of files that could not be read, with the reasons."""
        return [(facts.path, facts.problem) for facts in self.files if facts.problem]


def scan_folder(root: Path, on_progress: ProgressCallback | None = None, workers: int = 0) -> SourceFacts:
    """Read the Python files of a folder.

    Args:
        root: A folder or a single file.
        on_progress: Called with a label, the number of files read and the total.
        workers: Number of processes; 0 for one per processor, at most 8. Small folders are read in this process.

    Raises:
        SourceError: There is no Python source in the folder, or a worker process crashed.
    """
    listing = list_files(root)
    if not listing.files:
        others = ", ".join(f"{count:,} of {name}" for name, count in listing.other_languages.most_common(3))
        raise SourceError(f"{str(root)!r} contains no Python{f'; there are files {others}' if others else ''}.")
    count = workers or min(processor_count(), 8)
    pieces = [listing.files[start : start + _PIECE] for start in range(0, len(listing.files), _PIECE)]
    alone = count < 2 or len(listing.files) < _PAYS
    rows = _read_here(listing.root, pieces) if alone else _read_in_workers(listing.root, pieces, count)
    files: list[FileFacts] = []
    for facts in rows:
        files += facts
        if on_progress:
            on_progress("reading", len(files), len(listing.files))
    return SourceFacts(listing, tuple(sorted(files, key=lambda facts: facts.path)))


def _read_here(root: Path, pieces: Sequence[Sequence[str]]) -> Iterator[list[FileFacts]]:
    with _rare_collections():
        for _, facts in ThisProcess().results(_read_piece, root, pieces):
            yield facts


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Run garbage collection less often: a syntax tree has many objects but no reference cycles."""
    thresholds = gc.get_threshold()
    gc.set_threshold(200_000, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _read_in_workers(root: Path, pieces: Sequence[Sequence[str]], count: int) -> Iterator[list[FileFacts]]:
    """Yield the facts of each unit of work when its worker process has finished it.

    Raises:
        SourceError: A worker process crashed.
    """
    try:
        for _, facts in LocalProcesses(count, safe_start()).results(_read_piece, root, pieces):
            yield facts
    except WorkError as error:
        raise SourceError(f"{error} Try a smaller folder.") from error


def _read_piece(root: Path, paths: Sequence[str], _: Stop) -> list[FileFacts]:
    return [_read_file(root, path) for path in paths]


def _read_file(root: Path, path: str) -> FileFacts:
    """Return the facts about a file, or a `problem` if it cannot be read."""
    try:
        return _read_module(path, read_text(root / path))
    except (ParseError, ValueError) as error:
        return FileFacts(path, problem=str(error))
    except (RecursionError, MemoryError):
        return FileFacts(path, problem="it is too large or nested too deeply")


def _read_module(path: str, text: str) -> FileFacts:
    """Return the facts about a file with this text.

    Raises:
        ParseError: The text cannot be parsed.
    """
    module = ParsedModule.of_text(path, text)
    may_hold = bool(_MAY_HOLD.search(text))
    return FileFacts(
        path,
        len(module.lines),
        classes=tuple(module.classes),
        aliases=tuple(module.aliases.items()),
        functions=tuple(_function(scope) for scope in module.scopes),
        detections=tuple(islice(run_detectors(module), _MAX_DETECTIONS)) if may_hold else (),
        flows=frozenset(chain.from_iterable(map(read_flows, module.scopes))) if may_hold else frozenset(),
    )


def _function(scope: Scope) -> FunctionFacts:
    line = getattr(scope.node, "lineno", 1)
    calls = tuple(_call(scope, call) for call in islice(scope.of(ast.Call), _MAX_CALLS))
    path, code = scope.module.path, scope.module.code(line)
    return FunctionFacts(scope.name, scope.owner, path, line, code, calls, _is_deprecated(scope))


def _call(scope: Scope, call: ast.Call) -> CallFacts:
    match call.func:
        case ast.Name(id=name):
            receiver = ""
        case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls")):
            receiver = "self"
        case ast.Attribute(attr=name, value=ast.Call(func=ast.Name(id="super"))):
            receiver = "super"
        case ast.Attribute(attr=name):
            receiver = "other"
        case _:
            name, receiver = "", "other"
    return CallFacts(name, receiver, call.lineno, scope.module.code(call.lineno))


def _is_deprecated(scope: Scope) -> bool:
    """Return True if a function or its class has a decorator that marks it as deprecated."""
    owner = scope.module.class_nodes.get(scope.owner)
    for node in (scope.node, owner):
        for decorator in getattr(node, "decorator_list", ()):
            if "deprecated" in dotted(decorator).lower():
                return True
    return False
