"""A context window: the request sent to the model for one reply, split into six sections that add up to its size.

A window is a view of the log. Building one never changes the session, and applying a plan returns another window.

`problems` is the only validity check; all commands and screens use it. It judges the messages in their current order
and in their recorded form, if that form is the provider's. Differences that the request format resolves by itself are
accepted: results of one batch become one message, and system messages come first. Anything an export would have to
invent, drop or move is a problem, and so is a window that exceeds the model's limit. Message metadata decides most
cases; a body is only read if it may contain a flaw. The rules belong to the providers, see `inspector.llm.providers`.
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
    sent_tokens,
)
from inspector.llm.providers import PROVIDERS, Fault, Lengths, api_of, faults_at
from inspector.llm.tokens import Certainty, Sizes, TokenCount, weakest

_Value = TypeVar("_Value")
_FORM = ("_form", "groups", "live", "ids", "system", "tool_names", "request", "task")
"""Cached attributes of a window that depend only on the ids, roles, kinds and calls of its messages."""


@json_object(
    "Size",
    "total limit reserve free sections=breakdown reported",
    optional="reported",
    about="Size of a window in tokens.",
)
@dataclass(frozen=True)
class Window:
    """Context of `agent` before one reply.

    `messages`, `tokens` and `sections` are parallel sequences, oldest message first.
    """

    context: RequestContext
    sizes: Sizes
    turn: Turn
    messages: tuple[Message, ...]
    tokens: tuple[int, ...]
    limit: Annotated[Tokens, "limit of the window"]
    unrecorded: int = 0
    """Tokens of the request that the file does not contain (system prompt, tools). Constant over a stretch of turns."""
    agent: str = MAIN
    pins: frozenset[str] = frozenset()
    """Ids of messages pinned by the user."""
    preserve_system: bool = True
    """False if system messages can be removed like any other message."""
    originals: Mapping[str, Message] = field(default_factory=dict, repr=False, compare=False)
    """Messages of the log by id, before any plan. The mapping may keep growing with the log."""
    had_messages: bool = True
    """False if the log has no messages for this turn, so that an empty window is not the effect of plans."""
    reported: Annotated[Tokens | None, "of this request, reported by the provider"] = None
    removed: int = 0
    """Tokens of the messages that were not sent, according to the reported size. It is unknown of which messages."""
    _memory: dict[Callable[[Window], Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _form: dict[Callable[[Window], Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def remember(self, make: Callable[[Window], _Value]) -> _Value:
        """Return `make(self)`, computed once per window. The shared result must not be modified."""
        return self._recall(self._memory, make)

    def cached_form(self, make: Callable[[Window], _Value]) -> _Value:
        """As `remember`, for what no text and no size has a part in: see `reworded`."""
        return self._recall(self._form, make)

    def _recall(self, memory: dict[Callable[[Window], Any], Any], make: Callable[[Window], _Value]) -> _Value:
        if make not in memory:
            memory[make] = make(self)
        value: _Value = memory[make]
        return value

    def reworded(self, messages: Sequence[Message], tokens: Sequence[int]) -> Window:
        """Return the window with other texts and sizes but the same ids, roles, kinds and calls.

        Cached values that depend only on those are reused. Pipeline stages produce many such windows, and recomputing
        the form of tens of thousands of messages is slow.

        Args:
            messages: Messages in the same order.
            tokens: Size of each message in tokens.
        """
        after = replace(self, messages=tuple(messages), tokens=tuple(tokens))
        after.__dict__.update({name: self.__dict__[name] for name in _FORM if name in self.__dict__})
        return after

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        return tuple(sections_of(self.messages))

    @cached_property
    def sent(self) -> tuple[int, ...]:
        """Tokens of each message that were sent: fewer than `tokens` if some were removed, probably the oldest."""
        return sent_tokens(self.tokens, self.sections, self.removed) if self.removed else self.tokens

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
    def breakdown(self) -> Annotated[dict[Section, TokenCount], "the sum is the total"]:
        """Tokens of the six sections, in order, each with its certainty."""
        sums = dict.fromkeys(SECTIONS, 0)
        for section, tokens in zip(self.sections, self.tokens, strict=True):
            sums[section] += tokens
        totals = self._with_request(list(sums.values()))
        certainties: dict[Section, Certainty] = dict.fromkeys(SECTIONS, self.sizes.certainty)
        certainties["tools"] = weakest(self.sizes.certainty, self.sizes.tools_certainty)
        if self.unrecorded or not self.context.records_system:
            is_known = totals[SECTIONS.index("tools")] < 2 * self.sizes.tools
            certainties["tools"] = "estimated" if is_known else "unrecorded"
            if not sums["system"]:
                certainties["system"] = "unrecorded"
                certainties["tools"] = "estimated" if self.sizes.tools else "unrecorded"
            if self.unrecorded_memory:
                certainties["memory"] = "unrecorded"
        return {
            section: TokenCount(tokens, certainties[section]) for section, tokens in zip(SECTIONS, totals, strict=True)
        }

    @property
    def joins_tools(self) -> bool:
        """True if System is one number for the unrecorded prompt and its tools, so that Tools is empty."""
        return self.breakdown["system"].certainty == "unrecorded" and not self.sizes.tools

    def section_name(self, section: Section) -> str:
        """Return the label of a section, which states whether System includes the tools."""
        return "System+T" if section == "system" and self.joins_tools else section.capitalize()

    def allocation(self, section: Section) -> int:
        """Return the budget of a section. If System includes the tools, so does its budget."""
        extra = self.budget.section("tools") if section == "system" and self.joins_tools else 0
        return self.budget.section(section) + extra

    @property
    def unrecorded_memory(self) -> int:
        """Unrecorded tokens beyond the system prompt and its tools.

        The size of these is known from the agents' first contexts.
        """
        return max(0, self.unrecorded - self.sizes.prompt)

    @cached_property
    def total(self) -> Tokens:
        """Tokens of the whole window, exactly the sum of its sections."""
        return sum(self._with_request([sum(self.tokens), *[0] * (len(SECTIONS) - 1)]))

    @property
    def size(self) -> TokenCount:
        """Total tokens with their certainty."""
        if self.sizes.has_requests and self.total == self.reported:
            return TokenCount(self.total, "reported")
        return TokenCount(self.total, weakest(*(size.certainty for size in self.breakdown.values() if size.tokens)))

    def _with_request(self, sums: list[int]) -> tuple[int, ...]:
        """Return the tokens by section, including the parts of the request that are not messages."""
        return request_sections(sums, self.sizes, self.unrecorded, bool(self.messages), self.removed)

    @property
    def emptiness(self) -> str:
        """Sentence to show for a window without messages."""
        if self.reported and not self.had_messages:
            return f"No message of this window is recorded; {self.reported:,} tokens were reported."
        return "The window is empty at this turn."

    @property
    def reserve(self) -> Annotated[Tokens, "kept free for the reply"]:
        return self.budget.output_reserve

    @property
    def free(self) -> Annotated[Tokens, "negative if the window exceeds its limit"]:
        """Tokens available after the window and the reply reserve; negative if the window uses part of the reserve."""
        return self.limit - self.reserve - self.total

    @property
    def excess(self) -> int:
        """Tokens by which the window exceeds the model's limit; 0 if it fits or the limit is unknown."""
        return max(0, self.total - self.limit) if self.limit else 0

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(map(attrgetter("id"), self.messages))

    @cached_property
    def system(self) -> tuple[int, ...]:
        """Positions of the system messages."""
        return tuple(compress(count(), map("system".__eq__, map(attrgetter("role"), self.messages))))

    @cached_property
    def tool_names(self) -> dict[str, str]:
        """Name of the tool that produced each result, by message id."""
        return call_names(self.messages)

    @cached_property
    def request(self) -> int | None:
        """Position of the current request (the Input section), or None."""
        return current_request(self.messages)

    @cached_property
    def task(self) -> int | None:
        """Position of the first task: the first chat message from the user, unless a summary precedes it."""
        for index, message in enumerate(self.messages):
            if message.role == "user" and message.kind == "chat":
                return index
            if message.kind == "summary":
                return None
        return None


def problems(window: Window, provider: ProviderName | None = None) -> tuple[Problem, ...]:
    """Return the reasons why the provider would reject this window; empty if it is valid.

    The size comes first, then messages from the top. Open calls of the live turn are not a problem. If nothing was
    recorded for the turn, faults of the request as a whole are ignored.

    Args:
        window: The window to check.
        provider: Provider whose rules apply; the session's own by default.
    """
    provider = provider or api_of(window.context)
    rows = [problem_at(window, place, text) for place, text in refusals_in(window, provider)]
    return tuple(dict.fromkeys([*size_problems(window.total, window.limit, provider), *rows]))


def size_problems(total: int, limit: int, provider: ProviderName) -> list[Problem]:
    """Return the problem of a window that exceeds the model's limit; empty if it fits.

    Args:
        total: Tokens of the window.
        limit: Tokens the model accepts; 0 if unknown.
        provider: Provider whose wording is used.
    """
    return [Problem(PROVIDERS[provider].size_fault(limit))] if 0 < limit < total else []


def problem_at(window: Window, place: int, text: str) -> Problem:
    """Return a problem with the message at `place`, or with the whole window if `place` is -1.

    Args:
        window: Window that contains the message.
        place: Position of the message, or -1.
        text: Description of the problem.
    """
    return Problem(text, message=window.messages[place].id if place >= 0 else None)


def faults(window: Window, provider: ProviderName, lengths: Lengths) -> list[Fault]:
    """Return all faults in the given prefixes of the window, from the top. Takes linear time for all prefixes together.

    Args:
        window: The window to check.
        provider: Provider whose rules apply.
        lengths: Lengths of the prefixes to check, in messages.
    """
    rules = PROVIDERS[provider]
    refusals = [*rules.request_faults(window), *rules.sequence_faults(window, lengths)]
    refusals += rules.message_faults(window.messages, lengths)
    return sorted(refusals, key=attrgetter("place"))


def refusals_in(window: Window, provider: ProviderName) -> Iterator[tuple[int, str]]:
    """Yield the position and text of every fault of a window other than its size.

    The result of a strategy must be free of them.
    """
    length = len(window.messages)
    rows = faults_at(faults(window, provider, [length]), length)
    return ((place, words) for place, words in rows if place >= 0 or _has_request(window))


def message_faults(window: Window) -> tuple[int, ...]:
    """Return the positions of messages whose content the session's own provider would reject."""
    rule = PROVIDERS[window.context.dialect].content
    candidates = compress(enumerate(window.messages), [message.has_flaw is not False for message in window.messages])
    return tuple([place for place, message in candidates if rule.faults(message)])


def _has_request(window: Window) -> bool:
    """Return True if anything was recorded for the window's turn, even if plans have since removed it."""
    return window.had_messages or bool(window.messages)
