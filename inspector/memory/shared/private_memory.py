"""An agent's private memory: its own conversation and its own knowledge, apart from shared memory."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from inspector.memory.shared.pending_writes import PendingWrites
from inspector.memory.shared.shared_entries import count_tokens, message_text, without_titles
from inspector.memory.shared.shared_injection import SharedInjection

logger = logging.getLogger(__name__)
PRIVATE_TITLE = "=== PERSISTENT MEMORY ==="
_LABELS = ("id", "agent_id", "timestamp")
"""Fields of a recorded message that no provider accepts."""

_Message = dict[str, Any]


class PrivateMemory:
    """Records an agent's conversation, and puts it before the agent's next request.

    A memory that fails is logged as a warning, and the agent continues without it. Messages that cannot be stored wait.

    Args:
        conversation: Any object with `add(message)` and `get_messages()`.
        persistent: Any object with `record(messages)` and `retrieve(query)`.
        agent_id: Name of the agent.
        budget: Maximum tokens of the earlier conversation in a request, and of the retrieved knowledge.
    """

    def __init__(self, conversation: Any, persistent: Any, agent_id: str, budget: int) -> None:
        self.conversation, self.persistent = conversation, persistent
        self._agent_id, self._budget = agent_id, budget
        self._skipped = 0
        """Messages at the beginning that are forgotten although the memory cannot remove them."""
        self.conversation_writes = PendingWrites(lambda message: self.conversation.add(message), "add to memory")
        self.persistent_writes = PendingWrites(
            lambda message: self.persistent.record([message]), "record to persistent memory"
        )

    async def expand(self, messages: Sequence[Mapping[str, Any]]) -> list[_Message]:
        """Return the request for messages, with the earlier conversation and what is known, and record the messages.

        Messages that repeat the end of the earlier conversation are neither sent nor recorded twice.
        """
        request = list(map(dict, messages))
        if self.conversation is not None:
            request = await self._with_conversation(request)
        if self.persistent is not None:
            request = await self._with_knowledge(request)
        return request

    async def record_exchange(self, messages: Sequence[Mapping[str, Any]], reply: Mapping[str, Any]) -> None:
        """Record a reply, and in persistent memory the messages that it answers."""
        if self.conversation is not None:
            await self.conversation_writes.store(self._labelled(reply))
        if self.persistent is not None:
            asked = next((message for message in reversed(messages) if message.get("role") == "user"), None)
            pair = [message for message in (asked, reply) if message and message_text(message).strip()]
            await self.persistent_writes.store(*map(self._labelled, pair))

    async def clear(self) -> None:
        """Forget the conversation. Persistent memory is kept."""
        if self.conversation is None:
            return
        await self.conversation_writes.flush()
        try:
            if callable(clear := getattr(self.conversation, "clear", None)):
                await clear()
                self._skipped = 0
            else:
                self._skipped = len(list(await self.conversation.get_messages()))
        except Exception as error:  # a memory is somebody else's
            logger.warning("Failed to clear memory: %s", error)

    async def _with_conversation(self, messages: list[_Message]) -> list[_Message]:
        start = next((n for n, message in enumerate(messages) if message.get("role") != "system"), len(messages))
        system, sent = messages[:start], messages[start:]
        await self.conversation_writes.flush()
        earlier = await self._earlier()
        repeated = _overlap(earlier, sent)
        new = [message for message in sent[repeated:] if message.get("role") != "system"]
        await self.conversation_writes.store(*map(self._labelled, new))
        before = _newest_turns(earlier[: len(earlier) - repeated], self._budget)
        return [*system, *_with_answered_calls([*before, *sent])]

    async def _earlier(self) -> list[_Message]:
        try:
            recorded = list(await self.conversation.get_messages())[self._skipped :]
            return [{key: value for key, value in row.items() if key not in _LABELS} for row in recorded]
        except Exception as error:  # a memory is somebody else's
            logger.warning("Failed to read memory: %s", error)
            return []

    async def _with_knowledge(self, messages: list[_Message]) -> list[_Message]:
        await self.persistent_writes.flush()
        try:
            text = await self.persistent.retrieve([dict(message) for message in messages])
        except NotImplementedError:
            return messages
        except Exception as error:
            logger.warning("Failed to retrieve persistent memory: %s", error)
            return messages
        if not isinstance(text, str) or not text.strip():
            return messages
        known = without_titles(text.strip())[: 4 * self._budget]
        return SharedInjection(self._agent_id, text=f"\n{PRIVATE_TITLE}\n{known}\n").into(messages)

    def _labelled(self, message: Mapping[str, Any]) -> _Message:
        """Return a message with an id, its speaker and the time, unless it has them."""
        role = str(message.get("role"))
        speaker = (self._agent_id or role) if role == "assistant" else role
        labels = {"id": f"msg-{uuid4().hex[:12]}", "agent_id": speaker, "timestamp": time.time()}
        return {**labels, **message}


def _overlap(earlier: Sequence[_Message], sent: Sequence[_Message]) -> int:
    """Return how many of the sent messages repeat the end of the earlier ones."""
    for size in range(min(len(earlier), len(sent)), 0, -1):
        pairs = zip(earlier[-size:], sent, strict=False)
        if all(_essence(one) == _essence(other) for one, other in pairs):
            return size
    return 0


def _essence(message: Mapping[str, Any]) -> tuple[Any, ...]:
    return message.get("role"), message.get("content"), message.get("tool_calls") or None, message.get("tool_call_id")


def _newest_turns(messages: Sequence[_Message], budget: int) -> list[_Message]:
    """Return as many of the newest turns as the budget holds. A turn begins with a message of the user."""
    start, size = len(messages), 0
    for place in range(len(messages) - 1, -1, -1):
        size += count_tokens(f"{message_text(messages[place])}{messages[place].get('tool_calls') or ''}")
        if size > budget:
            break
        if messages[place].get("role") == "user":
            start = place
    return list(messages[start:])


def _with_answered_calls(messages: Sequence[_Message]) -> list[_Message]:
    """Return messages in which each call is followed by its result: unanswered calls become text, and results without
    a call are left out."""
    kept: list[_Message] = []
    for place, message in enumerate(messages):
        calls = message.get("tool_calls") or ()
        if message.get("role") == "tool":
            if message.get("tool_call_id") in {call.get("id") for call in _calls_before(kept)}:
                kept.append(message)
        elif calls and not _are_answered(calls, messages[place + 1 :]):
            kept.append(_as_text(message))
        else:
            kept.append(message)
    return kept


def _calls_before(messages: Sequence[_Message]) -> Sequence[Mapping[str, Any]]:
    """Return the calls that a following result may answer."""
    reply = next((message for message in reversed(messages) if message.get("role") != "tool"), {})
    return reply.get("tool_calls") or ()


def _are_answered(calls: Sequence[Mapping[str, Any]], following: Sequence[_Message]) -> bool:
    ids = set()
    for message in following:
        if message.get("role") != "tool":
            break
        ids.add(message.get("tool_call_id"))
    return ids.issuperset(call.get("id") for call in calls)


def _as_text(message: _Message) -> _Message:
    """Return a reply with its calls as text."""
    functions = [call.get("function") or {} for call in message["tool_calls"]]
    lines = [f"[{function.get('name')}: {function.get('arguments')}]" for function in functions]
    rest = {key: value for key, value in message.items() if key != "tool_calls"}
    return {**rest, "content": "\n".join(filter(None, [message_text(message), *lines]))}
