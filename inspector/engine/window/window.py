"""A context window: what was sent to the model for one reply, in six sections that add up.

A window is a view of the log. Building one never changes the session; a plan applied to a window gives another window.

A window is judged as it stands: each message in its own form where that is the provider's, and in the order that it
has. What the form itself settles is no problem (results of one batch become one message, system messages lead); what
an export would have to invent, leave out or move is, and so is a window that is larger than the model's. The metadata
of messages tells nearly all; a body is read only where it has a flaw. The rules are the provider's: see
`inspector.llm.providers`. This is the one validity: every command and every screen asks `problems`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, count
from operator import attrgetter
from typing import Annotated, Any, TypeVar

from inspector.core.conversation import MAIN, Message, Problem, ProviderName, RequestContext
from inspector.core.json_objects import Tokens, Turn, json_object
from inspector.engine.window.groups import Groups, call_names, group, live_calls
from inspector.engine.window.sections import (
    SECTIONS,
    Section,
    TokenBudget,
    current_request,
    request_sections,
    sections_of,
)
from inspector.llm.providers import PROVIDERS, Fault, Lengths, faults_at
from inspector.llm.tokens import Certainty, Sizes, TokenCount, weakest

_Value = TypeVar("_Value")
_FORM = ("_form", "groups", "live", "ids", "system", "tool_names", "request", "task")
"""What of a window follows from the ids, roles, kinds and calls of its messages."""


@json_object(
    "Size",
    "total limit reserve free sections=breakdown reported",
    optional="reported",
    about="What a window takes, in tokens.",
)
@dataclass(frozen=True)
class Window:
    """The context of `agent` before one reply.

    `messages`, `tokens` and `sections` run in parallel, oldest message first.
    """

    context: RequestContext
    sizes: Sizes
    turn: Turn
    messages: tuple[Message, ...]
    tokens: tuple[int, ...]
    limit: Annotated[Tokens, "that the window may take"]
    unrecorded: int = 0
    """Tokens of what the format leaves out of the file (system prompt, tools): one number for a stretch of turns."""
    agent: str = MAIN
    pins: frozenset[str] = frozenset()
    """Ids of messages that the person has pinned."""
    preserve_system: bool = True
    """False where system messages may leave like any other."""
    originals: Mapping[str, Message] = field(default_factory=dict, repr=False, compare=False)
    """The messages of the log by their ids, as they were before any plan. It may go on growing with the log."""
    had_messages: bool = True
    """False where the log has no message for this turn, so that plans have left nothing out."""
    reported: Annotated[Tokens | None, "of this request, by the provider"] = None
    _memory: dict[Callable[[Window], Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _form: dict[Callable[[Window], Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def remember(self, make: Callable[[Window], _Value]) -> _Value:
        """What a function of a module makes of this window, worked out once. Nobody may change it."""
        return self._recall(self._memory, make)

    def remember_form(self, make: Callable[[Window], _Value]) -> _Value:
        """As `remember`, for what no text and no size has a part in: see `reworded`."""
        return self._recall(self._form, make)

    def _recall(self, memory: dict[Callable[[Window], Any], Any], make: Callable[[Window], _Value]) -> _Value:
        if make not in memory:
            memory[make] = make(self)
        value: _Value = memory[make]
        return value

    def reworded(self, messages: Sequence[Message], tokens: Sequence[int]) -> Window:
        """The window with other texts: ids, roles, kinds and calls are the same, and so is all that follows from them.

        A pipeline's stages hand such windows on, and the form of tens of thousands of messages takes its time.
        """
        after = replace(self, messages=tuple(messages), tokens=tuple(tokens))
        after.__dict__.update({name: self.__dict__[name] for name in _FORM if name in self.__dict__})
        return after

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        return tuple(sections_of(self.messages))

    @cached_property
    def groups(self) -> Groups:
        return group(self.messages)

    @cached_property
    def live(self) -> frozenset[int]:
        return live_calls(self.messages, self.groups)

    @cached_property
    def budget(self) -> TokenBudget:
        return TokenBudget.of_window(self.limit)

    @cached_property
    def breakdown(self) -> Annotated[dict[Section, TokenCount], "they add up to the total"]:
        """Tokens of the six sections, in order, each with how it is known."""
        sums = dict.fromkeys(SECTIONS, 0)
        for section, tokens in zip(self.sections, self.tokens, strict=True):
            sums[section] += tokens
        totals = self._with_request(list(sums.values()))
        certainties: dict[Section, Certainty] = dict.fromkeys(SECTIONS, self.sizes.certainty)
        certainties["tools"] = weakest(self.sizes.certainty, self.sizes.tools_certainty)
        if not self.context.records_system:
            is_known = totals[SECTIONS.index("tools")] < 2 * self.sizes.tools
            certainties["tools"] = "estimated" if is_known else "unrecorded"
            if not sums["system"]:
                certainties["system"] = "unrecorded"
            if self.unrecorded_memory:
                certainties["memory"] = "unrecorded"
        return {
            section: TokenCount(tokens, certainties[section]) for section, tokens in zip(SECTIONS, totals, strict=True)
        }

    @property
    def unrecorded_memory(self) -> int:
        """Tokens of what the format leaves out that are no prompt with its tools, for that was smaller at first."""
        return 0 if self.context.records_system else max(0, self.unrecorded - self.sizes.prompt)

    @cached_property
    def total(self) -> Tokens:
        """Tokens of the whole window: exactly the sum of its sections."""
        return sum(self._with_request([sum(self.tokens), *[0] * (len(SECTIONS) - 1)]))

    @property
    def size(self) -> TokenCount:
        """The total, and how it is known."""
        return TokenCount(self.total, weakest(*(size.certainty for size in self.breakdown.values() if size.tokens)))

    def _with_request(self, sums: list[int]) -> tuple[int, ...]:
        """Tokens of messages by section, with what the request adds to them."""
        unrecorded = 0 if self.context.records_system else self.unrecorded
        return request_sections(sums, self.sizes, unrecorded, bool(self.messages))

    @property
    def emptiness(self) -> str:
        """What to say of a window without messages, in a sentence."""
        if self.reported and not self.had_messages:
            return f"No message of this window is recorded; {self.reported:,} tokens were reported."
        return "The window is empty at this turn."

    @property
    def reserve(self) -> Annotated[Tokens, "kept free for the reply"]:
        return self.budget.output_reserve

    @property
    def free(self) -> Annotated[Tokens, "below 0 where the window is too large"]:
        """Tokens left when the reply has its reserve."""
        return self.limit - self.reserve - self.total

    @property
    def excess(self) -> int:
        """Tokens that it is larger than the model's window; 0 where it fits."""
        return max(0, self.total - self.limit) if self.limit else 0

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(map(attrgetter("id"), self.messages))

    @cached_property
    def system(self) -> tuple[int, ...]:
        """The places of the system messages."""
        return tuple(compress(count(), map("system".__eq__, map(attrgetter("role"), self.messages))))

    @cached_property
    def tool_names(self) -> dict[str, str]:
        """For each tool result, by message id, the name of the tool that gave it."""
        return call_names(self.messages)

    @cached_property
    def request(self) -> int | None:
        """The place of the current request (the Input section), if there is one."""
        return current_request(self.messages)

    @cached_property
    def task(self) -> int | None:
        """The place of the first task: the first words from the user that nothing older stands before."""
        for index, message in enumerate(self.messages):
            if message.role == "user" and message.kind == "chat":
                return index
            if message.kind == "summary":
                return None
        return None


def problems(window: Window, provider: ProviderName | None = None) -> tuple[Problem, ...]:
    """What the provider would refuse this window for, its size first, then from the top; empty when it is valid.

    By default, the session's own provider. Calls of the live turn that still wait for a result are no problem. A window
    before which nothing was recorded has nothing to refuse.
    """
    provider = provider or window.context.dialect
    rows = [problem_at(window, place, text) for place, text in refusals_in(window, provider)]
    return tuple(dict.fromkeys([*size_problems(window.total, window.limit, provider), *rows]))


def size_problems(total: int, limit: int, provider: ProviderName) -> list[Problem]:
    """What the provider says to a window of `total` tokens where the model's has `limit`; 0 where that is not known."""
    return [Problem(PROVIDERS[provider].size_fault(limit))] if 0 < limit < total else []


def problem_at(window: Window, place: int, text: str) -> Problem:
    """What is refused of the message at a place; of the whole window where that is -1."""
    return Problem(text, message=window.messages[place].id if place >= 0 else None)


def faults(window: Window, provider: ProviderName, lengths: Lengths) -> list[Fault]:
    """All that is refused of any of the window's beginnings that are asked for, from the top. Linear in all of them."""
    rules = PROVIDERS[provider]
    refusals = [*rules.request_faults(window), *rules.sequence_faults(window, lengths)]
    refusals += rules.message_faults(window.messages, lengths)
    return sorted(refusals, key=attrgetter("place"))


def refusals_in(window: Window, provider: ProviderName) -> Iterator[tuple[int, str]]:
    """What is refused of a window beside its size: place and words. No strategy leaves any of it behind."""
    length = len(window.messages)
    rows = faults_at(faults(window, provider, [length]), length)
    return ((place, words) for place, words in rows if place >= 0 or _has_request(window))


def message_faults(window: Window) -> tuple[int, ...]:
    """The places of messages inside which its own provider refuses something."""
    rule = PROVIDERS[window.context.dialect].content
    candidates = compress(enumerate(window.messages), [message.has_flaw is not False for message in window.messages])
    return tuple([place for place, message in candidates if rule.faults(message)])


def _has_request(window: Window) -> bool:
    """Whether anything was recorded for the turn of a window, whatever plans have left of it."""
    return window.had_messages or bool(window.messages)
