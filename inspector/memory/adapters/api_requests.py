"""Requests to the API of a model as messages of a memory, and requests with other messages in their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, groupby
from typing import Any

from inspector.core.conversation import Dialect, Message, ProviderName, Raw, RequestContext, Unknown
from inspector.core.text import dumps, word_set
from inspector.engine.window import Window, refusals_in
from inspector.llm.providers import blocks_of, is_compaction, is_item, is_sealed_summary, message_from_raw, wire_of
from inspector.llm.tokens import CharsCounter, Sizes
from inspector.memory.adapters.session_items import items_of, made_of_items, messages_with_items
from inspector.memory.message_adapter import LLMMessage, message_of

_FIELDS: Mapping[str, frozenset[str]] = {
    "anthropic-messages": word_set(
        "betas cache_control container context_management inference_geo max_tokens mcp_servers messages metadata model"
        " output_config output_format service_tier speed stop_sequences stream system temperature thinking tool_choice"
        " tools top_k top_p"
    ),
    "openai-chat": word_set(
        "audio frequency_penalty logit_bias logprobs max_completion_tokens max_tokens messages metadata modalities"
        " model n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention"
        " reasoning_effort response_format safety_identifier seed service_tier stop store stream"
        " stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options"
    ),
    "openai-responses": word_set(
        "background client_metadata include input instructions max_output_tokens max_tool_calls metadata model"
        " parallel_tool_calls prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store"
        " stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user"
    ),
}
"""Fields of requests whose messages may be replaced. Others may refer to messages on the server of the provider."""
_MESSAGE_FIELDS = {
    "anthropic-messages": word_set("content role"),
    "openai-chat": word_set(
        "annotations audio content name reasoning reasoning_content reasoning_details refusal role tool_call_id"
        " tool_calls"
    ),
}
_LISTS = {"anthropic-messages": "messages", "openai-chat": "messages", "openai-responses": "input"}
_CACHE = "cache_control"
_RESULT = "tool_result"


_Part = tuple[Raw, int | None]
"""A message, and its position in the list of a request unless it is new."""


class UncertainRequestError(Exception):
    """Raised if it is not certain that a request may be changed. The message completes "because …"."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One or several raw messages that stay or leave together."""

    raws: Sequence[Raw]
    source: LLMMessage
    digest: bytes
    """Digest of the messages without marks for the prompt cache, which programs move."""


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request whose messages can be replaced."""

    api: str
    request: Raw
    model: str
    system: LLMMessage | None
    """System prompt outside the list of messages."""
    units: Sequence[Unit]

    @property
    def dialect(self) -> Dialect:
        """Wire format of its messages in a memory."""
        return "anthropic" if self.api == "anthropic-messages" else "openai"

    @property
    def provider(self) -> ProviderName:
        """Provider whose rules it has to follow."""
        return "openai-responses" if self.api == "openai-responses" else self.dialect

    @property
    def tools(self) -> Sequence[Raw]:
        """Its tool definitions."""
        return [tool for tool in self.request.get("tools") or () if isinstance(tool, dict)]

    @property
    def head(self) -> bytes:
        """Digest of everything before the messages that a prompt cache covers."""
        fields = [self.request.get(name) for name in ("model", "system", "instructions", "tools")]
        return _unit_digest([self.api, fields])

    def with_messages(self, messages: Sequence[LLMMessage]) -> tuple[Raw, list[Any]]:
        """Return the request with other messages, and them as positions in its own list, or new messages.

        Args:
            messages: The sources of some units, and new messages, in order.
        """
        parts = list(self._parts_of(messages))
        if self.api != "openai-responses":
            parts = list(_joined(parts, ("user",) if self.api == "openai-chat" else ("user", "assistant")))
        new = [raw if place is None else place for raw, place in parts]
        return {**self.request, _LISTS[self.api]: [raw for raw, _ in parts]}, new

    def _parts_of(self, messages: Sequence[LLMMessage]) -> Iterator[_Part]:
        units = {id(unit.source): number for number, unit in enumerate(self.units)}
        starts = [0, *accumulate(len(unit.raws) for unit in self.units)]
        for message in messages:
            number = units.get(id(message))
            if number is not None:
                yield from ((raw, starts[number] + place) for place, raw in enumerate(self.units[number].raws))
            elif message is not self.system:
                yield from ((_without_cache_marks(raw), None) for raw in self._raws_of(message))

    def _raws_of(self, message: LLMMessage) -> Sequence[Raw]:
        return items_of(message) if self.api == "openai-responses" else [message.to_dict()]

    def refusal(self) -> str:
        """Return why the provider would refuse its messages; empty if it would accept them."""
        wire = wire_of(self.dialect)
        raws = [raw for source in self.sources for raw in wire.split(_without_own_fields(source))]
        messages = tuple(message_from_raw(f"m{number}", raw, self.dialect) for number, raw in enumerate(raws))
        context = RequestContext(self.model, self.dialect, tuple(self.tools), is_sent=True)
        sizes = Sizes((), "estimated", 0, "estimated", 0, 0, CharsCounter(4))
        window = Window(context, sizes, 0, messages, (0,) * len(messages), 0)
        return next((words for _, words in refusals_in(window, self.provider)), "")

    @property
    def sources(self) -> Sequence[LLMMessage]:
        """The system prompt and the messages."""
        return [*([self.system] if self.system else ()), *(unit.source for unit in self.units)]


def api_request(api: str, request: Raw, checked: set[bytes] | None = None) -> ApiRequest:
    """Return a request whose messages can be replaced.

    Args:
        api: `anthropic-messages`, `openai-chat` or `openai-responses`.
        request: The request of a program.
        checked: Digests of messages that an earlier request of the API had, which are not checked again; extended.

    Raises:
        UncertainRequestError: It has fields or content of unknown effect, or refers to messages elsewhere.
    """
    checked = set() if checked is None else checked
    raws = _checked_messages(api, request)
    instructions = request.get("system") if api == "anthropic-messages" else request.get("instructions")
    system = LLMMessage("system", instructions) if instructions and api != "openai-chat" else None
    units = list(_response_units(raws, checked) if api == "openai-responses" else _chat_units(api, raws, checked))
    return ApiRequest(api, request, request["model"], system, units)


def _checked_messages(api: str, request: Raw) -> list[Raw]:
    """Return the messages of a request. Raises UncertainRequestError if they may not be replaced."""
    if api not in _FIELDS:
        raise UncertainRequestError("the request only compacts")
    model, raws = request.get("model"), request.get(_LISTS[api])
    if unknown := sorted(set(request) - _FIELDS[api]):
        raise UncertainRequestError(f"the field {unknown[0][:40]!r} of the request is unknown or refers to others")
    if not isinstance(model, str) or not isinstance(raws, list) or not all(isinstance(raw, dict) for raw in raws):
        raise UncertainRequestError("the request has no list of messages")
    if "compact" in dumps(request.get("context_management") or ""):
        raise UncertainRequestError("the provider compacts the conversation itself")
    return raws


def _chat_units(api: str, raws: Sequence[Raw], checked: set[bytes]) -> Iterator[Unit]:
    for raw in raws:
        if unknown := sorted(raw.keys() - _MESSAGE_FIELDS[api]):
            raise UncertainRequestError(f"the field {unknown[0][:40]!r} of a message is unknown")
        digest = _unit_digest(raw)
        if digest not in checked:
            _check_chat_message(api, raw)
            checked.add(digest)
        yield Unit((raw,), message_of(raw), digest)


def _check_chat_message(api: str, raw: Raw) -> None:
    """Raise UncertainRequestError if a message has content of unknown effect."""
    if is_compaction(raw):
        raise UncertainRequestError("the provider compacts the conversation itself")
    _check_parts(message_from_raw("", raw, "anthropic" if api == "anthropic-messages" else "openai"))


def _response_units(items: Sequence[Raw], checked: set[bytes]) -> Iterator[Unit]:
    for item in items:
        if not (is_item(item) or (item.get("type", "message") == "message" and "role" in item)):
            raise UncertainRequestError(f"the item type {str(item.get('type'))[:40]!r} is unknown")
        if is_sealed_summary(item):
            raise UncertainRequestError("the provider compacts the conversation itself")
    for source in messages_with_items(items):
        made_of = made_of_items(source)
        digest = _unit_digest(made_of)
        own = made_of if digest in checked else items_of(source)
        if own == made_of:
            checked.add(digest)
        else:
            digest = _unit_digest(own)
        yield Unit(own, source, digest)


def _check_parts(message: Message) -> None:
    """Raise UncertainRequestError if a message contains blocks of unknown effect."""
    for part in message.parts:
        if isinstance(part, Unknown) and not part.is_internal:
            raise UncertainRequestError(f"the block type {part.type[:40]!r} is unknown")


def _without_own_fields(message: LLMMessage) -> Raw:
    """Return a message of a Responses request in chat form, without the items that it was made of."""
    return {key: value for key, value in message.to_dict().items() if key != "responses_items"}


def _joined(parts: Sequence[_Part], roles: Sequence[str]) -> Iterator[_Part]:
    """Yield messages without neighbors of the same role, as some APIs require: they become one, results first."""
    for role, run in groupby(parts, key=lambda part: part[0].get("role")):
        pieces = list(run)
        places = [place for _, place in pieces]
        first = places[0]
        if role not in roles or (first is not None and places == [*range(first, first + len(places))]):
            yield from pieces
        elif len(pieces) == 1:
            yield pieces[0]
        else:
            yield {"role": role, "content": _joined_content([raw for raw, _ in pieces])}, None


def _joined_content(raws: Sequence[Raw]) -> Any:
    contents = [raw.get("content") for raw in raws]
    texts = [content for content in contents if isinstance(content, str)]
    if len(texts) == len(contents):
        return "\n\n".join(texts)
    return sorted((block for raw in raws for block in blocks_of(raw)), key=lambda block: block.get("type") != _RESULT)


def _without_cache_marks(value: Any) -> Any:
    """Return a message, or its content, without marks for the prompt cache."""
    if isinstance(value, Mapping):
        content = {"content": _without_cache_marks(value["content"])} if "content" in value else {}
        return {key: item for key, item in value.items() if key != _CACHE} | content
    return [_without_cache_marks(item) for item in value] if isinstance(value, list) else value


def _unit_digest(value: Any) -> bytes:
    """Return a digest of a message, or a list, without marks for the prompt cache."""
    words = dumps(value)
    if _CACHE in words:
        words = dumps(_without_cache_marks(value))
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
