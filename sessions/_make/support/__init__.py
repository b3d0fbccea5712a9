"""A support conversation as an Anthropic request: a lamp that came damaged, a refund that never came, a birthday.

The rules that matter stand in the system prompt and at the beginning; the last message needs them again.
"""

from __future__ import annotations

import json

from _make.prose import prose

from . import lamp, money
from .desk import SYSTEM, TOOLS, Ticket


def make() -> dict[str, str]:
    """The file of this sample, by name."""
    ticket = Ticket()
    for scene in (lamp, money):
        scene.on_progress(ticket)
    request = {
        "model": "claude-haiku-4-5-20251001",
        "max_tokens": 1024,
        "temperature": 0.3,
        "system": [{"type": "text", "text": prose(SYSTEM), "cache_control": {"type": "ephemeral"}}],
        "tools": TOOLS,
        "messages": ticket.messages,
        "metadata": {"user_id": "ticket-58213"},
    }
    return {"support-ticket.json": json.dumps(request, ensure_ascii=False, indent=1) + "\n"}
