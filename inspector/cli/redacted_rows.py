"""Redact the rows that a command prints: lists of sessions, search results, memories, and new messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from inspector import library
from inspector.analysis import redaction
from inspector.cli.output import warn
from inspector.cli.redactions import chosen_kinds, is_redacting, review_lines
from inspector.core.conversation import Session
from inspector.library import OpenError, resolve
from inspector.store import SessionStore, Store, StoreError

Rows = TypeVar("Rows")
_CUT = "…"
"""Mark of a text that is cut."""


def redacted_rows(rows: Rows, sessions: Iterable[Session] = ()) -> Rows:
    """Return rows without secrets if the command has `--redact`, and list the replacements on standard error.

    A word at the cut end of a text is removed, because a piece of a secret cannot be recognised.

    Args:
        rows: Data classes with texts.
        sessions: Sessions that the texts are from. Their secrets are hidden in the rows as well.

    Raises:
        UsageError: A kind does not exist, or is given without `--redact`.
    """
    if not is_redacting():
        return rows
    redactor = redaction.Redactor((), *chosen_kinds())
    for session in sessions:
        redaction.collect_session(redactor, session)
    redactor.collect(json_texts(rows))
    clean = redacted_values(rows, redactor)
    for line in review_lines(redactor):
        warn(line)
    return clean


def sessions_of(targets: Iterable[str | None], store: SessionStore | None) -> Iterator[Session]:
    """Yield the sessions of some targets, except those that cannot be read."""
    for target in filter(None, dict.fromkeys(targets)):
        with suppress(OpenError, OSError, StoreError):
            yield resolve(target, store).session


def redacted_import(
    outcomes: list[library.ImportOutcome], problems: list[str], store: Store | None
) -> tuple[list[library.ImportOutcome], list[str]]:
    """Return the results of an import without the secrets of the imported sessions, and print the problems."""
    ids = [outcome.addition.id for outcome in outcomes if outcome.addition]
    outcomes, problems = redacted_rows((outcomes, problems), sessions_of(ids, store))
    for problem in problems:
        warn(problem)
    return outcomes, problems


def redacted_hits(hits: Sequence[library.SessionHit], store: SessionStore | None) -> list[library.SessionHit]:
    """Return hits without secrets if the command has `--redact`. In changed lines, no word is highlighted."""
    pairs = zip(redacted_rows(hits, sessions_of((hit.target for hit in hits), store)), hits, strict=True)
    return [clean if clean.text == hit.text else replace(clean, spans=()) for clean, hit in pairs]


def redacted_values(rows: Rows, redactor: redaction.Redactor, key: str = "") -> Rows:
    """Return data classes, mappings and sequences with the same content, without the secrets that were collected.

    Args:
        rows: Values to redact. The type of each stays.
        redactor: Has collected the secrets.
        key: Name of the field that contains the values.
    """
    return cast(Rows, _clean(rows, redactor, key))


def _clean(value: Any, redactor: redaction.Redactor, key: str) -> Any:
    match value:
        case str() if type(value) is str:
            return redactor.value_of({key: _without_cut_words(value)})[key]
        case Path():
            return type(value)(redactor.text_of(str(value)))
        case Mapping():
            return {name: _clean(inner, redactor, str(name)) for name, inner in value.items()}
        case list() | tuple():
            return _clean_items(value, redactor, key)
    return _clean_fields(value, redactor) if is_dataclass(value) else value


def _clean_items(items: list[Any] | tuple[Any, ...], redactor: redaction.Redactor, key: str) -> Any:
    clean = [_clean(inner, redactor, key) for inner in items]
    if isinstance(items, list):
        return clean
    return type(items)(*clean) if hasattr(items, "_fields") else tuple(clean)


def _clean_fields(value: Any, redactor: redaction.Redactor) -> Any:
    names = [field.name for field in fields(value) if field.init]
    return replace(value, **{name: _clean(getattr(value, name), redactor, name) for name in names})


def json_texts(value: Any) -> Any:
    """Return the texts of a value as JSON data."""
    if isinstance(value, str | Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: json_texts(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): json_texts(inner) for name, inner in value.items()}
    return [json_texts(inner) for inner in value] if isinstance(value, list | tuple) else None


def _without_cut_words(text: str) -> str:
    """Return a text without the words at its cut ends."""
    if text.endswith(_CUT):
        before, _, last = text.removesuffix(_CUT).rpartition(" ")
        text = text if last.isalpha() else f"{before} {_CUT}"
    if text.startswith(_CUT):
        first, _, behind = text.removeprefix(_CUT).partition(" ")
        text = text if first.isalpha() else f"{_CUT} {behind}"
    return text
