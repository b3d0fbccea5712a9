"""From a summary to the messages that it stands for, and from a message that left to its summary.

The log is never touched, so both ways stay open however many plans lie between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.core.conversation import Message, Session
from inspector.engine.window import Plan, call_names
from inspector.library.bench.workbench import Preview
from inspector.llm.tokens import mark


@dataclass(frozen=True)
class Origin:
    """A summary, and what it stands for: messages, tokens, numbers and names run in parallel, oldest first."""

    summary: Message
    tokens: int
    plan: Plan | None
    """The plan that made it; None for a summary that the recording made itself."""
    messages: tuple[Message, ...]
    sizes: tuple[int, ...]
    numbers: tuple[str, ...]
    """Their places in the log from 1, "Σ" for an earlier summary that was taken in."""
    names: tuple[str, ...]
    """Who each is from, as it is shown."""
    mark: str = ""
    """The sign before its numbers of tokens: "≈" for estimates."""

    @property
    def total(self) -> int:
        return sum(self.sizes)


def summary_of(plans: Sequence[Plan], id: str) -> Message | None:
    """The summary that a message went into, by the newest plan that says so."""
    for plan in reversed(plans):
        fate = plan.by_id.get(id)
        if fate and fate.kind == "summarised":
            return next((summary for summary in plan.summaries if summary.id == fate.into), None)
    return None


def origin(preview: Preview, summary: Message) -> Origin:
    """What a summary of this window, or of one beneath it, stands for."""
    session, sizes = preview.session, preview.recorded.sizes
    places = {message.id: place for place, message in enumerate(session.messages)}
    summaries = {message.id: message for plan in preview.plans for message in plan.summaries}
    plan = None if summary.id in places else maker(preview.plans, summary.id)
    if plan is not None:
        messages = [
            summaries.get(message_id) or session.messages[places[message_id]] for message_id in plan.sources(summary.id)
        ]
    else:
        messages = recorded_before(session, places.get(summary.id, -1))
    names = call_names(messages)

    def size(message: Message) -> int:
        return sizes.measure(message) if message.id in summaries else sizes.tokens[places[message.id]]

    return Origin(
        summary,
        size(summary),
        plan,
        tuple(messages),
        tuple(map(size, messages)),
        tuple("Σ" if message.id in summaries else str(places[message.id] + 1) for message in messages),
        tuple(speaker(message, names) for message in messages),
        mark(sizes.certainty),
    )


def maker(plans: Sequence[Plan], summary: str) -> Plan | None:
    """The newest plan that made a summary of this name."""
    return next((plan for plan in reversed(plans) if any(message.id == summary for message in plan.summaries)), None)


def speaker(message: Message, names: Mapping[str, str]) -> str:
    """Who a message is from, in a word, with the names of the tools that gave results. Raw: to be cleaned.

    It is called the same wherever it is shown. Somebody who has a name, in a group that talks, has that one.
    """
    if message.kind in ("summary", "injected"):
        return message.kind
    if message.role == "tool":
        return names.get(message.id) or message.name or "result"
    return message.name or message.role


def recorded_before(session: Session, place: int) -> list[Message]:
    """The context that a recorded summary took the place of: what its agent had in its window right before it."""
    path = [session.messages[index] for index in session.context_before(place)] if place >= 0 else []
    return [message for message in path if message.kind != "notice" and message.role != "system"]
