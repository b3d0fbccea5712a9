"""Ways of counting beside each other, each with its distance from what the provider reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import MAIN, Message, Session, Usage
from inspector.llm.models.encodings import EncodingName
from inspector.llm.providers import message_from_raw, text_message
from inspector.llm.tokens.counting import TokenizerCounter, count_message
from inspector.llm.tokens.methods import MethodResult, compare_methods
from inspector.llm.tokens.session_counting import digest
from inspector.llm.tokens.sizes import count_sizes, counter_for

TOOL = {"name": "read", "description": "Reads a file.", "parameters": {"type": "object", "properties": {}}}
LINE = "The lamp of pier 4 was lit at 21:40 and burned until 05:12. "


def talk(model: str, reported: Sequence[int], records_system: bool = True, words: int = 5, **facts: Any) -> Session:
    """A conversation whose every request is as long as the one before and `words` lines more."""
    messages: list[Message] = []
    for turn, size in enumerate(reported):
        before = len(messages) - 1
        messages.append(text_message(f"u{turn}", "user", LINE * words, "openai", parent=before))
        usage = Usage(size, 10) if size else None
        messages.append(
            text_message(
                f"a{turn}", "assistant", "Noted.", "openai", parent=before + 1, usage=usage, model=model, **facts
            )
        )
    return Session("s", "A talk", "test", tuple(messages), model, (), records_system=records_system)


def sums(session: Session, encoding: EncodingName = "o200k_base") -> list[int]:
    """The window of each turn as the encoding counts it: frames, texts, and 3 for the reply."""
    counter = TokenizerCounter(encoding)
    sizes = [count_message(message, counter) for message in session.messages]
    return [3 + sum(sizes[:place]) for place in session.turns(MAIN)]


def by_name(session: Session, **options: Any) -> dict[str, MethodResult]:
    found = compare_methods(session, **options)
    return {result.name if result.how != "3.5 characters a token" else "3.5": result for result in found}


def exactly(session: Session, encoding: EncodingName = "o200k_base") -> Session:
    """The same conversation, reported as the encoding counts it."""
    return talk(session.model, sums(session, encoding), session.records_system)


def test_the_four_methods_and_what_inspector_shows_stand_side_by_side() -> None:
    names = [result.name for result in compare_methods(talk("claude-sonnet-4", [100, 200]))]
    assert names == ["reported", "tiktoken", "characters", "characters", "tokenizer", "calibrated"]
    assert [result.name for result in compare_methods(talk("gpt-4o", [100, 200]))].count("characters") == 1


def test_a_models_own_encoding_meets_what_it_reports() -> None:
    session = exactly(talk("gpt-4o", [1] * 4))
    result = by_name(session)
    for name in ("tiktoken", "tokenizer", "calibrated"):
        assert (result[name].error_pct, result[name].bias_pct, result[name].added_pct) == (0.0, 0.0, 0.0)
        assert result[name].tokens == result["reported"].tokens == sums(session)[-1]
        assert result[name].turns == 4


def test_an_older_models_own_encoding_is_another_than_the_newest() -> None:
    session = exactly(talk("gpt-4", [1] * 3), "cl100k_base")
    result = by_name(session)
    assert (result["tokenizer"].how, result["tokenizer"].error_pct) == ("cl100k_base", 0.0)
    assert result["tiktoken"].how == "o200k_base"
    assert result["tiktoken"].note == "The model's own encoding is cl100k_base."


def test_an_error_by_hand() -> None:
    # windows of 400 characters are 100 tokens at 4 to a token; reported 125 and, with "Noted." and 400 more, 160
    texts = ["x" * 400, "Noted.", "y" * 400, "Noted."]
    roles = ["user", "assistant", "user", "assistant"]
    usages = [None, Usage(125, 1), None, Usage(160, 1)]
    messages = [
        message_from_raw(f"m{place}", {"role": role, "content": text}, "openai", parent=place - 1, usage=usage)
        for place, (role, text, usage) in enumerate(zip(roles, texts, usages, strict=True))
    ]
    result = by_name(Session("s", "t", "test", tuple(messages), "gpt-4o"))["characters"]
    # told 100 and 100 + 2 + 100 = 202: off by -25 of 125 and +42 of 160, so 20 % and 26.25 %
    assert result.tokens == 202
    assert result.error_pct == pytest.approx((20 + 26.25) / 2)
    assert result.bias_pct == pytest.approx((-20 + 26.25) / 2)
    # 35 were added in truth, 102 by the count
    assert result.added_pct == pytest.approx(100 * (102 - 35) / 35)


def test_where_the_system_prompt_is_unrecorded_each_window_is_foretold_from_the_one_before() -> None:
    inner = sums(talk("gpt-4o", [1] * 5))
    session = talk("gpt-4o", [15_000 + size for size in inner], records_system=False)
    result = by_name(session)["tiktoken"]
    assert (result.error_pct, result.added_pct, result.turns) == (0.0, 0.0, 4)
    assert result.tokens == 15_000 + inner[-1]


def test_what_is_calibrated_is_judged_by_its_own_totals() -> None:
    inner = sums(talk("claude-sonnet-4", [1] * 12))
    hidden = [20_000 if turn < 6 else 80_000 for turn in range(12)]
    reports = [more + round(1.3 * size) for more, size in zip(hidden, inner, strict=True)]
    result = by_name(talk("claude-sonnet-4", reports, records_system=False))["calibrated"]
    assert result.error_pct is not None and result.error_pct < 0.2
    assert result.turns == 12


def test_what_was_added_tells_methods_apart_that_whole_windows_do_not() -> None:
    inner = sums(talk("claude-sonnet-4", [1] * 8))
    session = talk("claude-sonnet-4", [50_000 + round(1.3 * size) for size in inner], records_system=False)
    result = by_name(session)
    assert result["tiktoken"].error_pct == pytest.approx(0, abs=0.1)
    assert result["tiktoken"].added_pct == pytest.approx(-23, abs=1)  # 1/1.3 - 1


def test_calibrating_takes_the_bias_away() -> None:
    inner = sums(talk("claude-sonnet-4", [1] * 20, words=12))
    session = talk("claude-sonnet-4", [round(1.3 * size) for size in inner], words=12)
    result = by_name(session)
    assert result["tiktoken"].bias_pct == pytest.approx(-23, abs=1)
    assert result["calibrated"].bias_pct == pytest.approx(0, abs=1)
    assert result["calibrated"].how.startswith("o200k_base × 1.")


def test_a_tokenizer_that_is_not_public_is_no_number() -> None:
    result = by_name(talk("claude-sonnet-4", [100, 200]))["tokenizer"]
    assert (result.tokens, result.error_pct, result.how) == (None, None, "not public")
    assert result.note == "The tokenizer of anthropic models is not public."
    assert by_name(talk("banana", [100]))["tokenizer"].note == "The model is unknown."


def test_the_estimate_of_requirement_3_stands_beside_the_one_of_requirement_1() -> None:
    result = by_name(talk("claude-sonnet-4", [100, 200]))
    assert (result["characters"].how, result["3.5"].how) == ("4 characters a token", "3.5 characters a token")
    ours, theirs = result["characters"].tokens, result["3.5"].tokens
    assert ours is not None
    assert theirs is not None
    assert ours < theirs


def test_without_reported_usage_there_are_counts_and_no_errors() -> None:
    found = by_name(talk("gpt-4o", [0, 0, 0]))
    assert found["reported"].note == "No call reported its usage."
    assert found["reported"].tokens is None
    counter = TokenizerCounter("o200k_base")
    whole = 3 + sum(count_message(message, counter) for message in talk("gpt-4o", [0, 0, 0]).messages)
    assert found["tiktoken"].tokens == found["calibrated"].tokens == whole
    assert all(result.error_pct is None and result.turns == 0 for result in found.values())


def test_an_empty_session_can_be_compared_too() -> None:
    assert all(result.turns == 0 for result in compare_methods(Session("s", "", "test", ())))


def test_each_agent_is_tried_by_itself() -> None:
    main = talk("gpt-4o", [100, 200, 300])
    helper = [
        text_message("h0", "user", LINE, "openai", agent="helper"),
        text_message("h1", "assistant", "Done.", "openai", agent="helper", parent=6, usage=Usage(20, 1)),
    ]
    session = main.extend(helper)
    assert by_name(session)["reported"].turns == 3
    assert by_name(session, agent="helper")["reported"].tokens == 20


def test_tools_are_counted_with_each_method() -> None:
    session = talk("gpt-4o", [0])
    bare, tooled = by_name(session), by_name(Session("s", "t", "test", session.messages, "gpt-4o", (TOOL,)))
    for name in ("tiktoken", "characters", "tokenizer", "calibrated"):
        assert (tooled[name].tokens or 0) > (bare[name].tokens or 0)


def test_counts_that_are_there_are_not_made_again() -> None:
    session = talk("claude-sonnet-4", [100, 200])
    known = {digest(message): 1_000 for message in session.messages}
    result = by_name(session, caches={"o200k_base": known})
    assert result["tiktoken"].tokens == 3 + 3 * 1_000


def test_it_tells_how_far_it_is() -> None:
    lines: list[tuple[str, int, int]] = []
    compare_methods(talk("gpt-4", [100, 200]), on_progress=lambda *step: lines.append(step))
    assert [name for name, result, total in lines if result == total == 4] == [
        "counting with o200k_base",
        "counting with cl100k_base",
    ]


@given(st.lists(st.integers(1, 100_000), min_size=1, max_size=8), st.booleans())
def test_errors_are_as_large_as_their_bias_and_no_method_is_without_a_name(sizes: list[int], system: bool) -> None:
    for result in compare_methods(talk("gpt-4o", sizes, system)):
        assert result.how
        if result.error_pct is not None and result.bias_pct is not None:
            assert result.error_pct >= abs(result.bias_pct) - 1e-9


def test_what_is_called_calibrated_is_what_the_app_shows() -> None:
    inner = sums(talk("claude-sonnet-4", [1] * 10))
    session = talk("claude-sonnet-4", [round(1.2 * size) for size in inner])
    counter = counter_for(session.model)
    sizes = count_sizes(session, [count_message(message, counter) for message in session.messages], counter)
    error = by_name(session)["calibrated"].error_pct
    assert error is not None
    assert sizes.error == pytest.approx(error / 100, abs=0.005)
