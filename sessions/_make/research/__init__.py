"""The story of Halvern: a long research session that finds twelve streets to cool, as an OpenAI chat request."""

from __future__ import annotations

import json

from . import along, evidence, memo, opening
from .archive import Archive
from .talk import TOOLS, Talk


def make() -> dict[str, str]:
    """The file of this sample, by name."""
    talk = Talk(Archive())
    for scene in (opening, evidence, along, memo):
        scene.on_progress(talk)
    request = {
        "model": "gpt-4o",
        "temperature": 0.2,
        "max_completion_tokens": 4096,
        "parallel_tool_calls": True,
        "metadata": {"session": "cooling-2026-27", "day": "2026-09-03"},
        "tools": TOOLS,
        "messages": talk.messages,
    }
    return {"research.json": json.dumps(request, ensure_ascii=False, indent=1) + "\n"}
