"""The outcome of a plan and the plans applied before it, as lines next to the list of messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from inspector import library
from inspector.core.text import GLYPHS, clipped, one_line, plural, turn_name, wrapped
from inspector.ui.key_remaps import key_of
from inspector.ui.palette import Palette, mark_of

if TYPE_CHECKING:
    from inspector.core.conversation import Problem
    from inspector.engine.compression import StrategyChoice
    from inspector.engine.window import Plan
    from inspector.library import LostFacts, Money, Preview

_LISTED = 5
"""Maximum number of plans named next to the list; the panel of plans lists all."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """A line of the column, and the knob that a click on it selects."""

    text: Text
    knob: int | None = None


def wide_outcome(
    preview: Preview,
    trial: StrategyChoice,
    money: Money | None,
    losses: LostFacts | None,
    width: int,
    palette: Palette,
    *,
    is_tall: bool = False,
) -> Iterator[OutcomeRow]:
    """Yield the effects of a plan: its savings, losses and costs, and why it could not do more.

    Args:
        preview: Windows before and after the plan.
        trial: Strategy being tried.
        money: Costs of the preview; None while unknown.
        losses: Lost facts of the preview; None while unknown.
        width: Cells to wrap to.
        palette: Colours of the current theme.
        is_tall: True if there is room for all losses.
    """
    plan = preview.plan
    if plan is None or plan.strategy != trial.strategy:
        yield OutcomeRow(Text("working …", palette.faint))
        return
    if plan.alters:
        yield OutcomeRow(_saves(preview, palette))
    yield from _dim_rows(_effects(preview, plan), width, palette)
    if losses is not None and losses.preview is preview:
        yield from _loss_rows(losses.words, width, palette, is_tall)
    if money is not None and money.preview is preview:
        yield from _dim_rows(map(one_line, money.lines), width, palette, most=3)
    for row in wrapped(one_line(plan.note), width) if plan.note else ():
        yield OutcomeRow(Text(row, palette.ink("warning")))
    if preview.worst and not preview.recorded_so:
        yield from _problem_rows([preview.worst], "✗", palette.ink("error"), width)


def _dim_rows(texts: Iterable[str], width: int, palette: Palette, most: int | None = None) -> Iterator[OutcomeRow]:
    for text in texts:
        yield from (OutcomeRow(Text(row, palette.dim)) for row in wrapped(text, width)[:most])


def _loss_rows(words: str, width: int, palette: Palette, is_tall: bool) -> Iterator[OutcomeRow]:
    """Yield the lost facts, and on a separate line the retention of facts that are whole sentences."""
    lost, _, kept = words.partition("; ")
    loses = lost.startswith("loses") and lost != "loses no facts"
    styles = (palette.ink("warning") if loses else palette.dim, palette.dim)
    for clause, most, style in zip((lost, kept), (6, 3) if is_tall else (2, 1), styles, strict=True):
        rows = wrapped(clause, width) if clause else []
        if len(rows) > most:
            rows = [*rows[: most - 1], clipped(f"{rows[most - 1]} …", width)]
        yield from (OutcomeRow(Text(row, style)) for row in rows)


def _effects(preview: Preview, plan: Plan) -> Iterator[str]:
    """Yield the fates of the messages, and the archived messages that are retrieved."""
    back = preview.recall if preview.recall and preview.recall.is_in(preview.after) else None
    yield f"{library.describe_fates(plan)}, {len(preview.after.messages) - (back is not None):,} stay"
    if back:
        yield f"{GLYPHS['retrieved']} {back}"


def _saves(preview: Preview, palette: Palette) -> Text:
    share = preview.savings / preview.before.total if preview.before.total else 0
    line = Text.assemble(("saves ", palette.dim), no_wrap=True)
    line.append(f"{mark_of(preview.before)}{preview.savings:,}", palette.strong)
    line.append(f" tokens, {share:.0%}", palette.dim)
    return line


def short_outcome(preview: Preview, losses: LostFacts | None, width: int, palette: Palette) -> Text:
    """Return the effects of a plan for a line that also shows the knobs.

    Args:
        preview: Windows before and after the plan.
        losses: Lost facts of the preview; None while unknown.
        width: Cells of the line.
        palette: Colours of the current theme.
    """
    plan = preview.plan
    if plan is None:
        return Text("working …", palette.faint)
    if plan.note:
        note = one_line(plan.note)
        note = note if cell_len(note) <= width // 2 else note.partition(", because")[0]
        return Text(clipped(note, width // 2), palette.ink("warning"))
    if not plan.alters:
        return Text.assemble(("changes nothing", palette.dim))
    share = preview.savings / preview.before.total if preview.before.total else 0
    line = Text.assemble(("saves ", palette.dim), no_wrap=True)
    line.append(f"{mark_of(preview.before)}{preview.savings:,}", palette.strong)
    line.append(f" {share:.0%}", palette.dim)
    if losses is not None and losses.preview is preview and losses.counts:
        line.append(f"  loses {plural(sum(losses.counts.values()), 'fact')}", palette.ink("warning"))
    return line


def stack_rows(preview: Preview, width: int, palette: Palette) -> Iterator[OutcomeRow]:
    """Yield the plans applied to the window, newest first, or a hint to try a strategy.

    Args:
        preview: Window with its plans.
        width: Cells to wrap to.
        palette: Colours of the current theme.
    """
    key = palette.ink("primary", bold=True)
    if preview.applied:
        count = len(preview.applied)
        yield OutcomeRow(Text(f"{plural(count, 'plan')}{', stacked' if count > 1 else ' applied'}", palette.strong))
        for number in range(count, max(0, count - _LISTED), -1):
            plan = preview.applied[number - 1]
            when = turn_name(plan.turn, len(preview.session.turns(preview.recorded.agent)))
            yield OutcomeRow(_plan_line(number, plan, when, palette))
        yield OutcomeRow(Text("as recorded" if count <= _LISTED else f"… {count - _LISTED} more", palette.faint))
        yield OutcomeRow(Text())
        plans, undo = key_of("plans"), key_of("undo")
        effect = (": effect   ", palette.dim)
        yield OutcomeRow(Text.assemble((plans, key), effect, (undo, key), (": undo", palette.dim)))
    else:
        is_sent = preview.recorded.turn <= len(preview.session.turns(preview.recorded.agent))
        words = "Request as the model saw it" if is_sent else "Next request, as it would be sent"
        yield OutcomeRow(Text(words, palette.dim))
        yield OutcomeRow(Text.assemble((key_of("strategy"), key), (": try a strategy", palette.dim)))
    problems = trouble(preview)
    sign, colour = ("✗", "error") if preview.problems and not preview.recorded_so else ("!", "warning")
    if problems:
        yield OutcomeRow(Text())
    if preview.recorded_so:
        yield from _dim_rows([library.TAKEN], width, palette)
    yield from _problem_rows(problems[:1], sign, palette.ink(colour), width)
    if len(problems) > 1:
        yield OutcomeRow(Text.assemble((key_of("problems"), key), (f": all {len(problems)} problems", palette.dim)))


def _plan_line(number: int, plan: Plan, when: str, palette: Palette) -> Text:
    return Text.assemble((f"{number} ", palette.faint), (plan.strategy, palette.ink()), (f"  {when}", palette.dim))


def _problem_rows(problems: Sequence[Problem], sign: str, style: Style, width: int) -> Iterator[OutcomeRow]:
    for problem in problems:
        for row in wrapped(f"{sign} {one_line(str(problem))}", width)[:4]:
            yield OutcomeRow(Text(row, style))


def stack_words(plans: Sequence[Plan], room: int) -> str:
    """Return the stack in one line, newest first: "2 plans: trim_outputs t40 on sliding_window t12"."""
    names = " on ".join(f"{plan.strategy} t{plan.turn}" for plan in reversed(plans))
    return clipped(f"{plural(len(plans), 'plan')}: {names}", room)


def trouble(preview: Preview | None) -> tuple[Problem, ...]:
    """Return the problems for which the provider would reject the window, and those of the file."""
    if preview is None:
        return ()
    return (*sorted(preview.problems, key=preview.taken.__contains__), *preview.session.problems)
