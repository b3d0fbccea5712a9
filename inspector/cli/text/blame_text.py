"""Text output of the sources of a reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from inspector.analysis.asking import BlamedPart, ReplySource, ReplyTrials, stated_nowhere
from inspector.cli.output import paint, width
from inspector.cli.text.window_text import heading
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.text import clip, dollars, lines_of, one_line, plural

_MAX_NOWHERE = 30
_MAX_PLACES = 3
_INDENT = " " * 13


def sources_lines(session: Session, sources: Sequence[ReplySource], turn: int, number: int) -> Iterator[str]:
    """Yield the sources of a reply as lines.

    Args:
        session: The session.
        sources: Values and sentences of the reply.
        turn: Turn of the reply.
        number: Its number in the log.
    """
    yield from heading(session)
    reply = session.messages[number - 1]
    yield clip(f"Reply #{number:,} at turn {turn:,}: {one_line(reply.preview)}", width())
    if not sources:
        yield ""
        yield "The reply contains no value and no sentence that could be stated elsewhere."
        return
    stated = [source for source in sources if source.stated]
    if stated:
        yield ""
        yield paint("Stated before", "strong")
        for source in stated:
            yield _source_row(source)
            words = clip(_place_words(source), width() - len(_INDENT))
            yield _INDENT + paint(words, "dim" if source.in_window else "warn")
    nowhere = stated_nowhere(sources)
    if nowhere:
        yield ""
        yield paint("Stated nowhere before", "strong")
        for source in nowhere[:_MAX_NOWHERE]:
            yield _source_row(source)
            if source.places:
                words = f"values from {_place_words(source)}"
                yield _INDENT + paint(clip(words, width() - len(_INDENT)), "dim")
        if len(nowhere) > _MAX_NOWHERE:
            yield paint(f"  and {len(nowhere) - _MAX_NOWHERE:,} more; --json lists them", "dim")


@json_object("Blamed part", "message section first last text necessary")
@dataclass(frozen=True)
class BlamedText:
    """A part of a long message that a reply depends on."""

    message: Annotated[int, "position in the log, from 1"]
    section: Annotated[str, "line of the heading above the part; empty for none"]
    first: Annotated[int, "number of its first line in the text of the message, from 1"]
    last: Annotated[int, "number of its last line"]
    text: str
    necessary: Annotated[bool, "true if the reply is another one without the parts listed for this message"]

    @classmethod
    def of(cls, number: int, blamed: BlamedPart) -> BlamedText:
        """Return a part that was found.

        Args:
            number: Number of its message in the log.
            blamed: The part.
        """
        part = blamed.part
        return cls(number, part.section, part.first, part.last, part.text, blamed.is_necessary)

    @property
    def lines(self) -> str:
        """The numbers of its lines, in words."""
        return f"line {self.first:,}" if self.first == self.last else f"lines {self.first:,}–{self.last:,}"


@dataclass(frozen=True)
class SearchWords:
    """The result of a search with a model."""

    necessary: Sequence[int] | None
    sufficient: Sequence[int] | None
    alternatives: Sequence[Sequence[int]]
    parts: Sequence[BlamedText]
    trials: ReplyTrials
    problem: str


def search_lines(session: Session, result: SearchWords) -> Iterator[str]:
    """Yield the messages that a reply depends on, by the replies of a model to parts of the context."""
    trials = result.trials
    yield ""
    yield paint(clip(f"By replies of {trials.asker.settings.label} to parts of the context", width()), "strong")
    if text := result.problem or trials.note:
        yield from (paint(f"  {line}", "bad" if result.problem else "dim") for line in lines_of(text, width() - 2))
    if result.sufficient is not None:
        yield from _result_rows(session, result, result.sufficient)
        shares = (
            f"{name}: the same reply in {share:.0%} of {plural(trials.samples, 'sample')}"
            for name, share in trials.confirmed.items()
        )
        yield from (paint(f"  {row}", "dim") for row in shares)
    asker = trials.asker
    yield paint(
        f"  {plural(asker.count, 'call')}, {dollars(asker.spent)}, {plural(trials.tests, 'context')} tried.", "dim"
    )


def _result_rows(session: Session, result: SearchWords, sufficient: Sequence[int]) -> Iterator[str]:
    if not sufficient:
        yield "  The reply is the same without any earlier message."
        yield from _part_rows(result.parts)
        return
    yield "  Enough for the reply:"
    for place, numbers in enumerate((sufficient, *result.alternatives)):
        if place:
            yield "  Also enough:"
        for number in numbers:
            yield _message_row(session, number)
            yield from _part_rows([part for part in result.parts if part.message == number])
    if result.necessary is not None:
        if result.alternatives:
            yield "  No message alone is necessary. Only without all of these it is another reply:"
        else:
            yield "  Without these it is another reply:"
        yield from (_message_row(session, number) for number in result.necessary)


def _message_row(session: Session, number: int) -> str:
    message = session.messages[number - 1]
    return f"    {clip(f'#{number:,} {message.role}: {one_line(message.preview)}', width() - 4)}"


def _part_rows(parts: Sequence[BlamedText]) -> Iterator[str]:
    for part in parts:
        section = f"{part.section} · " if part.section and part.text else ""
        words = f"{part.lines}: {section}{part.text or part.section}"
        yield paint(f"      {clip(one_line(words), width() - 6)}", "dim")


def _source_row(source: ReplySource) -> str:
    return f"  {source.cls or 'sentence':<10} {clip(source.text, width() - len(_INDENT))}"


def _place_words(source: ReplySource) -> str:
    """Return the messages that state a value or sentence, the most related first."""
    words = "; ".join(place.words for place in source.places[:_MAX_PLACES])
    rest = source.count - _MAX_PLACES
    more = f"; and {plural(rest, 'message')} more" if rest > 0 else ""
    return words + more if source.in_window else f"no longer in the request: {words}{more}"
