"""Passes to be judged: one strategy applied once, or several on top of each other, over windows of any kind.

Beside them a judge that knows nothing of groups: what a provider would say, read from the top, message by message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, TypeVar
from zlib import crc32

from hypothesis import assume, given, seed, settings, strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from inspector.core.conversation import Message, ProviderName, Text, Thinking
from inspector.engine.strategies import STRATEGIES, Services, draft_plan
from inspector.engine.strategies.services import Summariser
from inspector.engine.summaries import SummaryError
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import Window, message_faults
from tests.generated import moves, windows
from tests.provider_rules import check_anthropic, check_openai
from tests.responses_rules import check_responses

CHECKS: dict[ProviderName, Callable[[dict[str, Any]], list[str]]] = {
    "openai": check_openai,
    "openai-responses": check_responses,
    "anthropic": check_anthropic,
}
"""What each provider would refuse a request for."""
T = TypeVar("T")
SUMMARISING = sorted(name for name in STRATEGIES if STRATEGIES[name].cost == "needs a model")
FAILURE = "The model cannot be reached: try again."


class Pass:
    """One strategy applied once. Not a dataclass: hypothesis would print every message of its windows."""

    def __init__(
        self, before: Window, name: str, settings: Mapping[str, Any], services: Services | None = None
    ) -> None:
        self.before = before
        self.settings = settings
        self.plan = draft_plan(before, name, settings, services)
        self.after = apply(before, self.plan)

    def __repr__(self) -> str:
        lines = [f"{self.plan.strategy} {self.settings} at turn {self.before.turn}, pinned {set(self.before.pins)}"]
        for message, fate in zip(self.before.messages, self.plan.fates, strict=True):
            calls = ",".join(call.id for call in message.calls)
            what = f"{message.role}/{message.kind} calls [{calls}] answers {message.answers!r} {message.preview[:30]!r}"
            lines.append(f"{message.id} {what}: {fate.kind}, {fate.reason}")
        return "\n".join([*lines, f"after: {', '.join(self.after.ids)}; {self.plan.note}"])


@st.composite
def passes(draw: DrawFn, names: Sequence[str] = ()) -> Pass:
    """A pass that came about: one whose summary failed changes nothing, not even what the recording got wrong."""
    window = draw(windows())
    result = Pass(window, *draw(moves(window, names)))
    assume(not result.plan.has_failed)
    return result


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

    def put(self, name: str, settings: Mapping[str, Any], services: Services | None = None) -> Pass:
        self.passes.append(Pass(self.now, name, settings, services))
        return self.passes[-1]

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.passes))


def assert_each(drawn: SearchStrategy[T], checks: Iterable[Callable[[T], None]], *, name: str, share: float) -> None:
    """Hold each drawn value against all checks: drawing one takes longer than checking it.

    Args:
        drawn: What the checks are about.
        checks: Functions that raise if a value is not as it should be.
        name: What the examples are for; other names get other examples.
        share: Number of examples, as a multiple of what a property tries by default.
    """

    usual = settings()

    @settings(max_examples=round(usual.max_examples * share))
    @given(drawn)
    def holds(value: T) -> None:
        for check in checks:
            check(value)

    (seed(crc32(name.encode()))(holds) if usual.derandomize else holds)()


FIVE = 5


@st.composite
def stacks(draw: DrawFn) -> Stack:
    """Five passes in a row: of one strategy, each time with other settings, or of any."""
    stack = Stack(draw(windows(most=14)))
    only = draw(st.none() | st.sampled_from(sorted(STRATEGIES)))
    for _ in range(FIVE):
        assume(not stack.put(*draw(moves(stack.now, [only] if only else ()))).plan.has_failed)
    return stack


def held_for_good(window: Window) -> set[Message]:
    """What no pass may take or touch: the task, the request, and what is pinned and not at fault itself."""
    groups = window.groups
    faulty = groups.orphans | (groups.open_calls.keys() - window.live) | set(message_faults(window))
    pinned = {index for index, name in enumerate(window.ids) if name in window.pins}
    stays = {index for index in (window.task, window.request, *pinned) if index is not None}
    return {window.messages[index] for index in stays - faulty}


def spoke_last(messages: Sequence[Message]) -> Message | None:
    """The reply whose calls may still be answered: nobody has spoken since."""
    spoken = [item for item in messages if item.role == "assistant" or (item.role == "user" and item.kind == "chat")]
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
    """Whether a reply that may not leave (pinned, or the newest of a window without a request) leads the recording.

    A message without content opens nothing: the provider would reject it.
    """
    talk = [message for message in window.messages if message.role != "system"]
    leading = list(takewhile(lambda message: message.role != "user" or is_empty(message), talk))
    pinned = {window.groups.of[index] for index, name in enumerate(window.ids) if name in window.pins}
    newest = [] if window.request is not None else [m for m in talk if m.role == "assistant"][-1:]
    return any(m in newest or window.groups.of[window.messages.index(m)] in pinned for m in leading)


def is_empty(message: Message) -> bool:
    return all(isinstance(part, Text) and not part.text.strip() for part in message.parts)


def thinking(message: Message) -> tuple[Thinking, ...]:
    return tuple(part for part in message.parts if isinstance(part, Thinking))


class Asked:
    """A summariser that remembers what it was asked to summarise, and answers as another does."""

    def __init__(self, answer: Summariser) -> None:
        self.answer = answer
        self.messages: list[Sequence[Message]] = []

    def __call__(self, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        self.messages.append(messages)
        return self.answer(messages, target, count)


def saying(text: str) -> Services:
    """A summariser that always says the same."""

    def summarise(_messages: Sequence[Message], _target: int, _count: Callable[[str], int]) -> str:
        return text

    return Services(summarise)


def refusing(_messages: Sequence[Message], _target: int, _count: Callable[[str], int]) -> str:
    raise SummaryError(FAILURE)


def rambling(messages: Sequence[Message], _target: int, _count: Callable[[str], int]) -> str:
    """A summary that is longer than everything that it stands for."""
    return "And then it said a word. " * (10 + sum(message.chars + 4_000 * message.images for message in messages))
