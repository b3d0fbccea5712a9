"""Having the summary written by a model: only when asked for, seen while it goes on, stopped at any moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive

from inspector.crash import failure_sentence
from inspector.text import one_line
from inspector.ui.screens.inspect.trying import Trying
from inspector.ui.widgets.knobs import KnobPanel
from inspector.ui.writing import HOW, Writing, Written, model_set_up, name_of_model, write


class ByModel(Trying):
    """The key that asks a model. Previews while a knob moves never do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "write_summary", "Have the summary written by a model"),
    ]

    writing: reactive[Writing | None] = reactive(None, init=False, repaint=False)

    @dataclass
    class Progress(Message):
        """So many tokens have come."""

        writing: Writing

    @dataclass
    class Done(Message):
        """The model has written, or failed, or was stopped."""

        writing: Writing
        written: Written | None
        failure: str = ""

    def action_write_summary(self) -> None:
        preview, trial = self.preview, self.trial
        if trial is None or preview is None:
            self.notify("Pick a strategy first: press s.")
        elif self.writing is not None:
            self.notify("It is being written. esc stops it.")
        elif self.previews.running or preview.plan is None or preview.plan.strategy != trial.strategy:
            self.notify("One moment: the plan is still being worked out.")
        elif not preview.plan.summaries:
            self.notify("This plan has no summary, so there is nothing for a model to write.")
        else:
            self.ask_model()

    def ask_model(self) -> None:
        try:
            settings = model_set_up()
        except ValueError as problem:
            self.notify(str(problem), severity="warning")
            return
        if settings is None or self.trial is None:
            self.notify(HOW, timeout=15)
            return
        writing = self.writing = Writing(one_line(settings.model))

        def progress(done: int, total: int) -> None:
            self.post_message(self.Progress(writing.at(done, total)))

        job = partial(write, self.bench, self.turn, self.agent, self.trial, settings, writing, progress)
        self.run_worker(partial(self.have_written, writing, job), thread=True, group="writing", exit_on_error=False)

    def have_written(self, writing: Writing, job: partial[Written]) -> None:
        """In a thread: whatever happens is told."""
        try:
            written = job()
        except Exception as error:  # shown to the person in a sentence: a failed job must not end the app
            self.post_message(self.Done(writing, None, failure_sentence(error)))
        else:
            self.post_message(self.Done(writing, written))

    def on_by_model_progress(self, message: Progress) -> None:
        if self.writing is not None and self.writing.cancel is message.writing.cancel:
            self.writing = message.writing

    def on_by_model_done(self, message: Done) -> None:
        """Show what was written; where nothing was, what is shown stays, and why is told."""
        if self.writing is None or self.writing.cancel is not message.writing.cancel:
            return
        self.writing = None
        written = message.written
        if written is None:
            self.notify(message.failure, severity="error")
        elif written.plan.failed or not written.plan.summaries:
            why = written.plan.note or "The model's summary could not be used."
            self.notify(why[:1].upper() + why[1:], severity="warning", timeout=10)
        else:
            self.written = written
            self.compute()

    def stop_writing(self) -> bool:
        """Stop the model, if one is at it."""
        if self.writing is None:
            return False
        self.writing.cancel.set()
        self.writing = None
        return True

    def compute_anew(self) -> None:
        if self.stop_writing():
            self.notify("The model was stopped: what it was to write for has changed.")
        super().compute_anew()

    def watch_writing(self, before: Writing | None, after: Writing | None) -> None:
        self.tell_of_model()
        if (before is None) is not (after is None):
            self.show_keys()

    def show_keys(self) -> None:
        """Offer the keys that do something now."""

    def tell_of_model(self) -> None:
        """What the panels say of the model: that it could write, is writing, or has written."""
        for panel in self.query(KnobPanel):
            panel.writing = self.writing
            panel.written = self.written
            panel.writer = name_of_model()

    async def action_back(self) -> None:
        if self.stop_writing():
            self.notify("Stopped. The summary that is read out of the text stays.")
        else:
            await super().action_back()

    def on_unmount(self) -> None:
        if self.writing is not None:
            self.writing.cancel.set()
