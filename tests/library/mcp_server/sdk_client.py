"""A client of the official MCP SDK that calls every tool of `inspector mcp`; run in an environment with the SDK."""

# mypy: ignore-errors
from __future__ import annotations

import asyncio
import sys

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def converse(session: str) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "inspector", "mcp"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as client:
        greeting = await client.initialize()
        assert greeting.server_info.name == "inspector", greeting
        await client.send_ping()
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["recall", "lost", "sessions"], tools
        assert all(tool.annotations.read_only_hint for tool in tools)
        answer = await client.call_tool("recall", {"query": "fuse", "session": session})
        assert not answer.is_error and "Turn 1" in answer.content[0].text, answer
        answer = await client.call_tool("lost", {"session": session})
        assert not answer.is_error and "turn 1" in answer.content[0].text, answer
        answer = await client.call_tool("sessions", {"query": ""})
        assert not answer.is_error, answer
        answer = await client.call_tool("lost", {"session": "/no/such/file.jsonl"})
        assert answer.is_error, answer
    async with Client(stdio_client(server)) as client:
        assert len((await client.list_tools()).tools) == 3


if __name__ == "__main__":
    asyncio.run(converse(sys.argv[1]))
