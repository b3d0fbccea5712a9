"""Multi-agent orchestration: agents that work on one task and receive each other's contributions."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from inspect import signature
from typing import Any, Protocol
from uuid import uuid4

from inspector.memory.shared.analytics import Collaboration
from inspector.memory.shared.pending_writes import PendingWrites
from inspector.memory.shared.permissions import EVERYBODY, GROUPS
from inspector.memory.shared.ranking import rank_texts
from inspector.memory.shared.shared_entries import check_messages, last_request
from inspector.memory.shared.shared_injection import Rank, SharedInjection, build_injection
from inspector.memory.shared.shared_settings import SharedMemorySettings
from inspector.memory.shared.single_agent import DONE, ERROR, SingleAgent, StreamChunk, reply_of
from inspector.memory.shared.voting import ANSWER_TOOL, Vote, answer_of, ballot, vote_of, vote_tool, winner_of

logger = logging.getLogger(__name__)


class ConversationMemoryLike(Protocol):
    """A memory of a conversation. `get_messages` may also accept a `limit`, the number of newest messages to return."""

    async def add(self, message: Any) -> Any: ...

    async def get_messages(self, *args: Any, **options: Any) -> Any: ...


class PersistentMemoryLike(Protocol):
    """A memory that outlives the session. Either method may raise NotImplementedError."""

    async def record(self, messages: list[dict[str, Any]]) -> Any: ...

    async def retrieve(self, query: Any) -> str: ...


class Orchestrator:
    """Has agents answer a task and vote on the answers, and shares their contributions.

    A memory that fails is logged as a warning, and the agents continue without it. Contributions that it could not
    store are stored before later ones.

    Args:
        agents: Agents by id. Each gets the task with the current shared memory.
        shared_conversation_memory: Contributions of this session: any object with `add` and `get_messages`.
        shared_persistent_memory: Contributions that outlive it.
        settings: Content of injections.
        concurrent: True if all agents answer at once and see earlier contributions only. Otherwise one after the other.
        rank: Ranks texts by relevance. By default the built-in search.
        clock: Returns seconds since 1970.
    """

    def __init__(
        self,
        agents: Mapping[str, SingleAgent],
        shared_conversation_memory: ConversationMemoryLike | None = None,
        shared_persistent_memory: PersistentMemoryLike | None = None,
        *,
        settings: SharedMemorySettings | None = None,
        concurrent: bool = False,
        rank: Rank = rank_texts,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.agents = dict(agents)
        self.shared_conversation_memory = shared_conversation_memory
        self.shared_persistent_memory = shared_persistent_memory
        self.settings = settings or SharedMemorySettings()
        self.collaboration = Collaboration()
        """Who contributed what, and what was injected into whose prompt."""
        self.conversation_writes = PendingWrites(
            self._add_shared,
            "add to shared conversation memory",
        )
        """Contributions that wait to be stored, if the memory is unavailable."""
        self.persistent_writes = PendingWrites(
            self._record_shared,
            "record to shared persistent memory",
        )
        self._concurrent = concurrent
        self._rank = rank
        self._clock = clock
        self._cache: dict[tuple[str, str], tuple[tuple[Any, ...], SharedInjection]] = {}

    async def chat(self, messages: Sequence[Mapping[str, Any]]) -> AsyncGenerator[StreamChunk, None]:
        """Have the agents answer and vote.

        Yields:
            Chunks of all agents as they arrive, then "answer", "vote", "final_answer" and "done" chunks. An agent that
            fails yields an "error" chunk, and the others continue.

        Raises:
            TypeError: The messages are invalid.
        """
        check_messages(messages)
        answers: dict[str, str] = {}
        async with aclosing(self._ask_all(self._answer, messages, answers)) as chunks:
            async for chunk in chunks:
                yield chunk
        votes: dict[str, Vote] = {}
        if len(answers) > 1:
            async with aclosing(self._ask_all(self._vote, messages, answers, votes)) as chunks:
                async for chunk in chunks:
                    yield chunk
        if answers:
            winner = winner_of(answers, votes)
            yield StreamChunk("final_answer", answers[winner], winner)
        else:
            yield StreamChunk(ERROR, "No agent gave an answer.")
        yield StreamChunk(DONE)

    async def _ask_all(
        self, ask: Callable[..., AsyncIterator[StreamChunk]], *values: Any
    ) -> AsyncGenerator[StreamChunk, None]:
        """Yield the chunks of all agents: one agent after another, or all in parallel as they arrive."""
        if not self._concurrent:
            for agent_id in self.agents:
                async for chunk in ask(agent_id, *values):
                    yield chunk
            return
        queue: asyncio.Queue[StreamChunk | None] = asyncio.Queue()

        async def forward(agent_id: str) -> None:
            try:
                async for chunk in ask(agent_id, *values):
                    queue.put_nowait(chunk)
            finally:
                queue.put_nowait(None)

        tasks = [asyncio.create_task(forward(agent_id)) for agent_id in self.agents]
        try:
            for _ in tasks:
                while (item := await queue.get()) is not None:
                    yield item
            await asyncio.gather(*tasks)
        finally:  # also where nobody wants to hear the rest
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(
        self, agent_id: str, messages: Sequence[Mapping[str, Any]], answers: dict[str, str]
    ) -> AsyncIterator[StreamChunk]:
        request = await self._inject_shared_memory_context([dict(message) for message in messages], agent_id)
        chunks: list[StreamChunk] = []
        async for chunk in self.agents[agent_id].chat(request, [ANSWER_TOOL]):
            chunks.append(chunk)
            if chunk.type != DONE:
                yield replace(chunk, source=agent_id)
        reply = reply_of(chunks)
        if not reply.error and (answer := answer_of(reply)):
            answers[agent_id] = answer
            await self._record_to_shared_memory(agent_id, answer)
            yield StreamChunk("answer", answer, agent_id)

    async def _vote(
        self,
        agent_id: str,
        messages: Sequence[Mapping[str, Any]],
        answers: Mapping[str, str],
        votes: dict[str, Vote],
    ) -> AsyncIterator[StreamChunk]:
        choices = {name: answer for name, answer in answers.items() if self._may_see(agent_id, name)}
        if len(choices) < 2:
            return
        request = await self._inject_shared_memory_context([*map(dict, messages), ballot(choices)], agent_id)
        chunks: list[StreamChunk] = []
        async for chunk in self.agents[agent_id].chat(request, [vote_tool(choices)]):
            chunks.append(chunk)
            if chunk.type == ERROR:
                yield replace(chunk, source=agent_id)
        vote = vote_of(agent_id, reply_of(chunks), choices)
        if vote is not None:
            votes[agent_id] = vote
            await self._record_to_shared_memory(agent_id, vote.text)
            yield StreamChunk("vote", vote.text, agent_id)

    def _may_see(self, reader: str, writer: str) -> bool:
        """Return True if an agent may see an answer of another one."""
        permissions = self.settings.permissions
        groups = permissions.groups_written_by(writer)
        return reader == writer or (permissions.may_write(writer) and permissions.may_read(reader, {GROUPS: groups}))

    async def _inject_shared_memory_context(
        self, messages: list[dict[str, Any]], agent_id: str
    ) -> list[dict[str, Any]]:
        """Return the messages with the shared memory for an agent; unchanged if there is nothing to inject."""
        if self.shared_conversation_memory is None and self.shared_persistent_memory is None:
            return messages
        injection = await self.injection(messages, agent_id)
        self.collaboration.add_injection(injection)
        return injection.into(messages) if injection.text else messages

    async def injection(self, messages: Sequence[Mapping[str, Any]], agent_id: str) -> SharedInjection:
        """Return the shared memory that an agent would receive. Sends and records nothing.

        Args:
            messages: Conversation in OpenAI's format, oldest first.
            agent_id: Id of the receiving agent.
        """
        request = last_request(messages)
        state = await self._state()
        place = (agent_id, request)
        if self.settings.caches and state is not None and (entry := self._cache.get(place)) and entry[0] == state:
            return replace(entry[1], was_cached=True)
        shared = await self._shared_messages()
        persistent = await self._persistent_text(messages, agent_id)
        injection = await asyncio.to_thread(
            build_injection, agent_id, request, shared, persistent, self.settings, self._rank
        )
        if state is not None:
            self._cache = {name: entry for name, entry in self._cache.items() if entry[0] == state}
            self._cache[place] = state, injection
        return injection

    async def _state(self) -> tuple[Any, ...] | None:
        """Return the state that an injection depends on in addition to the request, or None if a memory has no
        revision."""
        values: list[Any] = [self.settings]
        for memory in (self.shared_conversation_memory, self.shared_persistent_memory):
            if memory is None:
                continue
            revision = getattr(memory, "revision", None)
            if revision is None:
                return None
            try:
                values.append(await revision())
            except Exception as error:
                logger.debug("The revision of a shared memory could not be read: %s", error)
                return None
        return tuple(values)

    async def _shared_messages(self) -> list[dict[str, Any]]:
        memory, settings = self.shared_conversation_memory, self.settings
        if memory is None:
            return []
        is_plain = (
            settings.selection == "recent"
            and settings.permissions is EVERYBODY
            and settings.includes_own
            and not settings.summary
        )
        try:
            reads_newest = is_plain and "limit" in signature(memory.get_messages).parameters
            messages = await memory.get_messages(**({"limit": settings.window} if reads_newest else {}))
            return [{"id": f"message-{place}", **message} for place, message in enumerate(messages)]
        except Exception as error:  # a memory is somebody else's
            logger.warning("Failed to retrieve shared conversation memory: %s", error)
            return []

    async def _persistent_text(self, messages: Sequence[Mapping[str, Any]], agent_id: str) -> str:
        memory = self.shared_persistent_memory
        if memory is None:
            return ""
        permissions = self.settings.permissions
        if permissions is EVERYBODY:
            options: dict[str, Any] = {}
        elif getattr(memory, "knows_groups", False):
            options = {"groups": permissions.groups_read_by(agent_id)}
        else:
            logger.warning("The shared persistent memory knows no groups, so %s is shown nothing of it.", agent_id)
            return ""
        try:
            text = await memory.retrieve([dict(message) for message in messages], **options)
        except NotImplementedError:
            return ""
        except Exception as error:
            logger.warning("Failed to retrieve shared persistent memory: %s", error)
            return ""
        return text if isinstance(text, str) else ""

    async def _add_shared(self, message: dict[str, Any]) -> None:
        if self.shared_conversation_memory is not None:
            await self.shared_conversation_memory.add(message)

    async def _record_shared(self, message: dict[str, Any]) -> None:
        if self.shared_persistent_memory is not None:
            await self.shared_persistent_memory.record([message])

    async def _record_to_shared_memory(self, agent_id: str, content: str, role: str = "assistant") -> None:
        """Record what an agent has contributed, for all that may read it."""
        permissions = self.settings.permissions
        if not permissions.may_write(agent_id):
            return
        message: dict[str, Any] = {
            "id": f"msg-{uuid4().hex[:12]}",
            "role": role,
            "content": content,
            "agent_id": agent_id,
            "timestamp": self._clock(),
        }
        if groups := sorted(permissions.groups_written_by(agent_id)):
            message[GROUPS] = groups
        self.collaboration.add_contribution(message)
        if self.shared_conversation_memory is not None:
            await self.conversation_writes.store(message)
        if self.shared_persistent_memory is not None:
            await self.persistent_writes.store(message)
