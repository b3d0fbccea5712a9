"""Trace a summary to its source messages, and a removed message to its summary.

Both directions always work, because the log is never modified, however many plans are applied.
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
    """A summary and its sources. Messages, sizes, numbers and names run in parallel, oldest first."""

    summary: Message
    tokens: int
    plan: Plan | None
    """Plan that created it; None for a recorded summary."""
    messages: tuple[Message, ...]
    sizes: tuple[int, ...]
    numbers: tuple[str, ...]
    """Positions in the log from 1, or "Σ" for an earlier summary that was included."""
    names: tuple[str, ...]
    """Display name of each message's author."""
    mark: str = ""
    """Prefix of token counts: "≈" for estimates, otherwise ""."""

    @property
    def total(self) -> int:
        return sum(self.sizes)


def summary_of(plans: Sequence[Plan], id: str) -> Message | None:
    """Return the summary that includes a message, according to the newest plan; None if there is no such summary."""
    for plan in reversed(plans):
        fate = plan.by_id.get(id)
        if fate and fate.kind == "summarised":
            return next((summary for summary in plan.summaries if summary.id == fate.into), None)
    return None


def origin(preview: Preview, summary: Message) -> Origin:
    """Return the sources of a summary.

    Args:
        preview: Window that contains the summary, now or before the last plans.
        summary: Summary message.
    """
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
    """Return the newest plan that created a summary with this id."""
    return next((plan for plan in reversed(plans) if any(message.id == summary for message in plan.summaries)), None)


def speaker(message: Message, names: Mapping[str, str]) -> str:
    """Return the display name of a message's author: the kind, the tool, or the name or role.

    Control characters are not removed. `names` contains the names of the tools that returned results, by message id.
    """
    if message.kind in ("summary", "injected"):
        return message.kind
    if message.role == "tool":
        return names.get(message.id) or message.name or "result"
    return message.name or message.role


def recorded_before(session: Session, place: int) -> list[Message]:
    """Return the messages that a recorded summary replaced: its agent's window directly before it."""
    path = [session.messages[index] for index in session.context_before(place)] if place >= 0 else []
    return [message for message in path if message.kind != "notice" and message.role != "system"]
