"""The panels of Agents: the lanes, the matrix of writers and readers, the list next to them, and lines of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.reactive import reactive

from inspector.analysis.multi_agent import PERSON, AgentCollaboration
from inspector.analysis.tool_activity import Actions, row_words
from inspector.core.conversation import MAIN
from inspector.core.text import clipped, dollars, one_line, plural
from inspector.ui.bindings import bindings
from inspector.ui.palette import Palette
from inspector.ui.screens.agents.agent_entries import LISTS, SHORT_TITLES, TITLES, AgentEntry, ListName, short_name
from inspector.ui.screens.agents.controller import AgentsState, TeamView
from inspector.ui.screens.agents.lanes import LaneRow, MarkKind
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.scrubber import compact

MARKS: dict[MarkKind, tuple[str, str]] = {
    "twice": ("=", "warning"),
    "adopted": ("★", "success"),
    "unread": ("×", "error"),
    "handed": ("▸", "primary"),
    "reply": ("●", ""),
    "other": ("·", ""),
}
"""Symbol and colour of each kind of row. An empty colour is replaced by the colour of the lane."""
_INKS = ("section-history", "section-tools", "section-scratchpad", "section-memory", "section-system", "section-input")
_WHO = 14
_MAX_READERS = 6
"""Maximum number of agents named as readers of one message."""
_MIN_COLUMN, _COLUMN = 6, 10
"""Cells of a matrix column: minimum, and normal width."""
_MAX_LANES = 24
"""Maximum number of lanes; agents of further lanes are drawn in the last one."""


def _lane_colour(lane: int, agent: str) -> str:
    return "primary" if agent == MAIN else "foreground" if agent == PERSON else _INKS[lane % len(_INKS)]


class AgentLanes(LineList):
    """One line per message: the lanes, its agent, its tokens and its text."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list_ends"), *bindings("opening_list")]
    empty = "  reading …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: TeamView | None = None
        self.actions = Actions(())

    @property
    def count(self) -> int:
        return len(self.view.chart.rows) if self.view else 0

    def show(self, view: TeamView | None, row: int) -> None:
        if view is not None and (self.view is None or view.collaboration is not self.view.collaboration):
            self.actions = Actions(view.collaboration.session.messages)
        self.view = view
        self.renew()
        self.cursor = min(row, max(0, self.count - 1))
        self.show_cursor()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        assert self.view is not None
        row, collaboration, palette = self.view.chart.rows[line], self.view.collaboration, self.palette
        message = collaboration.session.messages[row.position]
        sign, (_, colour) = "≈" if collaboration.estimated else "", MARKS[row.mark]
        own = _lane_colour(row.lane, row.agent)
        spans: list[Span] = [
            *self.lane_spans(line, row),
            (set_cell_size(short_name(row.agent, _WHO - 1), _WHO), palette.ink(own)),
            (f"{f'{sign}{collaboration.tokens[row.position]:,}':>8}  ", palette.dim),
        ]
        room = width - sum(cell_len(text) for text, _ in spans) - 1
        if row.lead and room > 0:
            lead = clipped(f"{one_line(row.lead)}  ", room)
            spans.append((lead, palette.ink(colour)))
            room -= cell_len(lead)
        if room > 0:
            ink = palette.ink() if message.is_reply or message.role == "user" else palette.dim
            name = f"{one_line(message.name)} " if message.role == "tool" and message.name else ""
            lead = f"{'error  ' if message.is_error else ''}{name}"
            words = row_words(message, self.actions, max(0, room - cell_len(lead)))
            spans.append((clipped(lead + words, room), ink))
        return spans

    def show_cursor(self) -> None:
        """Keep some rows before and after the cursor visible."""
        height = self.scrollable_content_region.height
        margin = height // 4
        lowest, highest = self.cursor - height + 1 + margin, self.cursor - margin
        place = min(max(self.scroll_offset.y, lowest), max(highest, 0))
        self.scroll_to(y=max(0, min(place, self.count - height)), animate=False, force=True, immediate=True)

    def lane_spans(self, line: int, row: LaneRow) -> list[Span]:
        """Return the lanes at a row: active agents, the message's mark, and a line from the sources of its text."""
        assert self.view is not None
        palette, chart = self.palette, self.view.chart
        lanes = min(chart.lanes, _MAX_LANES)
        own = min(row.lane, lanes - 1)
        sources = [min(lane, lanes - 1) for lane in row.sources if min(lane, lanes - 1) != own]
        low, high = min([own, *sources]), max([own, *sources])
        sign, colour = MARKS[row.mark]
        if row.mark == "handed" and sources:
            sign = "◂" if sources[0] > own else "▸"
        spans: list[Span] = [(" ", palette.faint)]
        for lane in range(lanes):
            is_way = low <= lane < high
            live = chart.is_live(lane, line)
            if lane == own:
                style = palette.ink(colour or _lane_colour(row.lane, row.agent), bold=bool(colour))
                spans.append((sign, style))
            else:
                spans.append((_lane_sign(lane, sources, live, low < lane < high), self.way_ink(lane, low, high)))
            spans.append(("─" if is_way else " ", palette.ink("primary") if is_way else palette.faint))
        return [*spans, (" ", palette.faint)]

    def way_ink(self, lane: int, low: int, high: int) -> Style:
        """Return the style of a lane, highlighted if the line between two agents crosses it.

        Args:
            lane: Lane to draw.
            low: First lane of the line.
            high: Last lane of the line.
        """
        return self.palette.ink("primary") if low <= lane <= high and low < high else self.palette.faint


def _lane_sign(lane: int, sources: Sequence[int], live: bool, crossed: bool) -> str:
    """Return the symbol of a lane at a message in another lane."""
    if lane in sources:
        return "◦"
    if crossed:
        return "┼" if live else "─"
    return "│" if live else " "


class MatrixPanel(Drawing):
    """A matrix of the tokens that each reader (column) received from each writer (row)."""

    collaboration: reactive[AgentCollaboration | None] = reactive(None, layout=True)
    agent: reactive[str] = reactive("")
    """Agent whose row and column are highlighted."""

    def get_content_height(self, *_: object) -> int:
        return min(len(self.collaboration.parties.names), 10) + 1 if self.collaboration else 1

    def render(self) -> Text:
        palette, collaboration = Palette(self.app.theme_variables), self.collaboration
        if collaboration is None or collaboration.is_alone:
            return Text()
        names = collaboration.parties.names
        label = min(18, max(cell_len(one_line(name)) for name in names) + 1)
        rows, columns = self.size.height - 1, column_widths(names, self.size.width - label)
        ranks = names if len(names) <= min(len(columns), rows) else collaboration.busiest
        readers = dict(zip(ranks, columns, strict=False))
        lines = [self.heading(readers, label, palette)]
        for writer in ranks[: rows if len(names) <= rows else rows - 1]:
            line = Text.assemble((set_cell_size(short_name(writer, label - 1), label), self.ink(writer, palette)))
            for reader, cells in readers.items():
                line.append_text(self.cell(collaboration, writer, reader, cells))
            lines.append(line)
        if len(names) > rows:
            lines.append(Text(f"and {plural(len(names) - rows + 1, 'agent')} more, in the list", palette.faint))
        return Text("\n", no_wrap=True).join(lines)

    def cell(self, collaboration: AgentCollaboration, writer: str, reader: str, cells: int) -> Text:
        """Return the tokens that one agent received from another; large numbers stand out.

        Args:
            collaboration: Collaboration of the session's agents.
            writer: Agent that wrote the text.
            reader: Agent that received it.
            cells: Width of the column.
        """
        palette, cell = Palette(self.app.theme_variables), collaboration.matrix.get((writer, reader))
        if cell is None:
            return Text(f"{'·':>{cells}}", palette.faint)
        sign = "≈" if collaboration.estimated else ""
        number = f"{sign}{cell.tokens:,}"
        number = number if cell_len(number) < cells else compact(cell.tokens)
        is_large = 4 * cell.tokens >= collaboration.largest_cell
        return Text(f"{number:>{cells}}", palette.strong if is_large else palette.ink())

    def heading(self, readers: Mapping[str, int], label: int, palette: Palette) -> Text:
        """Return the line with the names of the readers.

        Args:
            readers: Readers and the widths of their columns.
            label: Cells of the writers' names.
            palette: Colours of the current theme.
        """
        line = Text.assemble((set_cell_size("from ↓ to →", label), palette.faint))
        for name, cells in readers.items():
            line.append(f" {short_name(name, cells - 1):>{cells - 1}}", self.ink(name, palette))
        return line

    def ink(self, name: str, palette: Palette) -> Style:
        return palette.strong if name == self.agent else palette.dim


def column_widths(names: Sequence[str], room: int) -> list[int]:
    """Return the widths of the matrix columns: full names if all fit, otherwise as many columns as possible."""
    whole = [max(_COLUMN, cell_len(one_line(name)) + 2) for name in names]
    if sum(whole) <= room:
        return whole
    cells = max(_MIN_COLUMN, min(_COLUMN, room // len(names)))
    return [cells] * min(len(names), max(1, room // cells))


class EntryList(LineList):
    """The lines of one of the lists."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list_ends"), *bindings("opening_list")]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entries: Sequence[AgentEntry] = ()
        self.longest = self.labels = 0
        """Cells of the longest text and of the longest label."""

    @property
    def count(self) -> int:
        return len(self.entries)

    @property
    def current(self) -> AgentEntry | None:
        return self.entries[self.cursor] if 0 <= self.cursor < len(self.entries) else None

    @property
    def shows_cursor(self) -> bool:  # type: ignore[override]  # only while it has the focus
        return self.has_focus

    def show(self, entries: Sequence[AgentEntry], empty: str) -> None:
        if entries != self.entries:
            self.entries = entries
            self.cursor = 0
            self.longest = max((cell_len(one_line(entry.text)) for entry in entries), default=0)
            self.labels = max((cell_len(one_line(entry.label)) for entry in entries), default=0)
        self.empty = f"  {empty}"
        self.renew()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        entry, palette = self.entries[line], self.palette
        label = min(10 if width >= 60 else 8, self.labels + 2)
        tail = clipped(one_line(entry.tail), max(0, width * 5 // 8, width - label - self.longest - 4))
        room = min(max(6, width - label - cell_len(tail) - 4), self.longest)
        text = one_line(entry.text)
        if cell_len(text) > room and "/" in text and " " not in text:
            text = f"…{text[-(room - 1) :]}"
        return [
            (f" {set_cell_size(clipped(one_line(entry.label), label - 1), label)}", palette.dim),
            (set_cell_size(clipped(text, room), room), palette.ink()),
            (f"  {tail}", palette.dim),
        ]


def list_heading(state: AgentsState, width: int, palette: Palette) -> Text:
    """Return the names and lengths of the lists, with the current one as a chip.

    Args:
        state: State of the screen.
        width: Cells of the line.
        palette: Colours of the current theme.
    """
    line = Text(no_wrap=True)
    for name in LISTS if state.view else ():
        chosen = name == state.list_name
        title = TITLES[name] if chosen and width >= 100 else SHORT_TITLES.get(name, name)
        text = f" {title}{_length(state, name)} "
        if (name != "groups" or chosen or _length(state, name) != " 0") and line.cell_len + cell_len(text) <= width:
            chip = Style(color=palette.solid("background"), bgcolor=palette.colour("primary"), bold=True)
            line.append(text, chip if chosen else palette.dim)
    return line


def _length(state: AgentsState, name: ListName) -> str:
    """Return the length of a list as it is shown after its name."""
    view = state.view
    if view is None or (name == "new here" and name != state.list_name):
        return ""
    if name == "adopted" and view.collaboration.adoptions is None:
        return " …"
    return f" {len(state.entries) if name == state.list_name else view.counts[name]:,}"


def about_row(state: AgentsState, width: int, palette: Palette) -> Text:
    """Describe the current message: its type, the agents whose text it contains, and its readers.

    Args:
        state: State of the screen.
        width: Cells of a line.
        palette: Colours of the current theme.
    """
    view, row, message = state.view, state.current, state.message
    if view is None or row is None or message is None:
        return Text()
    collaboration = view.collaboration
    sign = "≈" if collaboration.estimated else ""
    line = Text.assemble((f" #{row.position + 1:,} ", palette.strong), no_wrap=True)
    line.append(f"{one_line(row.agent)}", palette.ink(_lane_colour(row.lane, row.agent)))
    line.append(f", {message.role}, {sign}{collaboration.tokens[row.position]:,} tokens", palette.dim)
    line.append(f"   {one_line(row.lead)}" if row.lead else "", palette.ink(MARKS[row.mark][1] or "foreground"))
    where = Text(" ", no_wrap=True)
    where.append(clipped(_destination(collaboration, row), width - 2), palette.dim)
    line.truncate(width)
    return Text("\n", no_wrap=True).join([line, where])


def _destination(collaboration: AgentCollaboration, row: LaneRow) -> str:
    """Return the agents whose prompts a message was part of, with token counts, or the sources of its text."""
    words = [
        f"{one_line(transfer.reader)} ({transfer.tokens:,} tokens, {plural(transfer.prompts, 'prompt')}"
        + (f" from turn {transfer.turn:,})" if transfer.turn else ")")
        for transfer in collaboration.by_source.get(row.position, ())[:_MAX_READERS]
    ]
    if words:
        return f"received by {', '.join(words)}"
    if repeat := next((repeat for repeat in collaboration.repeats if repeat.again.result == row.position), None):
        cost = f", {dollars(repeat.cost)}" if repeat.cost else ""
        first = f"{one_line(repeat.first.agent)} received this result in #{repeat.first.result + 1:,}"
        return f"{first}; in {plural(repeat.prompts, 'prompt')} here{cost}"
    held = collaboration.by_holder.get(row.position, ())[:_MAX_READERS]
    if held:
        parts = [f"{part.tokens:,} tokens of {one_line(part.writer)} ({part.certainty})" for part in held]
        return f"contains {', '.join(parts)}; in {plural(held[0].prompts, 'prompt')}"
    return "received by no other agent" if collaboration.parties.writers[row.position] not in ("", PERSON) else ""
