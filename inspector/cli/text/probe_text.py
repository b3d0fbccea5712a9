"""Text output of a probe: the outcome of the needles by depth, class and compression; and of a test of the judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.analysis.experiments import JudgeReport, Probe
from inspector.cli.output import Ink, paint, width
from inspector.core.conversation import Session
from inspector.core.text import clip, lines_of, pad, percent, plural
from inspector.engine.facts import RetainedFact
from inspector.engine.window import Window

_NAME = 19
_WIDEST_BAR = 13
_MAX_DEPTH_ERROR = 0.1
"""Maximum distance of a needle from its depth without a note."""
_SIGNS: tuple[tuple[str, Ink], ...] = (("█", "good"), ("▒", "accent"), ("·", "bad"))
"""Retained, recoverable, lost."""
_LEVELS = "▁▂▃▄▅▆▇█"
_INKS: Mapping[str, Ink] = {"held": "good", "violated": "bad", "unclear": "warn"}


def probe_text(result: Probe, session: Session, window: Window, seed: int, by_class: bool) -> Iterator[str]:
    """Yield the lines of a probe.

    Args:
        result: The probe.
        session: The session that the needles were planted in.
        window: The window before the needles.
        seed: Seed of the needles.
        by_class: Also return the outcome by fact class.
    """
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
    """Yield the outcome of one compression: a row per strategy, a column per depth."""
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
    """Yield the outcome of one compression by fact class, as the share of retained facts."""
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
    """Yield the retained share after each compression: a curve per strategy, and its numbers."""
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
    """Yield notes: needles placed far from their depth, notes of strategies, and problems that would be rejected."""
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


def judge_lines(report: JudgeReport) -> Iterator[str]:
    """Yield the lines of a report on the judge."""
    sessions = plural(report.sessions, "session")
    yield paint(f"{plural(report.compactions, 'recorded compaction')} of {sessions}", "strong")
    yield paint("each text has at most as many tokens as the recorded summary", "dim")
    yield ""
    yield paint(f"  {'text':<15}{'score':>6}{'compactions':>13}", "dim")
    for row in report.texts:
        yield f"  {row.text:<15}{row.score:>6.3f}{row.compactions:>13,}"
    yield ""
    yield paint(f"  {'order':<33}{'difference':>10}  {'95%':<15}{'held':>8}", "dim")
    for arrow in report.arrows:
        order = f"{arrow.better} {arrow.relation} {arrow.worse}"
        interval = f"{arrow.low:+.3f} {arrow.high:+.3f}" if report.sessions > 1 else "–"
        held = f"{arrow.held:,}/{arrow.compactions:,}"
        outcome = paint(arrow.outcome, _INKS[arrow.outcome])
        yield f"  {order:<33}{arrow.difference:>+10.3f}  {interval:<15}{held:>8}  {outcome}"
    if report.sessions == 1:
        yield paint(clip("One session has no interval: the outcome is that of the difference alone.", width()), "dim")
