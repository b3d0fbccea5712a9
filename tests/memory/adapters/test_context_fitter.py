"""What all adapters share: messages that fit, in the caller's types, with compressions that stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.memory import ContextLimitError, LLMMessage, MemoryConfig
from inspector.memory.adapters.context_fitter import ContextFitter, config_for
from tests.provider_rules import check_openai

TASK = "Count the orders of May"


@dataclass
class Entry:
    """A message of a made-up framework: several results in one message."""

    kind: str
    text: str = ""
    ids: tuple[str, ...] = ()


def read(entry: Entry) -> list[LLMMessage]:
    match entry.kind:
        case "results":
            return [LLMMessage("tool", entry.text, tool_call_id=name) for name in entry.ids]
        case "calls":
            function = {"name": "look", "arguments": "{}"}
            return [
                LLMMessage(
                    "assistant", None, [{"id": name, "type": "function", "function": function} for name in entry.ids]
                )
            ]
        case "empty":
            return []
    return [LLMMessage(entry.kind, entry.text)]


def write(original: Entry | None, messages: Sequence[LLMMessage]) -> list[Entry]:
    if original is not None:
        ids = tuple(str(message.tool_call_id) for message in messages if message.role == "tool")
        return [Entry(original.kind, messages[0].text, ids or original.ids)]
    return [Entry(message.role, message.text) for message in messages]


def fitter(**options: Any) -> ContextFitter:
    return ContextFitter(write, read, model="gpt-4o", **options)


def run_of(steps: int, words: int = 100, results: int = 2) -> list[Entry]:
    entries = [Entry("system", "Be brief."), Entry("user", TASK)]
    for step in range(steps):
        ids = tuple(f"c{step}-{n}" for n in range(results))
        entries += [Entry("calls", ids=ids), Entry("results", f"result {step} " + "word " * words, ids)]
    return entries


def request_of(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    return [message.to_dict() for entry in entries for message in read(entry)]


def refusals(entries: Sequence[Entry]) -> list[str]:
    problems = check_openai({"model": "gpt-4o", "messages": request_of(entries)})
    return [problem for problem in problems if "could be one" not in problem]


def test_messages_that_fit_are_the_same_objects() -> None:
    entries = run_of(3)
    assert all(map(lambda one, other: one is other, fitter(budget=5_000).fit(entries), entries))


@given(st.integers(1, 25), st.integers(0, 400), st.integers(1, 4), st.integers(2_500, 6_000), st.booleans())
def test_every_request_of_a_growing_run_is_valid_and_fits(
    steps: int, words: int, results: int, budget: int, replaces: bool
) -> None:
    """Also where the framework replaces its history by the result."""
    fit = fitter(budget=budget)
    history: list[Entry] = []
    for number, entry in enumerate(run_of(steps, words, results)):
        history.append(entry)
        if entry.kind == "calls" or number == 0:
            continue
        fitted = fit.fit(history)
        assert refusals(fitted) == []
        assert any(one.text == TASK for one in fitted) and fitted[0].text == "Be brief."
        assert sum(len(str(message["content"] or "").split()) for message in request_of(fitted)) <= budget
        if replaces:
            history = list(fitted)


def test_a_compression_stays_so_that_the_next_request_begins_with_the_same_messages() -> None:
    fit, entries = fitter(budget=3_000), run_of(20)
    first = fit.fit(entries)
    assert len(first) < len(entries)
    assert fit.fit(entries) == first
    assert fit.fit([*entries, Entry("assistant", "Twelve."), Entry("user", "Why?")])[: len(first)] == first


def test_conversations_are_kept_apart_also_with_the_same_beginning() -> None:
    fit = fitter(budget=3_000)
    one, other = [*run_of(20), Entry("user", "One")], [*run_of(12, 150), Entry("user", "Other")]
    for entries in (one, other, one, other):
        assert fit.fit(entries)[-1].text == entries[-1].text
        assert fit.fit(entries) == fitter(budget=3_000).fit(entries)


def test_a_message_of_several_results_is_cut_and_keeps_its_ids() -> None:
    entries = [*run_of(0), Entry("calls", ids=("a", "b")), Entry("results", "word " * 4_000, ("a", "b"))]
    last = fitter(budget=3_000).fit(entries)[-1]
    assert (last.kind, last.ids) == ("results", ("a", "b"))
    assert len(last.text) < 10_000


def test_a_message_without_content_stays_at_the_end() -> None:
    entries = [*run_of(20), Entry("empty", "instructions")]
    assert fitter(budget=3_000).fit(entries)[-1] is entries[-1]


def test_an_overflow_is_reduced_further() -> None:
    fit, entries = fitter(budget=100_000), run_of(20)
    assert fit.fit(entries) == entries
    shorter = fit.fit(entries, overflow=True)
    assert len(shorter) < len(entries) and refusals(shorter) == []


def test_what_cannot_fit_is_an_error() -> None:
    with pytest.raises(ContextLimitError, match="more than the budget of 500"):
        fitter(budget=500).fit([Entry("user", "word " * 1_000)])


def test_a_preset_is_used_by_its_name_within_the_budget() -> None:
    config = config_for("aggressive", 10_000)
    assert config.max_context_tokens == 10_000
    assert config.compression_strategy == MemoryConfig.from_preset("aggressive").compression_strategy
    assert config_for(None, 10_000).compression_threshold == 10_000
    with pytest.raises(ValueError, match="no preset 'bold'"):
        config_for("bold", None)
