"""Looking closer: reading, folding, the diff, a summary's messages, what is wrong; and taking the window away."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from inspector.conversation import ProviderName
from inspector.library import summary_of
from inspector.ui.dialogs.diff import DiffScreen
from inspector.ui.dialogs.export import ExportScreen
from inspector.ui.dialogs.origin import OriginScreen, SummaryReader
from inspector.ui.dialogs.problems import ProblemsScreen
from inspector.ui.dialogs.reader import Reader
from inspector.ui.reading import Line, reading
from inspector.ui.screens.inspect.bench import BenchScreen
from inspector.ui.widgets.detail import Detail, Shown
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.message_list import MessageList
from inspector.ui.workers.latest import LatestOnly

_PANE_LINES = 200
"""Lines of a message that are read for the pane beside the list; the reader has them all."""


class Looking(BenchScreen):
    """The keys that show more and change nothing."""

    details: LatestOnly[Shown]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "diff", "Show the diff"),
        Binding("o", "origin", "From a summary to its messages, from a message to its summary"),
        Binding("f", "fold", "Fold or unfold what leaves"),
        Binding("e", "export", "Export the window as a request"),
        Binding("exclamation_mark", "problems", "What a provider would refuse, and what is wrong with the file"),
    ]

    @on(LineList.Moved, "#messages")
    def show_detail(self) -> None:
        messages = self.query_one(MessageList)
        index = messages.current_index
        if self.preview is None or index is None or index >= len(self.preview.before.messages):
            self.query_one(Detail).shown = None
            return
        shown = messages.shown(index)
        before = self.query_one(Detail).shown
        if before is None or before.message is not shown.message:
            self.query_one(Detail).shown = shown
        width = max(10, self.query_one(Detail).size.width)
        self.details.ask(partial(_filled, shown, width))

    def action_fold(self) -> None:
        self.query_one(MessageList).toggle_folding()

    def action_open(self) -> None:
        self.query_one(MessageList).action_open()

    def read_message(self) -> None:
        """The message under the cursor; a folded run is unfolded instead."""
        messages = self.query_one(MessageList)
        if messages.unfold() or messages.current is None or self.preview is None:
            return
        if messages.current.kind == "summary":
            self.app.push_screen(SummaryReader(self.preview, messages.current))
        else:
            self.app.push_screen(Reader(messages.current, messages.number(messages.rows[messages.cursor])))

    def action_origin(self) -> None:
        """From a summary to what it stands for; from a message that leaves, to the summary that it goes into."""
        message = self.query_one(MessageList).current
        if message is None or self.preview is None:
            return
        if (summary := summary_of(self.preview.plans, message.id)) is not None:
            self.app.push_screen(SummaryReader(self.preview, summary, message.id))
        elif message.kind == "summary":
            self.app.push_screen(OriginScreen(self.preview, message))
        else:
            self.notify("This message is in no summary, and is none: o works on lines with Σ.")

    def action_diff(self) -> None:
        if self.preview is None:
            return
        if not any(plan.alters for plan in self.preview.plans):
            self.notify("Nothing differs yet: press s to try a strategy, or d to drop a message.")
            return
        self.app.push_screen(DiffScreen(self.preview))

    def action_export(self) -> None:
        if self.preview is None:
            return
        if not self.preview.after.messages:
            self.notify("There is nothing to export: the window is empty at this turn.")
            return
        self.app.push_screen(ExportScreen(self.preview))

    def action_problems(self) -> None:
        if self.preview is not None:
            self.app.push_screen(ProblemsScreen(self.preview, self.provider, self.judge_by))

    def judge_by(self, provider: ProviderName | None) -> None:
        """Hold the window against the rules of a provider, None for the session's own."""
        self.provider = provider


def _filled(shown: Shown, width: int) -> Shown:
    """With the beginning of the message's text, read where it lies."""
    lines: list[Line] = reading(shown.message, width)
    return replace(shown, lines=tuple(lines[:_PANE_LINES]), more=max(0, len(lines) - _PANE_LINES))
