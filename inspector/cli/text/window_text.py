"""Text output of a window: its size, its six sections with the certainty of each number, and its messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from inspector import library
from inspector.analysis.tool_activity import Actions, row_words
from inspector.cli.output import Ink, paint, width
from inspector.core.conversation import Message, Session
from inspector.core.text import GLYPHS, LETTERS, clip, lines_of, pad, plural
from inspector.engine.retrieval import explain
from inspector.engine.window import SECTIONS, Plan, Section, Window, call_names
from inspector.llm.tokens import Certainty, TokenCount, mark

if TYPE_CHECKING:
    from inspector.engine.retrieval import Result
    from inspector.library import Preview

_CERTAINTY_WORDS: Mapping[Certainty, str] = {
    "reported": "reported",
    "exact": "exact",
    "estimated": "≈",
    "unrecorded": "unrecorded ≈",
}
_INDENT = "  "
_WHO = 14
MESSAGE_COLUMNS = f"  {'#':>9} {'who':<{_WHO}} {'tokens':>9}   content"


def heading(session: Session) -> Iterator[str]:
    """Yield the lines that name the session."""
    yield paint(clip(session.title or session.id, width()), "strong")
    facts = [session.format, session.model or "model not recorded", plural(len(session.messages), "message")]
    if session.repeats:
        facts[-1] += f", {session.repeats:,} of them copies"
    if len(session.agents) > 1:
        facts.append(plural(len(session.agents), "agent"))
    yield paint(clip(" · ".join(facts), width()), "dim")


def validity(problems: int, *, recorded_so: bool) -> str:
    """Return whether the provider accepts a window, or rejects only what was recorded and accepted that way."""
    if recorded_so:
        return paint(f"! as recorded, {plural(problems, 'problem')}", "warn")
    return paint(f"✗ invalid, {plural(problems, 'problem')}", "bad") if problems else paint("✓ valid", "good")


def accepted_lines(recorded_so: bool) -> Iterator[str]:
    """Yield the note for problems that are all part of the recorded requests; empty for no problems."""
    if recorded_so:
        yield from (paint(line.rstrip(), "dim") for line in lines_of(library.TAKEN, width()))


def status_lines(preview: Preview, turns: int) -> Iterator[str]:
    """Yield the turn, and whether the provider accepts the window, with its error messages if not."""
    window, problems = preview.after, preview.problems
    turn = f"turn {window.turn:,} of {turns:,}" if window.turn <= turns else f"now, after {plural(turns, 'turn')}"
    agent = "" if window.agent == "main" else f" · agent {clip(window.agent, 40)}"
    yield f"{turn}{agent} · {validity(len(problems), recorded_so=preview.recorded_so)}"
    yield from accepted_lines(preview.recorded_so)
    ink: Ink = "warn" if preview.recorded_so else "bad"
    for problem in sorted(problems, key=preview.taken.__contains__)[:3]:
        yield from (paint(f"{_INDENT}{line}", ink) for line in lines_of(str(problem), width() - 2))
    if len(problems) > 3:
        yield paint(f"{_INDENT}and {len(problems) - 3:,} more; --json has them all", ink)


def notice_lines(notice: str) -> Iterator[str]:
    """Yield a notice as lines; none for an empty notice."""
    if notice:
        yield from (paint(line.rstrip(), "warn") for line in lines_of(notice, width()))


def fill_lines(window: Window) -> Iterator[str]:
    """Yield the size of the window and its limit, as numbers and as a bar."""
    share = window.total / window.limit if window.limit else 0
    number = f"{mark(window.size.certainty)} {window.total:,}".strip()
    size = f"{number} of {window.limit:,} tokens, {share:.0%}"
    margin = f"over by {mark(window.size.certainty)}{window.excess:,}" if window.excess else _free_text(window)
    rest = f"{margin} · reserve {window.reserve:,}"
    gap = width() - 4 - len(size) - len(rest)
    ink: Ink | None = "bad" if window.excess else "warn" if window.free < 0 else None
    yield f"{_INDENT}{paint(size, 'strong')}{' ' * gap if gap > 1 else chr(10) + _INDENT}{paint(rest, ink)}"
    if window.reported is not None:
        yield paint(f"{_INDENT}the provider reported {window.reported:,} for this request", "dim")
    room = width() - 4
    used = min(room, round(room * share)) if window.total else 0
    reserve = min(room - used, round(room * window.reserve / window.limit)) if window.limit else 0
    yield (
        _INDENT
        + paint("█" * used, ink or "accent")
        + paint("░" * (room - used - reserve), "dim")
        + paint("╱" * reserve, "dim")
    )


def _free_text(window: Window) -> str:
    """Return the free space of a window that fits."""
    sign = mark(window.size.certainty)
    return f"free {sign}{window.free:,}" if window.free >= 0 else f"{sign}{-window.free:,} of the reserve used"


def section_lines(window: Window) -> Iterator[str]:
    """Yield a line for each of the six sections, with a mark at the section's budget."""
    scale = max(size.tokens for size in window.breakdown.values()) or 1
    room = max(0, width() - 57)
    for section in SECTIONS:
        name = f"{_INDENT}{LETTERS[section]} {window.section_name(section):<10}"
        if section == "tools" and window.joins_tools:
            yield f"{name}{paint('in System+T', 'dim')}"
        else:
            yield f"{name}{_section_size(window, section, scale, room)}".rstrip()


def _section_size(window: Window, section: Section, scale: int, room: int) -> str:
    """Return the tokens of a section and a bar of at most `room` cells, on a scale of tokens."""
    size, share = window.breakdown[section], window.allocation(section)
    over = size.tokens - share
    filled = max(round(room * size.tokens / scale), 1) if size.tokens and room else 0
    bar = paint("█" * filled, "bad" if over > 0 else "accent")
    place = round(room * share / scale)
    if filled <= place < room:
        bar += " " * (place - filled) + paint("┊", "dim")
    elif over > 0:
        bar += paint(f" over by {over:,}" if room else " !", "bad")
    how = _CERTAINTY_WORDS[size.certainty] if size.tokens or size.certainty == "unrecorded" else ""
    return f"{paint(f'{how:>12}', 'dim')} {size.tokens:>11,} {bar}"


def stack_lines(recorded: Window, window: Window, applied: Sequence[Plan]) -> Iterator[str]:
    """Yield the tokens that the applied plans removed. Empty without plans."""
    if not applied:
        return
    names = ", ".join(plan.strategy for plan in applied)
    fewer = len(recorded.messages) - len(window.messages)
    text = (
        f"through {plural(len(applied), 'plan')} ({names}): {fewer:,} fewer messages, "
        f"{mark(window.size.certainty)}{recorded.total - window.total:,} fewer tokens than recorded"
    )
    yield from (paint(line, "dim") for line in lines_of(text, width()))


def message_lines(preview: Preview) -> Iterator[str]:
    """Yield the messages, numbered by their position in the log as in the app."""
    window, numbers = preview.after, preview.session.numbers
    yield paint(MESSAGE_COLUMNS, "dim") if window.messages else f"{_INDENT}{window.emptiness}"
    originals = {message.id: message for message in preview.recorded.messages}
    names, actions, columns = call_names(window.messages), Actions(window.messages), width()
    for message, tokens, section in zip(window.messages, window.tokens, window.sections, strict=True):
        if message.id in window.pins:
            glyph = paint(GLYPHS["pinned"], "warn")
        elif preview.recall and message is preview.recall.message:
            glyph = paint(GLYPHS["retrieved"], "good")
        elif message.id not in numbers:
            glyph = paint(GLYPHS["summarised"], "summary")
        elif originals.get(message.id) is not message:
            glyph = paint(GLYPHS["trimmed"], "warn")
        else:
            glyph = paint(GLYPHS["kept"], "dim")
        number = str(numbers.get(message.id, ""))
        says = row_words(message, actions, words_room(columns))
        size = TokenCount(tokens, window.sizes.certainty)
        yield message_row(columns, glyph, number, library.speaker(message, names), size, LETTERS[section], says)


def recall_lines(preview: Preview) -> Iterator[str]:
    """Yield the retrieved messages with reasons and costs, and the near misses, followed by an empty line."""
    recall = preview.recall
    if recall is None:
        return
    numbers = preview.session.numbers

    def row(glyph: str, result: Result[int], reason: str, ink: Ink | None) -> str:
        places = number_range([numbers[name] for name in recall.sources[result.key] if name in numbers])
        return f"{_INDENT}{paint(glyph, ink)} {places:>9} {paint(clip(reason, width() - 14), 'dim')}"

    yield clip(f"for the current request {recall}", width())
    for result in recall.retrieval.results:
        yield row(GLYPHS["retrieved"], result, f"retrieved, score {result.score:.2f}: {explain(result)}", "good")
    for miss in recall.retrieval.near_misses:
        yield row(GLYPHS["archived"], miss.result, f"score {miss.result.score:.2f}: {miss.reason}", None)
    yield ""


def message_row(
    columns: int, glyph: str, number: str, who: str, size: TokenCount, letter: str, says: str, ink: Ink | None = None
) -> str:
    """Return one line of a list of messages. `glyph` is already painted; all other values are sanitized here.

    Args:
        columns: Columns to fill.
        glyph: Painted mark of the fate.
        number: Number of the message in the log.
        who: Speaker.
        size: Tokens of the message.
        letter: Letter of its section.
        says: Words of the message.
        ink: Ink of the words; None for the default.
    """
    speaker = pad(who, _WHO)
    start = f"{number:>9} {speaker} {size!s:>9} {letter:>1} "
    room = columns - (len(start) - len(speaker) + _WHO) - 2  # the other characters have one cell each
    return f"{glyph} {paint(start, ink)}{paint(clip(says, room), ink)}"


def words_room(columns: int) -> int:
    """Return the columns for the text of a message in a list that fills some columns."""
    return columns - _WHO - _OTHER_COLUMNS


_OTHER_COLUMNS = 25
"""Columns of a list that are not text: sign, number, tokens, section."""


def run_contents(messages: Sequence[Message], names: Mapping[str, str]) -> str:
    """Return the contents of a run of messages: tools with their number of results, and the size of the text."""
    tools = Counter(library.speaker(message, names) for message in messages if message.role == "tool")
    count = sum(message.role != "tool" for message in messages)
    return ", ".join(
        [*(f"{name} ×{times}" for name, times in tools.most_common(4)), *([f"{count} said"] if count else [])]
    )


def number_range(numbers: Sequence[int]) -> str:
    """Return `7`, or `7–12` for a run."""
    if not numbers:
        return ""
    return f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"


def damage_lines(session: Session) -> Iterator[str]:
    """Yield the parts of the source that could not be read, and the guesses made."""
    for problem in session.problems[:5]:
        first, *others = lines_of(str(problem), width() - 2)
        yield from (paint(line, "warn") for line in (f"! {first}", *(f"{_INDENT}{line}" for line in others)))
    if len(session.problems) > 5:
        yield paint(f"{_INDENT}and {len(session.problems) - 5:,} more; --json has them all", "warn")
