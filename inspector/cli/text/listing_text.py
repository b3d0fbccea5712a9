"""Imported sessions, and what the sessions of a list have in common, as text."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.cli.output import paint, whole, width
from inspector.core.text import cells, pad, plural
from inspector.library import Entry, ImportOutcome, totals_of


def shared_text(entry: Entry) -> str:
    """Return the origin of a fork and the number of messages that an earlier session has, too; "" for neither."""
    shared = entry.shared
    if shared is None:
        return f"forked from session {whole(entry.forked_from)}, not in this list" if entry.forked_from else ""
    own = "forked: " if entry.forked_from else ""
    verb = "is" if shared.messages == 1 else "are"
    return f"{own}{shared.messages:,} of its messages {verb} also in {whole(shared.target)}"


def totals_text(entries: Sequence[Entry]) -> str:
    """Return the totals of some sessions if they share messages; otherwise ""."""
    totals = totals_of(entries)
    if not totals.shared:
        return ""
    counts = f"{plural(totals.messages, 'message')}, ≈{totals.tokens:,} tokens"
    return f"{plural(totals.sessions, 'session')}: {counts}, with {totals.shared:,} shared messages counted once"


def outcome_text(outcome: ImportOutcome) -> str:
    """Return the two lines about an imported session."""
    addition = outcome.addition
    assert addition is not None, "an import without a problem has a session"
    if addition.new:
        effect = f"new, {plural(addition.total, 'message')}"
    elif addition.writes:
        effect = f"{addition.writes:,} more, {plural(addition.total, 'message')}"
    else:
        effect = f"known, {plural(addition.total, 'message')}"
    if outcome.damage:
        effect += f", {plural(len(outcome.damage), 'damaged part')}"
    title = paint(pad(outcome.title, width() - cells(effect) - 2), "strong")
    return f"{title}  {effect}\n{paint(f'  {whole(addition.id)}', 'dim')}"
