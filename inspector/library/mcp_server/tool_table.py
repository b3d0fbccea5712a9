"""The tools of the MCP server, as clients list them. Agents pay for these texts in each request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SESSION = {"type": "string", "description": "path or id; default: newest of this folder"}


def _tool(name: str, about: str, fields: Mapping[str, Any], *required: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields} | ({"required": required} if required else {})
    return {"name": name, "description": about, "inputSchema": schema, "annotations": {"readOnlyHint": True}}


TOOLS = (
    _tool(
        "recall",
        "Search messages of a session that are no longer in its context window, with turn and source.",
        {"query": {"type": "string", "description": "words; quotes for a phrase"}, "session": _SESSION},
        "query",
    ),
    _tool("lost", "Facts that the last compaction dropped, with turn and source.", {"session": _SESSION}),
    _tool(
        "sessions",
        "Find recorded sessions by title or project.",
        {"query": {"type": "string", "description": "words; empty: newest"}},
        "query",
    ),
)
"""The tools, in the form of an answer to `tools/list`."""
