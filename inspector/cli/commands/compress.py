"""`compress`: preview a strategy on a window, message by message, and optionally apply it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from inspector import library
from inspector.analysis.tool_activity import Actions, row_words
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import CommandError, UsageError, gate
from inspector.cli.commands.compress_output import CompressionResult, compress_output, plan_of
from inspector.cli.commands.export import check_out, output_file, written
from inspector.cli.commands.show import gate_failures
from inspector.cli.model_summaries import Writer, model_option, writer
from inspector.cli.options import (
    agent_option,
    common,
    companion_option,
    gates,
    limit_option,
    out_option,
    redact_option,
    target,
    to_option,
    turn_option,
)
from inspector.cli.output import FATE_INKS, Ink, echo, note, output_json, paint, report_on_output_error, width
from inspector.cli.redactions import check_export, is_redacting
from inspector.cli.strategy_options import strategy_options
from inspector.cli.text.policies_text import fit_lines
from inspector.cli.text.window_text import (
    MESSAGE_COLUMNS,
    heading,
    message_row,
    number_range,
    recall_lines,
    run_contents,
    status_lines,
    words_room,
)
from inspector.core.conversation import ProviderName
from inspector.core.text import GLYPHS, LETTERS, cells, clip, lines_of, plural
from inspector.engine.compression import (
    StrategyChoice,
    resolve_threshold,
    threshold_text,
)
from inspector.engine.strategies import STRATEGIES
from inspector.engine.window import Fate, call_names
from inspector.library import Export, OpenSession, Preview, count_lost_facts, money_of
from inspector.llm.tokens import TokenCount, mark

_NAMES = ", ".join(STRATEGIES)
_FOLD = 6
"""Minimum messages in a row with the same fate that are folded into one line."""


@click.command(epilog="inspector strategies lists the strategies, and the settings of one.")
@target
@strategy_options
@turn_option
@agent_option
@limit_option
@out_option
@companion_option
@to_option
@click.option("--apply", "applies", is_flag=True, help="Put the plan on the session's stack in the store.")
@click.option("--all", "unfolded", is_flag=True, help="List each message on its own line.")
@model_option
@gates
@redact_option
@common
def compress(
    target: str,
    choice: StrategyChoice | None,
    force: bool,
    turn: int | None,
    agent: str | None,
    limit: int,
    out: Path | None,
    companion: bool,
    to: ProviderName | None,
    applies: bool,
    unfolded: bool,
    by_model: bool,
    fail_over: int | None,
    fail_invalid: bool,
    db: Path | None,
    as_json: bool,
) -> int:
    """Show what a strategy would keep, lose and save.

    Changes nothing, unless --apply puts the plan on the session's stack (inspector undo removes it) or --out writes the
    compressed context to a file. A preset does not change a window below its threshold, unless --force is given. If a
    model is to write the summary and fails, nothing is changed and the command exits with 1. SESSION is a file, FILE#N,
    or the id of a stored session.
    """
    if choice is None:
        raise UsageError(f"Name a strategy with --strategy, or a preset with --preset. Strategies: {_NAMES}.")
    _check_options(to, out, applies)
    with open_session(target, db, limit, required=applies) as session, writer(by_model) as writing:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        check_out(session, out, force, companion)
        result = _compress(session, choice, force, turn, agent, writing)
        preview = result.preview
        if by_model and plan_of(preview).has_failed:
            raise CommandError(f"Nothing was changed: {plan_of(preview).note} Run it without --model.")
        applies = applies and not (result.idle or plan_of(preview).has_failed)
        export = Export(preview, to or preview.after.context.dialect)
        result = _with_files(result, export, out, companion)
        failures = list(gate_failures(preview, fail_over, fail_invalid))
        text = _render(result, unfolded, failures if as_json else None)
        with output_file(session, export, out, force, companion):
            with report_on_output_error(_explain_no_change(out, applies)):
                echo(text)
            if applies:
                session.push(plan_of(preview), agent)
        _report(result, applies, as_json)
        return gate(failures)


def _check_options(to: ProviderName | None, out: Path | None, applies: bool) -> None:
    if applies and is_redacting():
        raise UsageError("--apply keeps a plan for the recorded messages: leave out --redact.")
    if to and not out:
        raise UsageError("--to requires --out FILE. To print the request, use inspector export.")


def _explain_no_change(out: Path | None, applies: bool) -> str:
    """Return the sentence for the case that the output cannot be printed."""
    return "Nothing was applied." if applies else "Nothing was written." if out else ""


def _compress(
    session: OpenSession, choice: StrategyChoice, force: bool, turn: int | None, agent: str, writing: Writer
) -> CompressionResult:
    choice = replace(choice, scale=session.bench.scale(agent))
    draft = partial(choice.draft, services=writing.services, force=force)
    preview = session.bench.preview_draft(draft, turn, agent)
    reason = "" if force else choice.idle(preview.before.total)
    if reason:
        preview = replace(preview, plan=replace(plan_of(preview), note=f"{reason} --force compresses anyway."))
    return CompressionResult(session, choice, force, writing, preview, bool(reason))


def _render(result: CompressionResult, unfolded: bool, failures: Sequence[str] | None) -> str:
    """Return the output of a preview: JSON with the failed gates, or text."""
    if failures is None:
        return "\n".join(_compress_text(result, unfolded))
    money = money_of(result.preview, result.writing.model, result.writing.calls)
    return output_json(compress_output(result, money, failures))


def _with_files(result: CompressionResult, export: Export, out: Path | None, companion: bool) -> CompressionResult:
    """Return the result with its export and notes, if a file is to be written."""
    if out is None:
        return result
    files = Export.paths(out, companion)
    result = replace(result, files=files, notes=export.notes(companion=len(files) > 1))
    check_export(export, result.notes, companion)
    return result


def _report(result: CompressionResult, applies: bool, as_json: bool) -> None:
    """Print what was done. With `as_json`, notes on the request are part of the output instead."""
    for text in () if as_json else result.notes:
        note(text)
    if result.files:
        note(written(result.files))
    if applies:
        note(f"Applied to {result.session.bench.id}. To revert: inspector undo.")


def _compress_text(result: CompressionResult, unfolded: bool) -> Iterator[str]:
    preview, preset = result.preview, result.choice.preset
    plan = plan_of(preview)
    yield from heading(preview.session)
    yield from status_lines(preview, result.session.bench.turns(preview.after.agent))
    yield ""
    settings = " · ".join(f"{key} {_setting_words(value)}" for key, value in plan.settings.items())
    yield f"{paint(plan.strategy, 'strong')}  {paint(clip(settings, width() - 2 - len(plan.strategy)), 'dim')}"
    if preset:
        scale = result.scale
        text = f"preset {preset.name}, threshold {resolve_threshold(preset.threshold, scale):,}"
        form = "" if isinstance(preset.threshold, int) else f" ({threshold_text(preset.threshold)})"
        yield paint(clip(text + form, width()), "dim")
        yield from fit_lines(scale, [preset])
    if plan.note:
        yield from (paint(line, "warn") for line in lines_of(plan.note, width()))
    yield ""
    yield from _sizes_lines(preview)
    if words := count_lost_facts(result.session.bench, preview).words:
        yield from (paint(f"  {row}", "dim") for row in lines_of(words, width() - 2))
    yield from _money_lines(preview, result.writing)
    if result.idle:
        return
    yield ""
    yield from recall_lines(preview)
    yield from _fate_lines(preview)
    yield ""
    yield from _message_lines(preview, unfolded)


def _setting_words(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _sizes_lines(preview: Preview) -> Iterator[str]:
    """Yield the window before and after, as numbers and as bars on one scale."""
    before, after = preview.before, preview.after
    scale = max(before.total, after.total, 1)
    room = width() - 50
    for name, window in (("before", before), ("after", after)):
        number = f"{mark(window.size.certainty)} {window.total:,}".strip()
        bar = paint("█" * max(1, round(room * window.total / scale)), "accent" if window is after else "dim")
        yield f"  {name:<7}{number:>13} tokens {plural(len(window.messages), 'message'):>18}  {bar}"
    share = preview.savings / before.total if before.total else 0
    saved = f"{mark(after.size.certainty)} {preview.savings:,}".strip()
    yield f"  {'saved':<7}{paint(saved.rjust(13), 'strong')} tokens{f'{share:.0%}':>8}"


def _money_lines(preview: Preview, writing: Writer) -> Iterator[str]:
    """Yield the cost of sending the window before and after, and the number of calls to break even."""
    money = money_of(preview, writing.model, writing.calls)
    if money.now:
        yield f"  {'cost':<7}{money.now:>13} a call" + (f", then {money.then}" if money.then else "")
    for line in filter(None, (*money.lines, writing.account)):
        yield from (paint(f"  {row}", "dim") for row in lines_of(line, width() - 2))


def _fate_lines(preview: Preview) -> Iterator[str]:
    """Yield the number of messages per fate and reason."""
    groups: defaultdict[Fate, list[int]] = defaultdict(list)
    for fate, tokens in zip(preview.fates, preview.before.tokens, strict=True):
        groups[fate].append(tokens)
    sizes = dict(zip(preview.after.ids, preview.after.tokens, strict=True))
    for fate, group in groups.items():
        into = f" → {sizes[fate.into]:,} tokens" if fate.into in sizes else ""
        kind = paint(f"{GLYPHS[fate.kind]} {fate.kind:<11}", FATE_INKS[fate.kind])
        room = width() - 36 - cells(into)
        yield f"  {kind}{len(group):>7,} {sum(group):>11,}  {paint(clip(fate.reason, room) + into, 'dim')}"


def _message_lines(preview: Preview, unfolded: bool) -> Iterator[str]:
    """Yield the messages of the window before, under their fates, with long runs folded."""
    plan, before = plan_of(preview), preview.before
    numbers, names = preview.session.numbers, call_names(before.messages)
    sizes = dict(zip(preview.after.ids, preview.after.tokens, strict=True))
    actions, columns = Actions(before.messages), width()
    yield paint(MESSAGE_COLUMNS, "dim")
    for start, end in _fate_runs(preview.fates, unfolded):
        fate, message = preview.fates[start], before.messages[start]
        size = TokenCount(sum(before.tokens[start:end]), before.sizes.certainty)
        glyph = paint(GLYPHS[fate.kind], FATE_INKS[fate.kind])
        ink: Ink | None = "dim" if fate.leaves else None
        into = f"→ {fate.into}  " if fate.into else ""
        letter = LETTERS[before.sections[start]]
        if end - start > 1:
            places = [numbers[member.id] for member in before.messages[start:end] if member.id in numbers]
            says = into + run_contents(before.messages[start:end], names)
            count = plural(end - start, "message")
            yield message_row(columns, glyph, number_range(places), count, size, letter, says, ink)
            continue
        rest = f"→ {TokenCount(sizes[message.id], size.certainty)}  " if message.id in plan.rewrites else into
        number = str(numbers.get(message.id, ""))
        says = rest + row_words(message, actions, words_room(columns) - cells(rest))
        yield message_row(columns, glyph, number, library.speaker(message, names), size, letter, says, ink)


def _fate_runs(fates: Sequence[Fate], unfolded: bool) -> Iterator[tuple[int, int]]:
    """Yield the first and last message of each line: one message, or `_FOLD` and more with the same fate."""
    start = 0
    while start < len(fates):
        end = start + 1
        while end < len(fates) and fates[end] == fates[start]:
            end += 1
        if fates[start].leaves and end - start >= _FOLD and not unfolded:
            yield start, end
        else:
            yield from ((index, index + 1) for index in range(start, end))
        start = end
