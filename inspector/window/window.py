"""A context window: what was sent to the model for one reply, in six sections that add up.

A window is a view of the log. Building one never changes the session; a plan applied to a window gives another window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inspector.conversation import MAIN, Message, RequestContext, Session
from inspector.tokens import Certainty, Sizes, weakest
from inspector.window.budget import SECTIONS, Section, TokenBudget
from inspector.window.groups import Groups, group, live_calls
from inspector.window.names import call_names

REPLY_PRIMER = 3
"""Tokens that a chat request spends on asking for the reply; they belong to the request, so to Input."""
SYSTEM_SHARE = 0.2
"""Of an unrecorded prompt, the part that is put down to System; the rest is put down to Tools.

Reported usage gives only their sum. One part in five is what coding agents with some twenty tools show; both numbers
are marked as unrecorded.
"""


PROMPT = 40_000
"""The most that an unrecorded system prompt with its tools is taken for, in tokens; beyond it is unrecorded history.

A transcript that goes on where another file ends begins with a context that is not in it.
"""


@dataclass(frozen=True, slots=True)
class _SectionSize:
    tokens: int
    how: Certainty


@dataclass(frozen=True)
class Window:
    """The context of `agent` before one reply.

    `messages`, `tokens` and `sections` run in parallel, oldest message first.
    """

    context: RequestContext
    sizes: Sizes
    turn: int
    """Which reply this was sent for, from 1; one past the last reply is the context as it now stands."""
    messages: tuple[Message, ...]
    tokens: tuple[int, ...]
    limit: int
    unrecorded: int = 0
    """Tokens of what the format leaves out of the file (system prompt, tools), inferred for this very turn."""
    agent: str = MAIN
    pinned: frozenset[str] = frozenset()
    """Ids of messages that the person has pinned."""
    preserve_system: bool = True
    """False where system messages may leave like any other."""
    originals: Mapping[str, Message] = field(default_factory=dict, repr=False, compare=False)
    """The messages of the log by their ids, as they were before any plan. It may go on growing with the log."""
    had_messages: bool = True
    """False where the log has no message for this turn, so that plans have left nothing out."""
    reported: int | None = None
    """Input tokens that the provider reported for this very request; None where none were recorded."""

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        return tuple(_classify(self.messages))

    @cached_property
    def groups(self) -> Groups:
        return group(self.messages)

    @cached_property
    def live(self) -> frozenset[int]:
        return live_calls(self.messages, self.groups)

    @cached_property
    def budget(self) -> TokenBudget:
        return TokenBudget(self.limit)

    @cached_property
    def sized(self) -> dict[Section, _SectionSize]:
        """Tokens of the six sections, in order, each with how it is known."""
        totals = dict.fromkeys(SECTIONS, 0)
        for section, tokens in zip(self.sections, self.tokens, strict=True):
            totals[section] += tokens
        if self.messages:
            totals["input"] += REPLY_PRIMER
        totals["tools"] += self.sizes.tools
        known: dict[Section, Certainty] = dict.fromkeys(SECTIONS, self.sizes.how)
        known["tools"] = weakest(self.sizes.how, self.sizes.tools_how)
        if not self.context.records_system:
            prompt = min(self.unrecorded, PROMPT)
            system = round(prompt * SYSTEM_SHARE)
            totals["system"] += system
            totals["tools"] += prompt - system
            totals["history"] += self.unrecorded - prompt
            known["system"] = known["tools"] = "unrecorded"
            if self.unrecorded > prompt:
                known["history"] = "unrecorded"
        return {section: _SectionSize(totals[section], known[section]) for section in SECTIONS}

    @cached_property
    def total(self) -> int:
        """Tokens of the whole window: exactly the sum of its sections."""
        return sum(size.tokens for size in self.sized.values())

    @property
    def reserve(self) -> int:
        return self.budget.output_reserve

    @property
    def free(self) -> int:
        """Tokens left when the reply has its reserve; negative when the window is over its limit."""
        return self.limit - self.reserve - self.total

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)

    @cached_property
    def tool_names(self) -> dict[str, str]:
        """For each tool result, by message id, the name of the tool that gave it."""
        return call_names(self.messages)

    @property
    def request(self) -> int | None:
        """The place of the current request (the Input section), if there is one."""
        return _current_request(self.messages)

    @property
    def task(self) -> int | None:
        """The place of the first task: the first words from the user that nothing older stands before."""
        for index, message in enumerate(self.messages):
            if message.role == "user" and message.kind == "said":
                return index
            if message.kind == "summary":
                return None
        return None


def _current_request(messages: Sequence[Message]) -> int | None:
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user" and messages[index].kind == "said":
            return index
    return None


def _classify(messages: Sequence[Message]) -> list[Section]:
    """The section of each message.

    Where no request is left in the window (a compaction took it), what the agent did since the newest message in the
    user's name is the scratchpad.
    """
    request = _current_request(messages)
    start = request
    if start is None:
        start = max((i for i, message in enumerate(messages) if message.role == "user"), default=len(messages))
    return [section_of(message, index, start) for index, message in enumerate(messages)]


def section_of(message: Message, index: int, start: int) -> Section:
    if message.role == "system":
        return "system"
    if message.kind in ("summary", "injected"):
        return "memory"
    if index == start:
        return "input"
    return "scratchpad" if index > start else "history"


def at_turn(session: Session, sizes: Sizes, turn: int | None = None, agent: str = MAIN, limit: int = 0) -> Window:
    """The window of `agent` at `turn` (1-based; None, or one past the last reply, is the context as it now stands).

    Raises ValueError when the session has no such turn.
    """
    turns = session.turns(agent)
    last = len(turns) + 1
    turn = last if turn is None else turn
    if not 1 <= turn <= last:
        raise ValueError(
            f"there is no turn {turn}: this session has {len(turns)}, and {last} is the context as it now stands"
        )
    reply = session.messages[turns[turn - 1]] if turn < last else None
    end = reply.parent if reply else last_position(session, agent)
    path = [p for p in session.path_to(end) if session.messages[p].kind != "notice"]
    return Window(
        session.context,
        sizes,
        turn,
        tuple(session.messages[p] for p in path),
        tuple(sizes.tokens[p] for p in path),
        limit or sizes.limit,
        0 if session.records_system else sizes.unrecorded_at(end),
        agent,
        originals=session.by_id,
        had_messages=bool(path),
        reported=reply.usage.input if reply and reply.usage else None,
    )


def last_position(session: Session, agent: str) -> int:
    """Where the context of `agent` now ends: its last message in the log."""
    positions = range(len(session.messages) - 1, -1, -1)
    return next((p for p in positions if session.messages[p].agent == agent), -1)
