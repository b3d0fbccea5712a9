"""Serialise the steps of an opening into frames of bytes for another process, and back.

A frame is JSON or an array of numbers, so that a transcript cannot make it execute code. A session is sent once, as the
heads of its messages. Their texts stay in the file or the store, which both processes read.
"""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from itertools import islice
from typing import Any

import orjson

from inspector.core.conversation import (
    Body,
    CallHead,
    InMemoryBody,
    Message,
    Problem,
    Session,
    Usage,
    WorkEvent,
    size_facts,
)
from inspector.core.gc_tuning import freeze_gc
from inspector.core.text import dumps, exact_dumps, loads
from inspector.formats import FileBody, Source
from inspector.library.bench.plan_stack import with_stored_plans
from inspector.library.bench.workbench import Workbench
from inspector.library.opening.opening_steps import Step
from inspector.llm.tokens import CharsCounter, SizeFall, Sizes, TokenizerCounter
from inspector.store import Store, StoreBody

_CHUNK = 500
"""Number of messages in a frame, small enough to be read without delaying a key press."""


def _plain_fields(kind: type[Any], *others: str) -> tuple[str, ...]:
    """Return the names of a dataclass's fields that are sent unchanged: all except `others`."""
    return tuple([entry.name for entry in fields(kind) if entry.name not in others])


_SHARED = ("role", "dialect", "kind", "name", "agent", "model")
"""Fields of messages whose values are shared by many of them."""
_MESSAGE = _plain_fields(Message, "body", "calls", "usage", "events", *_SHARED)
_SESSION = _plain_fields(Session, "messages", "problems")
_SIZES = _plain_fields(Sizes, "tokens", "levels", "removed", "counter", "cache")
_STEP = _plain_fields(Step, "bench")


class UnsuitableError(Exception):
    """Raised for a session that cannot be sent to another process."""


@dataclass
class StepWriter:
    """Creates the frames for the steps of one opening."""

    _session: Session | None = None
    """The last session that was sent."""

    def frames(self, step: Step) -> Iterator[bytes]:
        """Yield the frames of a step, preceded by those of its session if it is new.

        Raises:
            UnsuitableError: If the session cannot be sent.
        """
        bench = step.bench
        if bench is not None and bench.session is not self._session:
            self._session = bench.session
            yield from _session_frames(bench.session)
        progress = {name: getattr(step, name) for name in _STEP}
        if bench is None:
            yield dumps(["step", progress, None]).encode()
            return
        sizes = bench.sizes
        counter = sizes.counter
        state = {name: getattr(sizes, name) for name in _SIZES}
        name = float(counter.chars_per_token) if isinstance(counter, CharsCounter) else counter.name
        is_changed = bool(bench.plans or bench.versions or bench.bookmarks)
        yield dumps(["step", progress, [bench.store_id, is_changed, name, state]]).encode()
        try:
            yield array("q", sizes.tokens).tobytes()
            yield array("q", sizes.levels).tobytes()
            yield array("q", sizes.removed).tobytes()
        except OverflowError as error:
            raise UnsuitableError from error


def _session_frames(session: Session) -> Iterator[bytes]:
    sources: dict[Source, int] = {}
    rows = [_row(message, sources) for message in session.messages]
    if any(source.data is not None for source in sources):
        raise UnsuitableError
    head = {name: getattr(session, name) for name in _SESSION}
    files = [[source.path, source.size, source.start] for source in sources]
    try:
        problems = [asdict(problem) for problem in session.problems]
        chunks = range(0, len(rows), _CHUNK)
        yield exact_dumps(["session", head, problems, files, len(chunks)], ascii_only=True).encode()
    except (TypeError, ValueError) as error:
        raise UnsuitableError from error
    for start in chunks:
        yield dumps(rows[start : start + _CHUNK]).encode()


def _row(message: Message, sources: dict[Source, int]) -> list[Any]:
    """Return a message's head and the place of its body. `sources` assigns numbers to the files."""
    usage = message.usage
    return [
        [getattr(message, name) for name in _MESSAGE],
        [getattr(message, name) for name in _SHARED],
        [[call.id, call.name] for call in message.calls],
        astuple(usage) if usage else None,
        _place_of_body(message.body, sources),
        [list(event) for event in message.events],
    ]


def _place_of_body(body: Body, sources: dict[Source, int]) -> Any:
    """Return the place of a body: a key of the store, spans of a file, or its records.

    Raises:
        UnsuitableError: If the body is of another type.
    """
    match body:
        case StoreBody(_, key):
            return key
        case FileBody(source, key, spans, piece, of):
            return [sources.setdefault(source, len(sources)), key, spans, piece, of]
        case InMemoryBody(raw, record):
            return {"records": exact_dumps([raw, record], ascii_only=True)}
    raise UnsuitableError


def _value(frame: bytes) -> list[Any]:
    """Decode a JSON frame."""
    try:
        value = orjson.loads(frame)
    except orjson.JSONDecodeError:  # it contains an unpaired surrogate
        value = loads(frame.decode())
    assert isinstance(value, list)
    return value


@contextmanager
def _kept_from_garbage_collection() -> Iterator[None]:
    """Exclude new objects from garbage collection, which would delay key presses by 0.2 s for 100,000 messages.

    Messages contain no reference cycles, so reference counting frees them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        freeze_gc()
        if was_enabled:
            gc.enable()


@dataclass
class StepReader:
    """Recreates the steps of one opening from the frames of a `StepWriter`."""

    store: Store | None
    """Store of bodies and plans."""
    limit: int
    """Context window, as in `Workbench.limit`."""
    _head: dict[str, Any] = field(default_factory=dict)
    _sources: list[Source] = field(default_factory=list)
    _messages: list[Message] = field(default_factory=list)
    _bench: Workbench | None = None

    def steps(self, frames: Iterator[bytes]) -> Iterator[Step]:
        """Yield the steps until there are no more frames.

        Raises:
            StoreError: If stored plans cannot be read.
        """
        for frame in frames:
            match _value(frame):
                case ["session", head, problems, files, chunks]:
                    head["tools"] = tuple(head["tools"])
                    head["stated_parts"] = tuple(map(tuple, head["stated_parts"]))
                    head["sizes"] = head["sizes"] and size_facts(head["sizes"])
                    self._head = head | {"problems": tuple([Problem(**problem) for problem in problems])}
                    self._sources = [Source(path, size, None, start) for path, size, start in files]
                    with _kept_from_garbage_collection():
                        self._messages = [
                            self._message(row) for chunk in islice(frames, chunks) for row in _value(chunk)
                        ]
                    self._bench = None
                case ["step", progress, state]:
                    progress["notes"] = tuple(progress["notes"])
                    numbers = [next(frames, b"") for _ in range(3)] if state else []
                    yield Step(self._next_bench(state, *numbers) if state else None, **progress)

    def _message(self, row: list[Any]) -> Message:
        plain, shared, calls, usage, place, events = row
        head: dict[str, Any] = dict(zip(_MESSAGE, plain, strict=True))
        head.update(zip(_SHARED, map(sys.intern, shared), strict=True))
        return Message(
            **head,
            calls=tuple([CallHead(call, sys.intern(name)) for call, name in calls]),
            usage=Usage(*usage) if usage else None,
            body=self._body(place, head["id"]),
            events=tuple([WorkEvent(*event) for event in events]),
        )

    def _body(self, place: Any, id: str) -> Body:
        """Return a body by its place. A key that equals its message's id shares the same string object."""
        match place:
            case int(key):
                assert self.store is not None, "its session was stored"
                return self.store.body(key)
            case [source, key, spans, piece, of]:
                lines = tuple([(start, size) for start, size in spans])
                return FileBody(self._sources[source], id if key == id else key, lines, piece, of)
        return InMemoryBody(*loads(place["records"]))

    def _next_bench(self, state: list[Any], tokens: bytes, levels: bytes, removed: bytes) -> Workbench:
        store_id, has_plans, name, values = state
        counter = CharsCounter(name) if isinstance(name, float) else TokenizerCounter(name)
        values["falls"] = tuple([SizeFall(*fall) for fall in values["falls"]])
        arrays = {"tokens": tokens, "levels": levels, "removed": removed}
        values |= {name: _array_values(numbers) for name, numbers in arrays.items()}
        sizes = Sizes(counter=counter, **values)
        bench = self._bench
        if bench is None:
            bench = Workbench(Session(messages=tuple(self._messages), **self._head), sizes, limit=self.limit)
        bench = replace(bench, sizes=sizes, store_id=store_id)
        if has_plans and not (bench.versions or bench.bookmarks) and self.store is not None:
            bench = with_stored_plans(bench, self.store, store_id)
        self._bench = bench
        return bench


def _array_values(content: bytes) -> array[int]:
    """Return numbers in a fifth of a list's memory. A log of 200,000 messages has hundreds of versions of them."""
    numbers = array("q")
    numbers.frombytes(content)
    return numbers
