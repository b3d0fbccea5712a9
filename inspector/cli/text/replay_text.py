"""Text output of a replay: a chart of the window over the turns, compressions, totals and regrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from inspector.analysis.experiments import TrialResult, TrialSetup, as_reported, trial_result
from inspector.analysis.replay import (
    RECORDED,
    CompactionEvent,
    Frame,
    Regret,
    Replay,
    ReplayRun,
    ReportedUsage,
    RetainedFact,
    WorkProbe,
    WorkQuestions,
    describe_rereads,
    only_limit,
    reported_calls,
)
from inspector.cli.output import Ink, paint, width
from inspector.cli.text.policies_text import cache_text, fit_lines, parts_text, policy_text, price_text, reported_text
from inspector.cli.text.statements_text import statement_lines
from inspector.cli.text.tune_text import class_lines, table, weight_of
from inspector.cli.text.window_text import heading, validity
from inspector.core.text import (
    LETTERS,
    LOSSY,
    REGRETTED,
    REVERSIBLE,
    clip,
    dollars,
    ends,
    filled,
    lines_of,
    pad,
    percent,
    plural,
)
from inspector.engine.compression import Preset
from inspector.engine.facts import SENTENCES, FactRecord, State, Weights
from inspector.engine.window import SECTIONS, falls_of

Replays = Sequence[tuple["Preset", "Replay"]]
Item = TypeVar("Item")
_SENTENCES_NOTE = (
    "Sentences in files and tool results count here. inspector lost counts only those that the user, the agent or a "
    "summary states."
)
_ROWS = 10
"""Height of the chart in lines."""
_LABEL = 8
_WIDEST = 4
"""Maximum columns per turn."""
_MAX_THRESHOLD_HEIGHT = 3
"""Maximum height of a threshold above the largest window, as a multiple of it."""
_FOLD = 12
"""Maximum lines of a list without `--all`. The middle is folded."""
_INKS: tuple[Ink | None, ...] = ("dim", "summary", "dim", None, "good", "accent")
"""Letters of the six sections, in order."""


def replay_text(replays: Replays, subject: TrialSetup, unfolded: bool) -> Iterator[str]:
    yield from heading(subject.session)
    agent = "" if subject.agent == "main" else f" · agent {clip(subject.agent, 40)}"
    yield f"{plural(replays[0][1].turns, 'turn')}{agent}"
    yield from fit_lines(subject.scale, [preset for preset, _ in replays])
    reported = reported_calls(subject.session, subject.price, subject.agent)
    if len(replays) == 1:
        yield from _one_preset_text(*replays[0], subject, reported, unfolded)
    else:
        yield from _rows_text(replays, subject, reported)
    yield ""
    for note in (
        price_text(subject.price, any(preset != RECORDED and replay.compactions for preset, replay in replays)),
        cache_text(replays[0][1].lifetime),
        *reported_text(reported),
    ):
        yield from (paint(line.rstrip(), "dim") for line in lines_of(note, width()))


def _rows_text(replays: Replays, subject: TrialSetup, reported: ReportedUsage | None) -> Iterator[str]:
    """Yield several presets as the rows of a table."""
    rows = [_row_of(preset, replay, subject, reported) for preset, replay in replays]
    yield ""
    yield from table(rows)
    yield from class_lines(rows, subject.weights)


def _row_of(preset: Preset, replay: Replay, subject: TrialSetup, reported: ReportedUsage | None) -> TrialResult:
    row = trial_result(replay, preset, only_limit(subject.session, subject.sizes))
    if preset != RECORDED:
        return row
    return as_reported(row, reported)


def _one_preset_text(
    preset: Preset, replay: Replay, subject: TrialSetup, reported: ReportedUsage | None, unfolded: bool
) -> Iterator[str]:
    """Yield all results of one preset's replay.

    Args:
        preset: The preset.
        replay: Its replay.
        subject: The replayed session.
        reported: Reported usage of its calls, if there is any.
        unfolded: List everything.
    """
    yield ""
    yield f"{paint(preset.name, 'strong')}  {paint(clip(policy_text(preset), width() - 2 - len(preset.name)), 'dim')}"
    yield ""
    yield from _chart_lines(replay, replay.threshold, subject.sizes.limit)
    yield ""
    yield from _compaction_lines(replay.compactions, unfolded)
    yield from _question_lines(replay.questions, unfolded)
    yield from statement_lines(replay.statements, subject.session.numbers, unfolded)
    for fall in falls_of(subject.session, subject.sizes, subject.agent):
        yield from (line.rstrip() for line in lines_of(f"In the recording: {fall.words}.", width()))
    yield from _sum_lines(replay, subject, reported)
    yield from _retention_lines(replay, subject.weights)
    if replay.sealed:
        places = plural(len(replay.sealed), "encrypted compaction")
        yield from ("", paint(f"Regrets after {places} are unknown; repeated reads are counted.", "warn"))
    yield from _miss_lines(replay.regrets, "regret", "a reply of the recorded session needed a lost fact", unfolded)
    yield from _miss_lines(
        replay.reused, "unknown reuse", "a reply used a fact that the recorded context does not contain", unfolded
    )
    yield from _miss_lines(replay.recalls, "recall", "a reply needed a recoverable fact", unfolded)
    if replay.rereads:
        yield ""
        yield from (line.rstrip() for line in lines_of(describe_rereads(replay.rereads), width()))


def _chart_lines(replay: Replay, threshold: int, limit: int) -> Iterator[str]:
    """Yield the chart: sections as letters from the bottom up. A column shows the largest window of its turns."""
    columns = _turn_spans(len(replay.frames), width() - _LABEL - 2)
    largest = [max(replay.frames[start:end], key=lambda frame: frame.total) for start, end in columns]
    peak = max(1, *(frame.total for frame in largest))
    scale = threshold if peak < threshold < _MAX_THRESHOLD_HEIGHT * peak else peak
    yield from _chart_rows(largest, scale, [mark for mark in (threshold, limit) if 0 < mark <= scale])
    if marks := _compaction_marks(replay, columns):
        yield f"{' ' * _LABEL} {marks}"
    yield paint(f"{'turn':>{_LABEL}} {_turn_scale(len(replay.frames), len(columns))}", "dim")
    yield from (
        paint(f"{' ' * _LABEL} {line.replace(_TOGETHER, ' ').rstrip()}", "dim")
        for line in lines_of(_chart_legend(replay), width() - _LABEL - 1)
    )


def _chart_rows(largest: Sequence[Frame], scale: int, marks: Sequence[int]) -> Iterator[str]:
    """Yield the lines of the chart from the top, with a horizontal line at each of the `marks`, in tokens."""
    rows = {min(_ROWS - 1, mark * _ROWS // scale): mark for mark in reversed(marks)}
    for row in reversed(range(_ROWS)):
        mark = rows.get(row, 0)
        label = f"{mark:,}" if mark else f"{scale:,}" if row == _ROWS - 1 else ""
        cells = "".join(_chart_cell(frame, row, scale, "┄" if mark else " ") for frame in largest)
        yield f"{paint(label.rjust(_LABEL), 'warn' if mark else 'dim')} {cells}".rstrip()


def _compaction_marks(replay: Replay, columns: Sequence[tuple[int, int]]) -> str:
    """Return the line below the chart, with a sign in the first column of each compressed turn."""
    before = [(-1, -1), *columns]
    pairs = zip(before, columns, strict=False)
    signs = [_compaction_sign(replay, *span) if span != last else " " for last, span in pairs]
    return "".join(signs).rstrip()


def _turn_spans(turns: int, room: int) -> list[tuple[int, int]]:
    """Return the range of turns, from 0, of each column. Turns may fill several columns or share one."""
    if turns <= room:
        return [(turn, turn + 1) for turn in range(turns) for _ in range(min(_WIDEST, room // turns))]
    return [(place * turns // room, (place + 1) * turns // room) for place in range(room)]


def _chart_cell(frame: Frame, row: int, scale: int, empty: str) -> str:
    """Return a cell of the chart: the section at the middle of its height."""
    middle = (row + 0.5) * scale / _ROWS
    for section, top in enumerate(accumulate(frame.sections)):
        if middle < top:
            return paint(LETTERS[SECTIONS[section]], _INKS[section])
    return paint(empty, "warn") if empty.strip() else empty


def _compaction_sign(replay: Replay, start: int, end: int) -> str:
    """Return the sign of compressions in some turns, which also shows whether everything is recoverable."""
    events = [replay.compactions[frame.compression] for frame in replay.frames[start:end] if frame.compression >= 0]
    if not events:
        return " "
    return paint(REVERSIBLE, "accent") if all(event.reversible for event in events) else paint(LOSSY, "bad")


def _turn_scale(turns: int, columns: int) -> str:
    last = f"{turns:,}"
    return f"1{last.rjust(columns - 1)}" if columns > len(last) else last


_TOGETHER = "\N{NO-BREAK SPACE}"
"""Separator between a sign and its meaning."""


def _chart_legend(replay: Replay) -> str:
    """Return the legend of the letters and signs that occur in the chart."""
    used = [place for place in range(len(SECTIONS)) if any(frame.sections[place] for frame in replay.frames)]
    words = [f"{LETTERS[SECTIONS[place]]} {SECTIONS[place]}" for place in used]
    kinds = {event.reversible for event in replay.compactions}
    words += [f"{LOSSY} compressed"] * (False in kinds) + [f"{REVERSIBLE} reversibly"] * (True in kinds)
    return " · ".join(word.replace(" ", _TOGETHER) for word in words)


def _compaction_lines(events: Sequence[CompactionEvent], unfolded: bool) -> Iterator[str]:
    if not events:
        yield "no compression"
        yield ""
        return
    yield paint(f"  {'turn':>6} {'before':>11} {'after':>11} {'covered':>8}  compressed by", "dim")
    yield from _fold_middle(events, _compaction_line, unfolded)
    yield ""


def _compaction_line(event: CompactionEvent) -> str:
    glyph = paint(REVERSIBLE, "accent") if event.reversible else paint(LOSSY, "bad")
    by = "the recording itself" if event.strategy == "recorded" else event.strategy
    return (
        f"{glyph} {event.turn:>6,} {event.sizes.before!s:>11} {event.sizes.after!s:>11} {event.covered:>8,}"
        f"  {clip(by, width() - 43)}"
    )


def _question_lines(questions: Sequence[WorkQuestions], unfolded: bool) -> Iterator[str]:
    """Yield the questions for going on that the new contexts leave open, each with its answer in the log."""
    asked = [(row.turn, probe) for row in questions for probe in row.probes]
    if not asked:
        return
    still_open = [(turn, probe) for turn, probe in asked if not probe.is_answered]
    yield f"{len(asked) - len(still_open):,} of {plural(len(asked), 'question')} for going on answered"
    if still_open:
        yield paint(f"  {'turn':>6}  {'unanswered':<11} answer in the log", "dim")
        yield from _fold_middle(still_open, _question_line, unfolded)
    yield ""


def _question_line(asked: tuple[int, WorkProbe]) -> str:
    turn, probe = asked
    return f"  {turn:>6,}  {filled(probe.kind, 11)} {ends(probe.answer, max(12, width() - 21))}"


def _fold_middle(items: Sequence[Item], line: Callable[[Item], str], unfolded: bool) -> Iterator[str]:
    """Yield a line per item. Of many items, only the first and the last ones."""
    if unfolded or len(items) <= _FOLD:
        yield from map(line, items)
        return
    half = _FOLD // 2
    yield from map(line, items[:half])
    yield paint(f"  … {len(items) - 2 * half:,} more; --all lists them", "dim")
    yield from map(line, items[-half:])


def _sum_lines(replay: Replay, subject: TrialSetup, reported: ReportedUsage | None) -> Iterator[str]:
    limit = subject.sizes.limit
    over = f", more than the model's {limit:,}" if 0 < limit < replay.peak else ""
    yield f"  {'peak':<10}{replay.count(replay.peak)!s:>15} tokens{paint(over, 'bad')}"
    if replay.basis == "reported" and reported and reported.peak != replay.peak:
        yield f"  {'':<10}{reported.peak:>15,} as reported, in one call"
    yield f"  {'sent':<10}{replay.count(replay.tokens_sent)!s:>15} tokens"
    yield from _recall_lines(replay)
    yield f"  {'cost':<10}{dollars(replay.cost):>15} with the prompt cache"
    yield f"  {'':<10}{dollars(replay.cost_uncached):>15} without"
    if replay.basis != "simulated":
        yield f"  {'':<10}{dollars(replay.simulated.total):>15} simulated; the first is as {replay.basis}"
    for line in lines_of(parts_text(replay.parts), width() - 28):
        yield paint(f"  {'':<10}{'':>15} {line.rstrip()}", "dim")
    if replay.state.share is not None:
        others = f"{replay.state.revived:,} revived, {replay.state.stated} invented"
        yield f"  {'state':<10}{percent(replay.state.share):>15} kept, {others}"
    yield from _validity_lines(replay)
    if replay.gave_up:
        yield from (paint(f"  {line.rstrip()}", "warn") for line in lines_of(replay.gave_up, width() - 2))


def _validity_lines(replay: Replay) -> Iterator[str]:
    """Yield whether the provider accepts every window, or rejects only requests that were recorded that way."""
    mine = replay.own_problems
    problems = list(dict.fromkeys(map(str, mine or replay.problems)))
    yield f"  {'windows':<10}{' ' * (15 - len('✓ valid'))}{validity(len(problems), recorded_so=replay.recorded_so)}"
    for problem in problems[:3]:
        yield from (paint(f"  {line.rstrip()}", "bad" if mine else "warn") for line in lines_of(problem, width() - 2))


def _recall_lines(replay: Replay) -> Iterator[str]:
    """Yield the number of archived messages that were retrieved, and of those that had to be re-fetched."""
    if replay.tokens_back:
        count = plural(sum(frame.back is not None for frame in replay.calls), "call")
        yield f"  {'retrieved':<10}{replay.count(replay.tokens_back)!s:>15} of these, in {count}"
    if fetches := [frame.fetched for frame in replay.calls if frame.fetched]:
        yield f"  {'fetched':<10}{replay.count(sum(fetches))!s:>15} of these, by {plural(len(fetches), 'extra call')}"


def _retention_lines(replay: Replay, weights: Weights | None) -> Iterator[str]:
    """Yield the facts that are retained at the end, by class, with each class's weight."""
    if not replay.retention:
        return
    yield ""
    titles = f"  {'facts':<11}{'retained':>9}{'named':>6}{'recoverable':>12}{'lost':>7}{'share':>6}{'weight':>7}"
    yield paint(titles, "dim")
    for name, counts in replay.retention.items():
        yield f"  {_fact_line(name, counts)}{weight_of(name, weights):>7}"
    yield f"  {'by weight':<45}{percent(replay.retained):>6}"
    if any(name in SENTENCES for name in replay.retention):
        yield from (paint(line.rstrip(), "dim") for line in lines_of(_SENTENCES_NOTE, width()))


def _fact_line(name: str, counts: RetainedFact) -> str:
    share = percent(counts.retained / counts.total) if counts.total else "–"
    numbers = f"{counts.retained:>9,}{counts.named:>6,}{counts.recoverable:>12,}{counts.lost:>7,}"
    return f"{pad(name, 11)}{numbers}{share:>6}"


def _miss_lines(misses: Sequence[Regret], name: str, what: str, unfolded: bool) -> Iterator[str]:
    if not misses:
        return
    yield ""
    yield f"{paint(plural(len(misses), name), 'bad')}: {what}"
    yield paint(f"  {'turn':>6} {'lost at':>8}  {'class':<11} needed fact", "dim")
    yield from _fold_middle(misses, _miss_line, unfolded)


def _miss_line(miss: Regret) -> str:
    more = f" and {len(miss.more):,} more" if miss.more else ""
    what = ends(miss.fact, max(12, width() - 31 - len(more)))
    lost_at = f"{miss.lost_at:,}" if miss.lost_at else "–"
    return f"{paint(REGRETTED, 'bad')} {miss.turn:>6,} {lost_at:>8}  {filled(miss.cls, 11)} {what}{more}"


def fact_lines(run: ReplayRun, unfolded: bool) -> Iterator[str]:
    """Yield the facts that the window no longer contains at the end, each with its source message."""
    absent = list(run.absent())
    yield ""
    yield f"{paint(run.preset.name, 'strong')}: {plural(len(absent), 'fact')} not in the window at the end"
    if absent:
        yield paint(f"  {'':<13}{'class':<11} {'source':<14} fact", "dim")
        yield from _fold_middle(absent, _absent_line, unfolded)


def _absent_line(row: tuple[State, FactRecord, str]) -> str:
    state, fact, message = row
    return f"  {state:<13}{fact.cls:<11} {pad(message, 14)} {ends(fact.text, max(12, width() - 43))}"
