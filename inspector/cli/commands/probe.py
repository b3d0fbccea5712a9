"""`probe`: plant facts into a copy of a session or a made-up one, and test which of them strategies keep."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.experiments import (
    DEPTHS,
    Candidate,
    InsertionError,
    Probe,
    ProbePass,
    ProbeRun,
    conversation,
    run_probe as run,
)
from inspector.cli.arguments import agent_of, check_turn, open_library, open_session, strategy_settings
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.model_summaries import model_option, writer
from inspector.cli.options import agent_option, common, limit_option, read_presets_file, turn_option
from inspector.cli.output import Ink, echo, echo_json, paint, progress, width
from inspector.cli.policy_options import find_policy
from inspector.cli.schema.values import Problems, json_output
from inspector.core.conversation import Session
from inspector.core.json_objects import Fraction, Settings
from inspector.core.text import clip, lines_of, pad, percent, plural
from inspector.engine.facts import RetainedFact, State
from inspector.engine.window import Window, at_turn
from inspector.library import exact_sizes

_NAME = 19
_MAX_DEPTHS, _MAX_PASSES = 12, 40
_WIDEST_BAR = 13
_MAX_DEPTH_ERROR = 0.1
"""Maximum distance of a needle from its depth without a note."""
_SIGNS: tuple[tuple[str, Ink], ...] = (("█", "good"), ("▒", "accent"), ("·", "bad"))
"""Retained, recoverable, lost."""
_LEVELS = "▁▂▃▄▅▆▇█"


@json_output(inline="kept")
class RecallOutput:
    """Number of needles by outcome."""

    kept: RetainedFact
    recall: Annotated[Fraction | None, "null without any"]


@json_output(inline="recall")
class DepthOutput:
    """Number of needles at one depth, by outcome of one compression."""

    recall: RecallOutput
    depth: Fraction


@json_output("recall pass=number before=step.before after=step.after note=step.note", inline="recall")
class PassOutput:
    """Number of needles by outcome after the N-th compression."""

    recall: RecallOutput
    number: Annotated[int, "the N-th compression, from 1"]
    step: ProbePass


@json_output()
class ProbedOutput:
    """Outcome of the needles under a strategy or a preset."""

    name: str
    strategy: str | None
    settings: Settings
    valid: bool
    problems: Problems
    grid: Annotated[Sequence[DepthOutput], "after one compression, by depth"]
    classes: Annotated[Mapping[str, RecallOutput], "after one compression, by class"]
    curve: Annotated[Sequence[PassOutput], "after each of the compressions"]
    states: Annotated[Sequence[State], "outcome outcome of each needle after one compression"]


@json_output("session turn tokens=probe.tokens seed depths=probe.depths needles=probe.needles strategies")
class ProbeOutput:
    """Planted facts, and the strategies that keep them."""

    session: Annotated[str | None, "the session's id; null for a made-up conversation"]
    turn: int
    seed: int
    probe: Probe
    strategies: Sequence[ProbedOutput]


@click.command(
    epilog="Needles are facts that cannot be guessed: paths, URLs, ids, numbers with their key, a constraint, "
    "a decision and so on, one of each class at each depth. A needle is retained if its value is in "
    "the window."
)
@click.argument("target", required=False, metavar="[SESSION]")
@click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    metavar="NAME",
    help='A strategy to probe, with optional settings: "deletion keep_recent=5". May be repeated. Default: all.',
)
@click.option("--preset", "presets", multiple=True, metavar="NAME", help="A preset to probe; may be repeated.")
@read_presets_file
@click.option("--depths", metavar="D,…", help="Depths to plant at: 0 is the oldest end, 1 the newest.")
@click.option("--passes", type=click.IntRange(1, _MAX_PASSES), default=10, metavar="N", help="Compressions in a row.")
@click.option(
    "--seed", type=int, default=0, metavar="N", help="Seed of the needles and of the turns between compressions."
)
@click.option("--classes", "by_class", is_flag=True, help="Also show results by fact class.")
@turn_option
@agent_option
@limit_option
@model_option
@common
def probe(
    target: str | None,
    strategies: Sequence[str],
    presets: Sequence[str],
    presets_file: Path | None,
    depths: str | None,
    passes: int,
    seed: int,
    by_class: bool,
    turn: int | None,
    agent: str | None,
    limit: int,
    by_model: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Plant known facts and see which strategies keep them.

    Facts are planted at known depths into a copy of SESSION (a file, FILE#N, or the id of a stored session), or into a
    made-up conversation without it. The copy is compressed with each strategy, once and then repeatedly while new turns
    arrive. Stored data and files are not changed.
    """
    contenders = [_contender_of(text) for text in strategies]
    contenders += [_preset_contender(name, presets_file) for name in presets]
    places = DEPTHS if depths is None else _depths_of(depths)
    session, window = (
        _synthetic_window(seed, db, limit) if target is None else _recorded_window(target, turn, agent, db, limit)
    )
    with writer(by_model) as writing, progress() as on_progress:
        try:
            result = run(
                window, contenders, places, passes, seed, writing.services, on_progress=_pass_progress(on_progress)
            )
        except InsertionError as error:
            raise CommandError(str(error)) from error
    if as_json:
        name, probed = session.id if target else None, [_probed(result, course) for course in result.courses]
        echo_json(ProbeOutput(session=name, turn=window.turn, seed=seed, probe=result, strategies=probed))
    else:
        echo("\n".join(_probe_text(result, session, window, seed, by_class)))
        if writing.calls:
            echo(paint(clip(writing.account, width()), "dim"))


def _contender_of(text: str) -> Candidate:
    """Parse a strategy with settings."""
    try:
        name, *words = shlex.split(text)
    except ValueError:
        raise UsageError(f"--strategy takes a name and KEY=VALUE words, not {text!r}.") from None
    if wrong := next((word for word in words if "=" not in word), None):
        raise UsageError(f"--strategy takes a name and KEY=VALUE words, such as keep_recent=5, not {wrong!r}.")
    return Candidate(text, name, strategy_settings(name, words))


def _preset_contender(name: str, file: Path | None) -> Candidate:
    return Candidate.of(find_policy(name, file))


def _depths_of(text: str) -> tuple[float, ...]:
    """Parse depths separated by commas, oldest first. Raises UsageError."""
    try:
        depths = sorted({float(word) for word in text.split(",") if word.strip()})
    except ValueError:
        raise UsageError(f"--depths takes numbers with commas between them, such as 0.1,0.5, not {text!r}.") from None
    if not depths:
        raise UsageError("--depths takes numbers with commas between them, such as 0.1,0.5,0.9, not an empty list.")
    if not all(0 <= depth <= 1 for depth in depths):
        raise UsageError("--depths must be between 0, the oldest end, and 1, the newest.")
    if len(depths) > _MAX_DEPTHS:
        raise UsageError(f"--depths takes at most {_MAX_DEPTHS} depths, not {len(depths)}.")
    return tuple(depths)


def _synthetic_window(seed: int, db: Path | None, limit: int) -> tuple[Session, Window]:
    session = conversation(seed)
    with open_library(db) as lib:
        return session, at_turn(session, exact_sizes(session, lib.store), limit=limit)


def _recorded_window(
    target: str, turn: int | None, agent: str | None, db: Path | None, limit: int
) -> tuple[Session, Window]:
    with open_session(target, db, limit) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        return session.bench.session, session.bench.window(turn, agent)


def _pass_progress(on_progress: Callable[[str, int, int], None]) -> Callable[[int, int], None]:
    return lambda count, total: on_progress("compressing", count, total)


def _probed(result: Probe, course: ProbeRun) -> ProbedOutput:
    steps = zip(course.passes, result.curve(course), strict=True)
    return ProbedOutput(
        name=course.contender.name,
        strategy=course.contender.strategy or None,
        settings=course.settings,
        valid=course.valid,
        problems=[str(problem) for step in course.passes for problem in step.problems],
        grid=[DepthOutput(recall=_recall(result.at_depth(course, depth)), depth=depth) for depth in result.depths],
        classes={cls: _recall(result.of_class(course, cls)) for cls in result.classes},
        curve=[
            PassOutput(recall=_recall(counts), number=number, step=step)
            for number, (step, counts) in enumerate(steps, 1)
        ],
        states=course.passes[0].states,
    )


def _recall(counts: RetainedFact) -> RecallOutput:
    recall = round(counts.retained / counts.total, 4) if counts.total else None
    return RecallOutput(kept=counts, recall=recall)


def _probe_text(result: Probe, session: Session, window: Window, seed: int, by_class: bool) -> Iterator[str]:
    yield paint(clip(session.title or session.id, width()), "strong")
    needles = plural(len(result.needles), "needle")
    when = f" · turn {window.turn:,}" if window.turn <= len(session.turns(window.agent)) else ""
    summary = f"{needles}, {len(result.classes)} at each depth, in {result.tokens:,} tokens{when} · seed {seed}"
    yield paint(clip(summary, width()), "dim")
    yield ""
    yield from _depth_grid(result)
    if by_class:
        yield ""
        yield from _class_table(result)
    yield from _curves(result)
    yield from _remark_lines(result)


def _depth_grid(result: Probe) -> Iterator[str]:
    """Return the outcome of one compression: a row per strategy, a column per depth."""
    has_room = (width() - _NAME - 21) // len(result.depths) > 3
    room = min(max(3, (width() - _NAME - (21 if has_room else 13)) // len(result.depths) - 1), _WIDEST_BAR)
    yield paint("after one compression, by depth", "strong") + paint("  0% is the oldest end", "dim")
    labels = " ".join(pad(f"{depth:.0%}", room) for depth in result.depths)
    yield paint(f"  {'strategy':<{_NAME}} {labels} {'tokens ' if has_room else ''}  all", "dim")
    for course in result.courses:
        bars = " ".join(_share_bar(result.at_depth(course, depth), room) for depth in result.depths)
        whole = result.curve(course)[0]
        first = course.passes[0]
        size = f"{percent(first.after / first.before) if first.before else '':>6} " if has_room else ""
        recall = f"{_share_text(whole.retained, whole):>5}{_reach_text(whole)}"
        yield f"  {pad(course.contender.name, _NAME)} {bars} {paint(size, 'dim')}{recall}".rstrip()
    legend = zip(_SIGNS, ("retained", "recoverable", "lost"), strict=True)
    yield "  " + "   ".join(f"{paint(sign, ink)} {word}" for (sign, ink), word in legend)


def _share_bar(counts: RetainedFact, room: int) -> str:
    """Return three shares as a bar of signs. Every nonzero share has at least one sign."""
    parts = (counts.retained, counts.recoverable, counts.lost)
    cells = _apportion(parts, room)
    return "".join(paint(sign * size, ink) for (sign, ink), size in zip(_SIGNS, cells, strict=True))


def _apportion(parts: Sequence[int], room: int) -> list[int]:
    """Divide `room` cells among `parts`, as close to their shares as possible, at least one for each nonzero part."""
    whole = sum(parts)
    if not whole:
        return [0] * len(parts)
    cells = [max(1, part * room // whole) if part else 0 for part in parts]
    while sum(cells) != room:
        step = 1 if sum(cells) < room else -1
        open_to = [place for place, part in enumerate(parts) if part and cells[place] + step > 0]
        neediest = max(open_to, key=lambda place: step * (parts[place] * room / whole - cells[place]))
        cells[neediest] += step
    return cells


def _share_text(part: int, counts: RetainedFact) -> str:
    return f"{part / counts.total:.0%}" if counts.total else ""


def _reach_text(counts: RetainedFact) -> str:
    """Return the share that can be retrieved besides the retained one."""
    return paint(f" +{_share_text(counts.recoverable, counts)}", "accent") if counts.recoverable else ""


def _class_table(result: Probe) -> Iterator[str]:
    """Return the outcome of one compression by fact class, as the share of retained facts."""
    yield paint("after one compression, by class", "strong") + paint("  % retained", "dim")
    yield paint(f"  {'strategy':<{_NAME}} " + " ".join(cls[:3] for cls in result.classes), "dim")
    for course in result.courses:
        recalls = [result.of_class(course, cls) for cls in result.classes]
        row = " ".join(paint(_percent_cell(counts), _recall_ink(counts)) for counts in recalls)
        yield f"  {pad(course.contender.name, _NAME)} {row}"
    yield from (paint(f"  {line}", "dim") for line in lines_of(", ".join(result.classes), width() - 2))


def _percent_cell(counts: RetainedFact) -> str:
    return _share_text(counts.retained, counts).removesuffix("%").rjust(3)


def _recall_ink(counts: RetainedFact) -> Ink | None:
    return "bad" if not counts.retained else "good" if not counts.recoverable + counts.lost else None


def _curves(result: Probe) -> Iterator[str]:
    """Return the retained share after each compression: a curve per strategy, and its numbers."""
    passes = len(result.courses[0].passes)
    if passes == 1:
        return
    places = _numbered_passes(passes, (width() - _NAME - passes - 9) // 4)
    yield ""
    yield paint(f"after {passes} compressions in a row", "strong") + paint(
        "  % retained; new turns arrive before each", "dim"
    )
    numbers = " ".join(f"{place:>3}" for place in places)
    yield paint(f"  {'strategy':<{_NAME}} {'':<{passes}} {numbers}", "dim")
    for course in result.courses:
        curve = result.curve(course)
        line = "".join(paint(_curve_sign(counts), _recall_ink(counts)) for counts in curve)
        numbers = " ".join(_percent_cell(curve[place - 1]) for place in places)
        yield f"  {pad(course.contender.name, _NAME)} {line} {numbers}{_reach_text(curve[-1])}"


def _numbered_passes(passes: int, room: int) -> list[int]:
    """Return the compressions whose numbers fit: the first, the last, and some in between."""
    if passes <= room:
        return list(range(1, passes + 1))
    gaps = max(1, room - 1)
    return sorted({1 + round(step * (passes - 1) / gaps) for step in range(gaps + 1)})


def _curve_sign(counts: RetainedFact) -> str:
    if not counts.retained:
        return "·"
    return _LEVELS[min(len(_LEVELS) - 1, counts.retained * len(_LEVELS) // counts.total)]


def _remark_lines(result: Probe) -> Iterator[str]:
    """Return notes: needles placed far from their depth, notes of strategies, and problems that would be rejected."""
    furthest = max(abs(needle.at - needle.depth) for needle in result.needles)
    if furthest > _MAX_DEPTH_ERROR:
        remark = f"Some needles are up to {furthest:.0%} away from their depth; --json has their positions."
        yield from (paint(f"  {line}", "warn") for line in lines_of(remark, width() - 2))
    for course in result.courses:
        first, name = course.passes[0], course.contender.name
        if not course.valid:
            problem = next(problem for step in course.passes for problem in step.problems)
            yield from (paint(f"  {line}", "bad") for line in lines_of(f"✗ {name}: {problem}", width() - 2))
        if first.note and first.before == first.after:
            yield from (paint(f"  {line}", "warn") for line in lines_of(f"{name}: {first.note}", width() - 2))
