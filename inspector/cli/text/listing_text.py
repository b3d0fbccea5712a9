"""Imported sessions, and what the sessions of a list have in common, as text."""

from __future__ import annotations

from collections.abc import Sequence

from inspector import library
from inspector.cli.output import paint, whole, width
from inspector.core.text import cells, dollars, pad, plural
from inspector.library import Entry, totals_of


def totals_text(entries: Sequence[Entry]) -> str:
    """Return the totals of some sessions if they share messages; otherwise ""."""
    totals = totals_of(entries)
    if not totals.shared:
        return ""
    paid = "" if totals.cost is None else f", {dollars(totals.cost)}"
    counts = f"{plural(totals.messages, 'message')}, ≈{totals.tokens:,} tokens{paid}"
    return f"{plural(totals.sessions, 'session')}: {counts}, with {totals.shared:,} shared messages counted once"


def outcome_text(outcome: library.ImportOutcome) -> str:
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
