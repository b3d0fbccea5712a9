"""Agents of a collaboration, and their models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from inspector.engine.summaries import describe_error, failure_of, field_of
from inspector.memory.shared.logs.base import SharedMemoryError
from inspector.memory.working_memory import ILLMConfig
from inspector.memory.working_memory.llm_clients import endpoint_settings

CONTENT, TOOL_CALLS, MESSAGE, DONE, ERROR = "content", "tool_calls", "complete_message", "done", "error"


@dataclass(frozen=True, slots=True)
class StreamChunk:
    """A piece of what an agent or a model says.

    `type` is "content" (a piece of text), "tool_calls", "complete_message" (the whole reply), "error" (one sentence in
    `content`), "answer", "vote", "final_answer" or "done". `source` names the agent; a model's own chunks have none.
    """

    type: str
    content: str = ""
    source: str = ""
    complete_message: Mapping[str, Any] | None = None
    tool_calls: Sequence[Mapping[str, Any]] = ()


class Backend(Protocol):
    """A model that streams its replies."""

    def stream_with_tools(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], **kwargs: Any
    ) -> AsyncIterator[Any]:
        """Yield the model's reply in chunks: dictionaries or objects with a `type`.

        At least `content`, `complete_message` and `done` are needed.

        Args:
            messages: Request, as for OpenAI's Chat Completions.
            tools: Tool definitions in the same format.
            kwargs: Other options of the request.
        """


class EndpointBackend:
    """A model with an OpenAI-compatible endpoint.

    The key is read from `OPENROUTER_API_KEY`. `OPENROUTER_BASE_URL` sets another endpoint than OpenRouter.
    """

    def __init__(self, config: ILLMConfig, *, api_key: str | None = None, base_url: str | None = None) -> None:
        self.config = config
        self._settings = endpoint_settings(config, api_key, base_url)

    async def stream_with_tools(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], **kwargs: Any
    ) -> AsyncIterator[StreamChunk]:
        """Yield the model's reply in chunks.

        Args:
            messages: Request, as for OpenAI's Chat Completions.
            tools: Tool definitions in the same format.
            kwargs: Other options of the request.

        Raises:
            SharedMemoryError: The endpoint failed. The message never contains the key.
        """
        from openai import AsyncOpenAI, OpenAIError

        settings, config = self._settings, self.config
        options: dict[str, Any] = {"temperature": config.temperature, **kwargs}
        if config.max_tokens is not None:
            options["max_tokens"] = config.max_tokens
        if tools:
            options["tools"] = tools
        reply = _Reply()
        try:
            async with AsyncOpenAI(
                base_url=settings.base_url, api_key=settings.api_key or "none", timeout=config.timeout
            ) as client:
                request: Any = messages
                stream: Any = await client.chat.completions.create(
                    model=config.model, messages=request, stream=True, **options
                )
                async for piece in stream:
                    if text := reply.append_arrival(piece):
                        yield StreamChunk(CONTENT, text)
        except (OpenAIError, OSError, ValueError) as error:
            raise SharedMemoryError(f"{failure_of(error, settings, False).clause}.") from error
        yield StreamChunk(MESSAGE, complete_message=reply.message, tool_calls=reply.calls)
        yield StreamChunk(DONE)


@dataclass
class _Reply:
    """A streamed reply as it is put together."""

    text: str = ""
    _calls: dict[int, dict[str, Any]] = field(default_factory=dict)

    def append_arrival(self, piece: Any) -> str:
        """Return the text that a piece adds."""
        if not piece.choices:
            return ""
        delta = piece.choices[0].delta
        for call in delta.tool_calls or ():
            row = self._calls.setdefault(
                call.index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
            )
            row["id"] = call.id or row["id"]
            if call.function is not None:
                row["function"]["name"] += call.function.name or ""
                row["function"]["arguments"] += call.function.arguments or ""
        text = delta.content or ""
        self.text += text
        return text

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [call for _, call in sorted(self._calls.items())]

    @property
    def message(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        return message | ({"tool_calls": self.calls} if self._calls else {})


@dataclass(frozen=True, slots=True)
class AgentCall:
    """A call that a reply makes."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AgentReply:
    """Reply of an agent to one request."""

    text: str = ""
    calls: tuple[AgentCall, ...] = ()
    error: str = ""
    """Why there is no reply, in one sentence."""


class SingleAgent:
    """An agent with its model: any object with `stream_with_tools`, or an `ILLMConfig`."""

    def __init__(self, backend: Backend | ILLMConfig, agent_id: str = "", system_message: str | None = None) -> None:
        self.backend: Backend = EndpointBackend(backend) if isinstance(backend, ILLMConfig) else backend
        self.agent_id = agent_id
        self.system_message = system_message

    def messages_for(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the messages, preceded by the agent's own system message."""
        own = [{"role": "system", "content": self.system_message}] if self.system_message else []
        return [*own, *map(dict, messages)]

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
    ) -> AsyncIterator[StreamChunk]:
        """Yield the reply to messages in chunks with the agent as source.

        Args:
            messages: Conversation in OpenAI's format, oldest first.
            tools: Tool definitions in OpenAI's format.

        Returns:
            Chunks of the reply. Errors are chunks too and are never raised.
        """
        request, offers = self.messages_for(messages), [dict(tool) for tool in tools]
        try:
            async for piece in self.backend.stream_with_tools(request, offers):
                chunk = _chunk_of(piece, self.agent_id)
                if chunk.type != DONE:
                    yield chunk
        except Exception as error:  # a backend is somebody else's
            sentence = (
                str(error) if isinstance(error, SharedMemoryError) else f"The model failed: {describe_error(error)}."
            )
            yield StreamChunk(ERROR, sentence, self.agent_id)
        yield StreamChunk(DONE, source=self.agent_id)


def reply_of(chunks: Sequence[StreamChunk]) -> AgentReply:
    """Return the reply in some chunks. A complete message takes precedence over the other chunks."""
    error = next((chunk.content for chunk in chunks if chunk.type == ERROR), "")
    whole = next((chunk.complete_message for chunk in reversed(chunks) if chunk.complete_message is not None), None)
    text = "".join(chunk.content for chunk in chunks if chunk.type == CONTENT)
    calls: list[Any] = [call for chunk in chunks if chunk.type == TOOL_CALLS for call in chunk.tool_calls]
    if whole is not None:
        content = whole.get("content")
        text = content if isinstance(content, str) and content.strip() else text
        calls = list(whole.get("tool_calls") or calls)
    return AgentReply(text.strip(), tuple(use for call in calls if (use := _tool_use(call)) is not None), error)


def _chunk_of(piece: Any, agent_id: str) -> StreamChunk:
    """Return a chunk of any backend as a `StreamChunk`."""
    if isinstance(piece, str):
        return StreamChunk(CONTENT, piece, agent_id)
    message = field_of(piece, "complete_message")
    content = field_of(piece, "content")
    if content is None and field_of(piece, "type") == ERROR:
        content = field_of(piece, "error")
    calls = field_of(piece, "tool_calls")
    return StreamChunk(
        str(field_of(piece, "type") or CONTENT),
        content if isinstance(content, str) else "",
        agent_id,
        message if isinstance(message, Mapping) else None,
        tuple(calls) if isinstance(calls, list | tuple) else (),
    )


def _tool_use(call: Any) -> AgentCall | None:
    """Return a call in OpenAI's form with decoded arguments, or None if the value is not a call."""
    function = field_of(call, "function") or call
    name, arguments = field_of(function, "name"), field_of(function, "arguments")
    if isinstance(arguments, str | bytes):
        try:
            arguments = orjson.loads(arguments or "{}")
        except orjson.JSONDecodeError:
            return None
    return AgentCall(name, arguments) if isinstance(name, str) and isinstance(arguments, Mapping) else None
