"""Old tool results are cleared as providers' context editing does it: past a trigger, all but the newest few."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.dialects import with_result_text
from inspector.strategies.aids import Aids
from inspector.strategies.draft import Draft
from inspector.strategies.settings import knob
from inspector.window.names import call_names
from inspector.window.plan import KEPT, Plan
from inspector.window.window import Window

CLEARED = "[Old tool result content cleared]"


@dataclass(frozen=True)
class Settings:
    trigger: int = knob(0, "Tokens of the window below which nothing is done.", low=0, high=2_000_000, step=1_000)
    keep: int = knob(3, "How many of the newest tool results stay.", low=0, high=10_000, step=1)
    clear_at_least: int = knob(0, "Tokens that have to be won, or nothing is done.", low=0, high=2_000_000, step=1_000)
    exclude_tools: str = knob("", "Tools whose results are never cleared, with commas between them.")


def clear_tool_uses(window: Window, settings: Settings, _aids: Aids) -> Plan:
    draft = Draft(window)
    if window.total < settings.trigger:
        draft.note = f"the window is below the trigger of {settings.trigger:,} tokens"
        return draft.finish("clear_tool_uses", settings)
    names = call_names(window.messages)
    excluded = {name.strip() for name in settings.exclude_tools.split(",")}
    observed = [index for index, message in enumerate(window.messages) if message.role == "tool"]
    newest = set(observed[len(observed) - settings.keep :]) if settings.keep else set()
    won = 0
    for index in draft.results():
        message = window.messages[index]
        if index in newest or names.get(message.id) in excluded:
            continue
        raw = with_result_text(message.raw, message.dialect, CLEARED)
        won += draft.rewrite(index, raw, "masked", f"older than the newest {settings.keep:,} results")
    if won < settings.clear_at_least:
        draft = Draft(window)
        draft.note = f"only {won:,} tokens could be won, less than the {settings.clear_at_least:,} asked for"
    draft.keep(
        [index for index in observed if draft.fates[index] is KEPT], f"among the newest {settings.keep:,} results"
    )
    return draft.finish("clear_tool_uses", settings)
