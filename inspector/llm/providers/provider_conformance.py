"""Conformance checks for providers, used by the authors of plugins. See `inspector.testing`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

from inspector.core.conversation import Dialect, Part, Raw, RequestContext, Role, Text, ToolCall, ToolResult
from inspector.llm.providers.base import Provider, WireFormat
from inspector.llm.providers.registry import DIALECTS
from inspector.llm.providers.sample_conversation import sample_messages

_ODD: tuple[Raw, ...] = ({}, {"role": 7}, {"role": "user", "content": None}, {"role": "assistant", "content": [1, {}]})
"""Invalid records, which must not raise."""


def check_provider(provider: Provider, *, seed: int = 0, rounds: int = 40) -> None:
    """Check a provider with generated conversations in its own wire format and in all others.

    Args:
        provider: The provider object.
        seed: Seed of the first generated conversation.
        rounds: Number of conversations for each wire format.

    Raises:
        AssertionError: A rule is violated. The message names the rule.
    """
    assert provider.name and provider.title, "a provider needs a name and a title"
    assert isinstance(provider.families, frozenset), "families must be a frozenset"
    _check_odd_records(provider)
    _check_round_trips(provider.wire)
    for dialect in {*DIALECTS, provider.wire.name}:
        for number in range(seed, seed + rounds):
            _check_request(provider, dialect, number)


def _check_odd_records(provider: Provider) -> None:
    wire = provider.wire
    for raw in _ODD:
        assert isinstance(wire.parse(raw), tuple), f"parse must return a tuple of parts for any record: {raw}"
        assert wire.role(raw) in ("system", "user", "assistant", "tool"), (
            f"role must return a role for any record: {raw}"
        )
        assert 0 <= wire.confidence(raw) <= 1, f"confidence must be between 0 and 1 for any record: {raw}"
        assert provider.usage(raw) is None, f"usage must return None for a record without usage: {raw}"


def _check_round_trips(wire: WireFormat) -> None:
    for role, part in _SAMPLES:
        raw = wire.encode(role, [part], "query")
        assert json.loads(json.dumps(raw)) == raw, f"encode must write JSON values: {raw}"
        assert _comparable(wire.parse(raw)) == _comparable([part]), f"parse must read the output of encode: {part}"


def _check_request(provider: Provider, dialect: Dialect, seed: int) -> None:
    messages = sample_messages(Random(f"provider {seed}"), dialect)
    context = RequestContext("", dialect)
    request = provider.request(context, messages)
    where = f"dialect {dialect}, seed {seed}"
    assert json.loads(json.dumps(request)) == request, f"a request must consist of JSON values ({where})"
    assert request == provider.request(context, messages), f"the same messages must give the same request ({where})"
    written = json.dumps(request, ensure_ascii=False)
    words = [part.text for message in messages for part in message.parts if isinstance(part, Text)]
    missing = [text for text in words if json.dumps(text, ensure_ascii=False)[1:-1] not in written]
    assert not missing, f"a request must contain all text: {missing[:1]} ({where})"


_SAMPLES: tuple[tuple[Role, Part], ...] = (
    ("user", Text("How many orders are there?")),
    ("assistant", Text("There are three.")),
    ("assistant", ToolCall("call_1", "query", '{"table": "orders"}')),
    ("tool", ToolResult("call_1", (Text("3 rows"),))),
)


def _comparable(parts: Sequence[Part]) -> list[object]:
    """Return parts in a form that can be compared, with the arguments of calls as values."""
    return [(part.id, part.name, json.loads(part.arguments)) if isinstance(part, ToolCall) else part for part in parts]
