"""What must hold for every strategy, at every turn, with every setting: the engine's list of invariants.

Windows here are generated with every fault that a recording may have. What a provider would refuse is judged twice: by
the project's own check, and by one written here on the level of messages, which knows nothing of groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from inspector.conversation import Dialect, Message, Text, Thinking
from inspector.formats import request
from inspector.strategies import STRATEGIES, draft_plan
from inspector.window.plan import Plan, apply, by_hand, view
from inspector.window.validity import OPENING, problems
from inspector.window.window import Window, at_turn
from tests.generated import moves, windows
from tests.provider_rules import check_anthropic, check_openai

CHECKS: dict[Dialect, Callable[[dict[str, Any]], list[str]]] = {"openai": check_openai, "anthropic": check_anthropic}


class Pass:
    """One strategy applied once. Not a dataclass: hypothesis would print every message of its windows."""

    def __init__(self, before: Window, name: str, settings: dict[str, Any]) -> None:
        self.before = before
        self.settings = settings
        self.plan = draft_plan(before, name, settings)
        self.after = apply(before, self.plan)

    def __repr__(self) -> str:
        lines = [f"{self.plan.strategy} {self.settings} at turn {self.before.turn}, pinned {set(self.before.pinned)}"]
        for message, fate in zip(self.before.messages, self.plan.fates, strict=True):
            calls = ",".join(call.id for call in message.calls)
            what = f"{message.role}/{message.kind} calls [{calls}] answers {message.answers!r}"
            lines.append(f"{message.id} {what}: {fate.kind}, {fate.reason}")
        return "\n".join([*lines, f"after: {', '.join(self.after.ids)}; {self.plan.note}"])


@st.composite
def passes(draw: DrawFn) -> Pass:
    window = draw(windows())
    return Pass(window, *draw(moves(window)))


def spoke_last(messages: Sequence[Message]) -> Message | None:
    """The reply whose calls may still be answered: nobody has spoken since."""
    spoken = [each for each in messages if each.role == "assistant" or (each.role == "user" and each.kind == "said")]
    return spoken[-1] if spoken else None


def refusals(messages: Sequence[Message], live: Message | None) -> Iterator[str]:
    """What a provider would say, reading from the top: each call wants its own result at once, and nothing else."""
    open_calls: Counter[str] = Counter()
    caller: Message | None = None
    for message in messages:
        if message.role == "tool":
            if open_calls[message.answers or ""] < 1:
                yield f"{message.id} answers nothing"
            else:
                open_calls[message.answers or ""] -= 1
            continue
        if +open_calls and caller is not None and caller.id != (live.id if live else ""):
            yield f"{caller.id} waits for {+open_calls}"
        caller = message
        open_calls = Counter(call.id for call in message.calls)
    if +open_calls and caller is not None and caller.id != (live.id if live else ""):
        yield f"{caller.id} waits for {+open_calls}"


def must_open_with_a_reply(window: Window) -> bool:
    """Whether a reply that may not leave (pinned, or the newest of a window without a request) leads the recording."""
    talk = [message for message in window.messages if message.role != "system"]
    leading = list(takewhile(lambda message: message.role != "user", talk))
    pinned = {window.groups.of[index] for index, name in enumerate(window.ids) if name in window.pinned}
    newest = [] if window.request is not None else [m for m in talk if m.role == "assistant"][-1:]
    return any(m in newest or window.groups.of[window.messages.index(m)] in pinned for m in leading)


@given(passes())
def test_every_call_keeps_its_results_and_every_result_its_call(done: Pass) -> None:
    assert list(refusals(done.after.messages, spoke_last(done.before.messages))) == []


@given(passes())
def test_a_provider_would_take_what_is_left(done: Pass) -> None:
    refused = [problem.text for problem in problems(done.after)]
    if must_open_with_a_reply(done.before) or not any(message.role == "user" for message in done.before.messages):
        refused = [text for text in refused if text != OPENING]
    assert refused == []


@given(passes(), st.sampled_from(sorted(CHECKS)))
def test_either_provider_takes_the_request_that_is_made_of_it(done: Pass, to: Dialect) -> None:
    assert CHECKS[to](request(done.after.session, done.after.messages, to)) == []


@given(passes())
def test_calls_that_still_wait_for_their_result_survive(done: Pass) -> None:
    caller = spoke_last(done.before.messages)
    if caller is not None and caller.calls:
        assert any(message is caller for message in done.after.messages)


@given(passes())
def test_the_first_message_is_from_the_user_and_there_is_one(done: Pass) -> None:
    talk = [message for message in done.after.messages if message.role != "system"]
    if any(message.role == "user" for message in done.before.messages):
        assert talk[0].role == "user" or must_open_with_a_reply(done.before)
    only_orphans = len(done.before.groups.orphans) == len(done.before.messages)
    assert done.after.messages or only_orphans


@given(passes())
def test_no_reply_is_left_at_the_end_unless_one_was_there(done: Pass) -> None:
    asked_last = done.before.messages and [
        message for message in done.before.messages if message.role in ("user", "assistant")
    ]
    if asked_last and asked_last[-1].role == "user":
        assert [m for m in done.after.messages if m.role in ("user", "assistant")][-1].role == "user"


@given(passes())
def test_system_messages_all_stay_untouched_and_lead(done: Pass) -> None:
    before = [message for message in done.before.messages if message.role == "system"]
    after = [message for message in done.after.messages if message.role == "system"]
    assert list(map(id, before)) == list(map(id, after))
    assert not done.plan.alters or list(done.after.messages[: len(after)]) == after


@given(passes())
def test_the_task_and_the_request_stay_word_for_word(done: Pass) -> None:
    asked = [message for message in done.before.messages if message.role == "user" and message.kind == "said"]
    first = next((m for m in done.before.messages if m.kind == "summary" or m in asked), None)
    stays = asked[-1:] + ([first] if first in asked else [])
    assert {id(message) for message in stays} <= set(map(id, done.after.messages))


@given(passes())
def test_pinned_messages_stay_word_for_word(done: Pass) -> None:
    groups = done.before.groups
    faulty = groups.orphans | (groups.pending.keys() - done.before.live)
    pinned = [m for i, m in enumerate(done.before.messages) if m.id in done.before.pinned and i not in faulty]
    assert {id(message) for message in pinned} <= set(map(id, done.after.messages))
    assert done.after.pinned == done.before.pinned


@given(passes())
def test_thinking_stays_whole_or_leaves_whole(done: Pass) -> None:
    thoughts = {m.id: thinking(m) for m in done.before.messages}
    for message in done.after.messages:
        if message.id in thoughts:
            assert thinking(message) in (thoughts[message.id], ())


def thinking(message: Message) -> tuple[Thinking, ...]:
    return tuple(part for part in message.parts if isinstance(part, Thinking))


@given(passes())
def test_a_summary_is_text_in_the_memory_section_and_names_what_it_covers(done: Pass) -> None:
    sections = dict(zip(done.after.ids, done.after.sections, strict=True))
    for summary in done.plan.summaries:
        assert summary.kind == "summary"
        assert [type(part) for part in summary.parts] == [Text]
        assert summary.text.strip()
        assert sections[summary.id] == "memory"
        covered = done.plan.covered(summary.id)
        assert covered
        assert not set(covered) & set(done.after.ids)


@given(passes())
def test_an_earlier_summary_is_taken_in_or_kept_but_never_lost(done: Pass) -> None:
    for message in done.before.messages:
        if message.kind == "summary":
            assert message.id in done.after.ids or done.plan.by_id[message.id].kind == "summarised"


@given(passes())
def test_a_pass_never_makes_the_window_larger(done: Pass) -> None:
    assert done.after.total <= done.before.total


@given(passes())
def test_a_target_is_reached_or_the_plan_says_why_not(done: Pass) -> None:
    match done.plan.strategy:
        case "token_window":
            reached = done.after.total <= done.settings["max_tokens"]
        case "fifo":
            reached = sum(m.role != "system" for m in done.after.messages) <= done.settings["max_messages"]
        case _:
            return
    assert reached == (done.plan.note == "")


@given(passes())
def test_all_that_left_has_one_fate_and_all_that_stayed_has_one_too(done: Pass) -> None:
    assert done.plan.ids == done.before.ids
    assert len(done.plan.fates) == len(done.plan.ids)
    assert all(fate.reason for fate in done.plan.fates)
    gone = {name for name, fate in done.plan.by_id.items() if fate.gone}
    assert gone == set(done.before.ids) - set(done.after.ids)
    made = {summary.id for summary in done.plan.summaries}
    assert set(done.after.ids) - set(done.before.ids) == made
    assert {fate.into for fate in done.plan.fates if fate.kind == "summarised"} == made
    altered = {m.id for m in done.after.messages if m not in done.before.messages} - made
    assert altered == {name for name in done.plan.changed if not done.plan.by_id[name].gone}
    assert len(set(done.after.ids)) == len(done.after.ids)


@given(windows(), st.data())
def test_the_log_is_untouched(window: Window, data: st.DataObject) -> None:
    log = [repr(message.raw) for message in window.session.messages]
    name, chosen = data.draw(moves(window))
    apply(window, draft_plan(window, name, chosen))
    assert [repr(message.raw) for message in window.session.messages] == log


@given(passes())
def test_the_order_of_time_is_kept(done: Pass) -> None:
    place = {
        message.id: index for index, message in enumerate(done.before.messages) if message.role in ("user", "assistant")
    }
    left = [place[message.id] for message in done.after.messages if message.id in place]
    assert left == sorted(left)


@given(passes())
def test_the_same_pass_gives_the_same_plan(done: Pass) -> None:
    again = draft_plan(done.before, done.plan.strategy, done.settings)
    assert again.fates == done.plan.fates
    assert again.note == done.plan.note
    assert [summary.raw for summary in again.summaries] == [summary.raw for summary in done.plan.summaries]


@given(passes())
def test_a_second_pass_with_the_same_settings_changes_nothing_more(done: Pass) -> None:
    again = draft_plan(done.after, done.plan.strategy, done.settings)
    assert not again.alters
    assert apply(done.after, again).messages == done.after.messages


@given(passes())
def test_the_total_is_the_sum_of_the_parts(done: Pass) -> None:
    for window in (done.before, done.after):
        around = window.sizes.tools + window.unrecorded + (3 if window.messages else 0)
        assert window.total == sum(window.tokens) + around
        assert window.total == sum(size.tokens for size in window.sized.values())
        assert len(window.tokens) == len(window.messages)


@given(passes())
def test_sizes_stand_beside_their_messages(done: Pass) -> None:
    known = dict(zip(done.before.messages, done.before.tokens, strict=True))
    for message, tokens in zip(done.after.messages, done.after.tokens, strict=True):
        measured = done.after.sizes.measure(message)
        assert tokens == known.get(message, measured) or (message.id in done.plan.changed and tokens < measured)


@given(windows(pins=False), st.sampled_from(sorted(STRATEGIES)))
def test_keeping_none_is_not_keeping_all(window: Window, name: str) -> None:
    none = {each.name: 0 for each in STRATEGIES[name].knobs if each.name in ("keep_recent", "max_messages")}
    if not none:
        return
    plan = draft_plan(window, name, none)
    kept = [fate for fate in plan.fates if not fate.gone]
    assert not [fate for fate in kept if "the newest 0" in fate.reason]


class Stack:
    """Several strategies, one on top of the other."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.passes: list[Pass] = []

    @property
    def now(self) -> Window:
        return self.passes[-1].after if self.passes else self.window

    @property
    def plans(self) -> list[Plan]:
        return [each.plan for each in self.passes]

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.passes))


@st.composite
def stacks(draw: DrawFn) -> Stack:
    stack = Stack(draw(windows()))
    for _ in range(draw(st.integers(2, 4))):
        stack.passes.append(Pass(stack.now, *draw(moves(stack.now))))
    return stack


@given(stacks())
def test_plans_on_top_of_each_other_stay_valid_and_never_grow(stack: Stack) -> None:
    for each in stack.passes:
        assert list(refusals(each.after.messages, spoke_last(stack.window.messages))) == []
        assert each.after.total <= each.before.total


@given(stacks())
def test_the_task_the_request_and_the_pinned_survive_any_number_of_passes(stack: Stack) -> None:
    window, groups = stack.window, stack.window.groups
    faulty = groups.orphans | (groups.pending.keys() - window.live)
    pinned = {index for index, name in enumerate(window.ids) if name in window.pinned} - faulty
    stays = {window.messages[index] for index in {window.task, window.request, *pinned} if index is not None}
    assert all(stays <= set(each.after.messages) for each in stack.passes)


@given(stacks())
def test_leaving_out_the_last_plan_gives_back_the_very_same_window(stack: Stack) -> None:
    for count in range(len(stack.plans) + 1):
        seen = view(stack.window, stack.plans[:count])
        expected = stack.passes[count - 1].after if count else stack.window
        assert seen.messages == expected.messages
        assert seen.tokens == expected.tokens
        assert seen.pinned == expected.pinned


@given(stacks())
def test_no_two_summaries_of_a_stack_share_a_name(stack: Stack) -> None:
    names = [summary.id for plan in stack.plans for summary in plan.summaries]
    assert len(names) == len(set(names))


class Bench:
    """Plans made at one turn and another, by strategies and by hand, each seen through those made before it."""

    def __init__(self, window: Window) -> None:
        self.session, self.sizes = window.session, window.sizes
        self.plans: list[Plan] = []

    def at(self, turn: int) -> Window:
        return at_turn(self.session, self.sizes, turn)

    def seen(self, turn: int) -> Window:
        return view(self.at(turn), self.plans)

    def __repr__(self) -> str:
        log = [f"{m.id} {m.role}/{m.kind} {[call.id for call in m.calls]} {m.answers!r}" for m in self.session]
        plans = [f"{plan.strategy} {plan.settings} at {plan.turn}: {plan.by_id}" for plan in self.plans]
        return "\n".join([*log, *plans])


@st.composite
def benches(draw: DrawFn) -> Bench:
    bench = Bench(draw(windows(pins=False)))
    for _ in range(draw(st.integers(1, 3))):
        window = bench.seen(draw(st.integers(1, len(bench.session.turns()) + 1)))
        if draw(st.booleans()) and window.ids:
            chosen = draw(st.sets(st.sampled_from(window.ids), min_size=1, max_size=2))
            bench.plans.append(by_hand(window, sorted(chosen), draw(st.sampled_from(["pinned", "dropped", "kept"]))))
        else:
            bench.plans.append(draft_plan(window, *draw(moves(window))))
    return bench


@given(benches())
def test_plans_made_at_any_turns_spoil_no_other(bench: Bench) -> None:
    for turn in range(1, len(bench.session.turns()) + 2):
        recorded, seen = bench.at(turn), bench.seen(turn)
        live = spoke_last(recorded.messages)
        assert len(list(refusals(in_one_piece(seen), live))) <= len(list(refusals(in_one_piece(recorded), live)))
        assert seen.total <= recorded.total
        assert len(set(seen.ids)) == len(seen.ids)
        if all(plan.turn > turn for plan in bench.plans):
            assert seen.messages == recorded.messages


def in_one_piece(window: Window) -> list[Message]:
    """The messages with each group's own together: what the recording got wrong besides the order."""
    return [window.messages[index] for members in window.groups.members for index in members]
