"""Old tool results are masked: a placeholder stays that says what was there. After JetBrains' study of 2025."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.dialects import with_result_text
from inspector.strategies.aids import Aids
from inspector.strategies.draft import Draft
from inspector.strategies.settings import knob
from inspector.window.names import call_names
from inspector.window.plan import Plan
from inspector.window.window import Window


@dataclass(frozen=True)
class Settings:
    keep: int = knob(10, "How many of the newest tool results stay word for word.", low=0, high=10_000, step=1)


def mask_observations(window: Window, settings: Settings, _aids: Aids) -> Plan:
    """Every call keeps its result; older ones keep only a line with the tool's name, the size and the message's id."""
    draft = Draft(window)
    names = call_names(window.messages)
    observed = [index for index, message in enumerate(window.messages) if message.role == "tool"]
    newest = set(observed[len(observed) - settings.keep :]) if settings.keep else set()
    draft.keep(newest, f"among the newest {settings.keep:,} results")
    for index in draft.results():
        message = window.messages[index]
        if index in newest or message.preview.startswith(MASK):
            continue
        tool = names.get(message.id) or "tool"
        text = f"{MASK}{tool} result of {window.tokens[index]:,} tokens, message {message.id}]"
        raw = with_result_text(message.raw, message.dialect, text)
        draft.rewrite(index, raw, "masked", f"older than the newest {settings.keep:,} results")
    return draft.finish("mask_observations", settings)


MASK = "[masked: "
