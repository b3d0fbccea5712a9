"""The sample sessions under the presets: every number, with where it comes from, as it is checked in.

A change that means to change numbers writes the files anew, to be read in the diff:

    GOLDEN=write pytest tests/analysis/replay/test_golden.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any

import pytest

from inspector.analysis.experiments.trials import TrialResult, TrialSetup, mark_front, start_trial, trial_result
from inspector.analysis.replay.frames import CompactionEvent, Regret, Replay
from inspector.analysis.replay.reported_usage import reported_calls
from inspector.analysis.replay.run import NONE, RECORDED
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.facts import FactIndex, Weights
from inspector.engine.facts.classes import fact_class
from inspector.formats import load
from inspector.library import exact_sizes
from inspector.llm.models import whole_output
from inspector.llm.models.prices import MILLION, Price
from tests.places import ROOT

GOLDEN = Path(__file__).parent / "golden"
NAMES = (
    "coding-agent.jsonl",
    "damaged.jsonl",
    "interviews.json",
    "research.json",
    "support-ticket.json",
    "three-agents.jsonl",
)
PRICE = Price(3.0, 15.0, 0.3, 3.75, "a model of these tests", "user")
"""Fixed, so that the numbers do not move with the price table."""
WEIGHTS = Weights()
WIDTH = 110
each_session = pytest.mark.parametrize("name", NAMES)


@dataclass(frozen=True)
class Told:
    """A session under a preset: the numbers, and the replay that they come from."""

    row: TrialResult
    done: Replay


@cache
def told(name: str) -> tuple[TrialSetup, tuple[Told, ...]]:
    """A sample session's main agent under what was recorded, no compression, and the three presets."""
    session = load(ROOT / "sessions" / name)[0]
    subject = TrialSetup(session, exact_sizes(session), PRICE, facts=FactIndex(session), weights=WEIGHTS)
    found = [(preset, replayed(subject, preset)) for preset in (RECORDED, NONE, *PRESETS.values())]
    rows = mark_front([trial_result(done, preset, subject.sizes.limit) for preset, done in found])
    return subject, tuple(Told(row, done) for row, (_, done) in zip(rows, found, strict=True))


def replayed(subject: TrialSetup, preset: Preset) -> Replay:
    running = start_trial(subject, preset)
    for _ in running.frames():
        pass
    return running.replay()


def golden(name: str) -> str:
    """The whole file of a session."""
    subject, found = told(name)
    session, none = subject.session, found[1].row
    lines = [f"{name} · {none.turns} turns of main · {len(session.messages)} messages", ""]
    lines += table([each.row for each in found])
    for each in found:
        lines += ["", *(idle(each.row, none, subject) or reasons(each, subject))]
    return "\n".join(lines) + "\n"


def table(rows: list[TrialResult]) -> Iterator[str]:
    yield f"{'':<13}{'times':>6}{'peak':>9}{'sent':>12}{'cost':>9}{'uncached':>10}{'kept':>8}{'regrets':>9}"
    for row in rows:
        marks = {" invalid": not row.valid, " too large": not row.fits, " on the front": row.pareto}
        numbers = f"{row.compressions:>6}{row.peak:>9,}{row.tokens_sent:>12,}{row.cost:>9.4f}{row.cost_uncached:>10.4f}"
        shown = "".join(mark for mark, there in marks.items() if there)
        yield f"{row.name:<13}{numbers}{row.retained:>8.1%}{row.regrets:>9}{shown}"


def idle(row: TrialResult, none: TrialResult, subject: TrialSetup) -> list[str]:
    """What there is to say of a row that is like no compression; nothing of any other."""
    if row.name == none.name or row.compressions:
        return []
    same: dict[str, Any] = {"preset": none.preset, "pareto": none.pareto, "threshold": none.threshold}
    if row.preset != RECORDED:
        assert replace(row, **same) == none
    else:
        own = reported_calls(subject.session, PRICE)
        billed_apart = ("cost", "cost_uncached", "parts", "basis")
        same |= {name: getattr(none, name) for name in billed_apart} if own else {}
        assert replace(row, **same) == none
        estimate = f", {row.parts.output_estimated:.4f} of it estimated" if row.parts.output_estimated else ""
        billed = f"; reported {row.cost:.4f}{estimate}, {row.cost_uncached:.4f} uncached" if own else ""
        refused = "" if row.valid else "; a provider would refuse what is in the file"
        return [f"{row.name}: as none, because the recording never compacted{billed}{refused}"]
    return [f"{row.name}: as none, whose peak of {none.peak:,} is below the threshold of {row.preset.threshold:,}"]


def reasons(each: Told, subject: TrialSetup) -> Iterator[str]:
    """Where each number of a row comes from."""
    row, done = each.row, each.done
    yield f"{row.name}: {row.preset.about}"
    yield f"  times {row.compressions}{''.join(map(compaction, done.compactions))}"
    largest = next((frame.turn for frame in done.frames if frame.total == done.peak), 0)
    limit = "" if row.fits else f", more than the model's {subject.sizes.limit:,}"
    yield f"  peak {row.peak:,}: the window of turn {largest}{limit}"
    yield f"  sent {row.tokens_sent:,}: {row.turns} windows, {row.tokens_sent // row.turns:,} tokens as a mean"
    yield from money(each, subject)
    shares = [
        f"{name} {kept.retained}/{kept.total}×{WEIGHTS[fact_class(name)]:g}" for name, kept in row.retention.items()
    ]
    yield from wrap(
        f"kept {row.retained:.1%}: {', '.join(shares) or 'no facts were told'}",
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
    )
    yield f"  regrets {row.regrets}{''.join(map(regret, done.regrets))}"


def compaction(made: CompactionEvent) -> str:
    return f"\n    turn {made.turn}: {made.before:,} to {made.after:,} by {made.strategy}, {made.covered} messages"


def money(each: Told, subject: TrialSetup) -> Iterator[str]:
    """A row's dollars, part by part: what was sent, what was received, and what the summaries took."""
    row, answers = each.row, written(each.done, subject)
    if row.preset == RECORDED and (own := reported_calls(subject.session, PRICE)):
        sizes = f"{own.sent:,} tokens sent, {own.cache_read:,} of them from the cache, {own.answered:,} answered"
        yield f"  cost {row.cost:.4f}: as reported, {own.calls} calls, {sizes}, {own.peak:,} at most in one call"
        yield f"  simulated {row.simulated:.4f}: if it is billed as the other rows are"
        yield f"  uncached {row.cost_uncached:.4f}: the same with every token fresh"
        return
    sent, answered = row.tokens_sent * PRICE.input / MILLION, answers * PRICE.output / MILLION
    summaries = row.cost_uncached - sent - answered
    cached = row.cost - answered - summaries
    parts = [f"{cached:.4f} for what was sent", f"{answered:.4f} for {answers:,} tokens of answers"]
    parts += [f"{summaries:.4f} for summaries"] if summaries > 1e-9 else []
    yield f"  cost {row.cost:.4f}: {', '.join(parts)}"
    yield f"  uncached {row.cost_uncached:.4f}: {sent:.4f} for what was sent, the rest the same"


def written(done: Replay, subject: TrialSetup) -> int:
    """Tokens of all answers: as they were reported to their end, else as they are counted."""
    replies = [(frame.reply, subject.session.messages[frame.reply].usage) for frame in done.calls]
    return sum(whole_output(usage, subject.sizes.tokens[reply])[0] for reply, usage in replies)


def regret(each: Regret) -> str:
    return f"\n    turn {each.turn}: {each.cls} {each.fact!r}, lost at turn {each.lost_at}"


@each_session
def test_the_numbers_are_those_that_are_checked_in(name: str) -> None:
    path = GOLDEN / f"{Path(name).stem}.txt"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(golden(name), encoding="utf-8")
    assert golden(name).splitlines() == path.read_text(encoding="utf-8").splitlines()


@each_session
def test_parts_of_the_cost_add_up(name: str) -> None:
    subject, found = told(name)
    for each in found:
        if each.row.preset == RECORDED and (own := reported_calls(subject.session, PRICE)):
            assert not own.unreported
            assert each.row.cost == pytest.approx(own.cost + each.row.parts.output_estimated)
            continue
        plain = (each.row.tokens_sent * PRICE.input + written(each.done, subject) * PRICE.output) / MILLION
        assert each.row.cost_uncached >= plain - 1e-9
        if not any(made.plan for made in each.done.compactions):
            assert each.row.cost_uncached == pytest.approx(plain)
        assert each.row.cost <= each.row.cost_uncached + 1e-9


@each_session
def test_a_weighted_share_is_made_of_the_shares_of_its_classes(name: str) -> None:
    for each in told(name)[1]:
        sentences = {"constraint", "decision", "task", "error"} & each.row.retention.keys()
        halves = [half_share(each, half) for half in (sentences, each.row.retention.keys() - sentences) if half]
        assert each.row.retained == pytest.approx(sum(halves) / len(halves) if halves else 1.0)


def half_share(each: Any, classes: set[str]) -> float:
    weights: dict[str, float] = {
        cls: WEIGHTS[fact_class(cls)] * each.row.retention[cls].total ** 0.5 for cls in classes
    }
    rows = each.row.retention
    kept = {cls: (rows[cls].retained + 0.1 * rows[cls].named) / rows[cls].total for cls in classes}
    whole: float = sum(weights[cls] * kept[cls] for cls in classes)
    return whole / sum(weights.values())


@each_session
def test_without_compression_nothing_is_lost_and_nothing_regretted(name: str) -> None:
    none = told(name)[1][1]
    assert (none.row.compressions, none.row.regrets) == (0, 0)
    assert none.row.retained == 1.0
