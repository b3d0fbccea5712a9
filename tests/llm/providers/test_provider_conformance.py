"""What every provider must do. Once one is registered and its refusals stand in `CHECKS`, all of this runs on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import (
    Image,
    Part,
    ProviderName,
    Raw,
    RequestContext,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    readable,
)
from inspector.engine.window.window import Window, problems
from inspector.llm.providers import (
    PROVIDERS,
    RecordedCall,
    dialect_of_message,
    message_from_raw,
    provider_of_call,
    wire_of,
)
from tests.drawn import JSON, RAWS, SCALARS, fields
from tests.generated import LETTERS, Ask, Call, Reply, Step, Stray, System, window_of, windows, work
from tests.provider_rules import check_anthropic, check_openai
from tests.responses_rules import check_responses

CHECKS = {"openai": check_openai, "openai-responses": check_responses, "anthropic": check_anthropic}
"""What each provider refuses, written down apart from the rules under test."""
NAMES = sorted(PROVIDERS)
TOOL = {"type": "function", "function": {"name": "query", "description": "Ask.", "parameters": {"type": "object"}}}
each_provider = pytest.mark.parametrize("name", NAMES)

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).filter(str.strip)
CALLS = st.builds(
    ToolCall,
    st.from_regex(r"call_[a-z0-9]{1,8}", fullmatch=True),
    st.from_regex(r"[a-z_]{1,20}", fullmatch=True),
    st.dictionaries(TEXTS, st.integers(0, 99) | TEXTS, max_size=3).map(json.dumps),
)
RESULTS = st.builds(
    lambda call_id, texts: ToolResult(call_id, tuple(map(Text, texts))),
    st.from_regex(r"call_[a-z0-9]{1,8}", fullmatch=True),
    st.lists(TEXTS, min_size=1, max_size=3),
)
REPLIES = st.lists(TEXTS.map(Text) | CALLS | TEXTS.map(lambda text: Thinking(text, "c2ln")), min_size=1, max_size=4)
TALK: list[Step] = [System(), Ask(), work("now", "now"), Reply("Three."), Ask("And in June?")]


def words(parts: Sequence[Part]) -> str:
    """What parts say beside calls and thinking, however a form divides it."""
    return "".join(readable(part) for part in parts if not isinstance(part, ToolCall | Thinking)).replace("\n", "")


def calls(parts: Sequence[Part]) -> list[tuple[str, str, Any]]:
    return [(part.id, part.name, json.loads(part.arguments)) for part in parts if isinstance(part, ToolCall)]


def call_of(request: Raw) -> RecordedCall:
    """A request as it would be recorded."""
    return RecordedCall(request.get("messages", []), request.get("system"), request.get("tools", []), "m", {**request})


def sent(name: ProviderName, window: Window) -> dict[str, Any]:
    return PROVIDERS[name].request(window.context, window.messages)


def test_every_provider_is_held_against_its_refusals() -> None:
    assert set(CHECKS) == set(PROVIDERS)


@each_provider
def test_a_provider_says_who_it_is(name: ProviderName) -> None:
    provider = PROVIDERS[name]
    assert (provider.name, wire_of(provider.wire.name)) == (name, provider.wire)
    assert provider.title
    assert "temperature" in provider.settings


@each_provider
@given(REPLIES)
def test_a_reply_that_is_written_says_the_same(name: ProviderName, parts: list[Part]) -> None:
    wire = PROVIDERS[name].wire
    raw = wire.encode("assistant", parts)
    again = wire.parse(raw)
    assert wire.role(raw) == "assistant"
    assert words(again) == words(parts).replace("\n", "")
    assert calls(again) == calls(parts)
    assert wire.parse(wire.encode("assistant", again)) == again


@each_provider
@given(RESULTS)
def test_a_result_that_is_written_says_the_same(name: ProviderName, result: ToolResult) -> None:
    wire = PROVIDERS[name].wire
    message = message_from_raw("m", wire.encode("tool", [result], "query"), wire.name)
    assert (message.role, message.answers, message.is_error) == ("tool", result.call_id, False)
    assert words(message.parts) == words([result])


@each_provider
@given(st.lists(RESULTS, min_size=1, max_size=3))
def test_results_are_joined_as_they_are_sent_and_split_again(name: ProviderName, results: list[ToolResult]) -> None:
    wire = PROVIDERS[name].wire
    pieces = [wire.encode("tool", [result]) for result in results]
    assert [piece for raw in wire.join(pieces) for piece in wire.split(raw)] == pieces


@each_provider
@given(RESULTS, TEXTS)
def test_a_result_is_changed_where_it_is_asked_for_and_nowhere_else(
    name: ProviderName, result: ToolResult, text: str
) -> None:
    wire = PROVIDERS[name].wire
    raw = wire.encode("tool", [result])
    (shorter,) = wire.parse(wire.with_result_text(raw, text))
    assert shorter == ToolResult(result.call_id, (Text(text),))
    (renamed,) = wire.parse(wire.with_call_id(raw, "call_new"))
    assert isinstance(renamed, ToolResult) and renamed.call_id == "call_new"
    assert words([renamed]) == words([result])
    user = wire.result_as_words(raw)
    assert wire.role(user) == "user"
    assert words(wire.parse(user)) == words([result])


@each_provider
@given(REPLIES, st.sets(st.integers(0, 3)))
def test_a_reply_loses_what_is_taken_out_and_nothing_else(
    name: ProviderName, parts: list[Part], places: set[int]
) -> None:
    wire = PROVIDERS[name].wire
    raw = wire.encode("assistant", parts)
    before = wire.parse(raw)
    fewer = wire.without_calls(raw, sorted(places))
    rest = [call for place, call in enumerate(calls(before)) if place not in places]
    assert (fewer is None) == (not rest and not words(before))
    if fewer is not None:
        after = wire.parse(fewer)
        assert (words(after), calls(after)) == (words(before), rest)
    emptied = wire.parse(wire.without_inputs(raw))
    assert calls(emptied) == [(call_id, tool, {}) for call_id, tool, _ in calls(before)]
    assert words(emptied) == words(before)
    quiet = wire.without_thinking(raw)
    assert (quiet is None) == all(isinstance(part, Thinking) for part in before)
    if quiet is not None:
        assert wire.parse(quiet) == tuple(part for part in before if not isinstance(part, Thinking))


@each_provider
@given(REPLIES, RESULTS)
def test_what_it_writes_is_found_to_say_the_same(name: ProviderName, parts: list[Part], result: ToolResult) -> None:
    wire = PROVIDERS[name].wire
    roles: list[tuple[Role, list[Part]]] = [("assistant", parts), ("tool", [result]), ("user", [Text("Go on.")])]
    for role, written in roles:
        raw = wire.encode(role, written)
        found = wire_of(dialect_of_message(raw))
        assert (found.role(raw), found.parse(raw)) == (wire.role(raw), wire.parse(raw))


@each_provider
def test_its_own_requests_are_found_to_be_its_own(name: ProviderName) -> None:
    result = provider_of_call(call_of(sent(name, window_of(*TALK))))
    assert result is not None and result.name == name


@each_provider
@given(windows())
def test_a_request_is_never_refused(name: ProviderName, window: Window) -> None:
    assert CHECKS[name](sent(name, window)) == []


@each_provider
def test_a_conversation_in_order_is_not_refused(name: ProviderName) -> None:
    for step in range(1, len(TALK) + 1):
        window = window_of(*TALK[:step]) if step > 1 else window_of(Ask())
        assert problems(window, name) == ()


@each_provider
@pytest.mark.parametrize(
    "steps",
    [
        [System()],
        [Ask(), Stray()],
        [Ask(), work("twice"), Reply()],
        [Ask(), work("never"), Ask()],
        [Ask(), work("now", "never"), Ask()],
        [Ask(), Reply(None, (Call("a"), Call("a")))],
        [Ask(), Reply(None, (Call(""),))],
    ],
    ids=["no message", "stray result", "second result", "no result", "one of two results", "id twice", "no id"],
)
def test_what_is_out_of_order_is_refused_and_put_right(name: ProviderName, steps: list[Step]) -> None:
    provider = PROVIDERS[name]
    window = window_of(*steps, dialect=provider.wire.name)
    alone = name == "openai" and steps == [System()]  # the one form in which system messages are messages
    assert bool(problems(window, name)) is not alone
    assert CHECKS[name](sent(name, window)) == []


@each_provider
def test_tools_and_pictures_take_tokens(name: ProviderName) -> None:
    provider = PROVIDERS[name]
    assert provider.count_tools([], LETTERS) == 0
    assert 0 < provider.count_tools([TOOL], LETTERS) < provider.count_tools([TOOL, TOOL], LETTERS)
    assert provider.image_tokens(Image()) >= provider.image_tokens(Image("image/png", 64, 64)) > 0


@each_provider
def test_settings_go_along_where_they_mean_the_same(name: ProviderName) -> None:
    window = window_of(*TALK)
    for dialect in RAWS:
        context = RequestContext("m", dialect, (), {"temperature": 0.5, "max_tokens": 77})
        request = PROVIDERS[name].request(context, window.messages)
        assert request["model"] == "m"
        assert ("temperature" in request) == (dialect == PROVIDERS[name].wire.name)


@each_provider
@given(raw=st.one_of(*RAWS.values(), fields(role=JSON, content=JSON, tool_calls=JSON, name=JSON)))
def test_hostile_messages_raise_nothing_and_stay_as_they_were(name: ProviderName, raw: dict[str, Any]) -> None:
    provider, before = PROVIDERS[name], repr(raw)
    wire = provider.wire
    pieces = wire.split(raw)
    messages = [message_from_raw(f"m{at}", piece, wire.name) for at, piece in enumerate(pieces)]
    assert all(sum(isinstance(part, ToolResult) for part in message.parts) <= 1 for message in messages)
    for piece in [raw, *pieces]:
        changed = [wire.with_result_text(piece, "x"), wire.with_call_id(piece, "c"), wire.result_as_words(piece)]
        changed += [wire.without_inputs(piece), *wire.join([piece, piece])]
        changed += filter(None, [wire.without_calls(piece, [0]), wire.without_thinking(piece)])
        for again in changed:
            wire.encode(wire.role(again), wire.parse(again))
    assert 0 <= wire.confidence(raw) <= 1
    assert 0 <= provider.confidence(RecordedCall([raw, 7], model="claude", reply=raw)) <= 1
    assert list(provider.message_faults(messages, [len(messages)])) is not None
    assert CHECKS[name](provider.request(RequestContext("m", wire.name), messages)) == []
    assert repr(raw) == before


@each_provider
@given(
    st.dictionaries(st.sampled_from(["prompt_tokens", "input_tokens", "output_tokens", "input_tokens_details"]), JSON)
)
def test_a_hostile_report_of_usage_raises_nothing(name: ProviderName, report: dict[str, Any]) -> None:
    usage = PROVIDERS[name].usage(report)
    assert usage is None or usage.input + usage.output > 0


@each_provider
@given(st.lists(fields(name=JSON, type=SCALARS, function=JSON, input_schema=JSON, parameters=JSON), max_size=3))
def test_hostile_tools_raise_nothing(name: ProviderName, tools: list[dict[str, Any]]) -> None:
    provider = PROVIDERS[name]
    assert provider.count_tools(tools, LETTERS) >= 0
    messages = window_of(*TALK).messages
    assert provider.request(RequestContext("m", provider.wire.name, tuple(tools)), messages)["model"] == "m"
