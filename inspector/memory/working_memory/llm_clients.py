"""Models that write working memory: anything with `chat`, an OpenAI-compatible endpoint, or none at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

from inspector.engine.summaries import TITLE, ModelSettings, answer_of, failure_of, summarise
from inspector.llm.providers import text_message
from inspector.llm.tokens import CharsCounter
from inspector.memory.message_adapter import as_message
from inspector.memory.working_memory.working_records import WorkingMemoryError

OPENROUTER = "https://openrouter.ai/api/v1"
KEY_VARIABLE, ADDRESS_VARIABLE = "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"


@dataclass(frozen=True)
class ILLMConfig:
    """Which model is asked, and how."""

    model: str
    temperature: float = 0.7
    max_tokens: int | None = None
    """Tokens that it may answer with; None leaves that to the server."""
    timeout: float = 120.0
    """Seconds that one answer may take."""


@dataclass(frozen=True)
class ILLMInput:
    """Request to a model."""

    system_prompt: str
    user_message: str
    """The request in words, with everything below."""
    working_memory: str = ""
    """The memory as it is."""
    interaction: str = ""
    """The new message."""


class ChatOutput(TypedDict):
    """A model's answer."""

    llm_response: str
    usage: dict[str, int]
    """Tokens: `prompt_tokens`, `completion_tokens`, `total_tokens`; empty where they are not known."""


class ChatClient(Protocol):
    """A model."""

    async def chat(self, input: ILLMInput) -> ChatOutput:
        """Return the model's answer. May raise any exception."""


def model_endpoint(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the URL and key in an environment: those of OpenRouter, or those of OpenAI's variables."""
    if environ.get(KEY_VARIABLE) or environ.get(ADDRESS_VARIABLE):
        return environ.get(ADDRESS_VARIABLE) or OPENROUTER, environ.get(KEY_VARIABLE, "")
    return environ.get("OPENAI_BASE_URL") or ModelSettings.base_url, environ.get("OPENAI_API_KEY", "")


def endpoint_settings(config: ILLMConfig, api_key: str | None, base_url: str | None) -> ModelSettings:
    """Return the address and the key of a model's endpoint.

    Args:
        config: Settings of the model.
        api_key: Key, or None for `OPENROUTER_API_KEY`.
        base_url: Address, or None for `OPENROUTER_BASE_URL` or OpenRouter.
    """
    return ModelSettings(
        config.model,
        base_url or os.environ.get(ADDRESS_VARIABLE) or OPENROUTER,
        api_key or os.environ.get(KEY_VARIABLE, ""),
        config.timeout,
    )


class OpenRouterClient:
    """A model at OpenRouter, or at any other OpenAI-compatible endpoint.

    The key is that of `OPENROUTER_API_KEY`; `OPENROUTER_BASE_URL` is the address of another endpoint.
    """

    def __init__(self, config: ILLMConfig, *, api_key: str | None = None, base_url: str | None = None) -> None:
        self.config = config
        self._settings = endpoint_settings(config, api_key, base_url)

    async def chat(self, input: ILLMInput) -> ChatOutput:
        """Return the model's answer. Raises WorkingMemoryError without the key in its message."""
        from openai import AsyncOpenAI, OpenAIError

        settings, config = self._settings, self.config
        messages: Any = [
            {"role": "system", "content": input.system_prompt},
            {"role": "user", "content": input.user_message},
        ]
        limit: Any = {} if config.max_tokens is None else {"max_tokens": config.max_tokens}
        try:
            async with AsyncOpenAI(
                base_url=settings.base_url, api_key=settings.api_key or "none", timeout=config.timeout
            ) as client:
                completion = await client.chat.completions.create(
                    model=config.model, temperature=config.temperature, messages=messages, **limit
                )
        except (OpenAIError, OSError, ValueError) as error:
            raise WorkingMemoryError(f"{failure_of(error, settings, False).clause}.") from error
        answer = answer_of(completion)
        usage = getattr(completion, "usage", None)
        counts = {name: getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
        return {"llm_response": answer.text, "usage": {name: n for name, n in counts.items() if isinstance(n, int)}}


class OfflineClient:
    """Writes memory without a model: the messages line by line, summarised if too long."""

    def __init__(self, tokens: int = 1_000) -> None:
        """`tokens` is the size of a memory, estimated at four characters a token."""
        self.tokens = tokens
        self._count: Callable[[str], int] = CharsCounter(4.0).count

    async def chat(self, input: ILLMInput) -> ChatOutput:
        summary, lines = _parse(input.working_memory)
        lines = list(dict.fromkeys([*lines, f"- {' '.join(input.interaction.split())}"]))
        memory = _SINCE.join(filter(None, [summary, "\n".join(lines)]))
        if self._count(memory) > self.tokens:
            messages = [text_message(f"m{number}", "user", line[2:], "openai") for number, line in enumerate(lines)]
            if summary:
                messages.insert(0, text_message("summary", "user", summary, "openai", kind="summary"))
            memory = summarise(messages, self.tokens * 2 // 3, self._count)
        return {"llm_response": memory, "usage": {}}


_SINCE = "\n\nSaid since:\n"


def _parse(memory: str) -> tuple[str, list[str]]:
    """Return the summary in a memory, and the lines after it."""
    summary, _, since = memory.partition(_SINCE) if memory.startswith(TITLE) else ("", "", memory)
    return summary, since.splitlines()


def history_lines(messages: Sequence[Any]) -> list[str]:
    """Return a chat history as lines, from messages of any client, dictionaries or texts."""
    rows = [as_message(message, "user") for message in messages]
    return [f"{row.role}: {text}" for row in rows if (text := row.text.strip())]
