"""Conversion of the requests of a Copilot Chat session to a log.

The result of a request contains the sent and received messages, in rounds. Without a result, only the displayed answer
is available. A summary names the last round that it covers: a new context begins after that round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.core.conversation import Part, Text, Thinking, ToolCall, ToolResult, Usage
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_NEWLINE = "\n"


class CopilotTurns:
    """The requests of a session."""

    def __init__(self, requests: Sequence[Fields]) -> None:
        self.requests = requests
        models = (_model_of_request(request) for request in reversed(requests))
        self.model = next(filter(None, models), "")
        self.title = next(filter(None, map(_question_in, requests)), "")
        self.ends: dict[str, int] = {}
        """Length of the log after each round, by the round's id."""

    def add_to(self, log: LogBuilder) -> None:
        """Add all requests, each with its answer."""
        for number, request in enumerate(self.requests, 1):
            metadata = _metadata_of(request)
            name = as_text(request.get("requestId")) or f"r{number}"
            rounds = objects_of(metadata.get("toolCallRounds"))
            summaries = _summaries_in(metadata)
            for round_id in summaries.keys() - {as_text(entry.get("id")) for entry in rounds}:  # of an earlier request
                self.ends.setdefault(round_id, len(log.messages))
                self.add_summary(log, round_id, summaries[round_id])
            self.add_question(log, name, request, metadata)
            usage = _usage_of_turn(request, metadata, len(rounds))
            facts = {"model": _model_of_request(request), "time": time_of(request.get("timestamp"))}
            if rounds:
                self.add_rounds(log, name, rounds, fields_of(metadata.get("toolCallResults")), facts, usage, summaries)
            else:
                _add_response(log, name, request.get("response"), facts, usage)
            error = fields_of(fields_of(request.get("result")).get("errorDetails"))
            if error.get("message"):
                log.add_parts(f"{name}-error", "system", blocks_of(error["message"]), error, kind="notice")

    def add_question(self, log: LogBuilder, name: str, request: Fields, metadata: Fields) -> None:
        """Add the user's message as it was sent, or else as it was typed, after its injected context.

        Args:
            log: Log that gets the message.
            name: Id of the turn.
            request: Record of the request.
            metadata: Metadata of the turn, with the message as it was sent.
        """
        facts: Fields = {"time": time_of(request.get("timestamp"))}
        if context := _parts_of_prompt(metadata.get("renderedGlobalContext")):
            log.add_parts(f"{name}-context", "user", context, kind="injected", **facts)
        keys = ("message", "variableData", "agent", "slashCommand", "modelId")
        record = {key: request[key] for key in keys if request.get(key)}
        sent = _parts_of_prompt(metadata.get("renderedUserMessage")) or blocks_of(_question_in(request))
        if sent:
            log.add_parts(name, "user", sent, record, **facts)

    def add_rounds(
        self,
        log: LogBuilder,
        name: str,
        rounds: Sequence[Fields],
        results: Fields,
        facts: Fields,
        usage: Usage | None,
        summaries: dict[str, str],
    ) -> None:
        """Add one reply per round of an answer, with its tool results. The last reply has the usage.

        Args:
            log: Log that gets the messages.
            name: Id of the turn.
            rounds: Rounds of the answer.
            results: Tool results by call.
            facts: Fields of each reply, such as its model.
            usage: Usage of the whole answer; None if unknown.
            summaries: Summaries by the id of the last round that they replace.
        """
        for number, entry in enumerate(rounds, 1):
            calls = objects_of(entry.get("toolCalls"))
            thinking = fields_of(entry.get("thinking")).get("text")
            parts: list[Part] = [
                *(thoughts_of(*thinking) if isinstance(thinking, list) else thoughts_of(thinking)),
                *blocks_of(entry.get("response")),
                *(call_of(call.get("id"), call.get("name"), call.get("arguments")) for call in calls),
            ]
            own = as_text(entry.get("id")) or f"{name}-{number}"
            if parts:
                report: Fields = {"usage": usage} if number == len(rounds) else {}
                log.add_parts(own, "assistant", parts, {"round": entry.get("id")}, **facts, **report)
            for call in calls:
                if isinstance(answer := results.get(as_text(call.get("id"))), dict):
                    log.add_parts(f"{own}-result", "tool", [result_of(call.get("id"), _words_of_result(answer))], {})
            self.ends[own] = len(log.messages)
            text = as_text(entry.get("summary")) or summaries.get(own, "")
            if text:
                self.add_summary(log, own, text)

    def add_summary(self, log: LogBuilder, name: str, text: str) -> None:
        """Start a context with a summary up to a round and the messages after that round.

        Args:
            log: Log that gets the context.
            name: Id of the round that the summary ends with.
            text: The summary.
        """
        rest = log.messages[self.ends[name] :] if log.has_room_for(len(log.messages) - self.ends[name]) else []
        log.begin_anew()
        log.add_parts(f"{name}-summary", "user", blocks_of(text), kind="summary")
        for message in rest:
            if message.kind not in ("summary", "notice"):
                log.add(message.id, message.raw, {}, kind=message.kind_of_copy, time=message.time)


def _metadata_of(request: Fields) -> Fields:
    return fields_of(fields_of(request.get("result")).get("metadata"))


def _question_in(request: Fields) -> str:
    """Return the text that the user typed."""
    message = request.get("message")
    return message if isinstance(message, str) else as_text(fields_of(message).get("text"))


def _model_of_request(request: Fields) -> str:
    """Return the model that answered, or the selected one, without the prefix of the extension."""
    name = as_text(_metadata_of(request).get("resolvedModel")) or as_text(request.get("modelId"))
    return name.removeprefix("copilot/")


def _usage_of_turn(request: Fields, metadata: Fields, rounds: int) -> Usage | None:
    """Return the usage of the last model call.

    The output tokens of a request are the sum over its rounds, so they are used only if it has at most one.
    """
    sent = token_count(metadata, "promptTokens") or token_count(request, "promptTokens")
    reply = token_count(metadata, "outputTokens")
    if not reply and rounds < 2:
        reply = token_count(request, "completionTokens")
    return usage_unless_zero(sent, reply, 0, 0)


def _summaries_in(metadata: Fields) -> dict[str, str]:
    """Return the summaries in a request by the id of the last round that each covers."""
    entries = [fields_of(metadata.get("summary")), *objects_of(metadata.get("summaries"))]
    return {as_text(entry.get("toolCallRoundId")): as_text(entry["text"]) for entry in entries if entry.get("text")}


def _parts_of_prompt(content: Any) -> list[Part]:
    """Return the parts of a prompt, without cache breakpoints. Pictures and unknown parts keep their JSON."""
    parts: list[Part] = []
    for part in objects_of(content):
        if isinstance(part.get("imageUrl"), dict):
            parts += blocks_of({"type": "image_url", "image_url": part["imageUrl"]})
        elif "cacheType" not in part:
            parts += blocks_of(part)
    return parts


def _words_of_result(answer: Fields) -> str:
    """Return the text of a tool's result, whose values are texts or trees of pieces."""
    texts = []
    for entry in objects_of(answer.get("content")):
        value = entry.get("value")
        node = value.get("node") if isinstance(value, dict) else None
        texts.append("".join(_pieces_of(node)).strip(_NEWLINE) if node else as_text(value))
    return _NEWLINE.join(texts)


def _pieces_of(node: Any) -> Iterator[str]:
    """Yield the texts of a tree in order, with the line breaks between them."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if isinstance(node.get("text"), str):
                yield (_NEWLINE if node.get("lineBreakBefore") else "") + node["text"]
            waiting += reversed(objects_of(node.get("children")))


def _add_response(log: LogBuilder, name: str, response: Any, facts: Fields, usage: Usage | None) -> None:
    """Add an answer as displayed: text, and the tools between it. The last reply has the usage."""
    replies = list(_replies_in(response))
    for number, (parts, results) in enumerate(replies, 1):
        report: Fields = {"usage": usage} if number == len(replies) else {}
        log.add_parts(f"{name}-{number}", "assistant", _with_words_joined(parts), **facts, **report)
        for result in results:
            log.add_parts(f"{name}-{number}-result", "tool", [result])


def _replies_in(response: Any) -> Iterator[tuple[list[Part], list[ToolResult]]]:
    """Yield the replies of an answer, with the results of each. Text after a result begins another reply."""
    parts: list[Part] = []
    results: list[ToolResult] = []
    for piece in _response_pieces(response):
        if isinstance(piece, ToolResult):
            results.append(piece)
            continue
        if results and not isinstance(piece, ToolCall):
            yield parts, results
            parts, results = [], []
        parts.append(piece)
    if parts:
        yield parts, results


def _with_words_joined(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with adjacent texts joined."""
    result: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and result and isinstance(result[-1], Text):
            result[-1] = Text(result[-1].text + part.text)
        else:
            result.append(part)
    return result


def _response_pieces(response: Any) -> Iterator[Part]:
    for number, entry in enumerate(objects_of(response), 1):
        match entry:
            case {"kind": "thinking", "value": value}:
                yield from map(Thinking, filter(None, map(as_text, value if isinstance(value, list) else [value])))
            case {"kind": "toolInvocationSerialized"}:
                yield from _invocation(entry, f"call-{number}")
            case {"kind": "inlineReference"}:
                target = fields_of(entry.get("inlineReference"))
                path = fields_of(target.get("uri") or target).get("path")
                yield Text(as_text(entry.get("name")) or as_text(path).rpartition("/")[2])
            case {"kind": "markdownContent", "content": {"value": str(text)}}:
                yield Text(text)
            case {"value": str(text)} if text and entry.get("kind") in (None, "markdownContent"):
                yield Text(text)


def _invocation(entry: Fields, usual: str) -> Iterator[Part]:
    """Yield a call, and its result as it was displayed."""
    name = as_text(entry.get("toolCallId")) or usual
    details, own = fields_of(entry.get("resultDetails")), fields_of(entry.get("toolSpecificData"))
    arguments = details.get("input") or own.get("rawInput") or own.get("commandLine")
    yield call_of(name, entry.get("toolId"), arguments if isinstance(arguments, str | dict) else {})
    output = details.get("output")
    words = [as_text(piece.get("value")) for piece in objects_of(output)]
    seen = entry.get("pastTenseMessage") or entry.get("invocationMessage")
    yield result_of(
        name, _NEWLINE.join(filter(None, words)) or (as_text(fields_of(seen).get("value")) or as_text(seen))
    )
