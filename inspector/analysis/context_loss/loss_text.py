"""Describe losses as text: counts by class, and a reminder that restores lost facts for the agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.analysis.context_loss.loss_models import SENTENCES, Loss, Losses, Missing
from inspector.core.text import clipped, clipped_words, ends, one_line, plural
from inspector.engine.facts import FactClass
from inspector.engine.work_state import state_block

_HEADINGS: Mapping[FactClass, str] = {
    "constraint": "Constraints",
    "decision": "Decided",
    "task": "Requested or planned (may be done by now)",
    "error": "Errors",
}
_NEED_WORDS: Mapping[Missing, str] = {"looked up": "re-fetched", "used": "stated", "needed": "needed"}
_MAX_PROBES, _PROBE_WIDTH = 3, 40
"""Unanswered questions that are named, and columns of each answer."""
_CHARS_PER_TOKEN = 4
"""Estimated characters per token of English text, for a budget."""
_NAMES: tuple[FactClass, ...] = ("symbol", "tool")
"""Classes of names that are given back only if a later reply needed them."""
_FIRST_LINE = "From earlier in this conversation, which is no longer in the context:"


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


def uncompact(losses: Losses, tokens: int = 1_000) -> str:
    """Return the state of the work and the lost facts as a text for the agent; "" if nothing was lost.

    The state is that before a recorded compaction, in at most half of the text. Facts that were needed later come first
    within their class. Names from code are left out unless a later reply needed them. The text contains only what the
    recording states.

    Args:
        losses: Losses of one compaction or plan.
        tokens: Approximate size of the text.
    """
    state = state_block(losses.before, tokens * _CHARS_PER_TOKEN // 2)
    lines, room = [_FIRST_LINE], tokens * _CHARS_PER_TOKEN - len(_FIRST_LINE) - 2 - len(state)
    count = 0
    for heading, entry in _entries(losses.losses):
        more = [entry] if heading in lines else [heading, entry]
        if (size := sum(len(line) + 1 for line in more)) > room:
            continue
        lines += more
        room -= size
        count += 1
    facts = "\n".join(lines) + "\n" if count else ""
    return "\n".join(filter(None, (state, facts)))


def _entries(losses: Sequence[Loss]) -> Iterator[tuple[str, str]]:
    """Yield a heading and a line for every distinct fact."""
    texts = set[str]()
    for loss in sorted(losses, key=_restore_order):
        if loss.cls in _NAMES and not loss.needed:
            continue
        words = one_line(loss.quote)
        text = one_line(loss.fact) if loss.cls in SENTENCES or loss.fact == words else _with_quote(loss, words)
        if text.casefold() not in texts:
            texts.add(text.casefold())
            yield f"\n{_HEADINGS.get(loss.cls, 'Facts')}:", f"- {text}"


def _restore_order(loss: Loss) -> int:
    """Place of the heading of a loss in the text: sentences before values."""
    return SENTENCES.index(loss.cls) if loss.cls in SENTENCES else len(SENTENCES)


def _with_quote(loss: Loss, words: str) -> str:
    """Return a value followed by the sentence that explains it, clipped to 120 characters."""
    return f"{one_line(loss.fact)} ({clipped_words(words, 120)})"


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
    named = [f"{probe.kind} ({ends(probe.answer, _PROBE_WIDTH)})" for probe in missing[:names]]
    more = f" and {len(missing) - names:,} more" if len(missing) > names else ""
    answered = f"answers {len(losses.probes) - len(missing):,} of {plural(len(losses.probes), 'question')} for going on"
    return f"{answered}; not: {', '.join(named)}{more}" if named else answered


def describe_reread(losses: Losses) -> str:
    """Describe the results that were read again afterwards; "" if nothing was read again."""
    if not losses.reread:
        return ""
    tokens = sum(reread.tokens for reread in losses.reread)
    return f"re-fetched later: {plural(len(losses.reread), 'dropped result')}, ≈{tokens:,} tokens"
