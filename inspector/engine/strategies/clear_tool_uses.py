"""Clear old tool results as in the providers' context editing: above a trigger, all but the newest few."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.conversation import Message, Raw
from inspector.engine.strategies.knobs import knob, recent_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window
from inspector.llm.providers import wire_of

NOTE = "[Old tool result content cleared]"


@dataclass(frozen=True)
class ClearToolUsesSettings:
    trigger: int = knob(0, "Minimum tokens of the window to clear results.", low=0, high=2_000_000, step=1_000)
    keep: int = recent_knob(3, "Number of newest tool results to keep.", high=10_000)
    clear_at_least: int = knob(0, "Minimum savings in tokens to clear results.", low=0, high=2_000_000, step=1_000)
    exclude_tools: str = knob("", "Tools whose results are never cleared, separated by commas.")
    clear_inputs: bool = knob(False, "True to clear the arguments of the calls too.")


def clear_tool_uses(window: Window, settings: ClearToolUsesSettings, _services: Services) -> Plan:
    """Clear older tool results, and optionally the arguments of their calls."""
    builder = PlanBuilder(window)
    if window.total < settings.trigger:
        builder.note = f"the window is below the trigger of {settings.trigger:,} tokens"
        return builder.finish("clear_tool_uses", settings)
    savings = _clear_results(builder, settings)
    if settings.clear_inputs:
        savings += _clear_inputs(builder)
    if savings < settings.clear_at_least:
        builder = PlanBuilder(window)
        builder.note = f"clearing would save only {savings:,} tokens, less than {settings.clear_at_least:,}"
    builder.keep(builder.newest_results(settings.keep), f"among the newest {settings.keep:,} results")
    return builder.finish("clear_tool_uses", settings)


def _clear_results(builder: PlanBuilder, settings: ClearToolUsesSettings) -> int:
    """Clear results that are old enough and not excluded. Returns the tokens saved."""
    messages = builder.window.messages
    exclusions = {name.strip() for name in settings.exclude_tools.split(",")} - {""}
    newest = builder.newest_results(settings.keep)
    reason = f"older than the newest {settings.keep:,} results"
    places = [index for index in builder.results() if index not in newest]
    if exclusions:
        names = builder.window.tool_names
        places = [index for index in places if names.get(messages[index].id) not in exclusions]
    return builder.retell(places, lambda _: NOTE, reason, NOTE)


def _clear_inputs(builder: PlanBuilder) -> int:
    """Clear the arguments of calls whose results are all cleared. Returns the tokens saved."""
    messages = builder.window.messages
    places = [
        members[0]
        for members in builder.window.groups.members
        if len(members) > 1
        and members[0] not in builder.protection
        and all(messages[index].preview == NOTE or messages[index].id in builder.rewrites for index in members[1:])
    ]
    return builder.rewrite(
        places, "without inputs", _inputless, "its results were cleared, and its arguments with them"
    )


def _inputless(message: Message) -> Raw | None:
    return wire_of(message.dialect).without_inputs(message.raw)
