"""Replies of a model as lines: the words that differ from the recorded reply in color, and the calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

from inspector.analysis.asking import StepReply, call_object, is_among
from inspector.core.text import clipped, fold, one_line, visible
from inspector.engine.summaries import AnswerCall
from inspector.engine.window import word_diff
from inspector.ui.dialogs.ask_controller import AskAnswer
from inspector.ui.message_lines import Line, wrap
from inspector.ui.widgets.text_view import Spans

_MAX_DIFF = 20_000
"""Characters of texts that are compared word by word."""


def recorded_rows(recorded: StepReply | None, answer: AskAnswer | None, width: int) -> Iterator[Line | Spans]:
    """Yield the recorded reply, with the words and calls that another one does not have in color.

    Args:
        recorded: The recorded reply; None for none.
        answer: The other reply; None for none.
        width: Cells to wrap to.
    """
    if recorded is None:
        return
    other = answer.reply.step if answer and answer.reply and not answer.reply.problem else None
    yield from _step_rows(recorded, other, width, "removed", "error")


def answer_rows(recorded: StepReply | None, answer: AskAnswer | None, width: int) -> Iterator[Line | Spans]:
    """Yield a reply, with the words and calls that the recorded one does not have in color.

    Args:
        recorded: The recorded reply; None for none.
        answer: The reply; None before it is asked for.
        width: Cells to wrap to.
    """
    if answer is None:
        return
    reply = answer.reply
    if reply is None or reply.problem:
        yield from wrap(answer.text, width)
        if reply is not None:
            yield Line("")
            yield from wrap(reply.problem, width, "dim" if reply.is_withheld else "error")
        return
    yield from _step_rows(reply.step, recorded, width, "added", "success")


def _step_rows(step: StepReply, other: StepReply | None, width: int, kind: str, ink: str) -> Iterator[Line | Spans]:
    text, base = step.text.strip(), other.text.strip() if other is not None else ""
    if text and base and len(text) + len(base) < _MAX_DIFF:
        spans = word_diff(text, base) if kind == "removed" else word_diff(base, text)
        inks = {kind: ink, "same": "foreground"}
        yield from _folded(((span.text, inks[span.kind]) for span in spans if span.kind in inks), width)
    elif text:
        yield from wrap(text, width)
    if text and step.calls:
        yield Line("")
    for call in step.calls:
        yield from _call_rows(call, other.calls if other else None, width, ink)


def _call_rows(call: AnswerCall, others: Sequence[AnswerCall] | None, width: int, ink: str) -> Iterator[Spans]:
    """Yield a call and its object. A symbol shows whether the other reply makes the same call."""
    is_same = others is None or is_among(call, others)
    sign = "→" if others is None else "=" if is_same else "≠"
    colour = "foreground" if is_same else ink
    yield ((clipped(f"{sign} {one_line(call.name)}", width), f"{colour} bold"),)
    yield from (((f"  {piece}", colour),) for piece in fold(one_line(call_object(call)), max(4, width - 2)))


def _folded(pieces: Iterable[tuple[str, str]], width: int) -> Iterator[Spans]:
    """Yield colored pieces of a text as lines of at most `width` cells, broken at spaces."""
    line, used = list[tuple[str, str]](), 0
    for text, colour in pieces:
        for number, row in enumerate(visible(text).split("\n")):
            if number:
                yield tuple(line)
                line, used = [], 0
            for word in _word_pieces(row, width):
                size = cell_len(word)
                if used and used + cell_len(word.rstrip()) > width:
                    yield tuple(line)
                    line, used = [], 0
                line.append((word, colour))
                used += size
    if line:
        yield tuple(line)


def _word_pieces(row: str, width: int) -> Iterator[str]:
    """Yield the words of a line with the spaces after them; words longer than a line in pieces."""
    words = row.split(" ")
    for number, word in enumerate(words, 1):
        pieces = list(fold(word, width)) or [""]
        yield from pieces[:-1]
        yield pieces[-1] + (" " if number < len(words) else "")
