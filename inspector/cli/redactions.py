"""Implement `--redact`: replace the open session by a copy without secrets, and list the replacements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from inspector.analysis import redaction
from inspector.cli.command_errors import UsageError
from inspector.cli.options import redaction_choice
from inspector.cli.output import checked_output, warn
from inspector.cli.schema.values import json_output
from inspector.core.text import listed, plural

if TYPE_CHECKING:
    from inspector.analysis.redaction import Redacted, Redactor
    from inspector.library import Export, OpenSession


@json_output()
class RedactionKinds:
    """Kinds of secrets that a redaction covers."""

    searched: Annotated[Sequence[str], "kinds that were searched; empty without --redact"]
    unsearched: Annotated[Sequence[str], "kinds that were not searched; empty without --redact"]


_MAX_ROWS = 40
"""Maximum rows of the review as text."""
_MAX_NUMBERS = 8


class _State:
    """Redaction of the sessions that the command has opened."""

    redactor: Redactor | None = None
    sessions: ClassVar[list[OpenSession]] = []
    """Redacted sessions that are open."""
    is_listed = False
    """True if the output lists the replacements."""


def chosen_kinds() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the kinds to search in addition, and those not to search. Raises UsageError for an unknown kind."""
    choice = redaction_choice()
    kinds = choice.get("with_kind", ()), choice.get("without_kind", ())
    for kind in (*kinds[0], *kinds[1]):
        if kind not in redaction.KINDS:
            raise UsageError(f"There is no kind {kind!r} to redact. Kinds: {', '.join(redaction.KINDS)}.")
    return kinds


def is_redacting() -> bool:
    """Return True if the command has `--redact`. Raises UsageError for a kind that does not exist, or without it."""
    kinds = chosen_kinds()
    if redaction_choice().get("redact"):
        return True
    if any(kinds):
        raise UsageError("--with-kind and --without-kind require --redact.")
    return False


@contextmanager
def redacted_session(session: OpenSession) -> Iterator[None]:
    """Redact an open session if the command has `--redact`, check all output, and list the replacements at the end.

    Raises:
        UsageError: A kind does not exist, or is given without `--redact`.
        RedactionError: The output would contain a redacted value.
    """
    if not is_redacting():
        yield
        return
    bench, outer = session.bench, _State.redactor
    safe = redaction.redact(bench.session, bench.plans, *chosen_kinds(), redactor=outer)
    session.bench = bench.with_session(safe.session, safe.plans)
    for other in _State.sessions:  # they may contain a secret that only this session's context reveals
        again = redaction.redact(other.bench.session, other.bench.plans, redactor=outer)
        other.bench = other.bench.with_session(again.session, again.plans)
    _State.sessions.append(session)
    _State.redactor, _State.is_listed = safe.redactor, False
    with checked_output(safe.redactor.check):
        try:
            yield
        finally:
            _State.redactor = outer
            _State.sessions.remove(session)
    if not _State.is_listed and outer is None:
        for line in review_lines(safe.redactor):
            warn(line)


def redacted_name(name: str) -> str:
    """Return the name of an agent in the redacted session."""
    return _State.redactor.text_of(name) if _State.redactor else name


def check_export(result: Export, notes: Sequence[str], companion: bool) -> None:
    """Check a file and its notes before it is written. Raises RedactionError if any of it contains a redacted value.

    Args:
        result: The export to write.
        notes: Sentences printed about the export.
        companion: Content of the sidecar file, if one is written.
    """
    if redactor := _State.redactor:
        for text in (*notes, *result.files(Path(result.suggestion), companion).values()):
            redactor.check(text)


def check_text(text: str) -> None:
    """Check a text before it is written. Raises RedactionError if it contains a redacted value."""
    if _State.redactor:
        _State.redactor.check(text)


def redactions() -> Sequence[Redacted]:
    """Return the replacements that were made, for output that lists them."""
    _State.is_listed = True
    return _State.redactor.review if _State.redactor else ()


def redaction_kinds() -> RedactionKinds:
    """Return the kinds of secrets that were searched and that were not; none without `--redact`."""
    if redactor := _State.redactor:
        return kinds_of(redactor)
    return RedactionKinds(searched=[], unsearched=[])


def kinds_of(redactor: Redactor) -> RedactionKinds:
    """Return the kinds of secrets that a redactor searched and that it did not."""
    return RedactionKinds(searched=redactor.searched, unsearched=redactor.unsearched_kinds)


def review_lines(redactor: Redactor, *, has_numbers: bool = True) -> Iterator[str]:
    """Yield the replacements, and the kinds that were searched, as lines of text.

    Args:
        redactor: Has redacted all values.
        has_numbers: State the numbers of the messages.
    """
    yield from _review_lines(redactor.review, has_numbers)
    yield f"Searched: {', '.join(redactor.searched)}. Not searched: {', '.join(redactor.unsearched_kinds) or 'none'}."


def _review_lines(rows: list[Redacted], has_numbers: bool) -> Iterator[str]:
    if not rows:
        yield "Nothing to redact: no key, token, password, e-mail address, home folder or encoded data found."
        return
    blobs = sum(row.count for row in rows if row.kind == "blob")
    yield (
        f"{plural(len(rows), 'secret')} redacted. Read the rest before you share it: patterns do not "
        "recognise every secret."
    )
    for row in rows[:_MAX_ROWS]:
        where = f", {_where(row.messages)}" if has_numbers else ""
        yield f"  {row.placeholder} {plural(row.count, 'time')}{where}"
    if len(rows) > _MAX_ROWS:
        yield f"  and {len(rows) - _MAX_ROWS:,} more; --json lists them all"
    if blobs:
        yield f"{plural(blobs, 'piece')} of encoded data (pictures, signatures) could not be searched and were removed."


def _where(messages: list[int]) -> str:
    numbers = [f"{number:,}" for number in messages if number]
    if not numbers:
        return "outside messages"
    return f"in message{'s' if len(numbers) > 1 else ''} {listed(numbers, _MAX_NUMBERS)}"
