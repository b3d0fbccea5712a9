"""A comparison as text: both sides in numbers, as two lanes of bars, and what one kept that the other lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.cli.output import Ink, paint, width
from inspector.facts import Kept
from inspector.replay import CompactionEvent, Comparison, FateDifference, Frame, Lane, Pair, Side
from inspector.text import GLYPHS, LOSSY, REVERSIBLE, cells, clip, dollars, pad, plural

_ROWS = 28
"""Lines that the turns take at most; where there are more turns, a line stands for several."""
_LISTED = 6
"""Messages that are listed of what one side kept, where not all are asked for."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_SIDES: tuple[Side, Side] = ("left", "right")
_INKS: tuple[Ink, Ink] = ("accent", "summary")


def _names_of(found: Comparison) -> tuple[str, str]:
    """What each side is called: its preset, or its session where there are two."""
    left, right = found.left, found.right
    if left.session is right.session:
        return left.replay.preset, right.replay.preset
    titles = (left.session.title or left.session.id, right.session.title or right.session.id)
    return titles if titles[0] != titles[1] else (f"1 {titles[0]}", f"2 {titles[1]}")


def comparison_text(found: Comparison, unfolded: bool) -> Iterator[str]:
    names = _names_of(found)
    if found.left.session is found.right.session:
        session = found.left.session
        yield paint(clip(session.title or session.id, width()), "strong")
    yield from _lane_lines(found, names)
    yield ""
    yield from _turn_lines(found, names, unfolded)
    yield ""
    yield from _first_lines(found, names)
    yield ""
    yield from _fate_lines(found, names)
    yield from _kept_lines(found, names, unfolded)
    yield from _fact_lines(found, names, unfolded)
    yield from _regret_lines(found, names, unfolded)


def _lane_lines(found: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """Both sides in numbers."""
    room = max(12, width() - 58)
    yield paint(f"{'':{room}} {'compressions':>13} {'peak':>11} {'tokens sent':>13} {'cost':>10}  valid", "dim")
    for name, lane, ink in zip(names, (found.left, found.right), _INKS, strict=True):
        done = lane.replay
        cost = dollars(done.cost)
        verdict = paint("✓", "good") if done.valid else paint("✗", "bad")
        numbers = f"{len(done.compactions):>13,} {done.peak:>11,} {done.tokens_sent:>13,} {cost:>10}"
        yield f"{paint(pad(name, room), ink)} {numbers}  {verdict}"


def _turn_lines(found: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """Both lanes, oldest turn first: the largest window of each line's turns, and whether anything differs in them."""
    room = (width() - 37) // 2
    scale = max((frame.total for pair in found.turns for frame in (pair.left, pair.right) if frame), default=0) or 1
    left, right = (paint(pad(name, room + 11), ink) for name, ink in zip(names, _INKS, strict=True))
    yield f"{paint('     turn', 'dim')} {left}  {'':3} {right}".rstrip()
    for pairs in _turns_by_line(found, unfolded):
        sign = paint(" = ", "dim") if all(pair.same for pair in pairs) else paint(" ≠ ", "warn")
        ours = _lane_bar([pair.left for pair in pairs], found.left, scale, room, _INKS[0])
        theirs = _lane_bar([pair.right for pair in pairs], found.right, scale, room, _INKS[1])
        yield f"{_range_of(pairs):>9} {ours} {sign} {theirs}".rstrip()
    yield paint(
        f"          {LOSSY} compressed   {REVERSIBLE} all of it can be found again   ≠ the windows differ", "dim"
    )


def _turns_by_line(found: Comparison, unfolded: bool) -> Iterator[Sequence[Pair]]:
    """The turns by lines: as many to a line as it takes, and a new line where the two first differ."""
    turns = found.turns
    size = 1 if unfolded else -(-len(turns) // _ROWS) if len(turns) > _ROWS else 1
    start, first = 0, found.first.turn - 1 if found.first else len(turns)
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
    made = [lane.replay.compactions[frame.compression] for frame in there if frame.compression >= 0]
    mark = paint(_sign_of(made), "warn") if made else " "
    eighths = max(1, round(8 * room * most / scale)) if most else 0
    bar = _EIGHTHS[-1] * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    return f"{most:>9,} {mark}{paint(bar, ink)}{' ' * (room + 1 - len(bar))}"


def _sign_of(made: Sequence[CompactionEvent]) -> str:
    return REVERSIBLE if all(each.reversible for each in made) else LOSSY


def _first_lines(found: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """Where the two first differ, and how."""
    first = found.first
    if first is None:
        yield "Every window is the same on both sides."
        return
    yield paint(f"They first differ at turn {first.turn:,}.", "strong")
    pair = found.turns[first.turn - 1]
    for name, lane, frame, message, ink in zip(
        names,
        (found.left, found.right),
        (pair.left, pair.right),
        (first.left, first.right),
        _INKS,
        strict=True,
    ):
        told = "has no such turn" if frame is None else _compaction_words(lane, frame) or f"{frame.total:,} tokens"
        yield f"  {paint(pad(name, 20), ink)} {told}"
        if frame is not None:
            here = "the window ends" if message is None else f"{message.role}: {message.preview}"
            yield paint(f"    message {first.place + 1:,}: {clip(here, width() - 24)}", "dim")


def _compaction_words(lane: Lane, frame: Frame) -> str:
    if frame.compression < 0:
        return ""
    made = lane.replay.compactions[frame.compression]
    return f"{made.before:,} → {made.after:,} tokens by {made.strategy}"


def _fate_lines(found: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """How many messages have come to what, on each side."""
    kinds = [kind for kind in GLYPHS if found.fates[0].get(kind) or found.fates[1].get(kind)]
    now = [len(found.left.replay.frames), len(found.right.replay.frames)]
    when = "as it now stands" if list(found.at) == now else f"at turn {found.at[0]:,}"
    yield paint(f"{when:<22}" + "".join(f"{GLYPHS[kind]} {kind:<12}" for kind in kinds), "dim")
    for name, counts, ink in zip(names, found.fates, _INKS, strict=True):
        yield f"  {paint(pad(name, 20), ink)}" + "".join(f"{counts.get(kind, 0):>7,}{'':7}" for kind in kinds).rstrip()


def _kept_lines(found: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """What one kept that the other lost, and what only one was ever told."""
    for side, name, ink, alone in zip(_SIDES, names, _INKS, found.alone, strict=True):
        kept = found.kept_by(side)
        if kept:
            tokens = sum(each.tokens for each in kept)
            yield ""
            title = f" has more of {plural(len(kept), 'message')}, {tokens:,} tokens"
            yield paint(clip(name, width() - len(title)), ink) + title
            yield from _message_lines(kept, unfolded)
        if alone:
            yield ""
            yield paint(clip(name, width() - 40), ink) + f" alone was told {plural(len(alone), 'message')}"


def _message_lines(kept: Sequence[FateDifference], unfolded: bool) -> Iterator[str]:
    shown = kept if unfolded else kept[:_LISTED]
    for each in shown:
        ours, theirs = each.fates if each.kept_by == "left" else each.fates[::-1]
        start = f"  {GLYPHS[ours]} against {GLYPHS[theirs]} {theirs:<11} {each.left.role:<9} {each.tokens:>9,}  "
        yield start + paint(clip(each.left.preview, width() - cells(start)), "dim")
    if len(kept) > len(shown):
        yield paint(f"  and {len(kept) - len(shown):,} more; --all lists them", "dim")


def _fact_lines(found: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """How many facts of each class are still in either window, and which are in only one of them."""
    rows = list(found.by_class())
    if rows:
        yield ""
        yield paint(f"  {'facts retained':<20}{pad(names[0], 24)} {pad(names[1], 24)}".rstrip(), "dim")
    for cls, left, right in rows:
        yield f"  {cls:<20}{_of_all(left):<24} {_of_all(right):<24}".rstrip()
    if any(each.recoverable for row in rows for each in row[1:]):
        yield paint("  + can be found again", "dim")
    for side, name, other, ink in zip(_SIDES, names, names[::-1], _INKS, strict=True):
        facts = found.facts_kept_by(side)
        if facts:
            yield ""
            title = f" still tells {plural(len(facts), 'fact')} that are not in {clip(other, 20)}"
            yield paint(clip(name, width() - cells(title)), ink) + title
            yield from _first_of([(f"{each.cls:<11}", each.text) for each in facts], unfolded)


def _of_all(kept: Kept) -> str:
    found = f" +{kept.recoverable:,}" if kept.recoverable else ""
    return f"{kept.retained:,} of {kept.total:,}{found}" if kept.total else ""


def _regret_lines(found: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """What was lost and then used again, on one side only."""
    for side, name, ink in zip(_SIDES, names, _INKS, strict=True):
        regrets = found.regrets(side)
        if regrets:
            yield ""
            title = f" alone had lost what was used again, {plural(len(regrets), 'time')}"
            yield paint(clip(name, width() - cells(title)), ink) + title
            starts = [f"turn {each.turn:>6,}, lost at {each.lost_at:>6,}  {each.cls:<11}" for each in regrets]
            yield from _first_of(list(zip(starts, (each.fact for each in regrets), strict=True)), unfolded)


def _first_of(lines: Sequence[tuple[str, str]], unfolded: bool) -> Iterator[str]:
    """Lines of a fixed beginning and some words, the first few of them where not all are asked for."""
    shown = lines if unfolded else lines[:_LISTED]
    for start, words in shown:
        yield f"  {start} {paint(clip(words, width() - len(start) - 3), 'dim')}"
    if len(lines) > len(shown):
        yield paint(f"  and {len(lines) - len(shown):,} more; --all lists them", "dim")
