"""What the benchmark beside the peers rests on: its conversations, and its judgement of what comes out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.engine.strategies import STRATEGIES
from inspector.engine.window import at_turn
from inspector.engine.window.window import problems
from tests.benchmarks.conversations import Raw, conversation
from tests.benchmarks.peers import GOAL, cases, growth, line
from tests.benchmarks.peers_case import OURS, READING, Cases, Row, run_case
from tests.benchmarks.peers_judge import Line, Verdict, judge
from tests.benchmarks.peers_others import PEERS, in_batches, strands_lines, strands_messages
from tests.benchmarks.peers_ours import names, session_of, summarises
from tests.generated import sized
from tests.provider_rules import check_openai

ASKED = Line("user", "count")
CALLED = Line("assistant", "", ("a", "b"))
RESULTS = (Line("tool", "1", answers="a"), Line("tool", "2", answers="b"))
SYSTEM = Line("system", "be brief")
WHOLE = (SYSTEM, ASKED, CALLED, *RESULTS)


def verdict(*lines: Line, apart: bool = False) -> Verdict:
    return judge(lines, 0, apart=apart)


@pytest.mark.parametrize("messages", [2, 4, 5, 6, 50, 2_000])
def test_a_generated_conversation_is_as_long_as_asked_for_and_valid(messages: int) -> None:
    written = conversation(messages)
    assert len(written) == messages
    assert check_openai({"model": "gpt-4o", "messages": written}) == []
    assert (written[0]["role"], written[-1]["role"]) == ("system", "user")
    session = session_of(written)
    assert problems(at_turn(session, replace(sized(session), limit=0))) == (), "whatever its size"


def test_the_same_seed_gives_the_same_conversation() -> None:
    assert conversation(300) == conversation(300)
    assert conversation(300) != conversation(300, seed=21)


def test_a_generated_conversation_has_what_strategies_and_memories_stumble_over() -> None:
    written = conversation(2_000)
    calls = [raw["tool_calls"] for raw in written if "tool_calls" in raw]
    assert any(len(each) > 1 for each in calls)
    results = [raw["content"] for raw in written if raw["role"] == "tool"]
    assert len(set(results)) < len(results)
    assert any(text.startswith("Error") for text in results)
    assert any("reasoning_content" in raw for raw in written)
    assert max(map(len, results)) > 10_000


def test_what_is_whole_is_valid() -> None:
    assert verdict(*WHOLE) == Verdict(5, 0, 0, 0, "kept", "user")
    assert verdict(*WHOLE).valid


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ((SYSTEM, ASKED, *RESULTS), {"orphans": 2}),
        ((SYSTEM, ASKED, RESULTS[0], CALLED, RESULTS[1]), {"orphans": 1, "unanswered": 1}),
        ((SYSTEM, ASKED, CALLED), {"unanswered": 2}),
        ((ASKED, CALLED, *RESULTS), {"system": "lost"}),
        ((SYSTEM, CALLED, *RESULTS), {"opens": "assistant"}),
        ((SYSTEM,), {"opens": ""}),
        ((), {"system": "lost", "opens": ""}),
    ],
)
def test_what_a_provider_refuses_is_counted(lines: tuple[Line, ...], wrong: dict[str, object]) -> None:
    found = verdict(*lines)
    assert {name: getattr(found, name) for name in wrong} == wrong
    assert not found.valid


def test_a_system_prompt_that_was_never_handed_over_is_not_lost() -> None:
    assert verdict(ASKED, apart=True).valid


def test_results_of_one_reply_come_together_for_the_forms_that_want_it() -> None:
    written = conversation(400)
    assert [raw for _, batch in in_batches(written) for raw in batch] == written
    told = list(strands_lines(strands_messages(written)))
    expected = [raw for raw in written if raw["role"] != "system"]
    assert [(each.role, each.answers) for each in told] == [told_of(raw) for raw in expected]
    assert [call for each in told for call in each.calls] == [
        call["id"] for raw in expected for call in raw.get("tool_calls", ())
    ]


def told_of(raw: Raw) -> tuple[str, str]:
    return raw["role"], raw.get("tool_call_id", "")


def test_every_strategy_is_measured() -> None:
    assert names() == list(STRATEGIES)


def test_every_case_is_asked_for_once_and_summaries_find_the_messages_read() -> None:
    order = [case for _, group in cases([2_000], "") for case in group]
    assert sorted(order) == sorted([*PEERS, *(OURS + name for name in STRATEGIES), READING])
    assert {name for name in STRATEGIES if order.index(OURS + name) > order.index(READING)} == set(
        filter(summarises, STRATEGIES)
    )
    assert not set(PEERS).intersection(*(group for _, group in cases([200_000], "")))


def test_cases_of_one_conversation_give_a_row_each_and_one_that_fails_says_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = Cases(50, 1_000, tmp_path, [f"{OURS}fifo"])
    run_case(run, f"{OURS}fifo", 0)
    run_case(run, f"{OURS}nothing", 0)
    row, failure = map(json.loads, capfd.readouterr().out.splitlines())
    assert (row["case"], row["messages"], row["verdict"]["orphans"]) == (f"{OURS}fifo", 50, 0)
    assert row["best"] <= row["first"]
    assert failure["note"] == "failed: KeyError: 'nothing'"


def test_a_row_says_when_it_was_given_up_when_it_failed_and_what_is_wrong() -> None:
    assert "> 60 s" in line(Row("slow", 20_000, over=60.0))
    assert line(Row("broken", 20_000, note="failed: KeyError")).endswith("failed: KeyError")
    assert "NO" in line(Row("peer", 2_000, 1.0, 1.0, verdict=verdict(ASKED)))


def test_growth_tells_what_is_linear_and_what_meets_the_goal() -> None:
    fifo, slow = f"{OURS}fifo", f"{OURS}sliding_window"
    rows = [Row(fifo, 2_000, best=1.0), Row(fifo, 20_000, best=GOAL + 1), Row("peer", 20_000, best=1)]
    (told,) = growth(rows)
    assert told.split() == ["inspector", "fifo", "21.0", "ms", "NOT", "MET", "2,000", "to", "20,000:", "2.10"]
    assert "  met" in next(growth([Row(fifo, 20_000, best=GOAL)]))
    assert "with a summary" in next(growth([Row(slow, 20_000, best=GOAL + 1)]))
