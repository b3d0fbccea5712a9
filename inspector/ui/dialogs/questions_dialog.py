"""The questions for going on at the compressions of a replay, with their answers in the log and their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.replay import WorkProbe, WorkQuestions
from inspector.core.conversation import Session
from inspector.core.text import one_line, plural, wrapped
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.loss_list import LossList
from inspector.ui.dialogs.message_reader import Reader, facts_in
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.dialogs.state_rows import StateHeading, StateRow, question_rows
from inspector.ui.widgets.key_bar import Key, KeyBar

_DETAIL = 4
"""Lines below the list."""


class QuestionsScreen(Overlay[None]):
    """The unanswered and the answered questions of one compression at a time.

    `enter` opens the message with the answer, `c` and `C` lead to the other compressions.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings("questions")
    AUTO_FOCUS = "#questions"

    def __init__(self, session: Session, all_asked: Sequence[WorkQuestions], empty: str, place: int = 0) -> None:
        """Create the list of questions.

        Args:
            session: Session with the messages that state the answers.
            all_asked: Questions at each compression.
            empty: Text to show without questions.
            place: Index of the compression to show first.
        """
        super().__init__()
        self.session = session
        self.all_asked = all_asked
        self.empty = empty
        self.place = place

    @property
    def asked(self) -> WorkQuestions | None:
        """The questions that are shown; None without any."""
        return self.all_asked[self.place] if self.all_asked else None

    def compose(self) -> ComposeResult:
        yield Static(id="question-heading", classes="bar", markup=False)
        yield LossList(id="questions")
        yield Static(id="question-detail", markup=False)
        yield KeyBar(id="keys")

    def heading(self) -> str:
        if self.asked is None:
            return "Questions for going on"
        probes = self.asked.probes
        answered = sum(probe.is_answered for probe in probes)
        others = f"   compression {self.place + 1:,} of {len(self.all_asked):,}" if len(self.all_asked) > 1 else ""
        share = f"{answered:,} of {plural(len(probes), 'question')} answered"
        return f"Questions at turn {self.asked.turn:,}   {share}{others}"

    def on_mount(self) -> None:
        self.show()

    def show_questions(self, all_asked: Sequence[WorkQuestions], empty: str) -> None:
        """Show questions that were still missing, from the compression with the smallest answered share on.

        Args:
            all_asked: Questions at each compression.
            empty: Text to show without questions.
        """
        self.all_asked, self.empty = all_asked, empty
        self.place = min(range(len(all_asked)), key=lambda place: _answered_share(all_asked[place]), default=0)
        if self.is_mounted:
            self.show()

    def action_compression(self, step: int) -> None:
        """Show the questions at the next compression, or at the previous one."""
        place = min(max(self.place + step, 0), max(len(self.all_asked) - 1, 0))
        if place != self.place:
            self.place = place
            self.show()

    def show(self) -> None:
        """Show the questions of the compression."""
        self.query_one("#question-heading", Static).update(self.heading())
        probes = self.asked.probes if self.asked else ()
        rows = (*question_rows(probes), *_answered_rows(probes))
        self.query_one(LossList).show((), f"  {self.empty}", rows)
        self.show_detail()

    @on(LossList.Moved)
    def show_detail(self) -> None:
        row, width = self.query_one(LossList).state_row, max(20, self.size.width - 4)
        lines: list[str] = []
        if row is not None:
            lines += list(wrapped(f"answer: {one_line(row.text)}", width))[: _DETAIL // 2]
            evidence = f"the new context states: {row.after}" if row.after else "nothing in the new context states it"
            lines += list(wrapped(evidence, width))[: _DETAIL // 2]
        self.query_one("#question-detail", Static).update(Text("\n".join(lines)))
        opens = (Key("open", "message"),) if row is not None and row.message else ()
        others = (Key("next_compaction", "compression"),) if len(self.all_asked) > 1 else ()
        self.query_one(KeyBar).keys = (*opens, *others, Key("back", "back"))

    @on(LossList.Opened)
    def action_read(self) -> None:
        """Open the message that states the answer under the cursor."""
        row = self.query_one(LossList).state_row
        message = self.session.by_id.get(row.message) if row is not None else None
        if row is not None and message is not None:
            number = next(place for place, one in enumerate(self.session.messages, 1) if one is message)
            self.app.push_screen(Reader(message, f"{number:,}", facts_in(message, [row.text])))


def _answered_share(asked: WorkQuestions) -> float:
    return sum(probe.is_answered for probe in asked.probes) / max(1, len(asked.probes))


def _answered_rows(probes: Sequence[WorkProbe]) -> tuple[StateHeading | StateRow, ...]:
    """Return the answered questions under a heading; empty without any."""
    answered = [probe for probe in probes if probe.is_answered]
    if not answered:
        return ()
    heading = StateHeading(f"Answered ({len(answered):,})", ("answer in the log", "in the new context", ""))
    return (
        heading,
        *(StateRow(one.kind, one.answer, one.evidence or "—", "", "kept", one.message) for one in answered),
    )
