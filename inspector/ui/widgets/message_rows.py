"""The messages of a preview as rows of a list, independent of any widget: folding, and the text of each row."""

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
from inspector.ui.key_remaps import key_of
from inspector.ui.widgets.detail import MessageDetail

if TYPE_CHECKING:
    from inspector.core.conversation import Message
    from inspector.engine.window import Fate, Score
    from inspector.library import Preview

_FOLD = 6
"""Minimum number of consecutive messages with the same lossy fate that are folded into one row."""
NUMBER = 8
"""Cells for a message's number, followed by a blank."""


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A row with the messages from `start` up to but excluding `end`; more than one if they are folded."""

    start: int
    end: int

    @property
    def is_folded(self) -> bool:
        return self.end - self.start > 1


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The selection and order of rows: by default all of them, folded, in chronological order."""

    only: Collection[str] | None = None
    """IDs of the messages to show; None for all."""
    by_size: bool = False
    """True to show the largest messages first."""

    @property
    def folds(self) -> bool:
        """True if runs can be folded, which requires consecutive messages."""
        return self.only is None and not self.by_size

    def arranged(self, content: MessageRows, rows: Sequence[MessageRow]) -> list[MessageRow]:
        """Return the rows to show, in order. Rows contain one message each unless runs can be folded."""
        ids, only = content.window.ids, self.only
        chosen = [row for row in rows if only is None or ids[row.start] in only]
        return sorted(chosen, key=content.tokens, reverse=True) if self.by_size else chosen


class MessageRows:
    """The text and numbers of a preview's messages, and of the rows that show them."""

    def __init__(self, preview: Preview, previous: MessageRows | None = None) -> None:
        """Create rows for a preview, reusing data of `previous` for the same session and window."""
        self.preview = preview
        self.window = preview.before
        self.largest = max(self.window.tokens, default=1) or 1
        """Tokens of the largest message, at least 1."""
        self.injected = {
            injection.message.id: injection.fate for plan in preview.plans for injection in plan.injections
        }
        """Fates of messages that plans have put into the window."""
        self.same_session = previous is not None and previous.preview.session is preview.session
        self.numbers = preview.session.numbers
        messages = self.window.messages
        if previous is not None and previous.indexed[: len(messages)] == messages:  # calls are before their results
            self.names: dict[str, str] = previous.names
            self.actions: Actions = previous.actions
            self.indexed: Sequence[Message] = previous.indexed
        else:
            self.names = window.call_names(messages)
            self.actions = Actions(messages)
            self.indexed = messages
            """Messages that `names` and `actions` are of: those of the window, and perhaps later ones."""

    @property
    def scored(self) -> bool:
        """True if the plan being tried scores messages."""
        return bool(self.preview.plan and self.preview.plan.scores)

    def rows(self, folding: bool, unfolded: Collection[str]) -> list[MessageRow]:
        """Return all rows.

        Args:
            folding: True to fold long runs with one lossy fate into one row each.
            unfolded: IDs of the first messages of runs that stay unfolded.
        """
        plan = self.preview.plan
        if plan is None or not folding:
            return _single_rows(len(self.window.messages))
        rows: list[MessageRow] = []
        fates = self.preview.fates
        for start, end in _runs(fates):
            if fates[start].leaves and end - start >= _FOLD and self.window.ids[start] not in unfolded:
                rows.append(MessageRow(start, end))
            else:
                rows += [MessageRow(index, index + 1) for index in range(start, end)]
        return rows

    def edge(self) -> int:
        """Return the index of the last message that the plan removes, or of the newest one if it removes none."""
        fates = self.preview.fates if self.preview.plan else ()
        return next((i for i in range(len(fates) - 1, -1, -1) if fates[i].leaves), len(self.window.ids) - 1)

    def place_of(self, target: str, previous: MessageRows | None) -> int:
        """Return the index of a message; if it was removed, of its summary, the next message, or the newest one.

        Args:
            target: ID of the message.
            previous: Rows that were shown before, which can contain a removed message.
        """
        if target in self.window.ids:
            return self.window.ids.index(target)
        places = {name: place for place, name in enumerate(self.window.ids)}
        newest = len(places) - 1
        if previous is None or not self.same_session or target not in previous.window.ids:
            return newest
        summary = library.summary_of(self.preview.applied, target)
        behind = previous.window.ids[previous.window.ids.index(target) :]
        return next((places[name] for name in (summary.id if summary else "", *behind) if name in places), newest)

    def fate(self, index: int) -> Fate:
        fate = self.preview.fates[index]
        if self.preview.plan is not None or fate is not window.KEPT:
            return fate
        if self.window.messages[index].id in self.window.pins:
            return window.Fate("pinned", "pinned by the user")
        if injected := self.injected.get(self.window.ids[index]):
            return window.Fate(injected.kind, injected.reason)
        return window.Fate("kept", f"in the window, {self.window.sections[index].capitalize()}")

    def looks_same(self, row: MessageRow, before: MessageRows) -> bool:
        """Return True if a row looks as it did in earlier content, which is only known without plans."""
        old, new, start = before.window, self.window, row.start
        return (
            self.same_session
            and before.preview.session is self.preview.session
            and not (self.preview.plan or self.preview.plans or before.preview.plan or before.preview.plans)
            and self.preview.recall is before.preview.recall is None
            and (old.sizes, old.pins, before.largest) == (new.sizes, new.pins, self.largest)
            and old.messages[start] is new.messages[start]
            and (old.tokens[start], old.sections[start]) == (new.tokens[start], new.sections[start])
            and before.names.get(new.ids[start]) == self.names.get(new.ids[start])
        )

    def message(self, row: MessageRow) -> Message:
        """Return the message of a row; for a folded one, the first."""
        return self.window.messages[row.start]

    def tokens(self, row: MessageRow) -> int:
        return sum(self.window.tokens[row.start : row.end])

    def size_text(self, size: int) -> str:
        """Return a token count with the symbol of an estimate, or "…" while messages are being counted."""
        sizes = self.window.sizes
        return "…" if sizes.is_partial else f"{tokens.mark(sizes.certainty)}{size:,}"

    def score(self, row: MessageRow) -> Score | None:
        """Return the score of a message; None for a folded row."""
        if self.preview.plan is None or row.is_folded:
            return None
        return self.preview.plan.scores.get(self.window.ids[row.start])

    def number(self, row: MessageRow) -> str:
        """Return the number or range of numbers in the log, or a symbol for a message that a plan has made."""
        first = self.numbers.get(self.message(row).id)
        if first is None:
            return self.sign(self.message(row))
        if not row.is_folded:
            return number_text(first)
        last = self.numbers.get(self.window.messages[row.end - 1].id, first)
        both = f"{number_text(first)}–{number_text(last)}"
        return both if len(both) < NUMBER else f"{number_text(first)}…"[:NUMBER]

    def sign(self, message: Message) -> str:
        """Return the symbol in place of a number: that of a summary or of a retrieved message."""
        recall = self.preview.recall
        is_back = message.id in self.injected or (recall is not None and message is recall.message)
        return GLYPHS["retrieved"] if is_back else GLYPHS["summarised"]

    def speaker(self, row: MessageRow) -> str:
        """Return the speaker of a message, or the number of folded messages."""
        if row.is_folded:
            return f"{row.end - row.start} messages"
        return one_line(library.speaker(self.message(row), self.names))

    def text(self, row: MessageRow, room: int) -> str:
        """Return the action or the beginning of a message, in at most `room` cells.

        For a folded row, return how often each tool answered, and the number of other messages.
        """
        if not row.is_folded:
            return row_words(self.message(row), self.actions, room)
        messages = self.window.messages[row.start : row.end]
        tools = Counter(self.names.get(message.id) or "result" for message in messages if message.role == "tool")
        others = sum(message.role != "tool" for message in messages)
        listed = [f"{one_line(name)} ×{times}" for name, times in tools.most_common(4)]
        contents = ", ".join([*listed, f"{others} said"] if others else listed)
        return clipped(f"{contents}   {key_of('open')}: unfold", room)

    def detail(self, index: int, row: MessageRow) -> MessageDetail:
        """Return the details of a message for the pane next to the list."""
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


_SINGLE: list[MessageRow] = []
"""Rows of one message each. They are shared, because a window of 100,000 messages has as many at every turn."""


def _single_rows(count: int) -> list[MessageRow]:
    _SINGLE.extend(MessageRow(index, index + 1) for index in range(len(_SINGLE), count))
    return _SINGLE[:count]


def number_text(number: int) -> str:
    """Return a message's number with separators if they fit into its column."""
    text = f"{number:,}"
    return text if len(text) <= NUMBER - 2 else str(number)


def _runs(fates: Sequence[Fate]) -> list[tuple[int, int]]:
    """Return the start and end of each run of one fate: the same kind, with the same target."""
    cuts = [0] if fates else []
    now = fates[0] if fates else None
    for index, fate in enumerate(fates):
        if now is not None and fate is not now:  # most neighbours share one object, which is faster to compare
            if (fate.kind, fate.into) != (now.kind, now.into):
                cuts.append(index)
            now = fate
    return list(pairwise([*cuts, len(fates)])) if fates else []
