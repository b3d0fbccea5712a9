"""First in, first out: the oldest messages leave until at most `max_messages` are left. Requirement 1."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.strategies.aids import Aids
from inspector.strategies.draft import Draft
from inspector.strategies.settings import knob
from inspector.window.plan import Plan
from inspector.window.window import Window


@dataclass(frozen=True)
class Settings:
    max_messages: int = knob(
        50,
        "How many messages may stay; system messages are not counted.",
        low=0,
        high=100_000,
        step=1,
        fit=lambda window: len(window.messages) / 2,
    )


def fifo(window: Window, settings: Settings, _aids: Aids) -> Plan:
    draft = Draft(window)
    left = sum(message.role != "system" for message in window.messages) - len(window.groups.orphans)
    for members in draft.candidates():
        if left <= settings.max_messages:
            break
        draft.drop(members, f"older than the newest {settings.max_messages:,} messages")
        left -= len(members)
    draft.keep(range(len(window.messages)), f"among the newest {settings.max_messages:,} messages")
    if left > settings.max_messages:
        draft.note = f"{left:,} messages are left: the rest may not leave"
    return draft.finish("fifo", settings)
