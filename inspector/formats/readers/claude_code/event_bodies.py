"""Bodies of requests and replies among the events of Claude Code (`OTEL_LOG_RAW_API_BODIES=1`).

https://code.claude.com/docs/en/monitoring-usage: `api_request_body` and `api_response_body` have the JSON of a call.
Long bodies are truncated, or stored in files that the events name.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from inspector.core.conversation import MAIN, Session, Text
from inspector.formats.building.blocks import fields_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.readers.requests.request_chains import chains_of
from inspector.formats.readers.requests.request_log import EarlierCalls, Exchange, exchange_of
from inspector.formats.readers.requests.requests import session_of_chain
from inspector.formats.reading.content import Content
from inspector.llm.providers import as_text, token_count

REQUEST, REPLY = "api_request_body", "api_response_body"
_DIALECT = "anthropic"


class BodyEvent(NamedTuple):
    """An event of a session that has a body, or reports a compaction."""

    name: str
    agent: str
    """The agent that sent the request; "" if the event does not state it."""
    time: str
    fields: dict[str, Any]


def sessions_of_bodies(content: Content, session: str, events: Iterable[BodyEvent]) -> list[Session]:
    """Return the conversations in the bodies of a session's calls, that of the main agent first.

    It returns none if most bodies cannot be read.

    Args:
        content: The file. Bodies that cannot be read are added to its problems.
        session: Id of the session.
        events: The events, in order.
    """
    calls = _Calls()
    for number, event in enumerate(events, 1):
        calls.add(event, number)
    if calls.unread:
        count = f"{calls.unread:,} of {calls.bodies:,} bodies of requests and replies"
        content.problems.add(f"{count} of the session {session} cannot be read: they are truncated, or in files")
    if 2 * calls.unread > calls.bodies:
        return []
    sessions = []
    for agent in sorted(calls.by_agent, key=lambda agent: agent != MAIN):
        chains = chains_of(((exchange, _DIALECT) for exchange in calls.by_agent[agent]), is_one_program=True)
        own = (session_of_chain(chain, content, session[:8], True, None) for chain in chains)
        sessions += [replace(one, id=session) for one in own]
    if sessions and calls.compaction:
        sessions[0] = _with_summary(sessions[0], calls.compaction)
    return sessions


def unrecorded_summary(fields: dict[str, Any]) -> str:
    """Return the words for a summary of which an event states at most the sizes before and after."""
    before, after = (token_count(fields, name) for name in ("pre_tokens", "post_tokens"))
    sizes = f" of {before:,} tokens as {after:,}" if before and after else ""
    return f"[A summary{sizes}, not recorded]"


def _with_summary(session: Session, event: BodyEvent) -> Session:
    """Return a session that ends with a compaction, because no request follows it."""
    log = LogBuilder(_DIALECT)
    words = [Text(unrecorded_summary(event.fields))]
    log.add_parts("compaction", "user", words, event.fields, kind="summary", time=event.time)
    return replace(session, messages=(*session.messages, *log.messages))


class _Calls:
    """The calls of a session, by agent."""

    def __init__(self) -> None:
        self.by_agent: dict[str, list[Exchange]] = {}
        self.bodies = 0
        self.unread = 0
        """Bodies that are no JSON."""
        self._waiting: deque[tuple[str, Exchange, dict[str, Any]]] = deque()
        """Requests without a reply so far, with their agents and bodies."""
        self.compaction: BodyEvent | None = None
        """The newest compaction, if no request of the main agent follows it."""
        self._earlier = EarlierCalls()

    def add(self, event: BodyEvent, number: int) -> None:
        """Add a request, the reply to the oldest request of the same agent, or a compaction before the next request."""
        if event.name == "compaction":
            self.compaction = event
            return
        body = fields_of(event.fields.get("body"))
        self.bodies += 1
        if not body:
            self.unread += 1
        elif event.name == REQUEST:
            self._add_request(event, body, number)
        elif event.name == REPLY:
            self._add_reply(event, body)

    def _add_request(self, event: BodyEvent, body: dict[str, Any], number: int) -> None:
        exchange = exchange_of({"request": body}, number)
        if exchange is None:
            self.unread += 1
            return
        exchange = self._earlier.complete(exchange, {"request": body})
        if event.agent == MAIN:
            exchange.begins_anew, self.compaction = self.compaction is not None, None
        self.by_agent.setdefault(event.agent, []).append(exchange)
        self._waiting.append((event.agent, exchange, body))

    def _add_reply(self, event: BodyEvent, body: dict[str, Any]) -> None:
        same = (entry for entry in self._waiting if event.agent in ("", entry[0]))
        if entry := next(same, None):
            self._waiting.remove(entry)
            _, exchange, request = entry
            if known := exchange_of({"request": request, "response": body}):
                exchange.reply, exchange.reply_record = known.reply, known.reply_record
                exchange.model = as_text(body.get("model")) or exchange.model
                exchange.time = event.time
