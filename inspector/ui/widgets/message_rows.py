"""The messages of a preview as rows of a list, without a widget: what is folded, and what each row says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from inspector import library
from inspector.analysis.tool_activity import Actions, row_words
from inspector.core.text import GLYPHS, clipped, one_line
from inspector.engine import window
from inspector.llm import tokens
from inspector.ui.widgets.detail import MessageDetail

if TYPE_CHECKING:
    from inspector.core.conversation import Message
    from inspector.engine.window import Fate, Score
    from inspector.library import Preview

_FOLD = 6
"""Messages in a row that share one lossy fate and are folded into one line, from this many on."""
NUMBER = 8
"""Cells for a message's number, a blank behind it."""


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A line of the list: the messages from `start` up to `end`, which is more than one where they are folded."""

    start: int
    end: int

    @property
    def is_folded(self) -> bool:
        return self.end - self.start > 1


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which rows are shown, and in which order: by time, and folded, unless something else is said."""

    only: Collection[str] | None = None
    """The ids of the messages that are shown; None for all."""
    by_size: bool = False
    """The largest first."""

    @property
    def folds(self) -> bool:
        """Whether runs may be folded: not where they are torn apart."""
        return self.only is None and not self.by_size

    def arranged(self, content: MessageRows, rows: Sequence[MessageRow]) -> list[MessageRow]:
        """The rows of a list, each of one message unless runs may be folded."""
        ids, only = content.window.ids, self.only
        chosen = [row for row in rows if only is None or ids[row.start] in only]
        return sorted(chosen, key=content.tokens, reverse=True) if self.by_size else chosen


class MessageRows:
    """What there is to say of the messages of a preview, and of the rows that they are shown in."""

    def __init__(self, preview: Preview, previous: MessageRows | None = None) -> None:
        """What `previous` knows of the same session and window is taken over."""
        self.preview = preview
        self.window = preview.before
        self.largest = max(self.window.tokens, default=1) or 1
        """Tokens of the largest message, at least 1."""
        self.injected = {
            injection.message.id: injection.fate for plan in preview.plans for injection in plan.injections
        }
        """The fates of messages that plans have put into the window."""
        self.same_session = previous is not None and previous.preview.session is preview.session
        if previous is not None and self.same_session:
            self.numbers: dict[str, int] = previous.numbers
        else:
            self.numbers = {message.id: place for place, message in enumerate(preview.session.messages, 1)}
        if previous is not None and previous.window.messages == self.window.messages:
            self.names: dict[str, str] = previous.names
            self.actions: Actions = previous.actions
        else:
            self.names = window.call_names(self.window.messages)
            self.actions = Actions(self.window.messages)

    @property
    def scored(self) -> bool:
        """Whether the plan that is tried on has scores of the messages."""
        return bool(self.preview.plan and self.preview.plan.scores)

    def rows(self, folding: bool, unfolded: Collection[str]) -> list[MessageRow]:
        """All rows; with `folding`, long runs of one lossy fate are one row, but those whose first id is `unfolded`."""
        plan = self.preview.plan
        if plan is None or not folding:
            return [MessageRow(index, index + 1) for index in range(len(self.window.messages))]
        rows: list[MessageRow] = []
        fates = self.preview.fates
        for start, end in _runs(fates):
            if fates[start].leaves and end - start >= _FOLD and self.window.ids[start] not in unfolded:
                rows.append(MessageRow(start, end))
            else:
                rows += [MessageRow(index, index + 1) for index in range(start, end)]
        return rows

    def edge(self) -> int:
        """The index of the last message that leaves, or of the newest when none does."""
        fates = self.preview.fates if self.preview.plan else ()
        return next((i for i in range(len(fates) - 1, -1, -1) if fates[i].leaves), len(self.window.ids) - 1)

    def fate(self, index: int) -> Fate:
        fate = self.preview.fates[index]
        if self.preview.plan is not None or fate is not window.KEPT:
            return fate
        if self.window.messages[index].id in self.window.pins:
            return window.Fate("pinned", "pinned by hand")
        if injected := self.injected.get(self.window.ids[index]):
            return window.Fate(injected.kind, injected.reason)
        return window.Fate("kept", f"in the window, {self.window.sections[index].capitalize()}")

    def message(self, row: MessageRow) -> Message:
        """The message of a row; of a folded one, its first."""
        return self.window.messages[row.start]

    def tokens(self, row: MessageRow) -> int:
        return sum(self.window.tokens[row.start : row.end])

    def size_text(self, size: int) -> str:
        """Tokens with the sign of an estimate; while messages are counted, nothing that would still move."""
        sizes = self.window.sizes
        return "…" if sizes.is_partial else f"{tokens.mark(sizes.certainty)}{size:,}"

    def score(self, row: MessageRow) -> Score | None:
        """The score of a message; none for a folded row."""
        if self.preview.plan is None or row.is_folded:
            return None
        return self.preview.plan.scores.get(self.window.ids[row.start])

    def number(self, row: MessageRow) -> str:
        """The number in the log, or from where to where; a sign for what a plan has made, which has none."""
        first = self.numbers.get(self.message(row).id)
        if first is None:
            return self.sign(self.message(row))
        if not row.is_folded:
            return number_text(first)
        last = self.numbers.get(self.window.messages[row.end - 1].id, first)
        both = f"{number_text(first)}–{number_text(last)}"
        return both if len(both) < NUMBER else f"{number_text(first)}…"[:NUMBER]

    def sign(self, message: Message) -> str:
        """What stands in place of a number: whether a message is a summary, or came back."""
        recall = self.preview.recall
        is_back = message.id in self.injected or (recall is not None and message is recall.message)
        return GLYPHS["retrieved"] if is_back else GLYPHS["summarised"]

    def speaker(self, row: MessageRow) -> str:
        """Who says a message, or how many messages are folded."""
        if row.is_folded:
            return f"{row.end - row.start} messages"
        return one_line(library.speaker(self.message(row), self.names))

    def text(self, row: MessageRow, room: int) -> str:
        """What was done, or the beginning of a message, in at most `room` columns.

        Of a folded row, how often which tool answered, and how many others there are.
        """
        if not row.is_folded:
            return row_words(self.message(row), self.actions, room)
        messages = self.window.messages[row.start : row.end]
        tools = Counter(self.names.get(message.id) or "result" for message in messages if message.role == "tool")
        others = sum(message.role != "tool" for message in messages)
        listed = [f"{one_line(name)} ×{times}" for name, times in tools.most_common(4)]
        contents = ", ".join([*listed, f"{others} said"] if others else listed)
        return clipped(f"{contents}   enter unfolds", room)

    def detail(self, index: int, row: MessageRow) -> MessageDetail:
        """What the pane beside the list shows of a message that stands in a row."""
        message = self.window.messages[index]
        tool = message.role == "tool" and not row.is_folded
        return MessageDetail(
            message,
            f"{self.numbers[message.id]:,}" if message.id in self.numbers else self.sign(message),
            f"tool · {self.speaker(row)}" if tool else one_line(library.speaker(message, self.names)),
            self.size_text(self.window.tokens[index]),
            self.fate(index),
            score=self.score(row),
            problem=next((problem for problem in self.preview.problems if problem.message == message.id), None),
        )


def number_text(number: int) -> str:
    """A message's number as the rest of the app writes it, where that has room in its column."""
    text = f"{number:,}"
    return text if len(text) <= NUMBER - 2 else str(number)


def _runs(fates: Sequence[Fate]) -> list[tuple[int, int]]:
    """Where one fate (the same kind, into the same place) reaches from and to."""
    cuts = [0] if fates else []
    now = fates[0] if fates else None
    for index, fate in enumerate(fates):
        if now is not None and fate is not now:  # most neighbours share one object, which is quicker to see
            if (fate.kind, fate.into) != (now.kind, now.into):
                cuts.append(index)
            now = fate
    return list(pairwise([*cuts, len(fates)])) if fates else []
