"""`compress`: what a strategy would make of a window, message by message; and, when asked, do it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.errors import Wrong
from inspector.cli.export import written
from inspector.cli.options import (
    agent_of,
    agent_option,
    check_turn,
    chosen,
    common,
    gates,
    limit_option,
    opened,
    out_option,
    set_option,
    strategy_option,
    target,
    to_option,
    turn_option,
)
from inspector.cli.output import (
    FATE_INKS,
    Ink,
    cells,
    clip,
    count,
    lines_of,
    paint,
    say,
    say_json,
    warn,
    width,
)
from inspector.signs import GLYPHS, LETTERS

if TYPE_CHECKING:
    from inspector.conversation import Dialect
    from inspector.library import Opened
    from inspector.strategies.settings import Knob
    from inspector.window.plan import Fate, Plan
    from inspector.workbench import Preview

FOLD = 6
"""So many messages in a row that leave in the same way are shown as one line."""


class WithStrategies(click.Command):
    """A command whose help ends with every strategy and its settings, read from the strategies themselves."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from inspector.strategies import STRATEGIES

        with formatter.section("Strategies"):
            for name, strategy in STRATEGIES.items():
                formatter.write_dl([(name, f"{strategy.about} ({strategy.cost})")])
                with formatter.indentation():
                    formatter.write_dl([option(knob) for knob in strategy.knobs])


def option(knob: Knob) -> tuple[str, str]:
    """A setting as the help lists it: how it starts, what it does, and what it may be."""
    bounds = f" {knob.low:,} to {knob.high:,}." if knob.high > knob.low else ""
    choices = f" One of {', '.join(knob.choices)}." if knob.choices else ""
    return f"{knob.name}={'…' if knob.fit else knob.default}", f"{knob.doc}{bounds}{choices}"


@click.command(cls=WithStrategies)
@target
@strategy_option
@set_option
@turn_option
@agent_option
@limit_option
@out_option
@to_option
@click.option("--apply", "applies", is_flag=True, help="Put the plan on the session's stack in the store.")
@click.option("--all", "unfolded", is_flag=True, help="Every message on a line of its own.")
@gates
@common
def compress(
    target: str,
    strategy: str | None,
    given: Sequence[str],
    turn: int | None,
    agent: str | None,
    limit: int,
    out: Path | None,
    to: Dialect | None,
    applies: bool,
    unfolded: bool,
    fail_over: int | None,
    fail_invalid: bool,
    db: Path | None,
    as_json: bool,
) -> int:
    """Show what a strategy would keep, lose and save.

    Nothing changes, unless --apply puts the plan on the session's stack (undo takes it off again) or --out writes the
    compressed context to a file. SESSION is a file, FILE#N, or the id of a stored session.
    """
    from inspector.cli.show import gate

    values = chosen(strategy, given)
    if strategy is None:
        raise Wrong(f"Name a strategy with --strategy: {strategy_names()}.")
    if to and not out:
        raise Wrong("--to says how --out is written: name a file with --out, or use inspector export.")
    with opened(target, db, limit, needed=applies) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        preview = session.bench.preview(turn, agent, strategy, values)
        if out:
            written(preview, to or preview.after.session.dialect, out)
        if applies and preview.plan:
            session.push(preview.plan, agent)
        if as_json:
            say_json(compress_json(preview))
        else:
            say("\n".join(compress_text(preview, session, unfolded)))
            report(session, out, applies)
        return gate(preview, fail_over, fail_invalid)


def strategy_names() -> str:
    from inspector.strategies import STRATEGIES

    return ", ".join(STRATEGIES)


def report(session: Opened, out: Path | None, applies: bool) -> None:
    if out:
        warn(f"Written: {out}")
    if applies:
        warn(f"Applied to {session.bench.id}; inspector undo takes it off again.")


def compress_json(preview: Preview) -> dict[str, Any]:
    plan = the(preview)
    sizes = dict(zip(preview.after.ids, preview.after.tokens, strict=True))
    before = zip(preview.before.messages, plan.fates, preview.before.tokens, strict=True)
    return {
        "strategy": plan.strategy,
        "settings": dict(plan.settings),
        "turn": preview.before.turn,
        "before": {"total": preview.before.total, "messages": len(preview.before.messages)},
        "after": {"total": preview.after.total, "messages": len(preview.after.messages)},
        "saved": preview.saved,
        "fates": plan.counts,
        "valid": preview.valid,
        "problems": [str(problem) for problem in preview.problems],
        "note": plan.note,
        "messages": [
            {
                "id": message.id,
                "role": message.role,
                "fate": fate.kind,
                "reason": fate.reason,
                "into": fate.into or None,
                "before": tokens,
                "after": sizes.get(message.id, 0),
            }
            for message, fate, tokens in before
        ],
        "summaries": [
            {
                "id": summary.id,
                "tokens": sizes.get(summary.id, 0),
                "covers": list(plan.covered(summary.id)),
                "text": summary.text,
            }
            for summary in plan.summaries
        ],
    }


def the(preview: Preview) -> Plan:
    assert preview.plan is not None, "a strategy was chosen"
    return preview.plan


def compress_text(preview: Preview, session: Opened, unfolded: bool) -> Iterator[str]:
    from inspector.cli import window_text as text

    plan = the(preview)
    yield from text.heading(preview.after.session)
    yield from text.standing(preview.after, session.bench.turns(preview.after.agent), preview.problems)
    yield ""
    settings = " · ".join(f"{key} {shown(value)}" for key, value in plan.settings.items())
    yield f"{paint(plan.strategy, 'strong')}  {paint(clip(settings, width() - 2 - len(plan.strategy)), 'dim')}"
    if plan.note:
        yield from (paint(line, "warn") for line in lines_of(plan.note, width()))
    yield ""
    yield from sizes_lines(preview)
    yield ""
    yield from fate_lines(preview)
    yield ""
    yield from message_lines(preview, unfolded)


def shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def sizes_lines(preview: Preview) -> Iterator[str]:
    """The window before and after, as numbers and as bars to one scale."""
    from inspector.cli.window_text import whole
    from inspector.tokens.known import mark

    before, after = preview.before, preview.after
    scale = max(before.total, after.total, 1)
    room = width() - 50
    for name, window in (("before", before), ("after", after)):
        number = f"{mark(whole(window))} {window.total:,}".strip()
        bar = paint("█" * max(1, round(room * window.total / scale)), "accent" if window is after else "dim")
        yield f"  {name:<7}{number:>13} tokens {count(len(window.messages), 'message'):>18}  {bar}"
    share = preview.saved / before.total if before.total else 0
    yield f"  {'saved':<7}{paint(f'{preview.saved:,}'.rjust(13), 'strong')} tokens{f'{share:.0%}':>8}"


def fate_lines(preview: Preview) -> Iterator[str]:
    """How many messages have which fate, for which reason."""
    plan = the(preview)
    found: defaultdict[Fate, list[int]] = defaultdict(list)
    for fate, tokens in zip(plan.fates, preview.before.tokens, strict=True):
        found[fate].append(tokens)
    sizes = dict(zip(preview.after.ids, preview.after.tokens, strict=True))
    for fate, group in found.items():
        into = f" → {sizes[fate.into]:,} tokens" if fate.into in sizes else ""
        kind = paint(f"{GLYPHS[fate.kind]} {fate.kind:<11}", FATE_INKS[fate.kind])
        room = width() - 36 - cells(into)
        yield f"  {kind}{len(group):>7,} {sum(group):>11,}  {paint(clip(fate.reason, room) + into, 'dim')}"


def message_lines(preview: Preview, unfolded: bool) -> Iterator[str]:
    """The messages of the window before, each under its fate; long runs that leave together on one line."""
    from inspector.cli import window_text as text
    from inspector.window.names import call_names

    plan, before = the(preview), preview.before
    numbers, names = text.numbering(before.session), call_names(before.messages)
    sizes = dict(zip(preview.after.ids, preview.after.tokens, strict=True))
    yield paint(text.COLUMNS, "dim")
    for start, end in runs(plan.fates, unfolded):
        fate, message = plan.fates[start], before.messages[start]
        tokens = sum(before.tokens[start:end])
        glyph = paint(GLYPHS[fate.kind], FATE_INKS[fate.kind])
        ink: Ink | None = "dim" if fate.gone else None
        into = f"→ {fate.into}  " if fate.into else ""
        letter = LETTERS[before.sections[start]]
        if end - start > 1:
            shown = [numbers[each.id] for each in before.messages[start:end] if each.id in numbers]
            says = into + text.contents(before.messages[start:end], names)
            yield text.row(glyph, text.range_of(shown), count(end - start, "message"), tokens, letter, says, ink)
            continue
        changed = f"→ {sizes[message.id]:,}  " if message.id in plan.changed else into
        number = str(numbers.get(message.id, ""))
        yield text.row(glyph, number, text.speaker(message, names), tokens, letter, changed + text.words(message), ink)


def runs(fates: Sequence[Fate], unfolded: bool) -> Iterator[tuple[int, int]]:
    """Where each line of the list begins and ends: one message, or `FOLD` and more that leave in the same way."""
    start = 0
    while start < len(fates):
        end = start + 1
        while end < len(fates) and fates[end] == fates[start]:
            end += 1
        if fates[start].gone and end - start >= FOLD and not unfolded:
            yield start, end
        else:
            yield from ((index, index + 1) for index in range(start, end))
        start = end


COMMANDS = (compress,)
