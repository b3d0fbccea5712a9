"""Trim long tool outputs to their start and end, which usually contain the important parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from inspector.core.conversation import Message, Raw, Text, ToolResult
from inspector.engine.strategies.knobs import knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window
from inspector.llm.providers import wire_of


@dataclass(frozen=True)
class TrimOutputsSettings:
    longest: int = knob(2_000, "Maximum characters of a tool output.", low=100, high=200_000, step=100)
    head: float = knob(
        0.6, "Share of them kept from its beginning; the rest is kept from its end.", low=0.0, high=1.0, step=0.1
    )


def trim_outputs(window: Window, settings: TrimOutputsSettings, _services: Services) -> Plan:
    """Trim all unprotected tool outputs above the maximum length."""
    builder = PlanBuilder(window)
    reason = f"longer than {settings.longest:,} characters: head and tail kept"
    trim(builder, builder.results(), settings.longest, settings.head, reason)
    builder.keep_rest(f"no tool output over {settings.longest:,} characters")
    return builder.finish("trim_outputs", settings)


def trim(
    builder: PlanBuilder, places: Sequence[int], longest: int, head: float, reason: str, enough: float = inf
) -> int:
    """Trim tool results above a length until enough tokens are saved. Returns the tokens saved.

    Args:
        builder: Builder of the plan.
        places: Positions of the tool results.
        longest: Maximum length of a result, in characters.
        head: Fraction of that length to keep from the start; the rest is kept from the end.
        reason: Reason to record in the fates.
        enough: Tokens to save.
    """
    messages = builder.window.messages
    long = [index for index in places if messages[index].chars > longest]
    return builder.rewrite(long, (longest, head), lambda message: _shorten(message, longest, head), reason, enough)


def _shorten(message: Message, longest: int, head: float) -> Raw | None:
    """Return the raw tool result with its text trimmed; None if it is short or contains more than text."""
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    text = "\n".join(part.text for part in results)
    if len(text) <= longest or not all(isinstance(part, Text) for result in results for part in result.parts):
        return None
    return wire_of(message.dialect).with_result_text(message.raw, trim_text(text, longest, head))


def trim_text(text: str, longest: int, head: float) -> str:
    """Return the start and end of a text, separated by a line with the number of characters left out.

    Args:
        text: The text to trim.
        longest: Maximum length of the result, in characters.
        head: Fraction of the kept characters to take from the start.
    """
    gap = f"\n[… {len(text) - longest:,} characters left out …]\n"
    room = max(0, longest - len(gap))
    first = round(room * head)
    last = room - first
    return text[:first] + gap + (text[-last:] if last else "")
