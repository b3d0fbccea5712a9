"""Agents of a collaboration, and their models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import orjson

from inspector.core.text import dumps
from inspector.engine.summaries import describe_error, failure_of, field_of
from inspector.memory.shared.logs.base import SharedMemoryError
from inspector.memory.shared.memory_tools import MemoryTools
from inspector.memory.shared.private_memory import PrivateMemory
from inspector.memory.working_memory import ILLMConfig
from inspector.memory.working_memory.llm_clients import endpoint_settings

CONTENT, TOOL_CALLS, MESSAGE, DONE, ERROR = "content", "tool_calls", "complete_message", "done", "error"
_MAX_ROUNDS = 8
"""Requests for one reply, at most, while the model calls memory tools."""


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
    """An agent with its model and, if given, private memories that no other agent sees.

    Before each request, the agent adds its earlier conversation and what its persistent memory knows about it, and it
    records new messages and its reply. Pass it the new messages only, or the whole conversation.

    Args:
        backend: Any object with `stream_with_tools`, or an `ILLMConfig`.
        agent_id: Name of the agent.
        system_message: First message of every request.
        conversation_memory: Memory of the agent's conversation: any object with `add` and `get_messages`.
        persistent_memory: Memory that outlives it: any object with `record` and `retrieve`.
        memory_tools: True to offer the model the tools `save_to_memory` and `recall_from_memory`.
        memory_budget: Maximum tokens of the earlier conversation in a request, in whole turns, and of the knowledge.
    """

    def __init__(
        self,
        backend: Backend | ILLMConfig,
        agent_id: str = "",
        system_message: str | None = None,
        conversation_memory: Any = None,
        persistent_memory: Any = None,
        *,
        memory_tools: bool = False,
        memory_budget: int = 8_000,
    ) -> None:
        self.backend: Backend = EndpointBackend(backend) if isinstance(backend, ILLMConfig) else backend
        self.agent_id = agent_id
        self.system_message = system_message
        self.private = PrivateMemory(conversation_memory, persistent_memory, agent_id, memory_budget)
        """The private memories, with the messages that wait to be stored."""
        tools = MemoryTools(persistent_memory, agent_id).tools if memory_tools and persistent_memory is not None else []
        self._memory_tools = {tool.name: tool for tool in tools}

    @property
    def conversation_memory(self) -> Any:
        """Memory of the agent's own conversation, or None."""
        return self.private.conversation

    @property
    def persistent_memory(self) -> Any:
        """Memory of the agent that outlives the conversation, or None."""
        return self.private.persistent

    async def reset(self) -> None:
        """Forget the conversation. Persistent memory is kept."""
        await self.private.clear()

    def messages_for(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the messages, preceded by the agent's own system message."""
        own = [{"role": "system", "content": self.system_message}] if self.system_message else []
        return [*own, *map(dict, messages)]

    async def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = (),
        *,
        reset_chat: bool = False,
        clear_history: bool = False,
    ) -> AsyncIterator[StreamChunk]:
        """Yield the reply to messages in chunks with the agent as source.

        Args:
            messages: Conversation in OpenAI's format, oldest first.
            tools: Tool definitions in OpenAI's format.
            reset_chat: True to `reset` the agent first.
            clear_history: The same.

        Returns:
            Chunks of the reply. Errors are chunks too and are never raised.
        """
        if reset_chat or clear_history:
            await self.reset()
        request = await self.private.expand(self.messages_for(messages))
        chunks: list[StreamChunk] = []
        async for chunk in self._replies(request, tools or ()):
            chunks.append(chunk)
            yield chunk
        reply = _whole_message(chunks)
        if reply and not any(chunk.type == ERROR for chunk in chunks):
            await self.private.record_exchange(messages, reply)
        yield StreamChunk(DONE, source=self.agent_id)

    async def _replies(
        self, request: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncIterator[StreamChunk]:
        """Yield the chunks of a reply after running the memory tools that the model calls."""
        offers = [*tools, *(tool.definition for tool in self._memory_tools.values())]
        for rounds in range(1, _MAX_ROUNDS + 1):
            held: list[StreamChunk] = []
            async for chunk in self._ask(request, offers):
                if self._memory_tools and chunk.type in (TOOL_CALLS, MESSAGE):
                    held.append(chunk)
                else:
                    yield chunk
            message = _whole_message(held)
            results, is_answered = await self._results(message.get("tool_calls") or ())
            if not is_answered or rounds == _MAX_ROUNDS:
                break
            request = [*request, message, *results]
        for chunk in held:
            yield self._without_own_calls(chunk)

    async def _results(self, calls: Sequence[Any]) -> tuple[list[dict[str, Any]], bool]:
        """Run the memory tools that are called. Return the results, and True if they answer all calls."""
        results = [await self._result_of(call) for call in calls if self._is_own(call)]
        return results, bool(results) and len(results) == len(calls)

    def _is_own(self, call: Any) -> bool:
        """Return True if a call is of one of the agent's memory tools."""
        return field_of(field_of(call, "function") or call, "name") in self._memory_tools

    async def _result_of(self, call: Any) -> dict[str, Any]:
        """Run a memory tool, and return its result as a message."""
        function = field_of(call, "function") or call
        tool, arguments = self._memory_tools[field_of(function, "name")], field_of(function, "arguments")
        text = await tool.call(arguments if isinstance(arguments, str) else dumps(arguments or {}))
        return {"role": "tool", "tool_call_id": field_of(call, "id"), "content": text}

    def _without_own_calls(self, chunk: StreamChunk) -> StreamChunk:
        """Return a chunk without calls of memory tools, which the caller cannot answer."""
        calls = tuple(call for call in chunk.tool_calls if not self._is_own(call))
        message = chunk.complete_message
        if message is not None and message.get("tool_calls"):
            kept = [call for call in message["tool_calls"] if not self._is_own(call)]
            rest = {key: value for key, value in message.items() if key != "tool_calls"}
            message = rest | ({"tool_calls": kept} if kept else {})
        return replace(chunk, tool_calls=calls, complete_message=message)

    async def _ask(
        self, request: Sequence[Mapping[str, Any]], offers: Sequence[Mapping[str, Any]]
    ) -> AsyncIterator[StreamChunk]:
        """Yield the chunks of the model's reply except `done`."""
        try:
            async for piece in self.backend.stream_with_tools(list(map(dict, request)), list(map(dict, offers))):
                chunk = _chunk_of(piece, self.agent_id)
                if chunk.type != DONE:
                    yield chunk
        except Exception as error:  # a backend is somebody else's
            sentence = (
                str(error) if isinstance(error, SharedMemoryError) else f"The model failed: {describe_error(error)}."
            )
            yield StreamChunk(ERROR, sentence, self.agent_id)


def _whole_message(chunks: Sequence[StreamChunk]) -> dict[str, Any]:
    """Return the reply in some chunks as a message; empty without text and calls."""
    whole = next((chunk.complete_message for chunk in reversed(chunks) if chunk.complete_message is not None), None)
    text = "".join(chunk.content for chunk in chunks if chunk.type == CONTENT)
    calls = [dict(call) for chunk in chunks if chunk.type == TOOL_CALLS for call in chunk.tool_calls]
    message = dict(whole or {"role": "assistant", "content": text or None} | ({"tool_calls": calls} if calls else {}))
    if not message.get("content") and text:
        message["content"] = text
    return message if message.get("content") or message.get("tool_calls") else {}


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
