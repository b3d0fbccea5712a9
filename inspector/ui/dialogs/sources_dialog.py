"""The sources of a reply: the messages that state its values and sentences, and those that no message states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rich.cells import set_cell_size
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.asking import ReplySource, SourcePlace, reply_sources, stated_nowhere
from inspector.core.conversation import Message
from inspector.core.text import clipped, first_lines, one_line, plural
from inspector.library import Preview, Workbench
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.palette import Palette
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList, PlainList, Span
from inspector.ui.workers.latest import LatestOnly

_CLASS = 11
_MAX_PLACES = 3
"""Maximum messages to list below a value or sentence."""
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


class SourceList(PlainList[SourceLine]):
    """The values and sentences of a reply, each with its messages. Those that no message states are last."""

    empty = "  looking for the sources …"

    def show(self, sources: Sequence[ReplySource]) -> None:
        """Show the sources of a reply."""
        empty = "  The reply contains no value and no sentence that could be stated elsewhere."
        self.show_rows(list(_source_lines(sources)), empty)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        if row.place is not None:
            words = row.place.words + ("" if row.place.in_window else ", no longer in the request")
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

    def __init__(self, heading: str, reply: Message | None, find: Callable[[], Sequence[ReplySource]]) -> None:
        """Create the screen.

        Args:
            heading: The place of the reply in words.
            reply: The reply; None if there is none.
            find: Returns its sources. Called in a thread.
        """
        super().__init__()
        self.heading, self.reply, self.find = heading, reply, find
        self.sources: Sequence[ReplySource] | None = None
        self.jobs: LatestOnly[Sequence[ReplySource]] = LatestOnly(self, "sources", self.show_sources)

    def compose(self) -> ComposeResult:
        yield Static(self.heading, classes="bar", markup=False)
        yield Static(id="source-counts", markup=False)
        yield SourceList(id="sources")
        yield Static(id="source-detail", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_texts()
        if self.reply is not None:
            self.jobs.ask(self.find)
        else:
            self.show_sources(())

    def on_resize(self) -> None:
        if self.is_mounted:
            self.show_texts()

    def show_sources(self, sources: Sequence[ReplySource]) -> None:
        """Show the result of the search."""
        self.sources = sources
        self.query_one(SourceList).show(sources)
        self.show_texts()

    @on(SourceList.Moved)
    def show_texts(self) -> None:
        """Update the texts around the list, and the keys."""
        row, width = self.query_one(SourceList).current, max(20, self.size.width - 4)
        words = clipped(one_line(self.reply.preview), width) if self.reply else "This agent has no reply."
        if self.sources:
            words += f"\n{clipped(_counts_of(self.sources), width)}"
        self.query_one("#source-counts", Static).update(words)
        detail = _detail_of(row, width, Palette(self.app.theme_variables)) if row else Text()
        self.query_one("#source-detail", Static).update(detail)
        self.query_one(KeyBar).keys = available(
            (row and row.target, Key("open", "go to the message")), (True, Key("back", "back"))
        )

    @on(LineList.Opened)
    def open_message(self) -> None:
        row = self.query_one(SourceList).current
        if row is not None and row.target:
            self.dismiss(row.target)
        elif row is not None:
            stated = row.source.stated
            self.notify("The definitions of the tools are no message." if stated else "No earlier message states it.")


def sources_screen(bench: Workbench, preview: Preview | None) -> SourcesScreen | None:
    """Return the screen for the reply to the window of a preview, or for the last reply; None without a preview.

    Args:
        bench: Open session.
        preview: Its window.
    """
    if preview is None:
        return None
    session, agent = preview.session, preview.recorded.agent
    turns = session.turns(agent)
    if not turns:
        return SourcesScreen("Sources of a reply", None, tuple)
    turn = min(preview.recorded.turn, len(turns))
    number = turns[turn - 1]
    reply = session.messages[number]
    heading = f"Sources of the reply #{number + 1:,} at turn {turn:,}"
    return SourcesScreen(heading, reply, partial(_sources_of, bench, turn, reply))


def _sources_of(bench: Workbench, turn: int, reply: Message) -> Sequence[ReplySource]:
    """Return the sources of a reply. Raises OSError if the recording can no longer be read."""
    return reply_sources(bench.session, bench.fact_index(), bench.window(turn, reply.agent), reply)


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


def _detail_of(row: SourceLine, width: int, palette: Palette) -> Text:
    """Return the whole value or sentence, and the message that states it."""
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
