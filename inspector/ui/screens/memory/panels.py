"""The parts of the Memory screen: the headings of the tiers, their lists, and the item under the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive

from inspector.core.text import LETTERS, clipped, one_line, plural, wrapped
from inspector.engine.retrieval import explain
from inspector.library import TierName
from inspector.ui.bindings import bindings
from inspector.ui.key_remaps import key_of, with_keys
from inspector.ui.palette import Palette
from inspector.ui.screens.memory.controller import MemoryState
from inspector.ui.screens.memory.tier_tables import TierItem, TierTable, TierTables, short_age
from inspector.ui.widgets.bars import EIGHTHS
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.key_bar import Key, available
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.message_list import speaker_colour
from inspector.ui.widgets.scrubber import compact

TITLES: dict[TierName, str] = {"working": "Working", "session": "Session", "persistent": "Persistent"}
_ABOUT: dict[TierName, str] = {
    "working": "in the window",
    "session": "the whole log",
    "persistent": "kept across sessions",
}
_COLOURS: dict[TierName, str] = {
    "working": "section-history",
    "session": "section-scratchpad",
    "persistent": "section-memory",
}
_KINDS = {"archived": "archived", "retrieval": "cached"}
_SIGN_COLOURS = {"★": "warning", "✗": "error", "│": "success"}
"""Colours of the symbols for pinned items, near misses and items in the window."""
_TIGHT, _AGED, _NARROW = 44, 52, 60
"""Widths in cells from which a list has room for sections and full numbers, for ages, and for wide columns."""
_SEARCH_LINES = 100
"""Lines around the cursor that are searched for an item that moved."""
_FEW = 5
"""Lines of room below which a text is shown without its line breaks."""
_MAX_PREVIEW_LENGTH = 2_000
"""Maximum characters of an item to wrap for the pane; enter shows all of it."""


class TierHead(Drawing):
    """A tier in three lines: its name and count, its tokens as a bar, and its age."""

    tiers: reactive[TierTables | None] = reactive(None)
    is_focused: reactive[bool] = reactive(False)

    def __init__(self, name: TierName, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tier = name

    def render(self) -> Text:
        palette, width = Palette(self.app.theme_variables), max(8, self.size.width - 1)
        table = self.tiers[self.tier] if self.tiers else TierTable(self.tier)
        lines = [self.title(table, palette, width), self.bar(table, palette, width)]
        lines.append(Text(clipped(self.ages(table), width), palette.faint))
        return Text("\n", no_wrap=True).join(lines[: self.size.height])

    def title(self, table: TierTable, palette: Palette, width: int) -> Text:
        """Return the line with the name and count of the tier.

        Args:
            table: Content of the tier.
            palette: Colours of the current theme.
            width: Cells of the line.
        """
        line = Text(no_wrap=True)
        ink = palette.ink("primary", bold=True) if self.is_focused else palette.strong
        line.append(f"{'▾' if self.is_focused else ' '} {TITLES[self.tier]}", ink)
        line.append(f" {table.count:,}", palette.ink() if self.tiers else palette.faint)
        if width - line.cell_len > len(_ABOUT[self.tier]) + 3:
            line.append(f"   {_ABOUT[self.tier]}", palette.faint)
        line.truncate(width)
        return line

    def bar(self, table: TierTable, palette: Palette, width: int) -> Text:
        """Return the tokens of the tier as a bar, on the scale of the largest tier.

        Args:
            table: Content of the tier.
            palette: Colours of the current theme.
            width: Cells of the line.
        """
        largest = max((other.tokens for other in self.tiers), default=0) if self.tiers else 0
        number = f"{table.mark}{table.tokens:,}" if width >= 30 else f"{table.mark}{compact(table.tokens)}"
        number = number if table.tokens or not table.mark else "uncounted"
        line = Text(f"  {number:>9} ", palette.ink(), no_wrap=True)
        line.append("tokens " if width >= 40 else "", palette.faint)
        cells = max(2, width - line.cell_len)
        eighths = round(8 * cells * table.tokens / largest) if largest else 0
        full, rest = divmod(max(eighths, 1 if table.tokens else 0), 8)
        line.append(
            ("█" * full + (EIGHTHS[rest] if rest else "")).ljust(cells)[:cells],
            Style(color=palette.colour(_COLOURS[self.tier]), bgcolor=palette.colour("trough")),
        )
        return line

    def ages(self, table: TierTable) -> str:
        if self.tiers is None:
            return "  reading …"
        if not table.newest:
            return ""
        new, old = (short_age(time, self.tiers.now) for time in (table.newest, table.oldest))
        return f"  {_ago(new)}" if new == old else f"  {_ago(new)} to {_ago(old)}"

    async def on_click(self, event: events.Click) -> None:
        await self.run_action(f"screen.tier('{self.tier}')")


def _ago(age: str) -> str:
    return {"now": "just now", "": ""}.get(age, f"{age} old")


class TierList(LineList):
    """The items of one tier, one per line."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("list_ends")

    def __init__(self, name: TierName, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tier = name
        self.rows: Sequence[TierItem] = ()
        self.now = datetime.now(UTC)
        self.hits: int | None = None
        """Number of rows that would be retrieved, followed by near misses; None without a search."""
        self.has_times = False

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def current(self) -> TierItem | None:
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def show(self, rows: Sequence[TierItem], now: datetime, hits: int | None = None, empty: str = "") -> None:
        """Show other rows. The cursor stays on its item, or on its line if the item is missing.

        Args:
            rows: Items to show.
            now: Time that ages are relative to.
            hits: Number of rows that would be retrieved; None without a search.
            empty: Text for an empty list.
        """
        if rows is self.rows and (hits, empty) == (self.hits, self.empty):
            return
        current = self.current if hits == self.hits is None else None
        start = len(rows) - 1 if not self.rows and self.tier == "working" else self.cursor
        self.rows, self.now, self.hits, self.empty = rows, now, hits, empty
        self.has_times = any(rows[place].time for place in (0, len(rows) // 2, -1)) if rows else False
        self.renew()
        self.cursor = 0 if hits is not None else max(0, self.place_of(current, start))

    def place_of(self, item: TierItem | None, near: int) -> int:
        """Return the line of an item closest to `near`, or `near` itself if the item is missing."""
        places = range(max(0, near - _SEARCH_LINES), min(len(self.rows), near + _SEARCH_LINES))
        same = [place for place in places if item is not None and self.rows[place].key == item.key]
        return min(same, key=lambda place: abs(place - near), default=min(near, len(self.rows) - 1))

    def spans(self, line: int, width: int) -> Sequence[Span]:
        item, palette = self.rows[line], self.palette
        missed = bool(item.reason)
        ink = palette.faint if missed else palette.ink(_colour_of(item))
        room = 9 if width < _NARROW else 12
        who = clipped(one_line(_KINDS.get(item.who, item.who)), room)
        spans = [*self.marks(line, item, width), (f" {set_cell_size(who, room)}", ink)]
        tokens = "" if item.tokens is None else f"{item.tokens:,}" if width >= _TIGHT else compact(item.tokens)
        tokens = f"{item.mark}{tokens}" if tokens else ""
        spans.append((f"{tokens:>8} " if width >= _NARROW else f"{tokens:>6} ", palette.dim))
        if width >= _AGED and self.has_times:
            spans.append((f"{short_age(item.time, self.now):>4}  ", palette.faint))
        rest = width - sum(cell_len(text) for text, _ in spans) - 1
        return [*spans, (item.line(rest), palette.faint if missed else palette.ink())]

    def marks(self, line: int, item: TierItem, width: int) -> list[Span]:
        """Return the symbols of an item: pinned, near miss or in the window, followed by its section or rank.

        Args:
            line: Line of the item.
            item: Item to draw.
            width: Cells of the line.
        """
        palette = self.palette
        sign = "★" if item.is_pinned else "✗" if item.reason else "│" if item.is_here else " "
        spans: list[Span] = [(sign, palette.ink(_SIGN_COLOURS.get(sign, "line")))]
        if item.section is not None and width >= _TIGHT:
            spans.append((f" {LETTERS[item.section]}", palette.ink(f"section-{item.section}", bold=True)))
        elif self.hits is not None:
            spans.append((f"{'' if item.reason else line + 1:>2}", palette.strong))
        return spans


def _colour_of(item: TierItem) -> str:
    if item.memory is not None or item.message is None:
        return "section-memory"
    return speaker_colour(item.message)


class ItemPane(Drawing):
    """The item under the cursor: its kind, its origin, its search result, and the beginning of its text."""

    class Resized(Message):
        """The pane has another size, so the lists above it may have too many lines or too few."""

    item: reactive[TierItem | None] = reactive(None)
    hint: reactive[str] = reactive("")
    """Text shown if there is no item."""
    now: reactive[datetime] = reactive(datetime.now(UTC))

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def render(self) -> Text:
        palette, (width, height) = Palette(self.app.theme_variables), self.size
        item = self.item
        if item is None:
            hints = [line for part in self.hint.split("\n") for line in wrapped(part, width) or [""]]
            return Text("\n".join(hints[:height]), palette.dim)
        lines = list(_facts(item, self.now, width, palette))
        lines += _beginning(item, width, max(0, height - len(lines)), palette)
        return Text("\n", no_wrap=True).join(lines[:height])


def _beginning(item: TierItem, width: int, room: int, palette: Palette) -> Iterator[Text]:
    """Yield as many lines of an item's text as fit, and a hint on how to read the rest."""
    text = item.text[:_MAX_PREVIEW_LENGTH]
    parts = [text] if room < _FEW else text.splitlines()
    rows = [row for part in parts for row in (wrapped(one_line(part), width) or [""])]
    more = len(rows) > room or len(item.text) > _MAX_PREVIEW_LENGTH
    yield from (Text(row, palette.ink(), no_wrap=True) for row in rows[: room - 1 if more and room else room])
    if more and room:
        key = palette.ink("primary", bold=True)
        yield Text.assemble(("… ", palette.faint), (key_of("toggle"), key), (": read all", palette.faint))


def _facts(item: TierItem, now: datetime, width: int, palette: Palette) -> Iterator[Text]:
    """Yield one line about an item, and one with its search result or the reason why it was stored."""
    head, rest = _title(item, now)
    line = Text(head, palette.strong, no_wrap=True)
    line.append(f"   {rest}", palette.dim)
    line.truncate(width, overflow="ellipsis")
    yield line
    if item.result is not None:
        text = f"✗ {item.reason}: " if item.reason else "↑ "
        text += explain(item.result)
        for row in wrapped(text, width)[:2]:
            yield Text(row, palette.ink("error" if item.reason else "success"), no_wrap=True)
    elif item.memory is not None:
        yield Text(clipped(one_line(_provenance(item)), width), palette.dim, no_wrap=True)


def _title(item: TierItem, now: datetime) -> tuple[str, str]:
    tokens = "not counted" if item.tokens is None else f"{item.mark}{plural(item.tokens, 'token')}"
    age = short_age(item.time, now)
    facts = [tokens, *filter(None, [_ago(age)])]
    if item.memory is None:
        place = "in the window" if item.is_here else "dropped"
        section = [item.section.capitalize() if item.section else place]
        return f"message {item.number} · {one_line(item.who)}", " · ".join([*section, *facts])
    memory = item.memory
    name = f"memory {memory.id} · {memory.kind}" + (f" · {one_line(memory.key)}" if memory.key else "")
    facts += ["pinned"] if memory.is_pinned else []
    facts += [f"until {memory.expires_at[:16].replace('T', ' ')}"] if memory.expires_at else []
    facts += [f"used {memory.used_at[:10]}"] if memory.used_at else []
    return name, " · ".join(facts)


def _provenance(item: TierItem) -> str:
    """Return how, why and from which messages an entry was stored."""
    memory = item.memory
    assert memory is not None, "messages of its log"
    source = f"from {plural(len(memory.message_ids), 'message')}" if memory.message_ids else ""
    session = f"of session {memory.session_id[:12]}" if memory.session_id else "of no session"
    parts = [f"by {memory.origin}" if memory.origin else "", memory.reason, f"{source} {session}".strip()]
    return ", ".join(filter(None, parts))


def verdict(state: MemoryState, is_short: bool = False) -> str:
    """Describe the content of the tiers in one sentence."""
    tiers = state.tiers
    if tiers is None:
        return "reading …"
    working, session, persistent = tiers
    outlives = (
        f"{persistent.count:,} persistent {'memory' if persistent.count == 1 else 'memories'}"
        if persistent.count
        else "no persistent memories yet"
    )
    if tiers.preview is None:
        count = f"{persistent.count:,} persistent {'memory' if persistent.count == 1 else 'memories'}"
        there = count if persistent.count else "No persistent memories yet"
        return f"{there}. Open a session to see its window."
    if is_short:
        return f"{working.count:,} in the window, {session.gone:,} dropped; {persistent.count:,} persistent."
    gone = session.gone
    dropped = f"{gone:,} of the session's messages no longer in it" if gone else "nothing dropped"
    return f"{plural(working.count, 'message')} in the window, {dropped}; {outlives}."


def emptiness(state: MemoryState, name: TierName) -> str:
    """Return the text for an empty tier."""
    tiers = state.tiers
    if tiers is None:
        return "  reading …"
    if name == "persistent" and state.search is not None and state.search.words.strip():
        return "  no match" if state.search.hits is not None else "  searching …"
    if name == "persistent" and not tiers.has_store:
        return "  no store: nothing is saved"
    if tiers.preview is None and name != "persistent":
        return "  no session is open"
    return {
        "working": "  the window is empty at this turn",
        "session": "  no messages yet",
        "persistent": "  no entries yet",
    }[name]


def advice(state: MemoryState, name: TierName) -> str:
    """Return how to fill a tier, for the pane below an empty one."""
    tiers = state.tiers
    if tiers is None:
        return ""
    if tiers.preview is None and name != "persistent":
        return with_keys("Choose a session in Sessions ({sessions}) and press {open}: its messages appear here.")
    advice: Mapping[TierName, str] = {
        "working": "The window that is sent to the model. {right} in Inspect ({inspect}): a later turn.",
        "session": "All messages of the session, in the window or not, and memories that {demote} moves here.",
        "persistent": "Press {promote} on a message to keep it here. Plans that archive or summarise fill it too:"
        " {strategy} and {apply} in Inspect, or inspector compress … --apply. Agents fill it with MemoryManager.",
    }
    return with_keys(advice[name])


def offered_keys(state: MemoryState, item: TierItem | None) -> tuple[Key, ...]:
    """Return the keys that apply to the item under the cursor, and those that always apply."""
    has_store = state.tiers is not None and state.tiers.has_store
    has_window = state.tiers is not None and state.tiers.preview is not None
    moves, rest = _item_keys(item, has_store, has_window) if item is not None else ((), ())
    return (
        Key("left right", "tier"),
        *moves,
        *available(
            (has_store, Key("find", "search")),
            (has_store and has_window, Key("insert", "insert a query")),
        ),
        *rest,
        *available(
            (has_store, Key("history", "notes")),
            (True, Key("on_this_machine", "stores")),
            (has_window, Key("undo", "undo")),
            (True, Key("back", "back")),
        ),
    )


def _item_keys(item: TierItem, has_store: bool, has_window: bool) -> tuple[tuple[Key, ...], tuple[Key, ...]]:
    """Return the keys that move an item, and the other keys that apply to it."""
    is_entry = item.memory is not None
    moves = available(
        (has_store and item.tier != "persistent", Key("promote")),
        (has_window and not item.is_here and item.tier != "working", Key("demote")),
    )
    rest = available(
        (True, Key("open", "source")),
        (is_entry or item.tier == "working", Key("pin", "unpin" if item.is_pinned else "pin")),
        (is_entry, Key("drop", "forget")),
        (True, Key("toggle", "read")),
    )
    return moves, rest
