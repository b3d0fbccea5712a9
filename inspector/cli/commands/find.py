"""`find`: the messages of a session that match a search."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from inspector import library
from inspector.analysis.message_search import (
    SYNTAX,
    Haystack,
    MessageHit,
    MessageQuery,
    QueryError,
    parse_query,
    search_messages,
    word_places,
)
from inspector.analysis.tool_activity import Actions
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.options import agent_option, common, redact_option, target
from inspector.cli.output import echo, echo_json, paint, width
from inspector.cli.schema.values import Number, json_output
from inspector.core.text import cells, clipped, one_line, pad, plural
from inspector.engine.window import call_names

if TYPE_CHECKING:
    from inspector.core.conversation import Kind, Message, Role, Session
    from inspector.core.json_objects import Tokens
    from inspector.library import OpenSession

_WHO = 14


@json_output()
class FoundMessageOutput:
    """A matching message."""

    id: str
    number: Number
    turn: Annotated[int, "the first model call after it entered the context, from 1"]
    agent: str
    role: Role
    kind: Kind
    who: Annotated[str, "speaker: the tool of a result, `summary`, else the role"]
    tokens: Tokens
    error: Annotated[bool, "true if it is the result of a failed tool call"]
    note: Annotated[str | None, "of its bookmark; null without one"]
    text: Annotated[str, "one line around the first match, else its beginning"]


@json_output()
class FindOutput:
    """Matching messages of a session, in the order of its log."""

    session: Annotated[str, "its id"]
    title: str
    query: Annotated[str, "the search, in the syntax of / in the app"]
    messages: Annotated[int, "searched messages"]
    hits: Sequence[FoundMessageOutput]


@click.command("find", context_settings={"ignore_unknown_options": True})
@target
@click.argument("words", nargs=-1, metavar="WORDS…", type=click.UNPROCESSED)
@click.option("--kind", metavar="KIND", help="chat, summary, injected, copy or notice.")
@click.option("--role", metavar="ROLE", help="system, user, assistant or tool.")
@click.option("--tool", metavar="NAME", help="Calls of a tool, and their results.")
@click.option("--turn", type=click.IntRange(1), metavar="N", help="Only in the context of the N-th model call.")
@agent_option
@click.option(
    ("--most"), type=click.IntRange(1), default=50, metavar="N", help="Maximum number of messages to print as text."
)
@redact_option
@common
def find_messages(
    target: str,
    words: Sequence[str],
    kind: str | None,
    role: str | None,
    tool: str | None,
    turn: int | None,
    agent: str | None,
    most: int,
    db: Path | None,
    as_json: bool,
) -> None:
    """Find messages of a session that match all terms.

    WORDS are words of the text, "a phrase" (quoted once more for the shell), or filters: kind:summary, role:user,
    tool:Read, agent:x, error, bookmarked, >1000 and <200 tokens. A - in front negates a term. Same as / in the app.
    """
    query = _query_of(words, {"kind": kind, "role": role, "tool": tool})
    with open_session(target, db) as session:
        haystack, notes = _haystack(session, turn, agent), session.bench.bookmarks
        hits = [hit for batch in search_messages(query, haystack) for hit in batch.hits]
        numbers = session.bench.session.numbers
        rows = [_output_of(session.bench.session, haystack, hit, numbers, notes) for hit in hits]
        if as_json:
            bench, looked = session.bench, len(haystack.messages)
            title = bench.session.title
            echo_json(FindOutput(session=bench.id, title=title, query=query.text, messages=looked, hits=rows))
        else:
            echo("\n".join(_found_lines(rows, query, len(haystack.messages), most)))


def _query_of(words: Sequence[str], facts: Mapping[str, str | None]) -> MessageQuery:
    """Parse the search. Raises UsageError if it is invalid or empty."""
    if stray := next((word for word in words if word.startswith("--")), None):
        raise UsageError(f"There is no option {stray!r}. To exclude a term, put one - before it.")
    text = " ".join([*words, *(f'{name}:"{value}"' for name, value in facts.items() if value is not None)])
    try:
        query = parse_query(text)
    except QueryError as error:
        raise UsageError(str(error)) from error
    if not query.terms:
        raise UsageError(f"No search terms. Syntax: {SYNTAX}.")
    return query


def _haystack(session: OpenSession, turn: int | None, agent: str | None) -> Haystack:
    """Return the messages of a window, or of the whole log if no turn is given, limited to an agent if one is given."""
    bench = session.bench
    if turn is not None:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        window = bench.preview(turn, agent).after
        requests = Actions(window.messages).request_of
        return Haystack(window.messages, window.tokens, window.tool_names, bench.bookmarks, requests)
    if agent is not None:
        agent_of(session, agent)
    pairs = zip(bench.session.messages, bench.sizes.tokens, strict=True)
    chosen = [pair for pair in pairs if agent in (None, pair[0].agent)]
    messages = [message for message, _ in chosen]
    tokens = [tokens for _, tokens in chosen]
    return Haystack(messages, tokens, call_names(messages), bench.bookmarks, Actions(messages).request_of)


def _output_of(
    session: Session, haystack: Haystack, hit: MessageHit, numbers: Mapping[str, int], notes: Mapping[str, str]
) -> FoundMessageOutput:
    message = haystack.messages[hit.place]
    number = numbers.get(message.id)
    return FoundMessageOutput(
        id=message.id,
        number=number,
        turn=_turn_of(session, message, number),
        agent=message.agent,
        role=message.role,
        kind=message.kind,
        who=library.speaker(message, haystack.names),
        tokens=haystack.tokens[hit.place],
        error=message.is_error,
        note=notes.get(message.id),
        text=one_line(hit.excerpt or message.preview),
    )


def _turn_of(session: Session, message: Message, number: int | None) -> int:
    """Return the model call of a reply, or the next one after any other message. Added messages are after the last
    call.
    """
    replies = session.turns(message.agent)
    return bisect_left(replies, number - 1) + 1 if number is not None else len(replies) + 1


def _found_lines(rows: Sequence[FoundMessageOutput], query: MessageQuery, looked: int, most: int) -> Iterator[str]:
    if not rows:
        yield f"None of {looked:,} messages matches."
        return
    yield paint(f"{'#':>9} {'turn':>6} {'who':<{_WHO}} {'tokens':>9}   content", "dim")
    for row in rows[:most]:
        number = "" if row.number is None else str(row.number)
        start = f"{number:>9} {row.turn:>6} {pad(row.who, _WHO)} {row.tokens:>9,} "
        sign = paint("•", "warn") if row.note is not None else " "
        yield f"{start}{sign} {_highlighted(row.text, query.words, width() - cells(start) - 2)}"
        if row.note:
            yield paint(f"{'':>16} {clipped('• ' + one_line(row.note), width() - 17)}", "warn")
    more = f"; --most {len(rows)} prints all" if len(rows) > most else ""
    yield paint(f"{len(rows):,} of {plural(looked, 'message')}{more}", "dim")


def _highlighted(text: str, words: Sequence[str], room: int) -> str:
    """Return a line with its matches highlighted."""
    line = clipped(text, room)
    pieces, end = [], 0
    for start, behind in word_places(line, words):
        pieces += [line[end:start], paint(line[start:behind], "accent")]
        end = behind
    return "".join([*pieces, line[end:]])
