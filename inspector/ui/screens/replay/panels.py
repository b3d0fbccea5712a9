"""The panels of Replay: the numbers of a turn, the outcome of the whole replay, and the list of regrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import set_cell_size
from rich.text import Text
from textual.binding import BindingType
from textual.reactive import reactive

from inspector.analysis.replay import CompactionEvent, Frame, Regret, RepeatedReadRates
from inspector.core.text import (
    GLYPHS,
    LETTERS,
    LOSSY,
    REGRETTED,
    REVERSIBLE,
    clipped,
    dollars,
    ends,
    one_line,
    percent,
    plural,
    wrapped,
)
from inspector.engine.window import SECTIONS
from inspector.ui.bindings import bindings
from inspector.ui.palette import Palette, ThemePalette
from inspector.ui.screens.replay.controller import ReplayState
from inspector.ui.screens.replay.progress import ReplayProgress, preset_summary
from inspector.ui.widgets.bars import EIGHTHS, SHORT
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.retention_bars import retention_lines
from inspector.ui.widgets.scrubber import compact
from inspector.ui.widgets.verdict_line import accented

_NAME, _TOKENS = 12, 9
_WIDE_LEGEND = 90
"""Width in cells from which each section on a line has the symbol of an estimate."""
_WIDE_REGRETS = 100
"""Width in cells from which a line shows after how many turns a lost fact was needed."""


class _StatePanel(Drawing):
    """A widget that draws a state of the screen."""

    state: reactive[ReplayState | None] = reactive(None)

    @property
    def progress(self) -> ReplayProgress | None:
        return self.state.progress if self.state else None

    palette = ThemePalette()


class TurnPanel(_StatePanel):
    """The current turn as a column, or as two lines with its sections and the event before its call."""

    def render(self) -> Text:
        progress = self.progress
        frame = progress.frame(self.state.turn) if progress and self.state else None
        if progress is None or frame is None:
            return Text()
        if self.size.height <= 2:
            lines = [self.legend(progress, frame), self.event(progress, frame)][: self.size.height]
        else:
            lines = list(self.column(progress, frame))
            lines += self.facts(progress, self.size.height - len(lines) - 2)
        return Text("\n", no_wrap=True).join(lines)

    def legend(self, progress: ReplayProgress, frame: Frame) -> Text:
        """Return the sections on one line with their letters."""
        palette, width = self.palette, self.size.width
        line = Text(" " if width >= 78 else "", no_wrap=True)
        for section, tokens in zip(SECTIONS, frame.sections, strict=True):
            chip = f" {LETTERS[section]} " if width >= 78 else LETTERS[section]
            line.append(chip, palette.chip(section))
            sign = progress.sign_of(section) if tokens and width >= _WIDE_LEGEND else ""
            number = f" {sign}{tokens:,}  " if width >= 78 else f"{compact(tokens)} "
            line.append(number, palette.ink() if tokens else palette.faint)
        return line

    def event(self, progress: ReplayProgress, frame: Frame) -> Text:
        """Return the compaction before the call, or the cost of the call."""
        palette = self.palette
        line = Text(" ", no_wrap=True)
        line.append(f"{progress.estimate_sign}{frame.total:,} tokens", palette.strong)
        if compaction := progress.compaction(frame.turn):
            sign, word, colour = _effect(compaction)
            line.append(f"   {sign} {word}", palette.ink(colour))
            line.append(f" from {compaction.sizes.before} to {compaction.sizes.after}", palette.ink())
            line.append(f", {compaction.strategy}", palette.dim)
        elif frame.waits:
            line.append(f"   waiting until {frame.waits:,}: too little is removable", palette.ink("warning"))
        elif frame.full > frame.total:
            line.append(f"   uncompressed {progress.estimate_sign}{frame.full:,}", palette.dim)
        cost = f"   {dollars(frame.cost)} this call"
        if frame.is_sent and line.cell_len + len(cost) <= self.size.width:
            line.append(cost, palette.dim)
        return line

    def column(self, progress: ReplayProgress, frame: Frame) -> Iterator[Text]:
        palette = self.palette
        yield self.place(progress, frame)
        yield self.size_line(progress, frame)
        if frame.waits:
            words = f"over the trigger, but too little is removable; next attempt at {frame.waits:,}"
            yield from (Text(row, palette.ink("warning")) for row in wrapped(words, self.size.width - 1))
        yield Text()
        yield from self.section_lines(progress, frame)
        yield Text()
        if frame.full > frame.total:
            yield Text(f"uncompressed {progress.estimate_sign}{frame.full:,}", palette.dim)
        if frame.is_sent:
            yield Text(f"this call {dollars(frame.cost)}, without cache {dollars(frame.cost_uncached)}", palette.dim)
        if frame.back:
            for row in wrapped(f"{GLYPHS['retrieved']} {frame.back}", self.size.width - 1):
                yield Text(row, palette.dim)
        if frame.fetched:
            yield Text(f"an extra call for the rest, {frame.fetched:,} tokens", palette.dim)
        if compaction := progress.compaction(frame.turn):
            yield Text()
            yield from self.compaction(compaction)
        yield from self.regrets(progress, frame)

    def section_lines(self, progress: ReplayProgress, frame: Frame) -> Iterator[Text]:
        palette, largest = self.palette, max(frame.sections) or 1
        for section, tokens in zip(SECTIONS, frame.sections, strict=True):
            line = Text(no_wrap=True)
            line.append(f" {LETTERS[section]} ", palette.chip(section))
            line.append(f" {SHORT.get(section, section).capitalize():<{_NAME - 4}}", palette.ink())
            number = f"{progress.sign_of(section) if tokens else ''}{tokens:,}"
            line.append(f"{number:>{_TOKENS}} ", palette.ink() if tokens else palette.faint)
            room = self.size.width - line.cell_len - 1
            line.append(_bar(tokens, largest, room), palette.ink(f"section-{section}"))
            yield line

    def place(self, progress: ReplayProgress, frame: Frame) -> Text:
        palette = self.palette
        if frame.reply < 0:
            return Text.assemble(("now", palette.strong), (f", after {progress.count - 1:,} turns", palette.dim))
        return Text.assemble(
            ("turn ", palette.dim), (f"{frame.turn:,}", palette.strong), (f" of {progress.count - 1:,}", palette.dim)
        )

    def size_line(self, progress: ReplayProgress, frame: Frame) -> Text:
        palette = self.palette
        line = Text.assemble((f"{progress.estimate_sign}{frame.total:,}", palette.strong), (" tokens", palette.dim))
        if threshold := progress.replay.threshold:
            line.append(f", {frame.total / threshold:.0%} of the trigger", palette.dim)
        return line

    def compaction(self, compaction: CompactionEvent) -> Iterator[Text]:
        """Yield the token counts before and after a compaction, and its strategy."""
        palette = self.palette
        sign, word, colour = _effect(compaction)
        yield Text(f"{sign} compressed before this call", palette.ink(colour))
        yield Text(f"  {compaction.sizes} tokens", palette.strong)
        about = f"{word}, {plural(compaction.covered, 'message')}, {compaction.strategy}"
        yield Text(f"  {clipped(about, self.size.width - 3)}", palette.dim)

    def regrets(self, progress: ReplayProgress, frame: Frame) -> Iterator[Text]:
        """Yield the lost facts that this turn's reply needed."""
        regrets = [regret for regret in progress.replay.regrets if regret.turn == frame.turn]
        if regrets:
            yield Text()
            count = sum(len(regret.needs) for regret in regrets) - 1
            more = f" and {count:,} more" if count else ""
            yield Text(f"{REGRETTED} needed here, and lost", self.palette.ink("error", bold=True))
            cls = regrets[0].cls
            room = self.size.width - 5 - len(cls) - len(more)
            yield Text(f"  {cls} {ends(regrets[0].fact, room)}{more}", self.palette.dim)

    def facts(self, progress: ReplayProgress, room: int) -> Iterator[Text]:
        """Yield the retention of each fact class at the end of the session, as far as there is room."""
        if progress.replay.retention and room > 0:
            yield Text()
            yield Text("facts in the window at the end", self.palette.dim)
            yield from retention_lines(progress.replay.retention, self.size.width - 1, self.palette, room)


def _effect(compaction: CompactionEvent) -> tuple[str, str, str]:
    """Return the symbol, word and colour of a compaction's effect on the messages."""
    return (REVERSIBLE, "reversible", "success") if compaction.reversible else (LOSSY, "lossy", "warning")


def _bar(tokens: int, largest: int, room: int) -> str:
    """Return a bar of blocks; any number above 0 is visible."""
    full, rest = divmod(max(round(8 * max(room, 1) * tokens / largest), 1 if tokens else 0), 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")


_COUNTING = " Counting messages first …"


class OutcomePanel(_StatePanel):
    """The preset with its settings, and its results over the whole session."""

    def render(self) -> Text:
        if self.progress is None:
            is_counting = self.state is not None and self.state.bench is not None
            return Text(_COUNTING if is_counting else "", self.palette.dim, no_wrap=True)
        lines = [self.preset_line(self.progress), self.totals(self.progress)]
        ink = self.palette.ink("error" if self.progress.replay.regrets else "success")
        return accented(Text("\n", no_wrap=True).join(lines[-self.size.height :]), ink)

    def preset_line(self, progress: ReplayProgress) -> Text:
        palette = self.palette
        name = one_line(progress.preset.name)
        line = Text.assemble((f" {name}", palette.strong), no_wrap=True)
        if progress.misfit:
            line.append(f"  {progress.misfit}", palette.ink("warning"))
        room = max(4, self.size.width - line.cell_len - 3)
        line.append(f"  {clipped(one_line(preset_summary(progress.preset)), room)}", palette.dim)
        return line

    def totals(self, progress: ReplayProgress) -> Text:
        """Return as many of the results as fit, the most important first."""
        line = Text(" ", no_wrap=True)
        for part in filter(None, self.parts(progress)):
            gap = "   " if line.cell_len > 1 else ""
            if line.cell_len + len(gap) + part.cell_len <= self.size.width:
                line.append(gap)
                line.append_text(part)
        return line

    def parts(self, progress: ReplayProgress) -> Iterator[Text]:
        palette, replay = self.palette, progress.replay
        if self.size.height < 2:
            yield Text(clipped(one_line(progress.preset.name), 14), palette.strong)
        count = len(replay.compactions)
        yield _number_text(f"{count:,}", plural(count, "compaction").removeprefix(f"{count:,}"), palette)
        line = _number_text(f"{progress.estimate_sign}{compact(replay.tokens_sent)}", " sent", palette)
        if progress.full_tokens > replay.tokens_sent:
            share = 1 - replay.tokens_sent / progress.full_tokens
            line.append(f", {share:.0%} less", palette.ink("success"))
        yield line
        yield _number_text(dollars(replay.cost), "" if replay.basis == "simulated" else f" {replay.basis}", palette)
        yield self.regrets(progress)
        if replay.rereads and replay.rereads.compactions:
            yield _rereads_text(replay.rereads, palette)
        if replay.retention:
            yield _number_text(percent(replay.retained), " of the facts kept", palette)
        if replay.state.share is not None:
            yield _number_text(percent(replay.state.share), " of the state kept", palette)
        if replay.state.going_on is not None:
            yield _number_text(percent(replay.state.going_on), " of the questions for going on", palette)
        if replay.statements:
            yield Text(f"{replay.state.stated} invented, {replay.state.revived:,} revived", palette.ink("error"))
        yield _number_text(f"{progress.estimate_sign}{replay.peak:,}", " peak", palette)
        yield _number_text(dollars(replay.cost_uncached), " without the cache", palette)
        if replay.gave_up:
            yield Text("waiting: too little is removable", palette.ink("warning"))

    def regrets(self, progress: ReplayProgress) -> Text:
        palette, replay = self.palette, progress.replay
        if replay.sealed and not replay.regrets:
            return Text("regrets unknown: encrypted summary", palette.ink("warning"))
        if not (replay.regrets or replay.recalls or replay.reused):
            facts = replay.retention or not progress.preset.enabled
            return Text("no regrets" if facts else "", palette.ink("success"))
        recalls = f", {plural(len(replay.recalls), 'recall')}" if replay.recalls else ""
        count = Text(plural(len(replay.regrets), "regret") + recalls, palette.ink("error", bold=True))
        reused = f", {len(replay.reused):,} reused from an unknown source" if replay.reused else ""
        return Text.assemble(count, (reused, palette.dim))


def _rereads_text(rereads: RepeatedReadRates, palette: Palette) -> Text:
    """Return the rate of repeated reads of dropped content, compared with content still in the window."""
    gone, kept = (f"{rate.repeated:,}/{rate.count:,}" for rate in (rereads.gone, rereads.kept))
    few = "" if rereads.is_telling else ", too few"
    return _number_text(gone, f" read again, {kept} anyway{few}", palette)


def _number_text(number: str, what: str, palette: Palette) -> Text:
    return Text.assemble((number, palette.strong), (what, palette.dim))


class RegretList(LineList):
    """Lost facts that were needed later, one per line. The cursor is visible only while the user moves in the list."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("opening_list")

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.regrets: Sequence[Regret] = ()
        self.in_hand = False
        """True if the user moved in the list last, so that enter applies to its line."""

    @property
    def count(self) -> int:
        return len(self.regrets)

    @property
    def current(self) -> Regret | None:
        return self.regrets[self.cursor] if 0 <= self.cursor < len(self.regrets) else None

    @property
    def shows_cursor(self) -> bool:  # type: ignore[override]  # changes at runtime here
        return self.in_hand

    def show(self, regrets: Sequence[Regret], empty: str) -> None:
        """Show other regrets; `empty` is the text for an empty list."""
        self.regrets, self.empty = regrets, empty
        self.renew()

    def by_hand(self) -> None:
        self.hold(True)

    def hold(self, in_hand: bool) -> None:
        """Show or hide the cursor."""
        if self.in_hand is not in_hand:
            self.in_hand = in_hand
            self.strips.clear()
            self.refresh()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        regret, palette = self.regrets[line], self.palette
        spans = [
            (f" {REGRETTED} ", palette.ink("error", bold=True)),
            (f"{regret.turn:>6,}  ", palette.ink()),
            (set_cell_size(clipped(regret.cls, 10), 12), palette.dim),
        ]
        tail = (
            f"  {regret.lost_at:>9,} {regret.turn - regret.lost_at:>12,} "
            if width >= _WIDE_REGRETS
            else f"  {regret.lost_at:>7,} "
        )
        room = max(4, width - 23 - len(tail))
        return [
            *spans,
            (set_cell_size(ends(regret.fact, room), room), palette.strong),
            (tail, palette.dim),
        ]


def regret_heading(width: int) -> str:
    """Return the column names of the list."""
    tail = f"  {'lost at':>9} {'turns later':>12} " if width >= _WIDE_REGRETS else f"  {'lost at':>7} "
    what = "needed after it was dropped"
    room = max(4, width - 23 - len(tail))
    return f"   {'turn':>6}  {'':12}{set_cell_size(clipped(what, room), room)}{tail}"
