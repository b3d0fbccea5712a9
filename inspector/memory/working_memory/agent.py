"""An agent that keeps the working memory of conversations and rewrites it after each message."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakValueDictionary

from inspector.core.text import plural
from inspector.engine.summaries import clean_sentence, describe_error
from inspector.memory.loop_lock import LoopLock
from inspector.memory.working_memory.llm_clients import ChatClient, ILLMInput, history_lines
from inspector.memory.working_memory.waiting_messages import WaitingMessages
from inspector.memory.working_memory.working_records import ConflictError, WorkingMemoryError

logger = logging.getLogger(__name__)
SUCCESS = "success"
NO_CONVERSATION = "error: no conversation_id provided"
SYSTEM_PROMPT = """\
You keep the working memory of a conversation: notes for an assistant that continues it without having seen it.
You get the current notes and the new message. Rewrite the notes completely.
Keep who the user is, the user's wishes and preferences, decisions, names, numbers and ids exactly as given, and open
questions. Leave out anything that is outdated or not needed later. Write only the notes."""
_ATTEMPTS = 20
"""Number of attempts to write a memory that others keep changing."""
_HISTORY = 20
"""Messages of the chat history that the model is shown."""
_MAX_WAITING = 500
_BATCH = 20
"""Waiting messages that one request to the model adds to a memory."""


@dataclass(frozen=True)
class IAgentInput:
    """A message for an agent, with what is known about it."""

    message: str
    metadata: Mapping[str, Any] | None = field(default=None)
    """`conversation_id` names the conversation."""


class WorkingMemoryManager(Protocol):
    """Storage of memories. `inspector.memory` has four implementations."""

    async def store(self, data: dict[str, Any]) -> Any:
        """Keep `data["working_memory"]` for `data["conversation_id"]`; `data["previous"]` is what was read before.

        Those that know more than one writer raise ConflictError where that is no longer the memory.
        """

    async def retrieve(self, query: dict[str, Any]) -> Any:
        """Return a list of one object with the memory of `query["conversation_id"]` as `working_memory`, or None."""


class ChatHistoryClient(Protocol):
    """Storage of the messages of conversations."""

    async def get_history(self, conversation_id: str) -> Sequence[Any]:
        """Return the messages of a conversation, oldest first: dictionaries, objects with their fields, or texts."""


class WorkingMemoryAgent:
    """Writes the working memory of conversations with a model, and has a manager keep it.

    Tasks may share an agent, also those of several event loops: messages of one conversation come one after the other.
    While the manager's back end is away, messages wait in memory, up to 500. They are added to the memory of their
    conversation with its next message, or by `flush`.
    """

    def __init__(
        self,
        llm_client: ChatClient,
        system_prompt: str | None = None,
        memory_manager: WorkingMemoryManager | None = None,
        chat_history_client: ChatHistoryClient | None = None,
    ) -> None:
        """Create an agent. A second argument that is not a text is used as the manager.

        Args:
            llm_client: The model.
            system_prompt: Instructions for the model.
            memory_manager: Keeps the memory. Without one, it is written and not kept.
            chat_history_client: Adds the end of the chat history to the request.
        """
        if system_prompt is not None and not isinstance(system_prompt, str):
            system_prompt, memory_manager = None, memory_manager or system_prompt
        self.llm_client = llm_client
        self.system_prompt = SYSTEM_PROMPT if system_prompt is None else system_prompt
        self.memory_manager = memory_manager
        self.chat_history_client = chat_history_client
        self.last_memory = ""
        """Newest memory that the model has written, for any conversation."""
        self._locks: WeakValueDictionary[str, LoopLock] = WeakValueDictionary()
        self._waiting = WaitingMessages(_MAX_WAITING)

    @property
    def waiting(self) -> int:
        """Number of messages that wait for the back end."""
        return len(self._waiting)

    @property
    def lost(self) -> int:
        """Number of messages that were never stored, because more than 500 waited."""
        return self._waiting.lost

    async def process(self, input: IAgentInput) -> str:
        """Write a message into the memory of its conversation, after those that wait.

        Gives "success", or "error: " with one sentence; then the memory is as it was. Raises nothing. If the memory
        cannot be read or stored, the message waits, which the sentence states.
        """
        conversation_id = (input.metadata or {}).get("conversation_id")
        if conversation_id is None or conversation_id == "":
            return NO_CONVERSATION
        if not isinstance(conversation_id, str):
            return f"error: a conversation_id is a text, not {type(conversation_id).__name__}"
        try:
            await self._add(conversation_id, [input.message])
        except _UnreachableError as error:
            self._waiting.add(conversation_id, input.message)
            return f"error: {clean_sentence(str(error))} {self._describe_waiting()}"
        except WorkingMemoryError as error:
            return f"error: {clean_sentence(str(error))}"
        return SUCCESS

    async def flush(self) -> bool:
        """Add the waiting messages to the memories of their conversations. Return True if none waits any more."""
        for conversation_id in self._waiting.conversations:
            try:
                await self._add(conversation_id, [])
            except WorkingMemoryError as error:
                logger.warning("Messages of %r still wait: %s", conversation_id, clean_sentence(str(error)))
        return not self._waiting

    def _describe_waiting(self) -> str:
        lost = f"; lost: {plural(self.lost, 'message')}" if self.lost else ""
        return f"The message waits until the memory can be stored (waiting: {plural(self.waiting, 'message')}{lost})."

    async def _add(self, conversation_id: str, messages: list[str]) -> None:
        """Add messages to a memory, after those that wait. Raises WorkingMemoryError."""
        async with self._locks.setdefault(conversation_id, LoopLock()):
            while waiting := self._waiting.of(conversation_id)[:_BATCH]:
                await self._update(conversation_id, "\n\n".join(waiting))
                self._waiting.remove(conversation_id, waiting)
            if messages:
                await self._update(conversation_id, "\n\n".join(messages))

    async def _update(self, conversation_id: str, message: str) -> None:
        """Read, rewrite and store a memory, again if another writer was faster. Raises WorkingMemoryError."""
        for _ in range(_ATTEMPTS):
            previous = await self._retrieve(conversation_id)
            memory = await self._write(conversation_id, previous or "", message)
            if self.memory_manager is None or await self._store(conversation_id, memory, previous):
                self.last_memory = memory
                return
        raise WorkingMemoryError(f"Others kept changing the memory of {conversation_id!r}, so nothing was stored")

    async def _retrieve(self, conversation_id: str) -> str | None:
        """Return the memory of a conversation, or None. Raises if it cannot be read."""
        if self.memory_manager is None:
            return None
        try:
            records = await self.memory_manager.retrieve({"conversation_id": conversation_id})
            return str(records[0].working_memory) if records else None
        except Exception as error:  # a manager is somebody else's
            raise _memory_failure("The memory could not be read", error) from error

    async def _write(self, conversation_id: str, memory: str, message: str) -> str:
        """Return the memory that the model has rewritten."""
        request = "\n\n".join(
            f"{title}:\n{text}"
            for title, text in (
                ("Notes", memory or "(none yet)"),
                ("Earlier messages", await self._history(conversation_id)),
                ("New message", message),
            )
            if text
        )
        try:
            output = await self.llm_client.chat(ILLMInput(self.system_prompt, request, memory, message))
            text = output["llm_response"]
        except Exception as error:  # a client is somebody else's
            raise _failure("The model gave no memory", error) from error
        if not isinstance(text, str) or not text.strip():
            raise WorkingMemoryError("The model answered with nothing, so the memory was left as it is")
        return text.strip()

    async def _history(self, conversation_id: str) -> str:
        if self.chat_history_client is None:
            return ""
        try:
            messages = await self.chat_history_client.get_history(conversation_id)
            return "\n".join(history_lines(list(messages or ())[-_HISTORY:]))
        except Exception as error:
            raise _failure("The chat history could not be read", error) from error

    async def _store(self, conversation_id: str, memory: str, previous: str | None) -> bool:
        """Store a memory with the manager. Return False if it was changed since it was read."""
        assert self.memory_manager is not None, "nothing is stored without a manager"
        data = {"conversation_id": conversation_id, "working_memory": memory, "previous": previous}
        try:
            await self.memory_manager.store(data)
        except ConflictError:
            return False
        except Exception as error:
            raise _memory_failure("The memory could not be stored", error) from error
        return True


class _UnreachableError(WorkingMemoryError):
    """The back end of the memory cannot be used at the moment."""


def _failure(what: str, error: Exception) -> WorkingMemoryError:
    reason = str(error) if isinstance(error, WorkingMemoryError) else describe_error(error)
    return WorkingMemoryError(f"{what}: {reason}")


def _memory_failure(what: str, error: Exception) -> WorkingMemoryError:
    """Return the error for a memory that cannot be used: now, or never for values that its back end does not accept."""
    failure = _failure(what, error)
    return failure if isinstance(error, TypeError | ValueError) else _UnreachableError(str(failure))
