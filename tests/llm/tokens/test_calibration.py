"""Reported usage tells how far our counts are from the provider's, and how much no file records."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import InMemoryBody, Message, Role, Session, SizeFacts, Usage
from inspector.llm.tokens.calibration import Calibration, calibrate, running_totals

SIZE = 400
"""What we count for each message."""


def message(n: int, role: Role, reported: int = 0, **fields: object) -> Message:
    usage = Usage(reported, 50) if role == "assistant" else None
    head = Message(str(n), role, InMemoryBody({}), parent=n - 1, usage=usage, model="m" if usage else "")
    return replace(head, **fields)  # type: ignore[arg-type]


def recorded(turns: int, report: Callable[[int], float], records_system: bool = False) -> Session:
    """A conversation of requests and replies; `report` tells the usage for a number of counted tokens."""
    messages: list[Message] = []
    for _ in range(turns):
        messages.append(message(len(messages), "user"))
        messages.append(message(len(messages), "assistant", round(report(len(messages) * SIZE))))
    return Session("s", "Planted", "test", tuple(messages), model="m", records_system=records_system)


def fit(session: Session, tools: int = 0, own_tokenizer: bool = False) -> Calibration:
    return calibrate(session, [SIZE] * len(session.messages), tools, own_tokenizer=own_tokenizer)


def totals(session: Session, fitted: Calibration) -> Iterable[tuple[int, int]]:
    """Our total of the window of each turn, and the reported one."""
    sums = running_totals(session, fitted.tokens)
    for reply in session.messages:
        if reply.usage and reply.usage.input:
            removed = fitted.removed[reply.parent] if fitted.removed else 0
            yield max(0, sums[reply.parent] - removed) + fitted.levels[reply.parent] + 3, reply.usage.input


@given(st.floats(0.75, 1.95), st.integers(0, 60_000))
def test_a_planted_factor_and_overhead_are_found(factor: float, overhead: int) -> None:
    result = fit(recorded(30, lambda counted: factor * counted + overhead + 3))
    assert result.factor == pytest.approx(factor, abs=0.005)
    assert result.unrecorded == pytest.approx(overhead, abs=150)
    assert result.turns == 30
    assert result.error is not None and result.error < 0.01, "what rounding each message adds up to"


def test_noise_does_not_hide_them() -> None:
    noise = random.Random(7)
    result = fit(recorded(60, lambda counted: 1.3 * counted + 18_000 + noise.uniform(-60, 60)))
    assert result.factor == pytest.approx(1.3, abs=0.05)
    assert result.unrecorded == pytest.approx(18_000, rel=0.08)


def test_what_an_agent_slips_in_unseen_does_not_move_the_factor() -> None:
    jumps = {10: 30_000, 25: 9_000}

    def report(counted: int) -> float:
        return 1.2 * counted + 12_000 + sum(size for turn, size in jumps.items() if counted > turn * 2 * SIZE)

    session = recorded(40, report)
    result = fit(session)
    assert result.factor == pytest.approx(1.2, abs=0.01)
    assert result.levels[1] == pytest.approx(12_000, abs=100)
    assert result.levels[-1] == pytest.approx(51_000, abs=100)


@given(st.lists(st.integers(1, 400_000), min_size=1, max_size=30, unique=True))
def test_what_is_unrecorded_changes_only_where_the_reported_size_jumps_or_has_drifted(reports: list[int]) -> None:
    rest = iter(reports)
    session = recorded(len(reports), lambda _: next(rest))
    result = fit(session)
    assert 0.7 <= result.factor <= 2.0
    pairs = list(totals(session, result))
    replies = [reply for reply in session.messages if reply.usage]
    removed = result.removed or [0] * len(session.messages)
    levels = [result.levels[reply.parent] - removed[reply.parent] for reply in replies]
    fallen = {fall.position for fall in result.falls}
    starts = [int(reply.id) in fallen for reply in replies[1:]]
    gaps = [reported - own + level for (own, reported), level in zip(pairs, levels, strict=True)]
    for turn, (before, after, falls) in enumerate(zip(levels, levels[1:], starts, strict=False), 1):
        drift = max(abs(gaps[turn] - gap) for gap in gaps[:turn])
        assert before == after or falls or drift >= max(1_000, 0.05 * pairs[turn][1]) - 2
    errors = [abs(ours - theirs) / theirs for ours, theirs in pairs]
    assert result.error == pytest.approx(sum(errors) / len(errors))


def test_a_trickle_of_reminders_is_part_of_the_factor_and_not_of_the_prompt() -> None:
    def report(counted: int) -> float:
        return 20_003 + 1.1 * counted + 60 * (counted // (4 * SIZE))

    result = fit(recorded(60, report))
    assert result.factor == pytest.approx(1.1 + 60 / (4 * SIZE), abs=0.01)
    assert len(set(result.levels[:-1])) == 1
    assert result.levels[0] == pytest.approx(20_000, rel=0.02)


def test_growth_that_no_factor_explains_is_unrecorded_from_turn_to_turn() -> None:
    session = recorded(24, lambda counted: 31_000 + 4 * counted)
    result = fit(session)
    assert result.factor == 1.0
    assert result.levels[-1] - result.levels[1] == pytest.approx(3 * 23 * 2 * SIZE, rel=0.1)
    own, reported = [*totals(session, result)][-1]
    assert own == pytest.approx(reported, rel=0.05)


def test_nothing_unrecorded_is_ever_negative() -> None:
    result = fit(recorded(3, lambda counted: counted / 2))
    assert result.unrecorded == 0
    assert min(result.levels) == 0


def test_few_turns_leave_the_factor_alone() -> None:
    result = fit(recorded(4, lambda counted: 1.6 * counted + 20_003))
    assert result.factor == 1.0
    assert result.unrecorded == pytest.approx(20_000, abs=0.6 * 7 * SIZE)


def test_little_text_leaves_the_factor_alone() -> None:
    session = recorded(8, lambda counted: 1.6 * counted)
    assert calibrate(session, [10] * len(session.messages)).factor == 1.0


def test_a_factor_that_no_tokenizer_has_is_no_factor() -> None:
    assert fit(recorded(20, lambda counted: 9 * counted)).factor == 1.0
    assert fit(recorded(20, lambda counted: counted / 9)).factor == 1.0


def test_a_session_without_usage_is_taken_as_it_is() -> None:
    result = fit(recorded(10, lambda _: 0))
    assert (result.factor, result.unrecorded, result.turns, result.error) == (1.0, 0, 0, None)


def test_replies_without_usage_or_made_up_by_the_agent_are_left_out() -> None:
    session = recorded(20, lambda counted: 1.25 * counted + 10_003)
    messages = list(session.messages)
    messages[7] = replace(messages[7], usage=Usage(0, 0), model="<synthetic>")
    messages[9] = replace(messages[9], usage=None)
    result = fit(replace(session, messages=tuple(messages)))
    assert result.turns == 18
    assert result.factor == pytest.approx(1.25, abs=0.01)
    assert result.levels[6] == pytest.approx(10_000, abs=50)


def test_a_call_that_is_recorded_as_several_replies_is_one_turn() -> None:
    session = recorded(10, lambda counted: counted + 5_003)
    last = session.messages[-1]
    twice = session.extend([replace(last, id="again", parent=len(session.messages) - 1)])
    assert fit(twice).turns == 10
    assert fit(twice).levels[-1] == fit(session).levels[-1]


def test_turns_of_another_model_have_no_vote() -> None:
    session = recorded(30, lambda counted: (1.3 if counted <= 40 * SIZE else 1.9) * counted)
    messages = [replace(item, model="other") if n >= 40 and item.usage else item for n, item in enumerate(session)]
    assert fit(replace(session, messages=tuple(messages))).factor == pytest.approx(1.3, abs=0.01)


def test_sub_agents_have_no_vote_and_their_own_rest() -> None:
    session = recorded(20, lambda counted: 1.25 * counted + 30_003)
    start = len(session.messages)
    helper: list[Message] = []
    for n in range(20):
        role: Role = "assistant" if n % 2 else "user"
        parent = start + n - 1 if n else -1
        helper.append(message(start + n, role, 4_003 + round(1.25 * n * SIZE), agent="helper", parent=parent))
    result = fit(session.extend(helper))
    assert result.factor == pytest.approx(1.25, abs=0.01)
    assert result.unrecorded == pytest.approx(30_000, abs=50)
    assert result.levels[start] == pytest.approx(4_000, abs=300)


def test_notices_were_never_sent() -> None:
    session = recorded(20, lambda counted: 1.25 * counted + 30_003)
    notices = [message(n, "user", kind="notice") for n in range(5)]
    moved = [replace(item, parent=item.parent + 5) for item in session]
    result = fit(replace(session, messages=(*notices, *moved)))
    assert result.factor == pytest.approx(1.25, abs=0.01)
    assert result.unrecorded == pytest.approx(30_000, abs=50)


def test_a_compaction_begins_a_context_of_its_own() -> None:
    before = recorded(20, lambda counted: 1.25 * counted + 30_003)
    after = recorded(20, lambda counted: 1.25 * counted + 8_003)
    start = len(before.messages)
    moved = [replace(item, parent=item.parent + start if item.parent >= 0 else -1) for item in after]
    result = fit(before.extend(moved))
    assert result.factor == pytest.approx(1.25, abs=0.01)
    assert result.levels[start - 1] == pytest.approx(30_000, abs=50)
    assert result.levels[start] == pytest.approx(8_000, abs=50)


def test_the_prompt_is_sent_again_after_a_compaction_though_the_messages_are_counted_too_large() -> None:
    before = recorded(40, lambda counted: 1.2 * counted + 1_003)
    after = recorded(40, lambda counted: 1.1 * counted + 1_003)
    start = len(before.messages)
    moved = [replace(item, parent=item.parent + start if item.parent >= 0 else -1) for item in after]
    result = fit(before.extend([*moved, replace(message(0, "user"), parent=-1)]))
    assert result.levels[-1] == pytest.approx(1_000, abs=200)
    assert result.removed[-1] == 0 < result.removed[-2], "the total after the compaction remains the reported one"


def test_the_context_as_it_now_stands_is_like_the_last_one_that_was_sent() -> None:
    result = fit(recorded(10, lambda counted: counted + 5_003))
    assert result.levels[-1] == result.levels[-2] == 5_000


def test_where_the_system_prompt_is_recorded_only_the_factor_is_fitted() -> None:
    result = fit(recorded(20, lambda counted: 1.4 * (counted + 900) + 3, records_system=True), tools=900)
    assert result.factor == pytest.approx(1.4, abs=0.01)
    assert (result.unrecorded, list(result.levels)) == (0, [])
    assert result.error == pytest.approx(0, abs=0.002)


def test_the_models_own_tokenizer_needs_no_factor() -> None:
    result = fit(recorded(20, lambda counted: 1.4 * counted + 7_003), own_tokenizer=True)
    assert result.factor == 1.0
    assert result.unrecorded > 7_000


def test_recorded_tools_are_not_unrecorded() -> None:
    result = fit(recorded(20, lambda counted: counted + 7_003), tools=2_000)
    assert result.unrecorded == 5_000


def test_a_parent_behind_its_child_begins_a_context() -> None:
    session = recorded(6, lambda counted: counted + 100)
    messages = list(session.messages)
    messages[4] = replace(messages[4], parent=11)
    messages[0] = replace(messages[0], parent=0)
    result = fit(replace(session, messages=tuple(messages)))
    assert len(result.levels) == 12


def test_a_known_context_window_alone_says_nothing_of_what_is_unrecorded() -> None:
    session = recorded(30, lambda counted: 1.2 * counted + 9_000)
    known = replace(session, sizes=SizeFacts(limit=128_000))
    assert fit(known) == fit(session)
    exported = replace(session, sizes=SizeFacts(1.5, 700, 128_000))
    assert (fit(exported).factor, fit(exported).unrecorded, fit(exported).turns) == (1.5, 700, 0)


def planted_fall(after: int, *, turns: int = 20, records_system: bool = False) -> Session:
    """Reports of 20,000 more than is counted, which then fall to `after` for the last turns."""
    reports = iter([20_000 + 2 * SIZE * turn for turn in range(turns)] + [after + 2 * SIZE * turn for turn in range(5)])
    return recorded(turns + 5, lambda _: next(reports), records_system)


@pytest.mark.parametrize("records_system", [True, False])
def test_a_fall_is_an_event_and_sizes_are_fitted_on_both_sides_of_it(records_system: bool) -> None:
    session = planted_fall(24_000, records_system=records_system)
    result = fit(session)
    assert [(fall.before, fall.after) for fall in result.falls] == [(20_000 + 2 * SIZE * 19, 24_000)]
    assert all(ours == pytest.approx(theirs, rel=0.03) for ours, theirs in totals(session, result))
    assert min(result.levels) == pytest.approx(20_000, rel=0.03), "the prompt is still sent after the fall"
    assert not any(result.removed[:40]) and result.removed[-1] > 10_000


def reporting(reports: list[int], **changes: dict[int, object]) -> Session:
    rest = iter(reports)
    session = recorded(len(reports), lambda _: next(rest))
    messages = list(session.messages)
    for field, values in changes.items():
        for turn, value in values.items():
            messages[2 * turn - 1] = replace(messages[2 * turn - 1], **{field: value})  # type: ignore[arg-type]
    return replace(session, messages=tuple(messages))


@pytest.mark.parametrize(
    "session",
    [
        reporting([30_000, 31_000, 4_000, 32_000, 33_000]),
        reporting([30_000, 31_000, 0, 31_500, 32_000]),
        reporting([30_000, 2_000, 31_000, 2_500, 32_000, 2_600, 33_000, 2_700]),
        reporting([30_000, 31_000, 25_000, 26_000], model={3: "other", 4: "other"}),
        reporting([30_000, 31_000, 4_000], model={3: "other"}),
        reporting([30_000, 31_000, 29_500, 30_000]),
        reporting([30_000, 31_000, 26_000, 27_000], usage={2: Usage(31_000, 6_000)}),
    ],
    ids=["side call", "error", "uncached part", "other tokenizer", "last side call", "noise", "dropped reasoning"],
)
def test_a_smaller_number_with_another_reason_is_no_fall(session: Session) -> None:
    assert not fit(session).falls


def test_a_context_larger_than_all_that_is_recorded_has_an_unrecorded_part() -> None:
    session = recorded(1, lambda _: 40_000, records_system=True)
    assert [ours for ours, _ in totals(session, fit(session))] == [40_000]
