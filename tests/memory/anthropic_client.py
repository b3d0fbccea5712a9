"""The little of Anthropic's library that docs/memory.md uses, where that library is not installed: real HTTP."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

from openai import DefaultAsyncHttpxClient


class Messages:
    async def create(self, **body: Any) -> Any:
        address = f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages"
        async with DefaultAsyncHttpxClient() as client:
            response = await client.post(address, json=body, headers={"x-api-key": os.environ["ANTHROPIC_API_KEY"]})
        response.raise_for_status()
        message = response.json()
        blocks = [SimpleNamespace(**block) for block in message["content"]]
        usage = SimpleNamespace(**message["usage"])
        return SimpleNamespace(content=blocks, stop_reason=message["stop_reason"], usage=usage)


class AsyncAnthropic:
    def __init__(self) -> None:
        self.base_url = os.environ["ANTHROPIC_BASE_URL"]
        self.messages = Messages()
