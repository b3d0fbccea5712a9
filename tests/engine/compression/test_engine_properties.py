"""What holds of a keeper after every message, whatever comes in and by whatever strategy it is compressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from inspector.core.conversation import MAIN, Message, Session
from inspector.engine.compression.engine import Compaction, CompressionEngine
from inspector.engine.compression.policy import Policy
from inspector.engine.strategies import STRATEGIES
from inspector.engine.window.plan import view
from inspector.engine.window.window import Window, message_faults
from inspector.llm.tokens.counting import count_message
from tests.engine.strategies.passes import assert_each
from tests.generated import LETTERS, conversations, sized, stages, values
from tests.refusals import FIRST_ROLE, NO_MESSAGES, standing_refusals


@st.composite
def policies(draw: DrawFn, session: Session) -> Policy:
    """A policy near the size of a session, with any strategy and any settings of it."""
    name = draw(st.sampled_from(sorted(STRATEGIES)))
    empty = Window(session.context, sized(session), 1, (), (), 8_000)
    knobs = draw(st.lists(st.sampled_from([*STRATEGIES[name].knobs, None]), max_size=2))
    settings = {knob.name: draw(values(knob, empty)) for knob in knobs if knob}
    if "stages" in settings:
        settings["stages"] = draw(stages(empty))
    threshold = draw(st.sampled_from([60, 150, 400, 1_000]))
    limit = draw(st.sampled_from([0, 0, 2 * threshold]))
    return Policy(name, settings, threshold, limit=limit, minimum_progress=draw(st.sampled_from([0.0, 0.1])))


class Feeding:
    """A session fed to a keeper, message by message. Not a dataclass: hypothesis would print every window."""

    def __init__(self, session: Session, policy: Policy, pinned: frozenset[str]) -> None:
        self.messages = [message for message in session.messages if message.agent == MAIN]
        self.keeper = CompressionEngine(policy, session.context, sized(session))
        self.keeper.pins = pinned
        self.keeper.cursor.unrecorded = 0 if session.records_system else 25
        self.compressions: list[Compaction] = []

    def steps(self) -> Iterator[CompressionEngine]:
        """The keeper after each message, and after the compression that it caused."""
        for message in self.messages:
            self.keeper.append(message, count_message(message, LETTERS))
            if self.keeper.due and (made := self.keeper.compress()):
                self.compressions.append(made)
            yield self.keeper

    def __repr__(self) -> str:
        lines = [f"{m.id} {m.role}/{m.kind} {[c.id for c in m.calls]} {m.answers!r} {m.preview}" for m in self.messages]
        plans = [f"{plan.strategy} {plan.by_id}" for plan in self.keeper.plans]
        return "\n".join([repr(self.keeper.policy), f"pinned {set(self.keeper.pins)}", *lines, *plans])


@st.composite
def feedings(draw: DrawFn) -> Feeding:
    session = draw(conversations(14))
    ids = [message.id for message in session.messages]
    pinned = draw(st.sets(st.sampled_from(ids), max_size=2)) if ids else set()
    return Feeding(session, draw(policies(session)), frozenset(draw(st.sampled_from([set(), pinned]))))


def asked(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.role == "user" and message.kind == "chat"]


CHECKS: list[Callable[[CompressionEngine], None]] = []


def after_each_message(check: Callable[[CompressionEngine], None]) -> Callable[[CompressionEngine], None]:
    CHECKS.append(check)
    return check


def holds_to_the_end(feeding: Feeding) -> None:
    for keeper in feeding.steps():
        for check in CHECKS:
            check(keeper)
    a_compression_always_takes_something_out(feeding)
    taking_back_the_plans_one_by_one_gives_the_whole_log_again(feeding.keeper)


def test_every_keeper_keeps_every_invariant() -> None:
    assert_each(feedings(), [holds_to_the_end], name="feedings", share=1)


@after_each_message
def what_is_sent_is_valid(keeper: CompressionEngine) -> None:
    context, log = keeper.context(), keeper.full_window()
    refused = {words for _, words in standing_refusals(context, keeper.cursor.context.dialect)}
    if must_open_with_a_reply(keeper) or not any(message.role == "user" for message in log.messages):
        refused -= {FIRST_ROLE}
    if len(log.groups.orphans) == sum(message.role != "system" for message in log.messages):
        refused -= {NO_MESSAGES[keeper.cursor.context.dialect]}
    assert refused == set()


def must_open_with_a_reply(keeper: CompressionEngine) -> bool:
    """Whether a reply that may not leave leads the log: one that is pinned, or the newest where nobody has spoken."""
    window = keeper.full_window()
    talk = [index for index, message in enumerate(window.messages) if message.role != "system"]
    leading = list(takewhile(lambda index: window.messages[index].role != "user", talk))
    rest = {window.groups.of[index] for index, name in enumerate(window.ids) if name in keeper.pins}
    newest = [] if window.request is not None else [i for i in talk if window.messages[i].role == "assistant"][-1:]
    return any(index in newest or window.groups.of[index] in rest for index in leading)


@after_each_message
def the_task_and_the_current_request_are_there_word_for_word(keeper: CompressionEngine) -> None:
    log = [message for message in keeper.log if message.kind != "notice"]
    first = next((m for m in log if m.kind == "summary" or m in asked(log)), None)
    stays = asked(log)[-1:] + ([first] if first in asked(log) else [])
    window, sent = keeper.full_window(), keeper.context()
    refused = {window.ids[place] for place in message_faults(window)}
    assert {message.id for message in stays} <= set(sent.ids)
    assert {id(message) for message in stays if message.id not in refused} <= set(map(id, sent.messages))


@after_each_message
def nothing_is_lost_without_a_fate(keeper: CompressionEngine) -> None:
    there = set(keeper.context().ids)
    result = {summary.id for plan in keeper.plans for summary in plan.summaries}
    gone = {name for plan in [*keeper.plans, keeper.repair_plan()] for name, fate in plan.by_id.items() if fate.leaves}
    sent = {message.id for message in keeper.log if message.kind != "notice"}
    orphaned = orphans(keeper)
    assert sent - there <= gone | orphaned
    assert there <= sent | result


def orphans(keeper: CompressionEngine) -> set[str]:
    """Results that came after a plan had taken out their call: they leave with it."""
    window = keeper.full_window()
    gone = {name for plan in keeper.plans for name, fate in plan.by_id.items() if fate.leaves or name in plan.rewrites}
    return {
        window.ids[index]
        for members in window.groups.members
        for index in members
        if window.ids[members[0]] in gone and index != members[0]
    }


@after_each_message
def the_total_is_that_of_a_recount_from_scratch(keeper: CompressionEngine) -> None:
    window = keeper.window()
    assert keeper.total == window.total
    assert keeper.total == sum(window.tokens) + keeper.cursor.around + (3 if window.messages else 0)
    assert keeper.full_total == keeper.full_window().total
    known = dict(zip(keeper.log, keeper.cursor.log_tokens, strict=True))
    for message, tokens in zip(window.messages, window.tokens, strict=True):
        assert tokens == known.get(message, tokens)
        assert tokens <= keeper.sizes.measure(message)


@after_each_message
def the_window_is_the_log_seen_through_the_plans(keeper: CompressionEngine) -> None:
    log = keeper.full_window()
    assert keeper.window() == view(log, keeper.plans)


def taking_back_the_plans_one_by_one_gives_the_whole_log_again(keeper: CompressionEngine) -> None:
    while keeper.undo():
        pass
    assert keeper.plans == []
    assert keeper.window().messages == keeper.full_window().messages
    assert keeper.total == keeper.full_window().total


def a_compression_always_takes_something_out(feeding: Feeding) -> None:
    for result in feeding.compressions:
        assert result.savings > 0
        assert feeding.keeper.policy.worthwhile(result.before.total, result.after.total)
