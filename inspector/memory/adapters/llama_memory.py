"""LlamaIndex: a memory for its agents and chat engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.core.text import dumps
from inspector.memory.adapters.context_fitter import ContextFitter
from inspector.memory.adapters.optional_frameworks import framework_class, hidden_field
from inspector.memory.message_adapter import LLMMessage

_ROLES = {"chatbot": "assistant", "model": "assistant", "developer": "system", "function": "tool"}


_ChatStoreMemory: Any = framework_class("llama_index.core.memory.types", "BaseChatStoreMemory", "llama-index")


class CompressedChatMemory(_ChatStoreMemory):
    """A memory whose messages fit into a budget. The chat store keeps all messages.

    Args:
        preset: A preset by its name, also one that was saved in the app.
        budget: Maximum tokens of a request.
        agent: Agent whose system prompt and tools count in the budget.
        model: Model, which determines how tokens are counted.
        chat_store: Store of the messages; in memory by default.
        chat_store_key: Key of the conversation in the store.
    """

    preset: str | None = None
    budget: int | None = None
    model: str = ""
    agent: Any = hidden_field()
    _fitter: ContextFitter

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings."""
        super().model_post_init(context)
        self._fitter = ContextFitter(
            _llama_messages, _chat_from, preset=self.preset, budget=self.budget, model=self.model
        )

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex stores it."""
        return "CompressedChatMemory"

    @classmethod
    def from_defaults(cls, chat_history: Sequence[Any] | None = None, **options: Any) -> CompressedChatMemory:
        """Return a memory with a history.

        Args:
            chat_history: Messages, oldest first.
            options: Arguments of the constructor.
        """
        memory = cls(**options)
        if chat_history is not None:
            memory.set(list(chat_history))
        return memory

    def get(self, input: str | None = None, **kwargs: Any) -> list[Any]:
        """Return the messages to send."""
        return self._fit(self.get_all())

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[Any]:
        """Return the messages to send."""
        return self._fit(await self.aget_all())

    def _fit(self, messages: list[Any]) -> list[Any]:
        """Return the messages that fit next to the agent's system prompt and tools."""
        prompt = getattr(self.agent, "system_prompt", None)
        system = list(_llama_messages(None, [LLMMessage("system", prompt)])) if prompt else []
        tools = [tool.metadata.to_openai_tool() for tool in getattr(self.agent, "tools", None) or ()]
        return self._fitter.fit([*system, *messages], tools)[len(system) :]


def _chat_from(message: Any) -> list[LLMMessage]:
    role, extra = str(message.role.value), message.additional_kwargs
    blocks = [
        {"type": "text", "text": block.text if block.block_type == "text" else f"[{block.block_type}]"}
        for block in message.blocks
        if block.block_type != "tool_call" and (block.block_type != "text" or block.text)
    ]
    content = blocks[0]["text"] if len(blocks) == 1 else blocks or None
    calls = list(extra.get("tool_calls") or _calls_in_blocks(message))
    call_id = extra.get("tool_call_id") or extra.get("call_id")
    return [LLMMessage(_ROLES.get(role, role), content, calls or None, call_id, extra.get("name"))]


def _calls_in_blocks(message: Any) -> Iterator[dict[str, Any]]:
    for block in message.blocks:
        if block.block_type == "tool_call":
            values = block.tool_kwargs
            arguments = values if isinstance(values, str) else dumps(values)
            function = {"name": block.tool_name, "arguments": arguments}
            yield {"id": block.tool_call_id, "type": "function", "function": function}


def _llama_messages(original: Any, messages: Sequence[LLMMessage]) -> list[Any]:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock

    new = []
    for message in messages:
        text = LLMMessage("user", message.content).text if message.content else ""
        extra = dict(original.additional_kwargs) if original else {}
        if message.tool_calls:
            extra["tool_calls"] = list(message.tool_calls)
        role = original.role if original else MessageRole(message.role)
        new.append(ChatMessage(role=role, blocks=[TextBlock(text=text)] if text else [], additional_kwargs=extra))
    return new
