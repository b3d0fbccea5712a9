"""The questions for going on at the compressions of a replay, and what their summaries invent, with the evidence."""

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
from inspector.llm.providers import DEFAULT_DIALECT, text_message
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.loss_list import LossList
from inspector.ui.dialogs.message_reader import Reader, facts_in
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.dialogs.state_rows import StateHeading, StateRow, question_rows, statement_rows
from inspector.ui.widgets.key_bar import Key, KeyBar, available

_DETAIL = 4
"""Lines below the list."""
_SOME_WORDS = 5
"""Words at the start of a statement that are marked in the summary if the statement is not there word for word."""


class QuestionsScreen(Overlay[None]):
    """The invented and revived statements and the questions of one compression at a time.

    `enter` opens the summary at the statement, or the message with the answer. `c` and `C` lead to other compressions.
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
        share = f"   {answered:,} of {plural(len(probes), 'question')} answered" if probes else ""
        return f"Questions at turn {self.asked.turn:,}{share}{others}"

    def on_mount(self) -> None:
        self.show()

    def show_questions(self, all_asked: Sequence[WorkQuestions], empty: str) -> None:
        """Show questions that were still missing, from the worst compression on.

        It has the most invented and revived statements, or else the smallest answered share.

        Args:
            all_asked: Questions at each compression.
            empty: Text to show without questions.
        """
        self.all_asked, self.empty = all_asked, empty
        self.place = min(range(len(all_asked)), key=lambda place: _severity(all_asked[place]), default=0)
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
        stated = statement_rows(self.asked.statements, self.session.numbers) if self.asked else ()
        rows = (*stated, *question_rows(probes), *_answered_rows(probes))
        self.query_one(LossList).show((), f"  {self.empty}", rows)
        self.show_detail()

    @on(LossList.Moved)
    def show_detail(self) -> None:
        row, width = self.query_one(LossList).state_row, max(20, self.size.width - 4)
        lines: list[str] = []
        for sentence in _describe(row) if row is not None else ():
            lines += list(wrapped(sentence, width))[: _DETAIL // 2]
        self.query_one("#question-detail", Static).update(Text("\n".join(lines)))
        has_message, is_stated = bool(row and row.message), bool(row and _is_stated(row))
        self.query_one(KeyBar).keys = available(
            (is_stated, Key("open", "summary")),
            (is_stated and has_message, Key("origin", "message")),
            (has_message and not is_stated, Key("open", "message")),
            (len(self.all_asked) > 1, Key("next_compaction", "compression")),
            (True, Key("back", "back")),
        )

    @on(LossList.Opened)
    def open_row(self) -> None:
        """Open the summary at the statement under the cursor, or the message that states an answer."""
        row = self.query_one(LossList).state_row
        if row is None or self.asked is None or not _is_stated(row):
            self.action_read()
            return
        text, numbers = self.asked.summary, self.session.numbers
        summary = next((one for one in self.session.messages if one.kind == "summary" and one.text == text), None)
        number = f"{numbers[summary.id]:,}" if summary else f"of turn {self.asked.turn:,}"
        message = summary or text_message("summary", "user", text, DEFAULT_DIALECT, kind="summary")
        words = facts_in(message, [row.text]) or facts_in(message, [" ".join(row.text.split()[:_SOME_WORDS])])
        self.app.push_screen(Reader(message, number, words))

    def action_read(self) -> None:
        """Open the message that states the answer under the cursor, or what is closest to the statement."""
        row = self.query_one(LossList).state_row
        message = self.session.by_id.get(row.message) if row is not None else None
        if row is not None and message is not None:
            words = facts_in(message, [row.after if _is_stated(row) else row.text])
            self.app.push_screen(Reader(message, f"{self.session.numbers[message.id]:,}", words))


def _is_stated(row: StateRow) -> bool:
    """Return True if a row is a statement of a summary, not a question."""
    return row.fate in ("invented", "revived")


def _describe(row: StateRow) -> tuple[str, str]:
    """Return a sentence about a row, and one about its evidence."""
    if not _is_stated(row):
        evidence = f"the new context states: {row.after}" if row.after else "nothing in the new context states it"
        return f"answer: {one_line(row.text)}", evidence
    what = "before" if row.fate == "revived" else "closest before"
    return f"{row.fate}: {row.text}", f"{what}: {row.after}" if row.message else "no sentence before it is close"


def _severity(asked: WorkQuestions) -> tuple[int, float]:
    """Return a sort key by which the worst compression comes first."""
    return -len(asked.statements), sum(probe.is_answered for probe in asked.probes) / max(1, len(asked.probes))


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
