"""The panels of the Overview screen: totals by group, the sessions of a group, and the worst of each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.message import Message

from inspector.core.text import clipped, dollars, one_line, plural
from inspector.library import FleetStats, columns_of_group, group_name, short_tokens, stats_cell, trend_line
from inspector.store import GroupSession, RollupGroup, StatsRow
from inspector.ui.palette import Palette
from inspector.ui.screens.overview.controller import GROUPS, OverviewState
from inspector.ui.widgets.lines import PlainList, Span

_TITLES: Mapping[RollupGroup, str] = {"server": "MCP server", "cause": "cache loss"}
_CELL = 12
"""Cells of a column of numbers."""
_TREND = 16
"""Maximum cells of a trend."""
_WIDE = 108
_WORST = 4
"""Rows of each panel."""
_PANELS: Sequence[tuple[RollupGroup, str]] = (
    ("file", "Read again after compactions: put stable ones into CLAUDE.md"),
    ("server", "Fills every window"),
    ("cause", "Prompt cache lost"),
)
_HEADS = {"never called": "no calls"}
"""Shorter names of columns, over cells such as "in 12"."""
_INKS = {"re-read": "error", "cache lost": "error", "compacted": "warning", "never called": "error"}


class TotalsList(PlainList[StatsRow | GroupSession]):
    """Totals by group, or the sessions of one group."""

    class Closed(Message):
        """The key for going back was pressed."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.state = OverviewState()

    def show(self, state: OverviewState) -> None:
        """Show the rows of a state."""
        self.state = state
        is_waiting = state.stats is None and not state.failure
        nothing = "" if state.stats is None or state.stats.is_empty else "Nothing of this kind is recorded."
        self.show_rows(
            state.rows if state.opened is None else state.sessions, "  reading …" if is_waiting else f"  {nothing}"
        )

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        if isinstance(row, GroupSession):
            return self._session_spans(row, width)
        names = shown_columns(self.state.group, width)
        room = _name_room(self.state, names, width)
        spans: list[Span] = [(f" {_fitted(group_name(self.state.group, row), room)}", palette.strong)]
        cells = [(name, stats_cell(name, row)) for name in names]
        spans += [
            (f"{cell:>{_CELL}}", palette.ink(_INKS.get(name, "foreground")) if cell != "0%" else palette.dim)
            for name, cell in cells
        ]
        if _has_trends(self.state, width):
            trend = trend_line(self.state.trends.get(row.name, ()), _TREND)
            spans.append((f"  {trend}", palette.ink("primary")))
        return spans

    def _session_spans(self, row: GroupSession, width: int) -> Sequence[Span]:
        palette = self.palette
        room = max(12, width - 2 - 3 * _CELL)
        title = row.title or ("totals only" if not row.path else row.path)
        cost = "?" if row.cost is None else dollars(row.cost)
        return [
            (f" {_fitted(title, room)}", palette.strong if row.is_stored else palette.dim),
            (f"{row.ended[:10]:>{_CELL}}", palette.dim),
            (f"{short_tokens(row.tokens):>{_CELL}}", palette.ink()),
            (f"{cost:>{_CELL}}", palette.ink()),
        ]


def _has_trends(state: OverviewState, width: int) -> bool:
    """Return True if the list has a column with the cost per week."""
    return state.group == "project" and width >= _WIDE and state.stats is not None and len(state.stats.weeks) > 1


def shown_columns(group: RollupGroup, width: int) -> tuple[str, ...]:
    """Return the columns for which there is room."""
    return columns_of_group(group)[: max(1, (width - 18) // _CELL)]


def _name_room(state: OverviewState, names: Sequence[str], width: int) -> int:
    """Return the cells of the names of groups."""
    trend = _TREND + 2 if _has_trends(state, width) else 0
    return max(14, width - 2 - _CELL * len(names) - trend)


def list_heads(state: OverviewState, width: int, palette: Palette) -> Text:
    """Return the column names of the list."""
    if state.opened is not None:
        room = max(12, width - 2 - 3 * _CELL)
        cells = "".join(f"{name:>{_CELL}}" for name in ("last message", "tokens", "cost"))
        return Text(f" {_fitted('session', room)}{cells}", palette.faint, no_wrap=True)
    names = shown_columns(state.group, width)
    title = _TITLES.get(state.group, state.group)
    cells = "".join(f"{_HEADS.get(name, name):>{_CELL}}" for name in names)
    trend = "  cost per week" if _has_trends(state, width) else ""
    return Text(f" {_fitted(title, _name_room(state, names, width))}{cells}{trend}", palette.faint, no_wrap=True)


def group_line(state: OverviewState, width: int, palette: Palette) -> Text:
    """Return the groups with the current one marked, or the name of the opened group."""
    if state.opened is not None:
        row = StatsRow(state.opened, 0, 0, 0, None)
        title = _TITLES.get(state.group, state.group)
        return Text(clipped(f" {title}: {one_line(group_name(state.group, row))}", width), palette.strong, no_wrap=True)
    text = Text(no_wrap=True)
    for group in GROUPS:
        text.append(f" {_TITLES.get(group, group)} ", palette.strong if group == state.group else palette.dim)
    text.truncate(width, overflow="ellipsis")
    return text


def total_line(stats: FleetStats, due: int, width: int, palette: Palette) -> Text:
    """Return the totals with the trend by week, and what needs an action."""
    total = stats.total
    cost = "cost unknown" if total.cost is None else dollars(total.cost)
    text = Text(
        f" {plural(total.calls, 'call')} · {short_tokens(total.tokens)} tokens · {cost}", palette.ink(), no_wrap=True
    )
    values = [row.cost for row in stats.weeks]
    values = values if any(values) else [float(row.tokens) for row in stats.weeks]
    if len(values) > 1 and width >= 72:
        text.append(f"  {trend_line(values, min(26, width - 54))}", palette.ink("primary"))
    if due:
        text.append(f"  {plural(due, 'session')} deleted soon: inspector keep", palette.ink("error"))
    if stats.missing:
        text.append(f"  {stats.missing:,} not added up", palette.ink("warning"))
    text.truncate(width, overflow="ellipsis")
    return text


def worst_panels(stats: FleetStats, width: int, palette: Palette) -> Text:
    """Return the worst of each kind, in two columns if there is room."""
    blocks = [_panel(stats.worst.get(group, ()), group, title, palette) for group, title in _PANELS]
    blocks = [block for block in blocks if block]
    if width < _WIDE:
        return Text("\n", no_wrap=True).join([line for block in blocks for line in (*block, Text())])
    half, lines = width // 2, list[Text]()
    for left, right in zip(blocks[::2], [*blocks[1::2], []], strict=False):
        for place in range(max(len(left), len(right))):
            line = left[place].copy() if place < len(left) else Text()
            line.truncate(half - 2, overflow="ellipsis")
            line.append(" " * (half - line.cell_len))
            if place < len(right):
                line.append_text(right[place])
            line.truncate(width, overflow="ellipsis")
            lines.append(line)
        lines.append(Text())
    return Text("\n", no_wrap=True).join(lines)


def _panel(rows: Sequence[StatsRow], group: RollupGroup, title: str, palette: Palette) -> list[Text]:
    """Return the title and the worst rows of a kind; nothing without rows."""
    worst = [row for row in rows if group != "server" or row.defined][:_WORST]
    hidden = ("sessions", "tokens", "results", *(("calls",) if group == "server" else ()))
    names = [name for name in columns_of_group(group) if name not in hidden]
    lines = [Text(f" {title}", palette.ink("warning", bold=True), no_wrap=True)]
    for row in worst:
        line = Text(f"   {_fitted(_short_name(group, row), 26)}", palette.ink(), no_wrap=True)
        for name in names:
            line.append(f"  {_words_of_cell(name, row):>9}", palette.ink(_INKS.get(name, "foreground")))
        lines.append(line)
    return lines if worst else []


def _words_of_cell(name: str, row: StatsRow) -> str:
    """Return a number with its unit."""
    cell = stats_cell(name, row)
    if name == "reads":
        return f"{cell}×"
    if name == "never called":
        return f"{name} {cell}" if cell else ""
    return f"{cell} {'loss' if row.calls == 1 else name}" if name == "losses" else cell


def _short_name(group: RollupGroup, row: StatsRow) -> str:
    """Return the name of a row; of a long path, its end."""
    name = one_line(group_name(group, row))
    return f"…{name[-25:]}" if group == "file" and cell_len(name) > 26 else name


def _fitted(text: str, room: int) -> str:
    return set_cell_size(clipped(one_line(text), room), room)
