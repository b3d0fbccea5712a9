"""The parts of the Memory screen: the heads of the tiers, their lists, and the item under the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widget import Widget

from inspector.retrieval import explain
from inspector.text import LETTERS, clipped, one_line, plural, wrapped
from inspector.ui.palette import Palette
from inspector.ui.screens.memory.controller import MemoryState
from inspector.ui.screens.memory.tiers import TIERS, TierItem, TierName, Tiers, TierTable, short_age
from inspector.ui.widgets.bars import EIGHTHS
from inspector.ui.widgets.key_bar import Key, available
from inspector.ui.widgets.lines import TO_ENDS, LineList, Span
from inspector.ui.widgets.message_list import speaker_colour
from inspector.ui.widgets.scrubber import compact

TITLES: dict[TierName, str] = {"working": "Working", "session": "Session", "persistent": "Persistent"}
_ABOUT: dict[TierName, str] = {
    "working": "in the window",
    "session": "all that was said",
    "persistent": "outlives the session",
}
_COLOURS: dict[TierName, str] = {
    "working": "section-history",
    "session": "section-scratchpad",
    "persistent": "section-memory",
}
_KINDS = {"archived": "archived", "retrieval": "cached"}
_SIGN_COLOURS = {"★": "warning", "✗": "error", "│": "success"}
"""Pinned, not among what comes back, in the window."""
_LONGEST = 2_000
"""Characters of an item that are wrapped for the pane; enter shows it all."""


class TierHead(Widget):
    """A tier in three lines: its name and count, its tokens as a bar, and its age."""

    tiers: reactive[Tiers | None] = reactive(None)
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
        line = Text(no_wrap=True)
        ink = palette.ink("primary", bold=True) if self.is_focused else palette.strong
        line.append(f"{'▾' if self.is_focused else ' '} {TITLES[self.tier]}", ink)
        line.append(f" {table.count:,}", palette.ink() if self.tiers else palette.faint)
        if width - line.cell_len > len(_ABOUT[self.tier]) + 3:
            line.append(f"   {_ABOUT[self.tier]}", palette.faint)
        line.truncate(width)
        return line

    def bar(self, table: TierTable, palette: Palette, width: int) -> Text:
        """Its tokens, to the scale of the fullest of the three."""
        largest = max((other.tokens for other in self.tiers), default=0) if self.tiers else 0
        number = f"{table.mark}{table.tokens:,}" if width >= 30 else f"{table.mark}{compact(table.tokens)}"
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
    return age if age in ("now", "") else f"{age} old"


class TierList(LineList):
    """The items of one tier, one line each."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open where it comes from", show=False),
        *TO_ENDS,
    ]

    def __init__(self, name: TierName, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tier = name
        self.rows: Sequence[TierItem] = ()
        self.now = datetime.now(UTC)
        self.hits: int | None = None
        """How many of the rows would come back, while something is looked for; the others almost did."""
        self.has_times = False

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def current(self) -> TierItem | None:
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def show(self, rows: Sequence[TierItem], now: datetime, hits: int | None = None, empty: str = "") -> None:
        """New rows. The cursor stays on its item where that is still there, else at its place."""
        if rows is self.rows and hits == self.hits:
            return
        current = self.current.key if self.current and hits == self.hits is None else None
        is_first = not self.rows and self.tier == "working"
        self.rows, self.now, self.hits, self.empty = rows, now, hits, empty
        self.has_times = any(rows[place].time for place in (0, len(rows) // 2, -1)) if rows else False
        self.renew()
        if is_first:
            self.cursor = max(0, len(rows) - 1)
        near = sorted(range(len(rows)), key=lambda place: abs(place - self.cursor))[:200] if current else []
        if (place := next((place for place in near if rows[place].key == current), None)) is not None:
            self.cursor = place
        if hits is not None:
            self.cursor = 0

    def spans(self, line: int, width: int) -> Sequence[Span]:
        item, palette = self.rows[line], self.palette
        missed = bool(item.reason)
        ink = palette.faint if missed else palette.ink(_colour_of(item))
        sign = "★" if item.is_pinned else "✗" if missed else "│" if item.is_here else " "
        age = short_age(item.time, self.now)
        tokens = "" if item.tokens is None else compact(item.tokens) if width < 44 else f"{item.tokens:,}"
        room_who = 9 if width < 60 else 12
        spans: list[Span] = [(sign, palette.ink(_SIGN_COLOURS.get(sign, "line")))]
        if item.section is not None and width >= 44:
            spans += [(f" {LETTERS[item.section]}", palette.ink(f"section-{item.section}", bold=True))]
        elif self.hits is not None:
            spans += [("  ", ink) if missed else (f"{line + 1:>2}", palette.strong)]
        spans += [
            (f" {set_cell_size(clipped(one_line(_KINDS.get(item.who, item.who)), room_who), room_who)}", ink),
            (f"{tokens:>6} " if width < 60 else f"{tokens:>8} ", palette.dim),
        ]
        if width >= 52 and self.has_times:
            spans.append((f"{age:>4}  ", palette.faint))
        room = width - sum(cell_len(text) for text, _ in spans) - 1
        return [*spans, (clipped(one_line(item.preview), room), palette.faint if missed else palette.ink())]


def _colour_of(item: TierItem) -> str:
    if item.memory is not None or item.message is None:
        return "section-memory"
    return speaker_colour(item.message)


class ItemPane(Widget):
    """The item under the cursor: what it is, where it comes from, what a search says of it, and its beginning."""

    item: reactive[TierItem | None] = reactive(None)
    hint: reactive[str] = reactive("")
    """What is said where there is no item."""
    now: reactive[datetime] = reactive(datetime.now(UTC))

    def render(self) -> Text:
        palette, (width, height) = Palette(self.app.theme_variables), self.size
        item = self.item
        if item is None:
            return Text(
                "\n".join(line for text in self.hint.splitlines() for line in wrapped(text, width)), palette.dim
            )
        lines = list(_facts(item, self.now, width, palette))
        text = one_line(item.text[:_LONGEST]) if height < 6 else item.text[:_LONGEST]
        body = [row for part in text.splitlines() or [""] for row in wrapped(one_line(part), width) or [""]]
        room = max(0, height - len(lines))
        more = len(body) > room or len(item.text) > _LONGEST
        lines += [Text(row, palette.ink(), no_wrap=True) for row in body[: room - 1 if more else room]]
        if more and room:
            key = palette.ink("primary", bold=True)
            lines.append(Text.assemble(("… ", palette.faint), ("v", key), (" reads it all", palette.faint)))
        return Text("\n", no_wrap=True).join(lines[:height])


def _facts(item: TierItem, now: datetime, width: int, palette: Palette) -> Iterator[Text]:
    """What an item is, in a line; a second one for what a search says, or for the reason that it is here."""
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
    tokens = "not counted" if item.tokens is None else plural(item.tokens, "token")
    age = short_age(item.time, now)
    facts = [tokens, *([f"{age} old"] if age and age != "now" else [age] if age else [])]
    if item.memory is None:
        place = "in the window" if item.is_here else "out of the window"
        section = [item.section.capitalize() if item.section else place]
        return f"message {item.number} · {one_line(item.who)}", " · ".join([*section, *facts])
    memory = item.memory
    name = f"memory {memory.id} · {memory.kind}" + (f" · {one_line(memory.key)}" if memory.key else "")
    facts += ["pinned"] if memory.is_pinned else []
    facts += [f"until {memory.expires_at[:16].replace('T', ' ')}"] if memory.expires_at else []
    facts += [f"used {memory.used_at[:10]}"] if memory.used_at else []
    return name, " · ".join(facts)


def _provenance(item: TierItem) -> str:
    """By what an entry was put here, why, and from where."""
    memory = item.memory
    assert memory is not None, "messages stand in their log"
    source = f"from {plural(len(memory.message_ids), 'message')}" if memory.message_ids else ""
    session = f"of session {memory.session_id[:12]}" if memory.session_id else "of no session"
    parts = [f"by {memory.origin}" if memory.origin else "", memory.reason, f"{source} {session}".strip()]
    return ", ".join(filter(None, parts))


def verdict(state: MemoryState) -> str:
    """What is remembered, and where, in one sentence."""
    tiers = state.tiers
    if tiers is None:
        return "reading …"
    working, session, persistent = tiers
    outlives = (
        f"{persistent.count:,} {'memory outlives' if persistent.count == 1 else 'memories outlive'} the session"
        if persistent.count
        else "nothing outlives the session yet"
    )
    if tiers.preview is None:
        count = (
            f"{persistent.count:,} {'memory is' if persistent.count == 1 else 'memories are'} kept beyond all sessions"
        )
        there = count if persistent.count else "Nothing is kept beyond a session yet"
        return f"{there}. Open a session to see its window."
    gone = session.gone
    beside = f"{gone:,} of its session {'is' if gone == 1 else 'are'} out of it" if gone else "nothing has left it"
    return f"{plural(working.count, 'message')} in the window, {beside}; {outlives}."


def emptiness(state: MemoryState, name: TierName) -> str:
    """What would fill a tier that is empty, and by which key."""
    tiers = state.tiers
    if tiers is None:
        return "  reading …"
    if name == "persistent" and state.search is not None and state.search.words.strip():
        return "  nothing kept says that" if state.search.hits is not None else "  searching …"
    if name == "persistent" and not tiers.has_store:
        return "  there is no store: nothing is kept"
    if tiers.preview is None and name != "persistent":
        return "  no session is open"
    return {
        "working": "  the window is empty at this turn",
        "session": "  nothing was said yet",
        "persistent": "  nothing is kept yet",
    }[name]


def advice(state: MemoryState, name: TierName) -> str:
    """What fills a tier, for the pane below an empty one."""
    tiers = state.tiers
    if tiers is None:
        return ""
    if tiers.preview is None and name != "persistent":
        return "Choose a session in the library (1) and press enter; its window and its session stand here then."
    return {
        "working": "The working tier is the window that the model is sent. → in Inspect (2) goes to a later turn.",
        "session": "All that the session says stands here, in the window or out of it, and what [ moves here from the"
        " persistent tier.",
        "persistent": "Press ] on a message to keep it here. A plan that archives or summarises fills it too:"
        " s and a in Inspect, or inspector compress … --apply. Agents fill it with MemoryManager.",
    }[name]


def offered_keys(state: MemoryState, item: TierItem | None) -> tuple[Key, ...]:
    """The keys that do something to the item under the cursor, and those that always do."""
    has_store = state.tiers is not None and state.tiers.has_store
    is_entry = item is not None and item.memory is not None
    in_store = item is not None and item.tier == "persistent" and is_entry
    has_window = state.tiers is not None and state.tiers.preview is not None
    return available(
        (True, Key("←→", "tier", "screen.next_tier(1)")),
        (item is not None and not in_store and has_store, Key("]", "keep longer", "screen.promote")),
        (item is not None and item.tier != "working" and has_window, Key("[", "to the prompt", "screen.demote")),
        (has_store, Key("/", "search", "screen.search")),
        (has_store and has_window, Key("i", "inject", "screen.inject")),
        (item, Key("enter", "where it is from", "screen.open")),
        (is_entry or (item is not None and item.tier == "working"), Key("p", "pin", "screen.pin")),
        (is_entry, Key("d", "forget", "screen.forget")),
        (item, Key("v", "read", "screen.view")),
        (True, Key("w", "notes", "screen.notes")),
        (has_window, Key("u", "undo", "screen.undo")),
        (True, Key("esc", "back", "screen.back")),
    )


def tier_after(name: TierName, step: int) -> TierName:
    return TIERS[(TIERS.index(name) + step) % len(TIERS)]
