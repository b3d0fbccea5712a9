"""Text output of the sources of a reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.analysis.asking import ReplySource, SourcePlace, stated_nowhere
from inspector.cli.output import paint, width
from inspector.cli.text.window_text import heading
from inspector.core.conversation import Session
from inspector.core.text import clip, one_line, plural

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


def _source_row(source: ReplySource) -> str:
    return f"  {source.cls or 'sentence':<10} {clip(source.text, width() - len(_INDENT))}"


def _place_words(source: ReplySource) -> str:
    """Return the messages that state a value or sentence, the most related first."""
    words = "; ".join(map(_one_place, source.places[:_MAX_PLACES]))
    rest = source.count - _MAX_PLACES
    more = f"; and {plural(rest, 'message')} more" if rest > 0 else ""
    return words + more if source.in_window else f"no longer in the request: {words}{more}"


def _one_place(place: SourcePlace) -> str:
    if place.message is None:
        return "the tool definitions"
    who = place.tool or (place.kind if place.kind in ("summary", "injected") else place.role)
    return f"#{place.message:,} {one_line(who)}, turn {place.turn:,}"
