"""Measure the recorded tool definitions of a window by MCP server and tool, with the calls made to each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Annotated

from inspector.core.conversation import Session
from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import plural
from inspector.engine.window import Window
from inspector.llm.providers import name_of_tool


@json_object("Tool definition")
@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool that is defined in every request."""

    name: str
    server: Annotated[str, "the MCP server of a name `mcp__server__tool`; empty for other tools"]
    tokens: Annotated[Tokens, "of its definition (estimate)"]
    calls: Annotated[int, "made in the whole session"]


@dataclass(frozen=True, slots=True)
class ToolServer:
    """The recorded tools of one MCP server."""

    name: str
    tools: tuple[ToolDefinition, ...]

    @property
    def tokens(self) -> int:
        return sum(tool.tokens for tool in self.tools)

    @property
    def calls(self) -> int:
        return sum(tool.calls for tool in self.tools)


def tool_definitions(window: Window, session: Session) -> tuple[ToolDefinition, ...]:
    """Return the recorded tool definitions of a window, largest first. Their tokens add up to those of all.

    Args:
        window: Window whose tool definitions are measured.
        session: Session in which their calls are counted.
    """
    tools = window.context.tools
    names = [name_of_tool(tool) or "unnamed" for tool in tools]
    calls = Counter(call.name for message in session.messages if message.is_reply for call in message.calls)
    sizes = split_tokens(window.sizes.tools, [len(json.dumps(tool, default=str)) for tool in tools])
    rows = [ToolDefinition(name, mcp_server(name), size, calls[name]) for name, size in zip(names, sizes, strict=True)]
    return tuple(sorted(rows, key=lambda row: (-row.tokens, row.name)))


def tool_servers(tools: Sequence[ToolDefinition]) -> tuple[ToolServer, ...]:
    """Return the MCP servers of some tools, largest first."""
    servers: dict[str, list[ToolDefinition]] = {}
    for tool in tools:
        if tool.server:
            servers.setdefault(tool.server, []).append(tool)
    rows = [ToolServer(name, tuple(members)) for name, members in servers.items()]
    return tuple(sorted(rows, key=lambda row: -row.tokens))


def calls_text(calls: int) -> str:
    """Return a number of calls as text: "12 calls", "never called"."""
    return plural(calls, "call") if calls else "never called"


def mcp_server(name: str) -> str:
    """Return the MCP server of a tool name `mcp__server__tool`; "" for other tools."""
    parts = name.split("__")
    return parts[1] if len(parts) > 2 and parts[0] == "mcp" else ""


def split_tokens(total: int, lengths: Sequence[int]) -> list[int]:
    """Split tokens in proportion to the lengths of some texts. The parts are whole numbers that add up to them."""
    whole = sum(lengths) or 1
    ends = [total * end // whole for end in accumulate(lengths)]
    return [end - start for start, end in pairwise([0, *ends])]
