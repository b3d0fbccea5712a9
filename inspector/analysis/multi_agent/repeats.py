"""Find repeated work: tool calls of one agent that another agent repeats and receives the same answer to.

Reads of a file count as equal wherever they begin; all other calls count as equal if their arguments do. A repeated
call with a different answer is no waste, because the file had changed or another part of it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import orjson

from inspector.analysis.multi_agent.participants import Participants
from inspector.analysis.multi_agent.prompt_tree import PromptTree
from inspector.analysis.multi_agent.texts import lines_in, read_texts
from inspector.analysis.multi_agent.transfers import CollaborationCancelledError
from inspector.core.conversation import Message, Session, ToolCall
from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.core.work_pool import Stop
from inspector.llm.models import MILLION, Price, price_of

_PLACES = ("file_path", "path", "filename", "file", "url", "uri", "notebook_path")
_QUESTIONS = ("pattern", "query", "regex", "prompt", "command")
"""Arguments that ask a place for something other than its content."""
_IDLE = frozenset({"description", "timeout", "timeout_ms", "explanation"})
"""Arguments that do not affect the answer."""
_CHANGING = ("write", "edit", "replace", "patch", "insert", "create", "delete", "todo", "update")
"""Words in the names of tools that change something. Repeating such a call is not a repeated read."""
_SAME = 0.8
"""Share of an answer's lines that earlier answers must contain."""

PriceOf = Callable[[Message], Price | None]


@json_object()
@dataclass(frozen=True, slots=True)
class ToolUse:
    """A question of one agent to a tool. `call` and `result` are positions in the log."""

    agent: str
    call: int
    result: int
    tokens: Annotated[Tokens, "tokens of the result"]


@json_object()
@dataclass(frozen=True, slots=True)
class Repeat:
    """A question that a second agent asked again."""

    tool: Annotated[str, "`read` if a file or URL was read, with any tool"]
    what: Annotated[str, "the file, the search or the command"]
    first: ToolUse
    again: ToolUse
    prompts: Annotated[int, "prompts of the reader with it"]
    cost: Annotated[Dollars | None, "of the second result in all of these prompts; null if no price is known"]
    """Cost of those prompts in dollars: once as fresh input, then from the cache if the model has one.

    None if the price is unknown.
    """

    @property
    def tokens(self) -> int:
        """Tokens of the repeated answer."""
        return self.again.tokens


def find_repeats(
    session: Session,
    tokens: Sequence[int],
    parties: Participants,
    prompts: PromptTree,
    price_for: PriceOf = lambda _: None,
    stop: Stop = lambda: False,
) -> list[Repeat]:
    """Return the questions that several agents asked, in chronological order. Linear in the log.

    Args:
        session: Session to search.
        tokens: Tokens of each message in the log.
        parties: Agents of the session.
        prompts: Prompts that contained each message.
        price_for: Returns the price of the model that gave a reply, or None if it is unknown.
        stop: Called once per message; cancels the search when it returns True.

    Raises:
        OSError: If the recording can no longer be read.
        CollaborationCancelledError: If `stop` returned True.
    """
    seen: dict[tuple[str, str], dict[str, tuple[ToolUse, frozenset[int]]]] = {}
    repeats: list[Repeat] = []
    for question, use in _uses(session, tokens, parties, stop):
        earlier = seen.setdefault((question.tool, question.key), {})
        if use.agent in earlier:
            continue
        lines = _lines_of(session.messages[use.result])
        if earlier and lines and len(lines & _lines_before(earlier)) >= _SAME * len(lines):
            count = prompts.count(use.result, use.agent)
            cost = _cost(price_for(session.messages[use.call]), use.tokens, count)
            first, _ = next(iter(earlier.values()))
            repeats.append(Repeat(question.tool, question.what, first, use, count, cost))
        earlier[use.agent] = use, lines
    return repeats


def _lines_before(uses: Mapping[str, tuple[ToolUse, frozenset[int]]]) -> frozenset[int]:
    """Return the lines of the answers that other agents received."""
    return frozenset[int]().union(*(lines for _, lines in uses.values()))


def _lines_of(message: Message) -> frozenset[int]:
    return frozenset(line for text in read_texts(message) for line, _, _ in lines_in(text))


def prices_of(session: Session) -> PriceOf:
    """Return a function that finds the price of the model that gave a reply, or of the session's if none is recorded.

    Prices are looked up once per model. The function raises ValueError if the user configured an invalid price.
    """
    return lambda reply: _price_of_model(reply.model or session.model)


@lru_cache(maxsize=64)
def _price_of_model(model: str) -> Price:
    return price_of(model)


def _cost(price: Price | None, tokens: int, prompts: int) -> float | None:
    if price is None:
        return None
    if not prompts:
        return 0.0
    fresh = price.cache_write if price.caches else price.input
    later = price.cache_read if price.caches else price.input
    return tokens * (fresh + later * (prompts - 1)) / MILLION


def _uses(
    session: Session, tokens: Sequence[int], parties: Participants, stop: Stop
) -> Iterator[tuple[_Question, ToolUse]]:
    """Yield every question that was answered, in chronological order."""
    calls: dict[tuple[str, str], tuple[int, _Question]] = {}
    for position in parties.order:
        message = session.messages[position]
        if stop():
            raise CollaborationCancelledError
        if message.answers is not None:
            call = calls.get((message.agent, message.answers))
            if call is not None and not message.is_error:
                place, question = call
                yield question, ToolUse(message.agent, place, position, tokens[position])
        elif message.calls and message.is_reply:
            for call_id, question in _questions(message):
                calls[message.agent, call_id] = position, question


class _Question(NamedTuple):
    """A question that a tool call asks."""

    tool: str
    key: str
    """Key by which equal questions are recognised."""
    what: str
    """Text that describes the question."""


def _questions(message: Message) -> Iterator[tuple[str, _Question]]:
    """Yield the questions of a reply with the ids of their calls, without calls that change something."""
    for part in message.parts:
        if isinstance(part, ToolCall) and not any(word in part.name.lower() for word in _CHANGING):
            arguments = _arguments(part)
            if arguments:
                yield part.id, _question(part.name, arguments)


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _question(tool: str, arguments: dict[str, Any]) -> _Question:
    texts = {key: value for key, value in arguments.items() if isinstance(value, str) and value}
    place = next((texts[key] for key in _PLACES if key in texts), "")
    question = next((texts[key] for key in _QUESTIONS if key in texts), "")
    if place and not question:
        return _Question("read", place, place)
    rest = {key: value for key, value in arguments.items() if key not in _IDLE}
    key = orjson.dumps(rest, option=orjson.OPT_SORT_KEYS).decode()
    return _Question(tool, key, question or key)
