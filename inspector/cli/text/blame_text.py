"""Text output of the sources of a reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.analysis.asking import ReplySource, ReplyTrials, stated_nowhere
from inspector.cli.output import paint, width
from inspector.cli.text.window_text import heading
from inspector.core.conversation import Session
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


@dataclass(frozen=True)
class SearchWords:
    """The result of a search with a model."""

    necessary: Sequence[int] | None
    sufficient: Sequence[int] | None
    trials: ReplyTrials
    confirmed: Mapping[str, float]
    problem: str


def search_lines(session: Session, result: SearchWords) -> Iterator[str]:
    """Yield the messages that a reply depends on, by the replies of a model to parts of the context."""
    trials = result.trials
    yield ""
    yield paint(clip(f"By replies of {trials.asker.settings.label} to parts of the context", width()), "strong")
    if text := result.problem or trials.note:
        yield from (paint(f"  {line}", "bad" if result.problem else "dim") for line in lines_of(text, width() - 2))
    if result.sufficient is not None and result.necessary is not None:
        if not result.sufficient:
            yield "  The reply is the same without any earlier message."
        else:
            yield "  Enough for the reply:"
            yield from _message_rows(session, result.sufficient)
            yield "  Without these it is another reply:"
            yield from _message_rows(session, result.necessary)
        shares = (
            f"{name}: the same reply in {share:.0%} of {plural(trials.samples, 'sample')}"
            for name, share in result.confirmed.items()
        )
        yield from (paint(f"  {row}", "dim") for row in shares)
    asker = trials.asker
    yield paint(
        f"  {plural(asker.count, 'call')}, {dollars(asker.spent)}, {plural(trials.tests, 'context')} tried.", "dim"
    )


def _message_rows(session: Session, numbers: Sequence[int]) -> Iterator[str]:
    for number in numbers:
        message = session.messages[number - 1]
        yield f"    {clip(f'#{number:,} {message.role}: {one_line(message.preview)}', width() - 4)}"


def _source_row(source: ReplySource) -> str:
    return f"  {source.cls or 'sentence':<10} {clip(source.text, width() - len(_INDENT))}"


def _place_words(source: ReplySource) -> str:
    """Return the messages that state a value or sentence, the most related first."""
    words = "; ".join(place.words for place in source.places[:_MAX_PLACES])
    rest = source.count - _MAX_PLACES
    more = f"; and {plural(rest, 'message')} more" if rest > 0 else ""
    return words + more if source.in_window else f"no longer in the request: {words}{more}"
