"""Keep what the recorded compactions of a long file lost between runs, by everything that it depends on.

A value is used again only if the file, the sizes and the source code that reads them are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from hashlib import blake2b
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import orjson

from inspector.analysis.context_loss import LossHistory, loss_history
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.extraction_cache import digest_of_code
from inspector.core.plain_values import Link, PlainValues
from inspector.library.bench.file_extracts import FileExtracts
from inspector.library.bench.stored_extracts import StoredExtracts
from inspector.library.bench.workbench import Workbench
from inspector.llm.tokens import Sizes

_Value = TypeVar("_Value")
_Extracts = StoredExtracts | FileExtracts
_SOURCES = ("analysis", "core", "engine", "formats", "library/bench", "library/diagnosis", "llm")
"""Folders of the package that determine a kept value."""
_HEAD = tuple(field.name for field in fields(Message) if field.name != "body")
_KNOWN: WeakKeyDictionary[_Extracts, dict[str, tuple[Session, Sizes, Any]]] = WeakKeyDictionary()
"""The last value of each name, with the session and the sizes that it belongs to."""


def recorded_losses(bench: Workbench, agent: str = MAIN, cancelled: Callable[[], bool] = bool) -> LossHistory | None:
    """Return the losses of all recorded compactions of an agent. Those of a long file are kept.

    Args:
        bench: Session to examine.
        agent: Agent whose context was compacted.
        cancelled: Called once per turn; stops the walk when it returns True.

    Returns:
        The history, or None if the walk was cancelled.

    Raises:
        OSError: If the recording can no longer be read.
    """
    session = bench.session
    if not session.compactions:
        return LossHistory()

    def walk() -> LossHistory | None:
        return loss_history(session, bench.sizes, bench.fact_index(), agent, cancelled)

    return kept_value(bench, "losses", agent, lambda: PlainValues(LossHistory, {Message: _message_link(session)}), walk)


def kept_value(
    bench: Workbench, name: str, agent: str, form: Callable[[], PlainValues[_Value]], make: Callable[[], _Value | None]
) -> _Value | None:
    """Return a value that depends only on the session, its sizes and an agent, from an earlier run if it is kept.

    Args:
        bench: Session.
        name: Name of the value.
        agent: Agent that the value is about.
        form: Returns how the value is written.
        make: Returns the value, or None to keep nothing.
    """
    kept = None if bench.partial or bench.sizes.is_partial else bench.kept_results
    if kept is None:
        return make()
    known = _KNOWN.setdefault(kept, {}).get(f"{name} {agent}")
    if known is not None and known[0] is bench.session and known[1] is bench.sizes:
        return cast(_Value, known[2])
    key = _value_key(kept, bench, f"{name} {agent}")
    value = _read_kept(kept.load_result(key), form) if key else None
    if value is None:
        value = make()
        if value is not None and key:
            _write_kept(kept, key, form().fields(value))
    if value is not None:
        _KNOWN[kept][f"{name} {agent}"] = (bench.session, bench.sizes, value)
    return value


def _read_kept(text: str | None, form: Callable[[], PlainValues[_Value]]) -> _Value | None:
    if text is None:
        return None
    values = form()  # a class that cannot be kept is an error of the program, not of the kept text
    try:
        return values.value(orjson.loads(text))
    except (TypeError, ValueError, LookupError, AttributeError):
        return None


def _write_kept(kept: _Extracts, key: bytes, content: Any) -> None:
    try:
        text = orjson.dumps(content).decode()
    except (orjson.JSONEncodeError, UnicodeEncodeError):  # a lone surrogate: it is computed again the next time
        return
    kept.save_result(key, text)


def _message_link(session: Session) -> Link:
    """Return how messages of a session are written: as their positions in the log."""
    messages = session.messages
    places = {message: place for place, message in enumerate(messages)}
    return Link(places.__getitem__, messages.__getitem__)


def _value_key(kept: _Extracts, bench: Workbench, name: str) -> bytes:
    """Return the key of a value; b"" if the file can no longer be read."""
    content = kept.content_digest()
    if content is None:
        return b""
    hasher = blake2b(digest_of_code(_SOURCES) + content, digest_size=16)
    for part in (name, replace(bench.session, messages=()), bench.sizes.described()):
        hasher.update(repr(part).encode("utf-8", "surrogatepass"))
    for message in bench.session.messages:
        hasher.update(repr([getattr(message, field) for field in _HEAD]).encode("utf-8", "surrogatepass"))
    return hasher.digest()
