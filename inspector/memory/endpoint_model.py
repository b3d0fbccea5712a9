"""A model with an OpenAI-compatible endpoint, for agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.core.conversation import Raw
from inspector.engine.summaries import ModelSettings, failure_of
from inspector.memory.message_adapter import LLMMessage


class EndpointError(RuntimeError):
    """The endpoint failed. The message is one sentence without the key."""


class EndpointModel:
    """A model that is asked over an OpenAI-compatible endpoint.

    Args:
        settings: Model, address and key.
    """

    provider_name = "openai"

    def __init__(self, settings: ModelSettings) -> None:
        self.model = settings.model
        self._settings = settings

    async def call_async(self, messages: Sequence[LLMMessage], tools: Sequence[Raw] | None = None) -> Any:
        """Return the completion of the model.

        Args:
            messages: Messages of the request.
            tools: Tool definitions.

        Raises:
            EndpointError: The endpoint failed.
        """
        from openai import AsyncOpenAI, OpenAIError

        settings = self._settings
        options: Any = {"tools": list(tools)} if tools else {}
        request: Any = [message.to_dict() for message in messages]
        try:
            async with AsyncOpenAI(
                base_url=settings.base_url, api_key=settings.api_key or "none", timeout=settings.timeout
            ) as client:
                return await client.chat.completions.create(model=self.model, messages=request, **options)
        except (OpenAIError, OSError, ValueError) as error:
            raise EndpointError(f"{failure_of(error, settings, False).clause}.") from error
