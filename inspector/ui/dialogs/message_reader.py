"""A reader that shows a message in full, however long it is, or the raw record it was read from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.message_search import Place, fold_text, line_places, parse_words, readable_text, word_places
from inspector.core.conversation import Message
from inspector.core.text import dumps, one_line, plural
from inspector.library import speaker
from inspector.ui.bindings import bindings
from inspector.ui.copying import copy_message, open_outside
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.message_lines import Line, reading, wrap
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.prompt_line import PromptLine
from inspector.ui.widgets.text_view import TextView
from inspector.ui.workers.latest import LatestOnly

_Hit = tuple[int, int]
"""Line on which a match begins, and its index among the matches on that line."""
_Places = tuple[Mapping[int, Sequence[Place]], Sequence[_Hit]]
"""Matches by line, and the start of each match: a phrase that continues on the next line counts once."""


class Reader(Overlay[None]):
    """Shows one message. Text is wrapped in a thread, so that a message of ten megabytes does not block keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("reader")
    AUTO_FOCUS = "#text"

    raw: reactive[bool] = reactive(False, init=False, repaint=False)

    def __init__(self, message: Message, number: str, words: Sequence[str] = ()) -> None:
        """Create a reader for a message.

        Args:
            message: Message to read.
            number: Number of the message, or a symbol in its place.
            words: Search terms to highlight at once.
        """
        super().__init__()
        self.message = message
        self.number = number
        self.words = tuple(map(fold_text, words))
        self.asks = False
        """True if the search terms were typed here, so that esc ends the search before it closes the reader."""
        self.places: Mapping[int, Sequence[Place]] = {}
        self.hits: Sequence[_Hit] = ()
        self.hit = -1
        """Index of the current match, from 0; -1 before the first one is chosen."""
        self.texts: LatestOnly[list[Line]] = LatestOnly(self, "reading", self.show_result)
        self.searches: LatestOnly[_Places] = LatestOnly(self, "places", self.set_places)
        self.prompt = PromptLine(self, id="prompt")

    def compose(self) -> ComposeResult:
        yield Static(self.heading(), id="about-text", classes="bar", markup=False)
        yield TextView(id="text")
        yield self.prompt
        yield KeyBar(id="keys")

    def heading(self) -> str:
        who = speaker(self.message, {})
        facts = [f"message {self.number}", who, self.message.time, self.message.model]
        return "  ".join(one_line(fact) for fact in facts if fact)

    def on_mount(self) -> None:
        self.query_one(KeyBar).keys = self.key_hints()
        self.call_after_refresh(self.read)

    def key_hints(self) -> tuple[Key, ...]:
        return (
            Key("up down", "scroll"),
            Key("top bottom", "start, end"),
            Key("find", "find"),
            *((Key("next_hit"), Key("previous_hit")) if self.words else ()),
            Key("copy", "copy"),
            Key("editor", "editor"),
            Key("switch_view", "raw record"),
            Key("back", "end the search" if self.asks else "back"),
        )

    def on_resize(self) -> None:
        if self.is_mounted:
            self.read()

    def watch_raw(self) -> None:
        self.read()

    def action_raw(self) -> None:
        self.raw = not self.raw

    def read(self) -> None:
        width = max(10, self.query_one(TextView).size.width - 2)
        self.texts.ask(partial(raw_lines if self.raw else reading, self.message, width))

    def show_result(self, lines: list[Line]) -> None:
        self.query_one(TextView).show(lines, keep_place=True)
        self.search()

    # search

    def search(self) -> None:
        """Find the search terms in the displayed lines."""
        view = self.query_one(TextView)
        texts = [line.text for line in view.lines if isinstance(line, Line)]
        self.searches.ask(partial(_places_in, texts, self.words))

    def set_places(self, result: _Places) -> None:
        """Highlight matches, and scroll to the first one unless a match was chosen before."""
        self.places, self.hits = result
        self.query_one(TextView).mark(self.places)
        self.prompt.say(f"{plural(len(self.hits), 'place')}   ↓ next" if self.words else "")
        if self.hits and self.hit < 0:
            self.go_to(next((hit for hit, (line, _) in enumerate(self.hits) if line >= self.top), 0))
        else:
            self.go_to(min(self.hit, len(self.hits) - 1), scrolls=False)
        self.query_one(KeyBar).keys = self.key_hints()

    def ending(self) -> str:
        """Return the position of the current match, to follow the heading."""
        if not self.words:
            return ""
        return f"   match {self.hit + 1:,} of {len(self.hits):,}" if self.hits else "   no match"

    @property
    def top(self) -> int:
        return self.query_one(TextView).scroll_offset.y

    def go_to(self, hit: int, *, scrolls: bool = True) -> None:
        """Make a match the current one, and scroll to it with some lines above."""
        self.hit, view = hit, self.query_one(TextView)
        view.mark_current(self.hits[hit] if hit >= 0 else None)
        self.query_one("#about-text", Static).update(self.heading() + self.ending())
        if hit >= 0 and scrolls:
            line, _ = self.hits[hit]
            view.scroll_to(y=max(0, line - view.size.height // 3), animate=False, immediate=True)

    def action_hit(self, step: int) -> None:
        """Go to the next or previous match, wrapping around at the ends."""
        if not self.hits:
            self.notify("No match in this message." if self.words else "No active search. Press / to search.")
            return
        hit = self.hit + step
        self.go_to(hit % len(self.hits))
        if not 0 <= hit < len(self.hits):
            self.notify("Search wrapped to the top." if step > 0 else "Search wrapped to the end.")

    def action_find(self) -> None:
        typed = [f'"{word}"' if " " in word else word for word in self.words]
        self.prompt.open("find", "/", " ".join(typed), "words in this message")

    def set_text(self, text: str) -> None:
        """Search for other terms."""
        self.words, self.hit, self.asks = parse_words(text).words, -1, True
        self.search()

    def enter_text(self, _text: str) -> None:
        """Close the prompt and keep the matches highlighted."""
        self.prompt.close()
        self.query_one(TextView).focus()

    def press(self, key: str) -> None:
        if key == "escape":
            self.enter_text("")
            self.end_search()
        elif key in ("up", "down"):
            self.action_hit(1 if key == "down" else -1)

    def end_search(self) -> None:
        self.words, self.hit, self.asks = (), -1, False
        self.search()

    def action_back(self) -> None:
        """End a search that was started here; otherwise close the reader."""
        if self.asks:
            self.end_search()
        else:
            self.dismiss()

    # copy and open elsewhere

    def action_copy(self) -> None:
        self.notify(copy_message(self.app, self.message))

    def action_outside(self) -> None:
        if problem := open_outside(self.app, self.message):
            self.notify(problem)


def facts_in(message: Message, facts: Iterable[str]) -> tuple[str, ...]:
    """Return the facts that occur verbatim in a message, for `Reader` to highlight."""
    text = fold_text(readable_text(message))
    return tuple(fact for fact in facts if fact and fold_text(fact) in text)


def _places_in(lines: Sequence[str], words: Sequence[str]) -> _Places:
    """Return the matches on each line and the start of each match, which can continue on the next line."""
    places = line_places(lines, words)
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    hits: list[_Hit] = []
    for start, _ in word_places("\n".join(lines), words):
        line = bisect_right(starts, start) - 1
        pieces = [first for first, _ in places.get(line, ())]
        hits.append((line, pieces.index(start - starts[line]) if start - starts[line] in pieces else 0))
    return places, hits


def raw_lines(message: Message, width: int) -> list[Line]:
    """Return the message and its source record as indented JSON."""
    raw, record = message.body.load()
    lines: list[Line] = []
    for title, value in (("message", raw), ("record", record)):
        if value:
            lines.append(Line(title, "heading"))
            lines += wrap(dumps(dict(value), pretty=True), width)
            lines.append(Line(""))
    return lines
