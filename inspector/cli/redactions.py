"""Implement `--redact`: replace the open session by a copy without secrets, and list the replacements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.analysis import redaction
from inspector.cli.output import warn
from inspector.core.text import plural

if TYPE_CHECKING:
    from inspector.analysis.redaction import Redacted, Redactor
    from inspector.library import Export, OpenSession

_MAX_ROWS = 40
"""Maximum rows of the review as text."""
_MAX_NUMBERS = 8


def redact_bench(session: OpenSession, agent: str) -> tuple[Redactor, str]:
    """Redact the open session. Returns the redactor and the agent's name in the redacted session."""
    bench = session.bench
    safe = redaction.redact(bench.session, bench.plans)
    session.bench = bench.with_session(safe.session, safe.plans)
    return safe.redactor, safe.redactor.text_of(agent)


def check_output(redactor: Redactor | None, *texts: str) -> None:
    """Check a text before it is written. Raises RedactionError if it contains a redacted value."""
    if redactor:
        for text in texts:
            redactor.check(text)


def check_export(redactor: Redactor | None, result: Export, notes: Sequence[str], companion: bool) -> None:
    """Check a file and its notes before it is written. Raises RedactionError if any of it contains a redacted value.

    Args:
        redactor: The redactor of the session.
        result: The export to write.
        notes: Sentences printed about the export.
        companion: Content of the sidecar file, if one is written.
    """
    if redactor:
        check_output(redactor, *notes, *result.files(Path(result.suggestion), companion).values())


def redactions(redactor: Redactor | None) -> Sequence[Redacted]:
    """Return the replacements that were made."""
    return redactor.review if redactor else ()


def echo_review(redactor: Redactor | None, notes: Sequence[str] = ()) -> None:
    """Print notes and the replacements on standard error."""
    for note in notes:
        warn(note)
    for line in _review_lines(redactor.review) if redactor else ():
        warn(line)


def _review_lines(rows: list[Redacted]) -> Iterator[str]:
    if not rows:
        yield "Nothing to redact: no key, token, password, e-mail address, home folder or encoded data found."
        return
    blobs = sum(row.count for row in rows if row.kind == "blob")
    yield (
        f"{plural(len(rows), 'secret')} redacted. Read the rest before you share it: patterns do not "
        "recognise every secret."
    )
    for row in rows[:_MAX_ROWS]:
        yield f"  {row.placeholder} {plural(row.count, 'time')}, {_where(row.messages)}"
    if len(rows) > _MAX_ROWS:
        yield f"  and {len(rows) - _MAX_ROWS:,} more; --json lists them all"
    if blobs:
        yield f"{plural(blobs, 'piece')} of encoded data (pictures, signatures) could not be searched and were removed."


def _where(messages: list[int]) -> str:
    numbers = [f"{number:,}" for number in messages if number]
    if not numbers:
        return "outside messages"
    rest = f" and {len(numbers) - _MAX_NUMBERS:,} more" if len(numbers) > _MAX_NUMBERS else ""
    return f"in message{'s' if len(numbers) > 1 else ''} {', '.join(numbers[:_MAX_NUMBERS])}{rest}"
