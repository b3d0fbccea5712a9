"""Describe losses as text: counts by class, and a reminder that restores lost facts for the agent."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.analysis.context_loss.loss_models import Loss, Losses, Missing
from inspector.core.text import clipped, ends, listed, one_line, plural
from inspector.engine.facts import SENTENCES, FactClass

_NEED_WORDS: Mapping[Missing, str] = {"looked up": "re-fetched", "used": "stated", "needed": "needed"}
_MAX_PROBES, _PROBE_WIDTH = 3, 40
"""Unanswered questions that are named, and columns of each answer."""


def class_words(cls: FactClass, count: int = 1) -> str:
    """Return the name of a class of facts: "path", or "paths" for several."""
    return cls if count == 1 else f"{cls}s"


def need_words(how: Missing) -> str:
    """Return the relation of a reply to a lost fact as a verb: "re-fetched", "stated" or "needed"."""
    return _NEED_WORDS[how]


def fact_within(loss: Loss, room: int) -> str:
    """Return a fact in at most `room` columns: paths, addresses and errors clipped in the middle, others at the end."""
    return (ends if loss.cls in ("path", "url", "error") else clipped)(one_line(loss.fact), room)


def describe_counts(losses: Losses) -> str:
    """Summarise the lost facts and the retained sentences: "loses 3 paths, 51 numbers; keeps 7 of 7 errors"."""
    lost = [f"{count:,} {class_words(name, count)}" for name, count in losses.counts.items()]
    words = f"loses {', '.join(lost)}" if lost else "loses no facts"
    kept = describe_kept(losses)
    return f"{words}; {kept}" if kept else words


def describe_kept(losses: Losses) -> str:
    """Summarise the retained sentences: "keeps 7 of 7 errors"; "" if there were none."""
    kept = [
        f"{row.total - row.lost:,} of {row.total:,} {class_words(name, row.total)}"
        for name, row in losses.kept.items()
        if name in SENTENCES
    ]
    return f"keeps {', '.join(kept)}" if kept else ""


def describe_seal(losses: Losses) -> str:
    """Return a note that the summary is encrypted; "" if it can be read."""
    return "the summary is encrypted, so more facts may be retained than listed" * (losses.is_sealed)


def describe_probes(losses: Losses, names: int = _MAX_PROBES) -> str:
    """Describe the questions for going on that the new context answers; "" without questions.

    Args:
        losses: Losses of a compaction.
        names: Maximum number of unanswered questions to name.
    """
    if not losses.probes:
        return ""
    missing = [probe for probe in losses.probes if not probe.is_answered]
    named = listed([f"{probe.kind} ({ends(probe.answer, _PROBE_WIDTH)})" for probe in missing], names)
    answered = f"answers {len(losses.probes) - len(missing):,} of {plural(len(losses.probes), 'question')} for going on"
    return f"{answered}; not: {named}" if missing and names else answered


def describe_reread(losses: Losses) -> str:
    """Describe the facts and results that were read again afterwards; "" if no result was read again."""
    if not losses.reread:
        return ""
    tokens = sum(reread.tokens for reread in losses.reread)
    facts = sum(any(event.how == "looked up" for event in loss.needed) for loss in losses.losses)
    results = f"{plural(len(losses.reread), 'dropped result')} read again, ≈{tokens:,} tokens"
    return f"re-fetched later: {plural(facts, 'fact')}; {results}" if facts else f"later: {results}"
