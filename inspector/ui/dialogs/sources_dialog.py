"""The sources of a reply: the messages that state its values and sentences, and those that no message states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import set_cell_size
from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.asking import ReplySource, SourcePlace, reply_sources, source_weights, stated_nowhere
from inspector.core.conversation import Message
from inspector.core.text import clipped, first_lines, one_line, plural
from inspector.library import Preview, Workbench
from inspector.store import Store
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.ask_choices import AskSubject
from inspector.ui.dialogs.ask_dialog import EXPECTED_PROMPT, QuestionDialog
from inspector.ui.dialogs.blame_controller import BlameController, BlameState, BlameSubject
from inspector.ui.dialogs.blame_rows import CulpritLine, culprit_lines
from inspector.ui.dialogs.consent_words import consent_words
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.palette import Palette
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList, PlainList, Span
from inspector.ui.workers.jobs import ScreenJobs
from inspector.ui.workers.latest import LatestOnly

_CLASS = 11
_MAX_PLACES = 3
"""Maximum messages to list below a value or sentence."""
_CONSENT_LINES = 4
_TEXT_LINES, _PLACE_LINES = 3, 2
"""Maximum lines below the list for the whole text, and for the message that states it."""
_RELATIONS = {
    ("value", "states"): "states it",
    ("value", "contains"): "contains it in other surroundings",
    ("value", "values"): "contains it",
    ("statement", "states"): "states it",
    ("statement", "contains"): "contains most of its words",
    ("statement", "values"): "has only values of the sentence",
}


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the list: a value or sentence, or one of the messages that state it."""

    source: ReplySource
    place: SourcePlace | None = None

    @property
    def target(self) -> str:
        """ID of the message to go to; "" for none."""
        places = (self.place,) if self.place else self.source.places
        return next((place.id for place in places if place.id), "")


class SourceList(PlainList[SourceLine | CulpritLine]):
    """Messages that a model's replies depend on, and the values and sentences of a reply, each with its messages.

    Those that no message states are last.
    """

    empty = "  looking for the sources …"

    def show(self, culprits: Iterable[CulpritLine], sources: Sequence[ReplySource]) -> None:
        """Show the sources of a reply.

        Args:
            culprits: Result of a search with a model.
            sources: Values and sentences of the reply.
        """
        empty = "  The reply contains no value and no sentence that could be stated elsewhere."
        self.show_rows([*culprits, *_source_lines(sources)], empty)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        if isinstance(row, CulpritLine):
            indent = 4 if row.is_part else 2
            head = f"  {row.head:<{_CLASS}}" if not row.is_part else " " * (_CLASS + indent)
            words = clipped(row.words, max(8, width - len(head) - 1))
            return [(head, palette.ink("success", bold=True)), (words, palette.dim if row.is_part else palette.ink())]
        if row.place is not None:
            words = "" if row.source.stated else "values from "
            words += row.place.words + ("" if row.place.in_window else ", no longer in the request")
            text = clipped(one_line(words), max(8, width - _CLASS - 4))
            return [(" " * (_CLASS + 4) + text, palette.dim if row.place.in_window else palette.ink("warning"))]
        source = row.source
        end = "" if source.stated else "  stated nowhere "
        room = max(8, width - _CLASS - 2 - len(end))
        return [
            (f"  {source.cls or 'sentence':<{_CLASS}}", palette.ink("primary" if source.stated else "warning")),
            (set_cell_size(clipped(one_line(source.text), room), room), palette.ink()),
            (end, palette.ink("warning")),
        ]


class SourcesScreen(Overlay[str]):
    """The sources of a reply. Dismissed with the ID of the message to go to, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("sources")
    AUTO_FOCUS = "#sources"

    def __init__(self, heading: str, reply: Message | None, subject: SourcesSubject | None) -> None:
        """Create the screen.

        Args:
            heading: The place of the reply in words.
            reply: The reply, or None.
            subject: Finds its sources; None without a reply.
        """
        super().__init__()
        self.heading, self.reply, self.subject = heading, reply, subject
        self.sources: Sequence[ReplySource] | None = None
        self.jobs: LatestOnly[Sequence[ReplySource]] = LatestOnly(self, "sources", self.show_sources)
        self.controller: BlameController | None = None
        if subject is not None:
            blamed = BlameSubject(subject.turn, lambda: source_weights(self.sources or ()), subject.store)
            self.controller = BlameController(ScreenJobs(self), self, blamed, self.show_search)

    def compose(self) -> ComposeResult:
        yield Static(self.heading, classes="bar", markup=False)
        yield Static(id="source-counts", markup=False)
        yield Static(id="consent", markup=False)
        yield SourceList(id="sources")
        yield Static(id="source-detail", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one("#consent").display = False
        self.show_texts()
        if self.subject is not None:
            self.jobs.ask(self.subject.sources)
        else:
            self.show_sources(())

    def on_unmount(self) -> None:
        if self.controller is not None:
            self.controller.close()

    def on_resize(self) -> None:
        if self.is_mounted:
            self.show_search(self.state)

    @property
    def state(self) -> BlameState:
        """The search with a model."""
        return self.controller.state if self.controller else BlameState()

    def show_sources(self, sources: Sequence[ReplySource]) -> None:
        """Show the result of the search without a model."""
        self.sources = sources
        self.show_search(self.state)

    def show_search(self, state: BlameState) -> None:
        """Draw a state of the search with a model."""
        if not self.is_mounted:
            return
        consent = self.query_one("#consent", Static)
        consent.display = state.is_begun
        consent.update(_consent_text(state, max(20, self.size.width - 4), self.palette))
        if self.sources is not None:
            messages = self.subject.messages if self.subject else ()
            self.query_one(SourceList).show(culprit_lines(state.result, messages), self.sources)
        self.show_texts()

    @on(SourceList.Moved)
    def show_texts(self) -> None:
        """Update the texts around the list, and the keys."""
        row, width = self.query_one(SourceList).current, max(20, self.size.width - 4)
        words = clipped(one_line(self.reply.preview), width) if self.reply else "This agent has no reply."
        if self.sources:
            words += f"\n{clipped(_counts_of(self.sources), width)}"
        self.query_one("#source-counts", Static).update(words)
        detail = _detail_of(row, width, self.palette) if row else Text()
        self.query_one("#source-detail", Static).update(detail)
        state = self.state
        is_open = state.is_begun and not state.is_asking
        self.query_one(KeyBar).keys = available(
            (state.is_asking, Key("back", "stop")),
            (is_open and state.can_send, Key("yes", "send")),
            (row and row.target, Key("open", "go to the message")),
            (self.controller and not state.is_begun, Key("ask", "ask a model")),
            (is_open, Key("less more", f"{state.question.samples} each")),
            (is_open, Key("type", "expect a text")),
            (is_open, Key("toggle", "whole reply" if state.question.expectation.calls_only else "calls only")),
            (is_open, Key("hide_secrets", "send secrets" if state.question.hides else "hide secrets")),
            (is_open, Key("much_less much_more", "limit")),
            (not state.is_asking, Key("back", "back")),
        )

    @on(LineList.Opened)
    def open_message(self) -> None:
        row = self.query_one(SourceList).current
        if row is not None and row.target:
            self.dismiss(row.target)
        elif isinstance(row, CulpritLine):
            self.notify(row.detail)
        elif row is not None:
            stated = row.source.stated
            self.notify("The definitions of the tools are no message." if stated else "No earlier message states it.")

    # the search with a model

    def action_ask(self) -> None:
        if self.controller is None:
            self.notify("This agent has no reply.")
        else:
            self.controller.begin()

    def action_send(self) -> None:
        if self.controller is not None:
            self.controller.send()

    def action_samples(self, step: int) -> None:
        if self.controller is not None and self.state.is_begun:
            self.controller.add_samples(step)

    def action_limit(self, step: int) -> None:
        if self.controller is not None and self.state.is_begun:
            self.controller.raise_limit(step)

    def action_hide(self) -> None:
        if self.controller is not None and self.state.is_begun:
            self.controller.hide()

    def action_compare(self) -> None:
        if self.controller is not None and self.state.is_begun:
            self.controller.compare_calls()

    def action_write(self) -> None:
        if self.controller is not None and self.state.is_begun:
            self.app.push_screen(QuestionDialog(self.state.question.text, EXPECTED_PROMPT), self.controller.expect)

    def action_back(self) -> None:
        if self.controller is None or not self.controller.stop():
            self.dismiss(None)


def _consent_text(state: BlameState, width: int, palette: Palette) -> Text:
    """Return the line that a yes agrees to, the progress of the search, and its end.

    Args:
        state: The search.
        width: Cells of a line.
        palette: Colours.
    """
    plan, result = state.plan, state.result
    sentence = consent_words(plan.sentence if plan else "", is_wanted=state.is_wanted)
    if state.is_asking and result is not None:
        sentence = result.progress + sentence
    is_ready = (plan is None or plan.trials is not None) and not state.is_wanted
    lines = first_lines(sentence, width, _CONSENT_LINES)
    text = Text("\n".join(lines), palette.ink() if is_ready else palette.ink("warning"))
    if result is not None and result.said:
        text.append("\n" + "\n".join(first_lines(result.said, width, 2)), palette.dim)
    if expected := state.question.text:
        text.append(f"\nExpected in the reply: {clipped(one_line(expected), width - 23)}", palette.strong)
    if state.question.expectation.calls_only:
        text.append("\nOnly calls of tools are compared.", palette.strong)
    return text


@dataclass(frozen=True, eq=False)
class SourcesSubject:
    """A reply, and the turn in which it was generated."""

    bench: Workbench
    number: int
    """Number of the turn."""
    reply: Message
    store: Store | None

    @property
    def messages(self) -> Sequence[Message]:
        return self.bench.session.messages

    def sources(self) -> Sequence[ReplySource]:
        """Return the sources of the reply. Raises OSError if the recording can no longer be read."""
        bench = self.bench
        return reply_sources(bench.session, bench.fact_index(), bench.window(self.number, self.reply.agent), self.reply)

    def turn(self) -> AskSubject:
        """Return the turn for a model."""
        return AskSubject(self.bench, self.bench.preview(self.number, self.reply.agent))


def sources_screen(app: App[object], bench: Workbench, preview: Preview | None) -> SourcesScreen | None:
    """Return the screen for the reply to the window of a preview, or for the last reply; None without a preview.

    Args:
        app: The app, whose store keeps a model's replies.
        bench: Open session.
        preview: Its window.
    """
    if preview is None:
        return None
    session, agent = preview.session, preview.recorded.agent
    turns = session.turns(agent)
    if not turns:
        return SourcesScreen("Sources of a reply", None, None)
    turn = min(preview.recorded.turn, len(turns))
    number = turns[turn - 1]
    reply = session.messages[number]
    heading = f"Sources of the reply #{number + 1:,} at turn {turn:,}"
    return SourcesScreen(heading, reply, SourcesSubject(bench, turn, reply, getattr(app, "store", None)))


def _source_lines(sources: Sequence[ReplySource]) -> Iterator[SourceLine]:
    for source in (*(source for source in sources if source.stated), *stated_nowhere(sources)):
        yield SourceLine(source)
        yield from (SourceLine(source, place) for place in source.places[:_MAX_PLACES])


def _counts_of(sources: Sequence[ReplySource]) -> str:
    """Return how many values and sentences are stated before, as a sentence."""
    nowhere = len(stated_nowhere(sources))
    gone = sum(source.stated and not source.in_window for source in sources)
    end = f", {gone:,} only outside the request" if gone else ""
    return f"{len(sources) - nowhere:,} of {len(sources):,} values and sentences are stated before{end}."


def _detail_of(row: SourceLine | CulpritLine, width: int, palette: Palette) -> Text:
    """Return the whole value or sentence, and the message that states it; for a culprit, its role."""
    if isinstance(row, CulpritLine):
        text = Text("\n".join(first_lines(row.words, width, _TEXT_LINES)))
        text.append("\n" + "\n".join(first_lines(row.detail, width, _PLACE_LINES)), palette.dim)
        return text
    source, place = row.source, row.place
    text = Text("\n".join(first_lines(source.text, width, _TEXT_LINES)))
    if place is not None:
        words = f"{place.words}: {_RELATIONS[source.kind, place.relation]}"
        words += "" if place.in_window else "; the request no longer contained this message"
    elif not source.places:
        words = "No earlier message and no definition of a tool states it."
    elif source.stated:
        words = f"In {plural(source.count, 'message')}."
    else:
        words = f"No earlier message states it; {plural(source.count, 'message')} with some of its values."
    text.append("\n" + "\n".join(first_lines(words, width, _PLACE_LINES)), palette.dim)
    return text
