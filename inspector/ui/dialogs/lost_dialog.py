"""The facts that a compaction or a plan removed from the window, in a list, with their sources and later uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.context_loss import (
    RESTORED_TOKENS,
    Loss,
    Losses,
    NeedEvent,
    Restored,
    class_words,
    describe_kept,
    describe_probes,
    describe_reread,
    describe_seal,
    group_losses,
    need_words,
    restore,
    restore_plan,
)
from inspector.core.text import clipped, one_line, plural, wrapped
from inspector.core.work_pool import Stop
from inspector.engine.facts import SENTENCES, FactClass
from inspector.engine.window import SizeChange
from inspector.library import Preview
from inspector.ui.bindings import bindings
from inspector.ui.copying import copy_losses
from inspector.ui.dialogs.diff_dialog import DiffScreen
from inspector.ui.dialogs.give_back import GiveBack
from inspector.ui.dialogs.loss_list import WIDE, LossList
from inspector.ui.dialogs.message_reader import Reader, facts_in
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.dialogs.state_rows import StateRow, change_rows, question_rows
from inspector.ui.key_remaps import key_of
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.workers.latest import LatestOnly

_COUNTS = 3
"""Maximum lines above the list for the counts of messages and kept facts."""
_DETAIL = 5
"""Maximum lines below the list for the quoted sentences."""


class LostScreen(Overlay[NeedEvent]):
    """The lost facts by class. Dismissed with the event whose turn is to be shown, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("lost")
    AUTO_FOCUS = "#losses"

    cls: reactive[FactClass | None] = reactive[FactClass | None](None, init=False, repaint=False)

    def __init__(self, preview: Preview, sizes: SizeChange, find: Callable[[Stop], Losses | None], what: str) -> None:
        """Create the list of facts lost in a change of the window.

        Args:
            preview: Windows before and after the change.
            sizes: Token counts of both windows.
            find: Finds the losses. Called in a thread with a function that returns True to stop; returns None if
                stopped.
            what: Heading.
        """
        super().__init__()
        self.sizes = sizes
        self.preview = preview
        self.find = find
        self.what = what
        self.losses: Losses | None = None
        self.jobs: LatestOnly[Losses | None] = LatestOnly(self, "losses", self.show_result)
        self.texts: LatestOnly[GiveBack | None] = LatestOnly(self, "restored", self.show_back)
        self.back: GiveBack | None = None
        """The text that gives the lost facts back; None before it is known."""

    def compose(self) -> ComposeResult:
        yield Static(self.heading(), classes="bar", markup=False)
        yield Static(id="loss-counts", markup=False)
        yield LossList(id="losses")
        yield Static(id="loss-detail", markup=False)
        yield KeyBar(id="keys")

    def heading(self) -> str:
        return f"{self.what}   {self.sizes} tokens{', more than before' if self.sizes.grew else ''}"

    def on_mount(self) -> None:
        self.show_keys()
        find = self.find
        self.jobs.ask(lambda: find(lambda: self._is_dismissed))

    def show_keys(self) -> None:
        rows = self.query_one(LossList)
        loss, is_roomy = rows.current, self.size.width >= WIDE
        keys = _keys_of_line(loss, rows.state_row, is_roomy)
        if back := rows.back_line:
            keys.append(Key("toggle", "leave out" if back.is_in else "include"))
        elif self.losses and self.losses.losses and not loss and not rows.state_row:
            keys.append(Key("toggle", "fold"))
        if self.losses and self.losses.losses:
            keys.append(Key("copy", "copy for the agent" if is_roomy else "copy"))
            keys.append(Key("filter", "class"))
        keys += [Key("diff", "by message"), Key("back", "back")]
        self.query_one(KeyBar).keys = tuple(keys)

    def show_result(self, losses: Losses | None) -> None:
        self.losses = losses
        if losses is not None:
            self.show_losses()
            self.texts.ask(partial(self.find_back, losses.turn))

    def find_back(self, turn: int) -> GiveBack | None:
        """Return the text that gives the lost facts back: of a compaction the one of `inspector restore`."""
        session, window = self.preview.session, self.preview.recorded
        if self.preview.plans:
            restored: Restored | None = restore_plan(session, window, self.preview.after)
        else:
            restored = restore(session, window.agent, turn)
        return GiveBack(restored, session.model, RESTORED_TOKENS) if restored else None

    def show_back(self, back: GiveBack | None) -> None:
        self.back = back
        if self.cls is None:
            self.query_one(LossList).show_back(back)

    def on_resize(self) -> None:
        if self.is_mounted:
            self.show_keys()
        if self.is_mounted and self.losses is not None:
            self.show_detail()
            self.show_counts(self.losses)

    def watch_cls(self) -> None:
        self.show_losses()

    def show_losses(self) -> None:
        losses = self.losses
        if losses is None:
            return
        rows = [loss for loss in losses.losses if self.cls in (None, loss.cls)]
        self.show_counts(losses)
        changes = change_rows(losses.consequences, losses.state) if self.cls is None else ()
        questions = question_rows(losses.probes) if self.cls is None else ()
        self.query_one(LossList).back = self.back if self.cls is None else None
        empty = "  Nothing was lost: every fact is still in the context."
        self.query_one(LossList).show(group_losses(rows), empty, changes, questions)
        self.show_detail()

    def show_counts(self, losses: Losses) -> None:
        words = f"{plural(losses.covered, 'message')} removed or shortened"
        if kept := describe_kept(losses):
            words = f"{words}; {kept}"
        if reread := describe_reread(losses):
            words = f"{words}; {reread}"
        if going_on := describe_probes(losses, names=0):
            words = f"{words}; {going_on}"
        if seal := describe_seal(losses):
            words = f"{seal}; {words}"
        if self.cls:
            words = f"only {class_words(self.cls, 2)} · {key_of('filter')}: next class · {words}"
        rows = list(wrapped(words, max(20, self.size.width - 4)))
        if len(rows) > _COUNTS:
            rows[_COUNTS - 1 :] = [clipped(f"{rows[_COUNTS - 1]} …", self.size.width - 4)]
        self.query_one("#loss-counts", Static).update("\n".join(rows))

    @on(LossList.Moved)
    def show_detail(self) -> None:
        self.show_keys()
        loss = self.query_one(LossList).current
        width = max(20, self.size.width - 4)
        row = self.query_one(LossList).state_row
        lines = list(_detail_lines(loss, width))[:_DETAIL] if loss else []
        if back := self.query_one(LossList).back_line:
            lines = list(wrapped(one_line(back.step.text), width))[:_DETAIL]
        if row is not None:
            lines = _two_lines(row.text, width)
            lines += _two_lines(f"{row.end}: {row.after}", width) if row.end else []
        self.query_one("#loss-detail", Static).update(Text("\n".join(lines)))

    def action_filter(self) -> None:
        """Show the next class that lost facts, or all classes after the last one."""
        if self.losses is not None:
            classes: list[FactClass | None] = [None, *self.losses.counts]
            self.cls = classes[(classes.index(self.cls) + 1) % len(classes)]

    @on(LossList.Opened)
    def action_read(self) -> None:
        """Open the message that stated the fact under the cursor; on a heading, fold or unfold its group."""
        rows = self.query_one(LossList)
        loss, row = rows.current, rows.state_row
        if row is not None:
            self.read_message(row)
            return
        if loss is None:
            rows.action_fold()
        message = self.preview.session.by_id.get(loss.source) if loss else None
        if loss is not None and message is not None:
            words = facts_in(message, [loss.fact]) or facts_in(message, [loss.quote])
            self.app.push_screen(Reader(message, f"{loss.position:,}", words))

    def read_message(self, row: StateRow) -> None:
        """Open the message that a line about the state names."""
        session = self.preview.session
        if (message := session.by_id.get(row.message)) is not None:
            number = next(place for place, one in enumerate(session.messages, 1) if one is message)
            self.app.push_screen(
                Reader(message, f"{number:,}", facts_in(message, [row.after if row.fate == "invented" else row.text]))
            )

    def action_need(self) -> None:
        loss = self.query_one(LossList).current
        if loss is not None and loss.needed:
            self.dismiss(loss.needed[0])
        elif loss is not None:
            self.notify("No later reply needed or stated this fact.")

    def action_copy(self) -> None:
        """Copy the text that gives the lost facts back."""
        if self.losses is None:
            return
        if self.texts.is_running:
            self.notify("The text is being written.")
            return
        restored = self.back.restored if self.back else None
        size = f" {restored.tokens:,} tokens." if restored and restored.text else ""
        self.notify(copy_losses(self.app, restored.text if restored else "") + size)

    def action_diff(self) -> None:
        self.app.push_screen(self.diff())

    def diff(self) -> DiffScreen:
        """Return the same change, message by message."""
        return DiffScreen(self.preview, self.what, self.sizes)


def _keys_of_line(loss: Loss | None, row: StateRow | None, is_roomy: bool) -> list[Key]:
    """Return the keys of the line under the cursor."""
    keys = [Key("open", "where it was stated" if is_roomy else "source")] if loss else []
    if row is not None and row.message:
        keys.append(Key("open", "message"))
    if loss and loss.needed:
        verb = "stated again" if loss.is_only_stated else "needed"
        keys.append(Key("next_finding", f"where it was {verb}" if is_roomy else verb))
    return keys


def _detail_lines(loss: Loss, width: int) -> Iterator[str]:
    """Yield the sentence that stated a fact, and up to two later ones that needed or state it."""
    place = f"#{loss.position:,}, turn {loss.turn:,}" if loss.position else "a message that is not in the log"
    yield from _two_lines(f"stated in {place}: “{one_line(loss.quote)}”", width)
    for need_event in loss.needed[:2]:
        said = f": “{one_line(need_event.quote)}”" if need_event.quote else ""
        yield from _two_lines(f"{need_words(need_event.how)} at turn {need_event.turn:,}{said}", width)
    if loss.cls in SENTENCES and not loss.needed:
        yield "A reworded fact may be counted as lost."


def _two_lines(words: str, width: int) -> list[str]:
    """Return a sentence in at most two lines, clipped if it is longer."""
    first, *rest = wrapped(words, width) or [""]
    return [first, clipped(" ".join(rest), width)] if rest else [first]
