"""Text output of a comparison: both sides in numbers, as two lanes of bars, and the facts that only one kept."""

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
from inspector.cli.text.aligned_text import aligned_lines
from inspector.core.text import GLYPHS, LOSSY, REVERSIBLE, cells, clip, dollars, lines_of, pad, plural
from inspector.engine.facts import RetainedFact
from inspector.library import speaker

_ROWS = 28
"""Maximum lines of the turns. With more turns, one line covers several."""
_LISTED = 6
"""Maximum messages listed per side without `--all`."""
_NAME = 28
"""Columns of a name in the verdict."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_SIDES: tuple[Side, Side] = ("left", "right")
_INKS: tuple[Ink, Ink] = ("accent", "summary")


def _names_of(comparison: Comparison) -> tuple[str, str]:
    """Return the name of each side: its preset, or its session when there are two."""
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
    if comparison.aligned:
        yield from aligned_lines(comparison, names, unfolded)
    else:
        yield from _turn_lines(comparison, names, unfolded)
    yield ""
    if not comparison.aligned or not comparison.first or comparison.first.turn > 1:
        yield from _first_lines(comparison, names)
        yield ""
    yield from _fate_lines(comparison, names)
    yield from _kept_lines(comparison, names, unfolded)
    yield from _fact_lines(comparison, names, unfolded)
    yield from _regret_lines(comparison, names, unfolded)


def _lane_lines(comparison: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """Yield the lines with the numbers of both sides."""
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
    """Yield both lanes, oldest turn first, with the largest window of each line and a mark if its turns differ.

    Args:
        comparison: The two replays.
        names: Names of both sides.
        unfolded: List all turns.
    """
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
    yield paint(f"          {LOSSY} compressed   {REVERSIBLE} recoverable   ≠ the windows differ", "dim")


def _turns_by_line(comparison: Comparison, unfolded: bool) -> Iterator[Sequence[Pair]]:
    """Split the turns into lines of equal length, with a break at the first difference."""
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
    """Return the largest of some windows as a number and a bar, with a mark for a compression.

    Args:
        frames: Windows of the line's turns.
        lane: Index of the side, 0 or 1.
        scale: Tokens of the longest bar.
        room: Columns of the longest bar.
        ink: Colour of the bar.
    """
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
    """Yield the first difference."""
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
    """Yield the number of messages per fate on each side."""
    kinds = [kind for kind in GLYPHS if comparison.fates[0].get(kind) or comparison.fates[1].get(kind)]
    now = [len(comparison.left.replay.frames), len(comparison.right.replay.frames)]
    when = "now" if list(comparison.at) == now else f"at turn {comparison.at[0]:,}"
    yield paint(f"{when:<22}" + "".join(f"{GLYPHS[kind]} {kind:<12}" for kind in kinds), "dim")
    for name, counts, ink in zip(names, comparison.fates, _INKS, strict=True):
        yield f"  {paint(pad(name, 20), ink)}" + "".join(f"{counts.get(kind, 0):>7,}{'':7}" for kind in kinds).rstrip()


def _kept_lines(comparison: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """Yield the messages that one side kept and the other lost, and facts that only one session ever contained.

    Args:
        comparison: The two replays.
        names: Names of both sides.
        unfolded: List all messages.
    """
    for side, name, ink, alone in zip(_SIDES, names, _INKS, comparison.alone, strict=True):
        differences = comparison.fuller_messages(side)
        if differences:
            tokens = sum(difference.tokens for difference in differences)
            yield ""
            title = f" keeps more of {plural(len(differences), 'message')}, {tokens:,} tokens"
            yield paint(clip(name, width() - len(title)), ink) + title
            yield from _message_lines(differences, unfolded)
        if alone:
            yield ""
            yield paint(clip(name, width() - 40), ink) + f" alone received {plural(len(alone), 'message')}"


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
    """Yield the number of retained facts per class on each side, and the facts that only one side retains.

    Args:
        comparison: The two replays.
        names: Names of both sides.
        unfolded: List all facts.
    """
    rows = list(comparison.by_class())
    if rows:
        yield ""
        yield paint(f"  {'facts retained':<20}{pad(names[0], 24)} {pad(names[1], 24)}".rstrip(), "dim")
    for cls, left, right in rows:
        yield f"  {cls:<20}{_of_all(left):<24} {_of_all(right):<24}".rstrip()
    if any(counts.recoverable for row in rows for counts in row[1:]):
        yield paint("  + recoverable", "dim")
    for side, name, other, ink in zip(_SIDES, names, names[::-1], _INKS, strict=True):
        facts = comparison.facts_of(side)
        if facts:
            yield ""
            title = f" retains {plural(len(facts), 'fact')} that {clip(other, 20)} lost"
            yield paint(clip(name, width() - cells(title)), ink) + title
            yield from _first_of([(f"{fact.cls:<11}", fact.text) for fact in facts], unfolded)


def _of_all(counts: RetainedFact) -> str:
    extra = (f" +{counts.recoverable:,}" if counts.recoverable else "") + (
        f" ({counts.named:,} named)" if counts.named else ""
    )
    return f"{counts.retained:,} of {counts.total:,}{extra}" if counts.total else ""


def _regret_lines(comparison: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """Yield the regrets of one side only.

    Args:
        comparison: The two replays.
        names: Names of both sides.
        unfolded: List all regrets.
    """
    for side, name, ink in zip(_SIDES, names, _INKS, strict=True):
        regrets = comparison.regrets(side)
        if regrets:
            yield ""
            title = f" alone has {plural(len(regrets), 'regret')}"
            yield paint(clip(name, width() - cells(title)), ink) + title
            starts = [f"turn {regret.turn:>6,}, lost at {regret.lost_at:>6,}  {regret.cls:<11}" for regret in regrets]
            yield from _first_of(list(zip(starts, (regret.fact for regret in regrets), strict=True)), unfolded)


def _first_of(lines: Sequence[tuple[str, str]], unfolded: bool) -> Iterator[str]:
    """Yield lines with a prefix, the first few of them unless `unfolded`."""
    rows = lines if unfolded else lines[:_LISTED]
    for start, words in rows:
        yield f"  {start} {paint(clip(words, width() - len(start) - 3), 'dim')}"
    if len(lines) > len(rows):
        yield paint(f"  and {len(lines) - len(rows):,} more; --all lists them", "dim")
