"""Traces of programs: runs, observations or spans, whose calls of a model form the conversations.

Each call contains the whole prompt. A call that begins with all messages of an earlier call continues its session. Any
other call begins a session, of another agent or for another question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.core.conversation import Dialect, Session
from inspector.core.text import clip
from inspector.formats.building.ids import first_words, shorten_title, unique
from inspector.formats.building.message_heuristics import reply_messages, request_messages
from inspector.formats.readers.requests.request_chains import chains_of
from inspector.formats.readers.requests.request_log import Exchange, dialect_of
from inspector.formats.readers.requests.requests import session_of_chain
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.source import UnreadableError
from inspector.llm.providers import DEFAULT_DIALECT, as_text, token_count

_REASON = 200
"""Maximum number of characters of an error."""


@dataclass(slots=True)
class ModelCall:
    """A traced call of a model."""

    sent: Any
    """The input in any notation."""
    answer: Any
    model: str = ""
    usage: Fields = field(default_factory=dict)
    """Usage with the field names of the chat API."""
    time: str = ""
    """Time of the response, as ISO text."""
    tools: Sequence[Fields] = ()
    title: str = ""
    """Name of the trace, or of the agent in it."""
    group: str = ""
    """Id of the trace or the conversation."""
    record: Fields = field(default_factory=dict)
    error: str = ""
    """Error of the call; "" if it succeeded."""
    exchange: Exchange | None = None
    """The call as the bodies of an API state it, if these are known. The other fields are then not used."""


def usage_fields(sent: int, reply: int, cached: int = 0) -> Fields:
    """Return token counts with the field names of the chat API; empty if both are 0.

    Args:
        sent: Input tokens, including cached ones.
        reply: Output tokens.
        cached: Input tokens read from the cache.
    """
    if not sent and not reply:
        return {}
    return {
        "prompt_tokens": sent,
        "completion_tokens": reply,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def counted(fields: Any, *names: str) -> int:
    """Return the first count that exists, or 0."""
    return next((count for name in names if (count := token_count(fields, name))), 0)


def trace_sessions(content: Content, format: str, calls: Iterable[ModelCall]) -> list[Session]:
    """Return the sessions that the calls of a trace form, in chronological order.

    Args:
        content: The file. Failed calls are added to its problems.
        format: Name of the format.
        calls: Calls of models, in chronological order.

    Raises:
        UnreadableError: There is no message.
    """
    exchanges: list[Exchange] = []
    for number, call in enumerate(calls, 1):
        if call.error:
            content.problems.add(f"call {number:,} of a model failed: {clip(call.error, _REASON)}")
        if exchange := _exchange(call, number):
            exchanges.append(exchange)
    path = content.source.path
    if not exchanges:
        raise UnreadableError(path, f"{path} is a trace, but contains no request to a model: choose another file.")
    chains = chains_of((exchange, _dialect_of(exchange)) for exchange in exchanges)
    sessions = []
    for chain in chains:
        title = as_text(chain.exchange.record.get("title"))
        session = session_of_chain(chain, content, as_text(chain.exchange.record.get("group"))[:8], True, None)
        sessions.append(
            replace(
                session,
                format=format,
                title=shorten_title(f"{title}: {first_words(session.messages)}") if title else session.title,
                line=chain.exchange.number if len(chains) > 1 else 0,
            )
        )
    sessions = unique(sessions)
    problems = (*content.problems.all(), *sessions[0].problems)
    sessions[0] = replace(sessions[0], problems=tuple(dict.fromkeys(problems)))
    return sessions


def _dialect_of(exchange: Exchange) -> Dialect:
    """Return the wire format of an exchange, whose messages are in that of the chat API unless its API is known."""
    return (dialect_of(exchange) if exchange.fields else None) or DEFAULT_DIALECT


def _exchange(call: ModelCall, number: int) -> Exchange | None:
    if call.exchange:
        return call.exchange
    sent = request_messages(call.sent)
    answers = [raw for raw in reply_messages(call.answer) if raw.get("role") == "assistant"]
    if not sent and not answers:
        return None
    facts: Fields = {"usage": call.usage} if call.usage else {}
    return Exchange(
        sent,
        None,
        list(call.tools),
        call.model,
        {},
        answers[-1] if answers else None,
        facts,
        number,
        {**call.record, "title": call.title, "group": call.group},
        call.time,
    )
