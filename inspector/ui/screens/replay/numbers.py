"""The numbers of a replay: one turn's at the side, which is the legend too, and the whole session's in a line."""

from __future__ import annotations

from collections.abc import Iterator

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.library import rounded
from inspector.replay import Compaction, Frame
from inspector.text import LETTERS, LOSSY, REGRETTED, REVERSIBLE, clipped, one_line, percent
from inspector.ui.palette import Palette
from inspector.ui.screens.replay.filming import Film, describe
from inspector.ui.widgets.area import INK
from inspector.ui.widgets.bars import EIGHTHS, SHORT
from inspector.ui.widgets.kept import kept_lines
from inspector.ui.widgets.scrubber import compact
from inspector.window import SECTIONS

_NAME, _TOKENS = 12, 9


class FilmView(Widget):
    """A widget that draws the film by itself."""

    film: reactive[Film | None] = reactive(None)
    turn: reactive[int] = reactive(1)

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)


class Numbers(FilmView):
    """The turn under the cursor. High: a column. Two lines: the sections, and what happened."""

    def render(self) -> Text:
        frame = self.film.frame(self.turn) if self.film else None
        if self.film is None or frame is None:
            return Text()
        if self.size.height <= 2:
            lines = [self.legend(frame), self.happened(self.film, frame)][: self.size.height]
        else:
            lines = list(self.column(self.film, frame))
            lines += self.facts(self.film, self.size.height - len(lines) - 2)
        return Text("\n", no_wrap=True).join(lines)

    def legend(self, frame: Frame) -> Text:
        """The sections in a line, each with its letter; names where there is room for them."""
        palette, width = self.palette, self.size.width
        line = Text(" " if width >= 78 else "", no_wrap=True)
        for section, tokens in zip(SECTIONS, frame.sections, strict=True):
            chip = f" {LETTERS[section]} " if width >= 78 else LETTERS[section]
            line.append(chip, Style(color=INK, bgcolor=palette.section(section), bold=True))
            number = f" {tokens:,}  " if width >= 78 else f"{compact(tokens)} "
            line.append(number, palette.ink() if tokens else palette.faint)
        return line

    def happened(self, film: Film, frame: Frame) -> Text:
        """What was compressed before the call, or what the call cost."""
        palette = self.palette
        line = Text(" ", no_wrap=True)
        line.append(f"{film.rough}{frame.total:,} tokens", palette.strong)
        if made := film.compaction(frame.turn):
            line.append_text(_sign_of(made, palette))
            line.append(f" from {made.before:,} to {made.after:,}", palette.ink())
            line.append(f", {made.strategy}", palette.dim)
        elif frame.full > frame.total:
            line.append(f"   uncompressed {frame.full:,}", palette.dim)
        cost = f"   {rounded(frame.cost)} this call"
        if frame.sent and line.cell_len + len(cost) <= self.size.width:
            line.append(cost, palette.dim)
        return line

    def column(self, film: Film, frame: Frame) -> Iterator[Text]:
        palette = self.palette
        yield self.where(film, frame)
        yield self.size_line(film, frame)
        yield Text()
        largest = max(frame.sections) or 1
        for section, tokens in zip(SECTIONS, frame.sections, strict=True):
            line = Text(no_wrap=True)
            line.append(f" {LETTERS[section]} ", Style(color=INK, bgcolor=palette.section(section), bold=True))
            line.append(f" {SHORT.get(section, section).capitalize():<{_NAME - 4}}", palette.ink())
            line.append(f"{tokens:>{_TOKENS},} ", palette.ink() if tokens else palette.faint)
            room = self.size.width - line.cell_len - 1
            line.append(_bar(tokens, largest, room), palette.ink(f"section-{section}"))
            yield line
        yield Text()
        if frame.full > frame.total:
            yield Text(f"uncompressed {frame.full:,}", palette.dim)
        if frame.sent:
            yield Text(f"this call {rounded(frame.cost)}, uncached {rounded(frame.uncached)}", palette.dim)
        if made := film.compaction(frame.turn):
            yield Text()
            yield from self.compressed(made)
        yield from self.regretted(film, frame)

    def where(self, film: Film, frame: Frame) -> Text:
        palette = self.palette
        if not frame.sent:
            return Text.assemble(("now", palette.strong), (f", after {film.count - 1:,} turns", palette.dim))
        return Text.assemble(
            ("turn ", palette.dim), (f"{frame.turn:,}", palette.strong), (f" of {film.count - 1:,}", palette.dim)
        )

    def size_line(self, film: Film, frame: Frame) -> Text:
        palette = self.palette
        line = Text.assemble((f"{film.rough}{frame.total:,}", palette.strong), (" tokens", palette.dim))
        if not film.never:
            line.append(f", {frame.total / film.preset.threshold:.0%} of the trigger", palette.dim)
        return line

    def compressed(self, made: Compaction) -> Iterator[Text]:
        """A compaction: before and after, and by what."""
        palette = self.palette
        word, colour = ("reversible", "success") if made.reversible else ("lossy", "warning")
        sign = REVERSIBLE if made.reversible else LOSSY
        yield Text(f"{sign} compressed before this call", palette.ink(colour))
        yield Text(f"  {made.before:,} → {made.after:,} tokens", palette.strong)
        about = f"{word}, {made.covered:,} messages, {made.strategy}"
        yield Text(f"  {clipped(about, self.size.width - 3)}", palette.dim)

    def regretted(self, film: Film, frame: Frame) -> Iterator[Text]:
        """What this turn's reply needed and was lost."""
        found = [regret for regret in film.replay.regrets if regret.turn == frame.turn]
        if found:
            yield Text()
            more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
            yield Text(f"{REGRETTED} needed here, and lost", self.palette.ink("error", bold=True))
            text = f"{found[0].cls} {one_line(found[0].fact)}"
            yield Text(f"  {clipped(text, self.size.width - 4 - len(more))}{more}", self.palette.dim)

    def facts(self, film: Film, room: int) -> Iterator[Text]:
        """What became of the facts of each class by the end of the session."""
        if film.replay.retention and room > 0:
            yield Text()
            yield Text("facts in the window at the end", self.palette.dim)
            yield from kept_lines(film.replay.retention, self.size.width - 1, self.palette, room)


def _sign_of(made: Compaction, palette: Palette) -> Text:
    word, colour = ("reversible", "success") if made.reversible else ("lossy", "warning")
    return Text(f"   {REVERSIBLE if made.reversible else LOSSY} {word}", palette.ink(colour))


def _bar(tokens: int, largest: int, room: int) -> str:
    """A bar of blocks to one scale; the least there is for anything at all."""
    full, rest = divmod(max(round(8 * max(room, 1) * tokens / largest), 1 if tokens else 0), 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")


class Outcome(FilmView):
    """The preset and how it is set, then what came of it over the whole session."""

    def render(self) -> Text:
        if self.film is None:
            return Text()
        lines = [self.policy(self.film), self.sums(self.film)]
        return Text("\n", no_wrap=True).join(lines[-self.size.height :])

    def policy(self, film: Film) -> Text:
        palette = self.palette
        name = one_line(film.preset.name)
        line = Text.assemble((f" {name}", palette.strong), no_wrap=True)
        line.append(
            f"  {clipped(one_line(describe(film.preset)), max(4, self.size.width - len(name) - 4))}", palette.dim
        )
        return line

    def sums(self, film: Film) -> Text:
        """As much of it as fits, the weightiest first."""
        line = Text(" ", no_wrap=True)
        for part in filter(None, self.parts(film)):
            gap = "   " if line.cell_len > 1 else ""
            if line.cell_len + len(gap) + part.cell_len <= self.size.width:
                line.append(gap)
                line.append_text(part)
        return line

    def parts(self, film: Film) -> Iterator[Text]:
        palette, replay = self.palette, film.replay
        if self.size.height < 2:
            yield Text(clipped(one_line(film.preset.name), 14), palette.strong)
        made = len(replay.compactions)
        yield _numbered(f"{made:,}", f" {_word(made, 'compaction')}", palette)
        sent = _numbered(f"{film.rough}{compact(replay.tokens_sent)}", " sent", palette)
        if film.whole > replay.tokens_sent:
            saved = 1 - replay.tokens_sent / film.whole
            sent.append(f", {saved:.0%} less", palette.ink("success"))
        yield sent
        yield _numbered(rounded(replay.cost), "", palette)
        yield self.regrets(film)
        if replay.retention:
            yield _numbered(percent(replay.retained), " of the facts kept", palette)
        yield _numbered(f"{replay.peak:,}", " peak", palette)
        yield _numbered(rounded(replay.uncached), " uncached", palette)
        if replay.gave_up:
            yield Text("waits: nothing to win", palette.ink("warning"))

    def regrets(self, film: Film) -> Text:
        palette, found = self.palette, len(film.replay.regrets)
        if not found:
            return Text("no regrets" if film.replay.retention or film.never else "", palette.ink("success"))
        return Text(f"{found:,} {_word(found, 'regret')}", palette.ink("error", bold=True))


def _numbered(number: str, what: str, palette: Palette) -> Text:
    return Text.assemble((number, palette.strong), (what, palette.dim))


def _word(count: int, one: str) -> str:
    return one if count == 1 else f"{one}s"
