"""Reading all files of a source: in worker processes where there are many, with progress, whatever the files hold."""

from __future__ import annotations

import ast
import gc
import multiprocessing
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from inspector.core.processes import begin_worker, block_interrupts, start_tracker
from inspector.report.findings import Detection
from inspector.report.source.detectors import run_detectors
from inspector.report.source.expressions import dotted
from inspector.report.source.modules import ClassFacts, ParsedModule, ParseError, Scope
from inspector.report.source.source_files import Listing, SourceError, list_files, read_text

Progress = Callable[[str, int, int], None]
"""Takes what is done, how much of it, and how much there is."""
_PIECE = 20
"""Files in one piece of work."""
_PAYS = 120
"""Files from which on a second process is worth its start."""
_MAX_SIGHTINGS = 2_000
"""Of one file: more say nothing new."""
_MAX_CALLS = 400
_MAY_HOLD = re.compile(
    r"message|msgs|prompt|histor|memor|token|conversation|chat|context|summar|transcript|completion|dialog|"
    r"list\[|sequence\[|deque\[",
    re.IGNORECASE,
)
"""Words of which every file has one that has to do with what a model is told."""
_POLL_INTERVAL = 0.1


@dataclass(frozen=True, slots=True)
class CallFacts:
    """A call as it is written."""

    name: str
    """The last name of what is called."""
    receiver: str
    """"self", "super", "other", or empty for a plain name."""
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """A function, and what it calls."""

    name: str
    """With its class."""
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
    """What one file shows."""

    path: str
    lines: int = 0
    problem: str = ""
    """Why it could not be read; empty where it was."""
    classes: tuple[ClassFacts, ...] = ()
    aliases: tuple[tuple[str, frozenset[str]], ...] = ()
    functions: tuple[FunctionFacts, ...] = ()
    detections: tuple[Detection, ...] = ()


@dataclass(frozen=True)
class SourceFacts:
    """What all files of a source show."""

    listing: Listing
    files: tuple[FileFacts, ...] = field(repr=False)
    """In the order of their paths."""

    @property
    def problems(self) -> list[tuple[str, str]]:
        """The files that could not be read, with the reasons."""
        return [(facts.path, facts.problem) for facts in self.files if facts.problem]


def scan_folder(root: Path, on_progress: Progress | None = None, workers: int = 0) -> SourceFacts:
    """Read a folder's files with so many processes, or as many as there are processors where it is 0.

    Raises SourceError where there is nothing to read.
    """
    listing = list_files(root)
    if not listing.files:
        others = ", ".join(f"{count:,} of {name}" for name, count in listing.other_languages.most_common(3))
        raise SourceError(f"There is no Python in {str(root)!r}{f'; there are files {others}' if others else ''}.")
    count = workers or min(_processors(), 8)
    pieces = [listing.files[start : start + _PIECE] for start in range(0, len(listing.files), _PIECE)]
    alone = count < 2 or len(listing.files) < _PAYS
    rows = _read_here(listing.root, pieces) if alone else _read_beside(listing.root, pieces, count)
    files: list[FileFacts] = []
    for facts in rows:
        files += facts
        if on_progress:
            on_progress("reading", len(files), len(listing.files))
    return SourceFacts(listing, tuple(sorted(files, key=lambda facts: facts.path)))


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _read_here(root: Path, pieces: Sequence[Sequence[str]]) -> Iterator[list[FileFacts]]:
    with _rare_collections():
        for piece in pieces:
            yield _read_piece(root, piece)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Search for garbage seldom: a syntax tree is many objects, and no circle."""
    thresholds = gc.get_threshold()
    gc.set_threshold(200_000, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _read_beside(root: Path, pieces: Sequence[Sequence[str]], count: int) -> Iterator[list[FileFacts]]:
    """The facts of each piece as they come. Raises SourceError where a process ends before its time."""
    alone = sys.platform == "linux" and threading.active_count() == 1
    start_tracker()
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("fork" if alone else "spawn"), _start_worker)
    try:
        with block_interrupts():
            futures: set[Future[list[FileFacts]]] = {pool.submit(_read_piece, root, piece) for piece in pieces}
        while futures:
            done, futures = wait(futures, _POLL_INTERVAL, FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool as error:
        raise SourceError("A process that read source code ended before it was done: try one folder of it.") from error
    finally:
        with block_interrupts():
            pool.shutdown(cancel_futures=True)


def _start_worker() -> None:
    begin_worker()
    gc.freeze()
    gc.set_threshold(200_000, 50, 50)


def _read_piece(root: Path, paths: Sequence[str]) -> list[FileFacts]:
    return [_read_file(root, path) for path in paths]


def _read_file(root: Path, path: str) -> FileFacts:
    """What a file shows; a `problem` where it cannot be read."""
    try:
        return _read_module(path, read_text(root / path))
    except (ParseError, ValueError) as error:
        return FileFacts(path, problem=str(error))
    except (RecursionError, MemoryError):
        return FileFacts(path, problem="it is too large or nested too deeply")


def _read_module(path: str, text: str) -> FileFacts:
    """What a file of that text shows. Raises ParseError."""
    module = ParsedModule.of_text(path, text)
    return FileFacts(
        path,
        len(module.lines),
        classes=tuple(module.classes),
        aliases=tuple(module.aliases.items()),
        functions=tuple(_function(scope) for scope in module.scopes),
        detections=tuple(islice(run_detectors(module), _MAX_SIGHTINGS)) if _MAY_HOLD.search(text) else (),
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
    """Whether a decorator of a function or of its class says that it is to be used no more."""
    owner = scope.module.class_nodes.get(scope.owner)
    for node in (scope.node, owner):
        for decorator in getattr(node, "decorator_list", ()):
            if "deprecated" in dotted(decorator).lower():
                return True
    return False
