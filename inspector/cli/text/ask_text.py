"""Text output of the replies of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.analysis.asking import AskedContext, AskedReply, Asker, StepReply, call_object
from inspector.cli.commands.ask_output import ReplyOutput
from inspector.cli.output import Ink, paint, width
from inspector.core.text import clip, dollars, lines_of, one_line, plural
from inspector.engine.window import word_diff

_MAX_LINES = 12
_INDENT = "  "


def recorded_lines(step: StepReply, turn: int) -> Iterator[str]:
    """Yield the recorded reply of a turn."""
    yield ""
    yield paint(f"Recorded reply of turn {turn:,}", "strong")
    yield from _step_lines(step)


def _step_lines(step: StepReply, base: str = "") -> Iterator[str]:
    """Yield the text of a reply, with the words that another text does not have in color, and its calls.

    Args:
        step: The reply.
        base: The other text; "" for none.
    """
    rows = list(lines_of(step.text.strip(), width() - len(_INDENT))) if step.text.strip() else []
    new = _added_words(base, step.text) if base and base != step.text else frozenset()
    for row in rows[:_MAX_LINES]:
        words = (paint(word, "accent") if word in new else word for word in row.split(" "))
        yield _INDENT + " ".join(words)
    if len(rows) > _MAX_LINES:
        yield paint(f"{_INDENT}… {plural(len(rows) - _MAX_LINES, 'line')} more; --json prints them", "dim")
    for call in step.calls:
        yield clip(f"{_INDENT}→ {one_line(call.name)} {one_line(call_object(call))}", width())


def _added_words(base: str, text: str) -> frozenset[str]:
    """Return the words of a text that another one does not have in the same place."""
    return frozenset(word for span in word_diff(base, text) if span.kind == "added" for word in span.text.split())


def reply_lines(context: AskedContext, sample: int, reply: AskedReply, same: bool | None, base: str) -> Iterator[str]:
    """Yield a reply to a context.

    Args:
        context: The context.
        sample: Number of the reply to the same context.
        reply: The reply.
        same: True for the same step as recorded; None if that is unknown.
        base: Text of the recorded reply.
    """
    name = context.label + (f", sample {sample}" if sample > 1 else "")
    words = {True: "same step", False: "another step", None: ""}[same]
    kept = f"reply of {reply.origin}, not paid again" if reply.kept else dollars(reply.cost)
    facts = [words, f"{context.window.total:,} tokens", *([kept] if not reply.problem else [])]
    yield ""
    inks: Mapping[bool | None, Ink] = {True: "good", False: "warn", None: "strong"}
    row = clip(one_line(" · ".join([name, *filter(None, facts)])), width())
    yield paint(row, inks[same])
    if context.note:
        yield from (paint(_INDENT + line, "dim") for line in lines_of(context.note, width() - 2))
    if reply.problem:
        yield from (paint(_INDENT + line, "bad") for line in lines_of(reply.problem, width() - 2))
        return
    yield from _step_lines(reply.step, base)


def total_lines(outputs: Sequence[ReplyOutput], asker: Asker) -> Iterator[str]:
    """Yield the share of same steps by context, and the number of calls and their money."""
    shares: dict[str, list[bool]] = {}
    for row in outputs:
        if row.same_as_recorded is not None:
            shares.setdefault(row.context, []).append(row.same_as_recorded)
    yield ""
    for name, rows in shares.items():
        yield clip(f"{one_line(name)}: same step as recorded in {sum(rows)} of {len(rows)}", width())
    kept = sum(bool(row.kept) for row in outputs)
    old = f", {kept:,} kept from earlier and not paid again" if kept else ""
    yield paint(f"{plural(asker.count, 'call')}, {dollars(asker.spent)}{old}.", "dim")
