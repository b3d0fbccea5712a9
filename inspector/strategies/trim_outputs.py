"""Long tool outputs are trimmed to their beginning and their end, where what matters mostly stands."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.conversation import ToolResult
from inspector.dialects import with_result_text
from inspector.strategies.aids import Aids
from inspector.strategies.draft import Draft
from inspector.strategies.settings import knob
from inspector.window.plan import Plan
from inspector.window.window import Window


@dataclass(frozen=True)
class Settings:
    longest: int = knob(2_000, "Characters that a tool output may have.", low=100, high=200_000, step=100)
    head: float = knob(
        0.6, "Share of them that is kept from its beginning; the rest from its end.", low=0.0, high=1.0, step=0.1
    )


def trim_outputs(window: Window, settings: Settings, _aids: Aids) -> Plan:
    draft = Draft(window)
    for index in draft.results():
        message = window.messages[index]
        if message.chars <= settings.longest:
            continue
        text = "\n".join(part.text for part in message.parts if isinstance(part, ToolResult))
        if len(text) <= settings.longest:
            continue
        raw = with_result_text(message.raw, message.dialect, trimmed(text, settings.longest, settings.head))
        draft.rewrite(index, raw, "trimmed", f"longer than {settings.longest:,} characters: its head and tail stay")
    draft.keep(range(len(window.messages)), f"no tool output over {settings.longest:,} characters")
    return draft.finish("trim_outputs", settings)


def trimmed(text: str, longest: int, head: float) -> str:
    """Head and tail of a text with a line between them that says how much is missing; at most `longest` characters."""
    gap = f"\n[… {len(text) - longest:,} characters left out …]\n"
    room = max(0, longest - len(gap))
    first = round(room * head)
    last = room - first
    return text[:first] + gap + (text[-last:] if last else "")
