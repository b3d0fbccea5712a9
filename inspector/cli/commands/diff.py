"""`diff`: two views of one window, by message, and by word in messages that changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Annotated, Literal

import click

from inspector.cli.arguments import agent_of, check_turn, open_session, strategy_settings
from inspector.cli.command_errors import UsageError
from inspector.cli.options import agent_option, common, redact_option, set_option, strategy_option, target, turn_option
from inspector.cli.output import Ink, echo, echo_json, paint, width
from inspector.cli.schema.values import LostCounts, json_output
from inspector.core.conversation import Kind, Role
from inspector.core.json_objects import Tokens, Turn
from inspector.core.text import GLYPHS, cells, clip, filled, lines_of, one_line, pad, plural, turn_name
from inspector.engine.window import (
    Change,
    FateKind,
    SizeChange,
    Span,
    Window,
    diff_windows,
    outside_messages,
    word_diff,
)
from inspector.library import LostFacts, Preview, count_lost_facts, speaker, windows_as_preview
from inspector.llm.tokens import Certainty, TokenCount

_SIGNS = {"same": " ", "removed": "-", "added": "+", "changed": "~"}
_INKS: dict[str, Ink | None] = {"same": "dim", "removed": "bad", "added": "good", "changed": "warn"}
_AROUND = 60
"""Characters of unchanged words shown on each side of a change."""


@json_output()
class TotalOutput:
    """The size of a window."""

    total: Tokens
    messages: int


@json_output(optional="words text")
class ChangeOutput:
    """A message of either window. A changed message has `words`; a removed or added message has `text`."""

    change: Literal["same", "removed", "added", "changed"]
    id: str
    role: Role
    kind: Kind
    before: Tokens
    after: Tokens
    fate: FateKind | None
    reason: str | None
    words: Sequence[Span] | None
    text: str | None


@json_output()
class DiffOutput:
    """The recorded window against the compressed one, or two recorded windows, message by message."""

    turn: Turn
    since: Annotated[int | None, "turn of the window before; null if the windows are of the same turn"]
    before: TotalOutput
    after: TotalOutput
    lost: LostCounts
    changes: Sequence[ChangeOutput]


@click.command()
@target
@strategy_option
@set_option
@turn_option
@agent_option
@click.option("--since", type=click.IntRange(1), metavar="N", help="Compare with the recorded context of turn N.")
@click.option("--side-by-side", is_flag=True, help="Before on the left, after on the right.")
@click.option("--full", is_flag=True, help="Print removed messages and unchanged words in full.")
@redact_option
@common
def diff(
    target: str,
    strategy: str | None,
    assignments: Sequence[str],
    turn: int | None,
    agent: str | None,
    since: int | None,
    side_by_side: bool,
    full: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Compare the recorded window with the compressed one, or with that of an earlier turn.

    Without --strategy, the compressed window is the result of the applied plans. With --since, both windows are the
    recorded ones. SESSION is a file, FILE#N, or the id of a stored session.
    """
    if since is not None and (strategy or assignments):
        raise UsageError("--since compares recorded windows: remove --strategy and --set.")
    values = strategy_settings(strategy, assignments)
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        check_turn(session, since, agent)
        preview = session.bench.preview(turn, agent, strategy, values)
        if since is not None:
            preview = windows_as_preview(preview, session.bench.window(since, agent))
        plans = [*preview.applied, *([preview.plan] if preview.plan else [])]
        changes = diff_windows(preview.recorded, preview.after, plans)
        lost = count_lost_facts(session.bench, preview)
        if as_json:
            echo_json(_diff_output(preview, lost, changes, since))
        else:
            echo("\n".join(_diff_text(preview, lost, changes, side_by_side, full)))


def _diff_output(preview: Preview, lost: LostFacts, changes: Sequence[Change], since: int | None) -> DiffOutput:
    return DiffOutput(
        turn=preview.after.turn,
        since=since,
        before=window_total(preview.recorded),
        after=window_total(preview.after),
        lost=lost.counts,
        changes=list(map(_change_output, changes)),
    )


def window_total(window: Window) -> TotalOutput:
    """Return the size of a window for JSON output."""
    return TotalOutput(total=window.total, messages=len(window.messages))


def _change_output(change: Change) -> ChangeOutput:
    message = change.message
    return ChangeOutput(
        change=change.kind,
        id=message.id,
        role=message.role,
        kind=message.kind,
        before=change.tokens_before,
        after=change.tokens_after,
        fate=change.fate.kind if change.fate else None,
        reason=change.fate.reason if change.fate else None,
        words=_spans_of(change) if change.kind == "changed" else None,
        text=message.text if change.kind in ("removed", "added") else None,
    )


def _spans_of(change: Change) -> list[Span]:
    assert change.before is not None and change.after is not None, "a changed message has two sides"
    return word_diff(change.before.text, change.after.text)


def _diff_text(
    preview: Preview, lost: LostFacts, changes: Sequence[Change], side_by_side: bool, full: bool
) -> Iterator[str]:
    before, after = preview.recorded, preview.after
    names = ", ".join(plan.strategy for plan in preview.plans) or "no plan is applied"
    is_one = before.turn == after.turn
    last = len(preview.session.turns(before.agent))
    yield _side_line("---", "recorded" if is_one else turn_name(before.turn, last), before, "bad")
    yield _side_line("+++", names if is_one else turn_name(after.turn, last), after, "good")
    if not is_one:
        rest = f"{outside_messages(before, after)} tokens of these are outside the messages"
        note = f"{rest}: prompt, tools, unrecorded parts"
        yield from (paint(line.rstrip(), "dim") for line in lines_of(note, width()))
    if lost.words:
        yield from (paint(line, "dim") for line in lines_of(lost.words, width()))
    yield ""
    if all(change.kind == "same" for change in changes):
        yield paint("No differences.", "dim")
        return
    lines = _column_lines(preview, changes) if side_by_side else _unified_lines(preview, changes, full)
    yield from lines


def _side_line(sign: str, name: str, window: Window, ink: Ink) -> str:
    numbers = f"{plural(len(window.messages), 'message'):>16} {window.size!s:>11} tokens"
    room = width() - cells(numbers) - 5
    return f"{paint(sign, ink)} {pad(name, room)} {numbers}"


def _unified_lines(preview: Preview, changes: Sequence[Change], full: bool) -> Iterator[str]:
    numbers, certainty = preview.session.numbers, preview.after.sizes.certainty
    for same, group in groupby(changes, lambda change: change.kind == "same"):
        members = list(group)
        if same:
            size = TokenCount(sum(change.tokens_after for change in members), certainty)
            yield paint(f"  {plural(len(members), 'message')} the same, {size} tokens", "dim")
            continue
        for change in members:
            yield from _change_lines(change, numbers.get(change.message.id), full, certainty)


def _change_lines(change: Change, number: int | None, full: bool, certainty: Certainty) -> Iterator[str]:
    """Yield a changed, removed or added message: a heading with its tokens and reason, then its words."""
    message = change.message
    glyph = GLYPHS[change.fate.kind] if change.fate else GLYPHS["summarised"] if message.kind == "summary" else " "
    sizes = SizeChange(TokenCount(change.tokens_before, certainty), TokenCount(change.tokens_after, certainty))
    size = str({"removed": sizes.before, "added": sizes.after}.get(change.kind, sizes))
    place = f"#{number} " if number else ""
    who = speaker(message, {})
    reason = f" · {change.fate.reason}" if change.fate else ""
    head = f"{_SIGNS[change.kind]} {glyph} {place}{who} {size}{reason}"
    yield paint(clip(head, width()), _INKS[change.kind])
    if change.kind == "changed":
        yield from _word_lines(_spans_of(change), full)
    elif change.kind == "added" or full:
        yield from (
            paint(f"{_SIGNS[change.kind]}     {line}", _INKS[change.kind])
            for line in lines_of(message.text, width() - 6)
        )
    else:
        yield paint(f"-     {clip(message.preview, width() - 6)}", "dim")


def _word_lines(spans: Sequence[Span], full: bool) -> Iterator[str]:
    """Yield words as `[-removed-]` and `{+added+}`, with long unchanged runs shortened unless `full`."""
    text = "".join(_mark_words(span, full, index == 0, index == len(spans) - 1) for index, span in enumerate(spans))
    yield from (f"      {line}" for line in lines_of(text, width() - 6))


def _mark_words(span: Span, full: bool, first: bool, last: bool) -> str:
    if span.kind == "removed":
        return f"[-{span.text if full else _shorten_run(span.text, False, False)}-]"
    if span.kind == "added":
        return f"{{+{span.text}+}}"
    return span.text if full else _shorten_run(span.text, first, last)


def _shorten_run(text: str, first: bool, last: bool) -> str:
    """Return the ends of a long run of words, with the number of omitted words."""
    head, tail = (0 if first else _AROUND), (0 if last else _AROUND)
    middle = len(text) - head - tail
    if middle < 2 * _AROUND:
        return text
    return f"{text[:head]} … {middle:,} characters … {text[len(text) - tail :] if tail else ''}"


def _column_lines(preview: Preview, changes: Sequence[Change]) -> Iterator[str]:
    """Yield each message on one line, before on the left and after on the right, with changed words below."""
    numbers, certainty = preview.session.numbers, preview.after.sizes.certainty
    room = (width() - 3) // 2
    for change in changes:
        before, after = TokenCount(change.tokens_before, certainty), TokenCount(change.tokens_after, certainty)
        left = _cell_text(change, numbers, before) if change.before else ""
        right = _cell_text(change, numbers, after) if change.after else ""
        yield _join_columns(left, right, change.kind, room)
        if change.kind == "changed":
            yield from _changed_columns(_spans_of(change), room)
        elif change.kind == "added":
            yield from (
                _join_columns("", f"  {line}", "added", room) for line in lines_of(change.message.text, room - 2)
            )


def _cell_text(change: Change, numbers: dict[str, int], size: TokenCount) -> str:
    message = change.message
    number = numbers.get(message.id, "Σ")
    return f"{number:>5} {pad(speaker(message, {}), 9)} {size!s:>8} {one_line(message.preview)}"


def _join_columns(left: str, right: str, kind: str, room: int) -> str:
    before = paint(filled(left, room), _INKS[kind] if kind in ("removed", "changed") else None)
    after = paint(filled(right, room).rstrip(), _INKS[kind] if kind in ("added", "changed") else None)
    return f"{before} {_SIGNS[kind]} {after}".rstrip()


def _changed_columns(spans: Sequence[Span], room: int) -> Iterator[str]:
    left = "".join(_mark_words(span, False, False, False) for span in spans if span.kind != "added")
    right = "".join(_mark_words(span, False, False, False) for span in spans if span.kind != "removed")
    for before, after in zip_longest(lines_of(left, room - 2), lines_of(right, room - 2), fillvalue=""):
        yield _join_columns(f"  {before}", f"  {after}", "changed", room)
