"""A comparison as text: both sides in numbers, as two lanes of bars, and what one kept that the other lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.analysis.replay import (
    CompactionEvent,
    Comparison,
    ComparisonVerdict,
    FateDifference,
    Frame,
    Lane,
    Pair,
    Side,
    judge_sessions,
)
from inspector.cli.output import Ink, paint, width
from inspector.core.text import GLYPHS, LOSSY, REVERSIBLE, cells, clip, dollars, lines_of, pad, plural
from inspector.engine.facts import RetainedFact
from inspector.library import speaker

_ROWS = 28
"""Lines that the turns take at most; where there are more turns, a line stands for several."""
_LISTED = 6
"""Messages that are listed of what one side kept, where not all are asked for."""
_NAME = 28
"""Columns of a name in the verdict."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_SIDES: tuple[Side, Side] = ("left", "right")
_INKS: tuple[Ink, Ink] = ("accent", "summary")


def _names_of(comparison: Comparison) -> tuple[str, str]:
    """What each side is called: its preset, or its session where there are two."""
    left, right = comparison.left, comparison.right
    if left.session is right.session:
        return left.replay.preset, right.replay.preset
    titles = (left.session.title or left.session.id, right.session.title or right.session.id)
    return titles if titles[0] != titles[1] else (f"1 {titles[0]}", f"2 {titles[1]}")


def comparison_verdict(comparison: Comparison) -> ComparisonVerdict | None:
    """Return the verdict on two sessions; None for one session under two presets."""
    left, right = comparison.left, comparison.right
    if left.session is right.session:
        return None
    one, other = (clip(name, _NAME) for name in _names_of(comparison))
    return judge_sessions(left, right, (one, other))


def comparison_text(comparison: Comparison, unfolded: bool) -> Iterator[str]:
    names = _names_of(comparison)
    if comparison.left.session is comparison.right.session:
        session = comparison.left.session
        yield paint(clip(session.title or session.id, width()), "strong")
    if verdict := comparison_verdict(comparison):
        for sentence in verdict.sentences():
            yield from (paint(line, "strong") for line in lines_of(sentence, width()))
        yield ""
    yield from _lane_lines(comparison, names)
    yield ""
    yield from _turn_lines(comparison, names, unfolded)
    yield ""
    yield from _first_lines(comparison, names)
    yield ""
    yield from _fate_lines(comparison, names)
    yield from _kept_lines(comparison, names, unfolded)
    yield from _fact_lines(comparison, names, unfolded)
    yield from _regret_lines(comparison, names, unfolded)


def _lane_lines(comparison: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """Both sides in numbers."""
    room = max(12, width() - 58)
    yield paint(f"{'':{room}} {'compressions':>13} {'peak':>11} {'tokens sent':>13} {'cost':>10}  valid", "dim")
    for name, lane, ink in zip(names, (comparison.left, comparison.right), _INKS, strict=True):
        replay = lane.replay
        cost = dollars(replay.cost)
        verdict = paint("✗", "bad") if replay.own_problems else paint("✓", "good")
        peak, sent = replay.count(replay.peak), replay.count(replay.tokens_sent)
        numbers = f"{len(replay.compactions):>13,} {peak!s:>11} {sent!s:>13} {cost:>10}"
        yield f"{paint(pad(name, room), ink)} {numbers}  {verdict}"


def _turn_lines(comparison: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """Both lanes, oldest turn first: the largest window of each line's turns, and whether anything differs in them."""
    room = (width() - 37) // 2
    scale = (
        max((frame.total for pair in comparison.turns for frame in (pair.left, pair.right) if frame), default=0) or 1
    )
    left, right = (paint(pad(name, room + 11), ink) for name, ink in zip(names, _INKS, strict=True))
    yield f"{paint('     turn', 'dim')} {left}  {'':3} {right}".rstrip()
    for pairs in _turns_by_line(comparison, unfolded):
        sign = paint(" = ", "dim") if all(pair.same for pair in pairs) else paint(" ≠ ", "warn")
        ours = _lane_bar([pair.left for pair in pairs], comparison.left, scale, room, _INKS[0])
        theirs = _lane_bar([pair.right for pair in pairs], comparison.right, scale, room, _INKS[1])
        yield f"{_range_of(pairs):>9} {ours} {sign} {theirs}".rstrip()
    yield paint(
        f"          {LOSSY} compressed   {REVERSIBLE} all of it can be found again   ≠ the windows differ", "dim"
    )


def _turns_by_line(comparison: Comparison, unfolded: bool) -> Iterator[Sequence[Pair]]:
    """The turns by lines: as many to a line as it takes, and a new line where the two first differ."""
    turns = comparison.turns
    size = 1 if unfolded else -(-len(turns) // _ROWS) if len(turns) > _ROWS else 1
    start, first = 0, comparison.first.turn - 1 if comparison.first else len(turns)
    while start < len(turns):
        end = min(start + size, len(turns))
        if start < first < end:
            end = first
        yield turns[start:end]
        start = end


def _range_of(pairs: Sequence[Pair]) -> str:
    first, last = pairs[0].turn, pairs[-1].turn
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


def _lane_bar(frames: Sequence[Frame | None], lane: Lane, scale: int, room: int, ink: Ink) -> str:
    """The largest of some windows as a number and a bar, with a mark where there was a compression."""
    there = [frame for frame in frames if frame]
    if not there:
        return " " * (room + 12)
    most = max(frame.total for frame in there)
    events = [lane.replay.compactions[frame.compression] for frame in there if frame.compression >= 0]
    mark = paint(_sign_of(events), "warn") if events else " "
    eighths = max(1, round(8 * room * most / scale)) if most else 0
    bar = _EIGHTHS[-1] * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    return f"{most:>9,} {mark}{paint(bar, ink)}{' ' * (room + 1 - len(bar))}"


def _sign_of(events: Sequence[CompactionEvent]) -> str:
    return REVERSIBLE if all(event.reversible for event in events) else LOSSY


def _first_lines(comparison: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """Where the two first differ, and how."""
    first = comparison.first
    if first is None:
        yield "Every window is the same on both sides."
        return
    yield paint(f"They first differ at turn {first.turn:,}.", "strong")
    pair = comparison.turns[first.turn - 1]
    for name, lane, frame, message, ink in zip(
        names,
        (comparison.left, comparison.right),
        (pair.left, pair.right),
        (first.left, first.right),
        _INKS,
        strict=True,
    ):
        words = (
            "has no such turn"
            if frame is None
            else _compaction_words(lane, frame) or f"{lane.replay.count(frame.total)} tokens"
        )
        yield f"  {paint(pad(name, 20), ink)} {words}"
        if frame is not None:
            here = "the window ends" if message is None else f"{speaker(message, {})}: {message.preview}"
            yield paint(f"    message {first.place + 1:,}: {clip(here, width() - 24)}", "dim")


def _compaction_words(lane: Lane, frame: Frame) -> str:
    if frame.compression < 0:
        return ""
    event = lane.replay.compactions[frame.compression]
    return f"{event.sizes} tokens by {event.strategy}"


def _fate_lines(comparison: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """How many messages have come to what, on each side."""
    kinds = [kind for kind in GLYPHS if comparison.fates[0].get(kind) or comparison.fates[1].get(kind)]
    now = [len(comparison.left.replay.frames), len(comparison.right.replay.frames)]
    when = "as it now stands" if list(comparison.at) == now else f"at turn {comparison.at[0]:,}"
    yield paint(f"{when:<22}" + "".join(f"{GLYPHS[kind]} {kind:<12}" for kind in kinds), "dim")
    for name, counts, ink in zip(names, comparison.fates, _INKS, strict=True):
        yield f"  {paint(pad(name, 20), ink)}" + "".join(f"{counts.get(kind, 0):>7,}{'':7}" for kind in kinds).rstrip()


def _kept_lines(comparison: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """What one kept that the other lost, and what only one was ever told."""
    for side, name, ink, alone in zip(_SIDES, names, _INKS, comparison.alone, strict=True):
        differences = comparison.fuller_messages(side)
        if differences:
            tokens = sum(difference.tokens for difference in differences)
            yield ""
            title = f" has more of {plural(len(differences), 'message')}, {tokens:,} tokens"
            yield paint(clip(name, width() - len(title)), ink) + title
            yield from _message_lines(differences, unfolded)
        if alone:
            yield ""
            yield paint(clip(name, width() - 40), ink) + f" alone was told {plural(len(alone), 'message')}"


def _message_lines(differences: Sequence[FateDifference], unfolded: bool) -> Iterator[str]:
    rows = differences if unfolded else differences[:_LISTED]
    for difference in rows:
        ours, theirs = difference.fates if difference.fuller_side == "left" else difference.fates[::-1]
        message = difference.left
        who = pad(speaker(message, {}), 9)
        start = f"  {GLYPHS[ours]} against {GLYPHS[theirs]} {theirs:<11} {who} {difference.tokens:>9,}  "
        yield start + paint(clip(message.preview, width() - cells(start)), "dim")
    if len(differences) > len(rows):
        yield paint(f"  and {len(differences) - len(rows):,} more; --all lists them", "dim")


def _fact_lines(comparison: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """How many facts of each class are still in either window, and which are in only one of them."""
    rows = list(comparison.by_class())
    if rows:
        yield ""
        yield paint(f"  {'facts retained':<20}{pad(names[0], 24)} {pad(names[1], 24)}".rstrip(), "dim")
    for cls, left, right in rows:
        yield f"  {cls:<20}{_of_all(left):<24} {_of_all(right):<24}".rstrip()
    if any(counts.recoverable for row in rows for counts in row[1:]):
        yield paint("  + can be brought back", "dim")
    for side, name, other, ink in zip(_SIDES, names, names[::-1], _INKS, strict=True):
        facts = comparison.facts_of(side)
        if facts:
            yield ""
            title = f" still tells {plural(len(facts), 'fact')} that are not in {clip(other, 20)}"
            yield paint(clip(name, width() - cells(title)), ink) + title
            yield from _first_of([(f"{fact.cls:<11}", fact.text) for fact in facts], unfolded)


def _of_all(counts: RetainedFact) -> str:
    extra = (f" +{counts.recoverable:,}" if counts.recoverable else "") + (
        f" ({counts.named:,} named)" if counts.named else ""
    )
    return f"{counts.retained:,} of {counts.total:,}{extra}" if counts.total else ""


def _regret_lines(comparison: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """What was lost and then used again, on one side only."""
    for side, name, ink in zip(_SIDES, names, _INKS, strict=True):
        regrets = comparison.regrets(side)
        if regrets:
            yield ""
            title = f" alone had lost what was used again, {plural(len(regrets), 'time')}"
            yield paint(clip(name, width() - cells(title)), ink) + title
            starts = [f"turn {regret.turn:>6,}, lost at {regret.lost_at:>6,}  {regret.cls:<11}" for regret in regrets]
            yield from _first_of(list(zip(starts, (regret.fact for regret in regrets), strict=True)), unfolded)


def _first_of(lines: Sequence[tuple[str, str]], unfolded: bool) -> Iterator[str]:
    """Lines of a fixed beginning and some words, the first few of them where not all are asked for."""
    rows = lines if unfolded else lines[:_LISTED]
    for start, words in rows:
        yield f"  {start} {paint(clip(words, width() - len(start) - 3), 'dim')}"
    if len(lines) > len(rows):
        yield paint(f"  and {len(lines) - len(rows):,} more; --all lists them", "dim")
