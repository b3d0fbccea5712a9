"""A dialog that writes the window as a request that a provider accepts, or as a file for another program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis import redaction
from inspector.analysis.context_loss import RESTORED_TOKENS
from inspector.core.text import listed, one_line, plural
from inspector.library import (
    EXPORTS_AND_HANDOFF,
    HANDOFF,
    MIN_HANDOFF_TOKENS,
    Export,
    Preview,
    Workbench,
    export_as,
    export_form_after,
    redacted_preview,
)
from inspector.llm.providers import DEFAULT_DIALECT
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.write_dialog import FileWriter, PathInput, Write, WriteDialog, folder_hint, names_line
from inspector.ui.key_remaps import with_keys
from inspector.ui.palette import mark_of
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.remark import Remark
from inspector.ui.workers.latest import LatestOnly

_MAX_NOTES = 6
"""Maximum sentences that fit into the dialog."""
_MAX_NAMES = 3
_MAX_BUDGET = 100_000
_KEYS = "{switch_view}: next format   {hide_secrets}: {change} secrets   {open}: write   {back}: close"


class ExportScreen(WriteDialog):
    """Asks for a format and a file. Existing files are never overwritten without asking."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("export")

    AUTO_FOCUS = "#path"

    to: reactive[str] = reactive(DEFAULT_DIALECT, init=False)
    budget: reactive[int] = reactive(RESTORED_TOKENS, init=False)
    """Maximum length of a briefing, in tokens."""

    def __init__(self, bench: Workbench, preview: Preview) -> None:
        super().__init__()
        self.bench = bench
        self.recorded = preview
        """Preview with the full text."""
        self.safe: tuple[Preview, redaction.Redactor] | None = None
        """Preview without secrets and the redactor that hid them; None until it is asked for."""
        self.hides = False
        self.redactions: LatestOnly[tuple[Preview, redaction.Redactor]] = LatestOnly(
            self, "redaction", self.set_redaction
        )
        self.file = FileWriter(self, preview.session.path)
        self.notes: LatestOnly[list[str]] = LatestOnly(self, "notes", self.show_notes)
        self._export: Export | None = None
        self.set_reactive(ExportScreen.to, preview.recorded.context.dialect)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Export this window", classes="heading")
            yield Static(id="provider", markup=False)
            yield Static(id="notes", markup=False)
            yield PathInput(self.suggestion())
            yield Remark()
            yield Static(folder_hint(), classes="hint", markup=False)
            yield key_line(_KEYS, change="hide", id="export-keys")

    def on_mount(self) -> None:
        self.watch_to()

    @property
    def preview(self) -> Preview:
        """Preview that is written."""
        return self.safe[0] if self.safe and self.hides else self.recorded

    def suggestion(self) -> str:
        return self.export.suggestion

    @property
    def export(self) -> Export:
        """The window in the format."""
        known = self._export
        budget = getattr(known, "budget", self.budget)
        if known is None or known.preview is not self.preview or (known.to, budget) != (self.to, self.budget):
            known = self._export = export_as(self.preview, self.to, budget=self.budget)
        return known

    def watch_to(self) -> None:
        window = self.preview.after
        size = f"{plural(len(window.messages), 'message')}, {mark_of(window)}{window.total:,} tokens"
        if self.to == HANDOFF:
            size = with_keys("at most {budget:,} tokens ({up} {down}: change)", budget=self.budget)
            self.query_one("#notes", Static).update("finding the facts …")
        self.query_one("#provider", Static).update(
            Text.assemble(
                names_line(EXPORTS_AND_HANDOFF, self.to, self), "\n", f"{EXPORTS_AND_HANDOFF[self.to]}, {size}"
            )
        )
        self.query_one(PathInput).suggest(self.suggestion())
        self.notes.ask(self.export.notes)

    def watch_budget(self) -> None:
        self.watch_to()

    def show_notes(self, notes: list[str]) -> None:
        """Show which content the format cannot represent, and which corrections are made."""
        lines = [one_line(note) for note in notes[:_MAX_NOTES]]
        more = [f"and {len(notes) - len(lines)} more"] if len(notes) > len(lines) else []
        hidden = [_hidden_line(self.safe[1])] if self.safe and self.hides else []
        self.query_one("#notes", Static).update("\n".join([*hidden, *lines, *more]))

    def action_switch(self) -> None:
        self.to = export_form_after(self.to)

    def action_budget(self, tokens: int) -> None:
        if self.to == HANDOFF:
            self.budget = min(_MAX_BUDGET, max(MIN_HANDOFF_TOKENS, self.budget + tokens))

    def action_hide(self) -> None:
        self.hides = not self.hides
        self.query_one("#export-keys", Static).update(with_keys(_KEYS, change="show" if self.hides else "hide"))
        if self.hides and self.safe is None:
            self.say("searching for secrets …")
            self.redactions.ask(partial(redacted_preview, self.bench, self.recorded))
        else:
            self.watch_to()

    def set_redaction(self, safe: tuple[Preview, redaction.Redactor]) -> None:
        self.safe = safe
        self.say("")
        self.watch_to()

    @property
    def target(self) -> str:
        return self.file.target

    def prepare(self) -> Write | None:
        if self.hides and self.safe is None:
            return None  # the search for secrets is still running, as the dialog shows
        self.say("writing …")
        export = self.export
        return self.file.prepare(
            partial(_checked_files, export, self.safe[1]) if self.safe and self.hides else export.files
        )


def _hidden_line(redactor: redaction.Redactor) -> str:
    """Return the number of hidden secrets and as many of their placeholders as fit."""
    rows = redactor.review
    if not rows:
        return "No secrets found."
    names = listed([row.placeholder for row in rows], _MAX_NAMES)
    return one_line(f"{plural(len(rows), 'secret')} redacted: {names}. Patterns do not recognise every secret.")


def _checked_files(export: Export, redactor: redaction.Redactor, path: Path) -> Mapping[Path, str]:
    """Return the texts to write, by file.

    Raises:
        ValueError: A text still contains something that had to be hidden.
    """
    texts = export.files(path)
    try:
        for text in texts.values():
            redactor.check(text)
    except redaction.RedactionError as error:
        raise ValueError(str(error)) from error
    return texts
