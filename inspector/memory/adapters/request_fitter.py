"""Fit the requests of a program into the budget of a preset, as they pass. Conversations are distinguished by content.

The prefix of a conversation changes only when it is compressed, or when retrieved content no longer fits, so that the
provider's prompt cache is used. A request
is left as it is if it is not certain that the provider accepts the other one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from threading import Lock, RLock
from typing import Any, Literal, Protocol

from inspector.core.conversation import Message, Raw
from inspector.core.text import clip, dumps, one_line
from inspector.engine.compression import Preset
from inspector.engine.window import Plan, archived_ids
from inspector.llm.models import profile
from inspector.llm.providers import text_message
from inspector.memory.adapters.api_requests import ApiRequest, UncertainRequestError, api_request
from inspector.memory.config import MemoryConfig
from inspector.memory.context_limit import ContextLimitError
from inspector.memory.manager import MemoryManager
from inspector.memory.message_adapter import LLMMessage

FitState = Literal["applied", "unchanged", "original"]
_MOST_CONVERSATIONS = 32
_MOST_SUMMARIES = 256
_MOST_CHECKED = 50_000
_SUMMARY_SHARE = 0.8
"""Share of the time limit that a model may take for a summary."""
_MAX_REASON = 300
_FIRST_ROLES = ("user", "assistant")


@dataclass(frozen=True)
class FittedRequest:
    """The request to send in place of one of a program."""

    state: FitState
    """"applied": it has other messages; "unchanged": the preset has changed nothing; "original": it is left as it was
    for a reason."""
    request: Raw
    """The request to send."""
    reason: str = ""
    """Completes "the original request was sent because …"; or a remark on a request that was changed."""
    before: int = 0
    """Tokens of the request as it came; 0 if it was not counted."""
    after: int = 0
    budget: int = 0
    messages: Sequence[Any] = ()
    """The messages to send: positions in the list of the request as it came, and new messages."""
    plans: Sequence[Plan] = ()
    """The plans that this request caused, oldest first."""


@dataclass(frozen=True, slots=True)
class ArchivedText:
    """A message that was archived, as text."""

    digest: str
    """Digest of the whole text, which is the same in each run."""
    speaker: str
    """Its role, such as tool."""
    text: str


class RequestArchive(Protocol):
    """Keeps the messages that a preset archives for later requests, and for later runs."""

    def keep(self, conversation: str, texts: Sequence[ArchivedText]) -> None:
        """Keep messages of a conversation. Returns at once, and never raises."""

    def find(self, conversation: str, words: str) -> Sequence[ArchivedText]:
        """Return messages of a conversation with any of the words, the best first."""


class _KeptSummaries:
    """A model that writes summaries, which is not asked twice for the same messages."""

    def __init__(self, model: Any) -> None:
        self.model, self.provider_name = model.model, model.provider_name
        self._source = model
        self._kept: dict[bytes, Any] = {}

    async def call_async(self, messages: Sequence[LLMMessage], tools: Any = None) -> Any:
        """Return the reply of the model."""
        words = dumps([message.to_dict() for message in messages])
        key = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in self._kept:
            self._kept = dict(list(self._kept.items())[-_MOST_SUMMARIES + 1 :])
            self._kept[key] = await self._source.call_async(messages=messages, tools=tools)
        return self._kept[key]


@dataclass(eq=False)
class _PassingConversation:
    """A conversation of the program, and its memory."""

    head: bytes
    memory: MemoryManager
    digests: list[bytes] = field(default_factory=list)
    sources: list[LLMMessage] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)
    key: str = ""
    """Name of the conversation in an archive, by its first message of the user and the first reply; empty before it."""

    def begins(self, head: bytes, digests: Sequence[bytes]) -> bool:
        """Return True if a request continues it, or repeats its last request."""
        return self.head == head and self.digests == list(digests[: len(self.digests)])


class RequestFitter:
    """Fits requests to the APIs of models into the budget of a preset. Threads may share one.

    Args:
        preset: When and how to compress. Its threshold is the budget.
        summary_model: A client that writes summaries, as for `MemoryManager`; None for extractive ones.
        seconds: Maximum time for a request of a conversation that is being compressed already, and for summaries.
        archive: Keeps archived messages for later runs; None to retrieve only those of the request itself.
    """

    def __init__(
        self, preset: Preset, summary_model: Any = None, seconds: float = 30.0, archive: RequestArchive | None = None
    ) -> None:
        self._archive = archive
        self._preset = replace(preset, preserve_system=True)
        self._model = _KeptSummaries(summary_model) if summary_model else None
        self._seconds = seconds
        self._conversations: list[_PassingConversation] = []
        self._checked: dict[str, set[bytes]] = {}
        self._guard = RLock()

    def fit(self, api: str, request: Raw) -> FittedRequest:
        """Return a request to send in place of another one. Never raises.

        Args:
            api: `anthropic-messages`, `openai-chat` or `openai-responses`.
            request: The request of the program.
        """
        try:
            return self._fit(api_request(api, request, self._checked_of(api)))
        except (UncertainRequestError, ContextLimitError) as doubt:
            return FittedRequest("original", request, clip(one_line(str(doubt)), _MAX_REASON))
        except Exception as error:  # the program must get its reply whatever happens here
            return FittedRequest("original", request, f"the preset failed ({type(error).__name__})")

    def _checked_of(self, api: str) -> set[bytes]:
        """Return the digests of messages of an API that were checked already."""
        checked = self._checked.setdefault(api, set())
        if len(checked) > _MOST_CHECKED:
            checked.clear()
        return checked

    def _fit(self, asked: ApiRequest) -> FittedRequest:
        if not self._preset.enabled:
            return FittedRequest("unchanged", asked.request)
        conversation = self._conversation_of(asked)
        if not conversation.lock.acquire(timeout=self._seconds):
            raise UncertainRequestError("an earlier request of the conversation is still being compressed")
        try:
            fitted = self._extended(conversation, asked)
        except BaseException:
            with self._guard:
                self._conversations = [one for one in self._conversations if one is not conversation]
            raise
        finally:
            conversation.lock.release()
        return fitted

    def _conversation_of(self, asked: ApiRequest) -> _PassingConversation:
        """Return the conversation that a request continues, or a new one."""
        digests = [unit.digest for unit in asked.units]
        with self._guard:
            known = [one for one in self._conversations if one.begins(asked.head, digests)]
            conversation = max(known, key=lambda one: len(one.digests), default=None)
            if conversation is None:
                conversation = _PassingConversation(asked.head, self._memory(asked))
            others = [one for one in self._conversations if one is not conversation]
            self._conversations = [*others[-_MOST_CONVERSATIONS + 1 :], conversation]
            return conversation

    def _memory(self, asked: ApiRequest) -> MemoryManager:
        """Return an empty memory whose limit is the threshold that the preset has in this conversation."""
        preset = self._preset
        most = profile(asked.model).limit
        if not isinstance(preset.threshold, int):
            trial = self._manager(asked, MemoryConfig.from_preset(preset, max_context_tokens=most))
            first = [*([asked.system] if asked.system else ()), *(unit.source for unit in asked.units[:1])]
            asyncio.run(_add_all(trial, first))
            preset = replace(preset, threshold=trial.engine.policy.threshold)
        threshold = preset.threshold
        assert isinstance(threshold, int), "thresholds that depend on the conversation are resolved"
        config = MemoryConfig.from_preset(
            preset,
            max_context_tokens=threshold,
            fallback_to_extractive=True,
            summary_timeout=_SUMMARY_SHARE * self._seconds,
        )
        return self._manager(asked, config)

    def _manager(self, asked: ApiRequest, config: MemoryConfig) -> MemoryManager:
        memory = MemoryManager(
            config, model=asked.model, provider=asked.dialect, tools=asked.tools, summary_llm=self._model
        )
        memory.engine.holds_recall = True  # the prompt cache is used until the next compaction
        return memory

    def _extended(self, conversation: _PassingConversation, asked: ApiRequest) -> FittedRequest:
        """Add the new messages of a request to its conversation, and return the request to send."""
        memory, known = conversation.memory, len(conversation.digests)
        earlier = len(memory.engine.plans)
        self._search_archive(conversation, asked)
        new = asked.units[known:]
        system = [asked.system] if asked.system and not known else []
        asyncio.run(_add_all(memory, [*system, *(unit.source for unit in new)]))
        conversation.digests += [unit.digest for unit in new]
        conversation.sources += [unit.source for unit in new]
        plans = tuple(memory.engine.plans[earlier:])
        context = memory.get_context_for_llm()
        plans = (*plans, *memory.engine.plans[earlier + len(plans) :])
        self._archive_messages(conversation, plans)
        return _outcome(asked, _current(conversation, asked, context), memory, plans)

    def _archive_messages(self, conversation: _PassingConversation, plans: Sequence[Plan]) -> None:
        """Keep the messages that some plans archive in the archive, if there is one."""
        ids = {name for plan in plans for name in archived_ids(plan)}
        if self._archive is None or not conversation.key or not ids:
            return
        archived = [one for one in conversation.memory.engine.cursor.archived if one.id in ids and one.text.strip()]
        self._archive.keep(conversation.key, [ArchivedText(_text_digest(one), one.role, one.text) for one in archived])

    def _search_archive(self, conversation: _PassingConversation, asked: ApiRequest) -> None:
        """Let the conversation retrieve messages of its archive that its requests lack, from its first reply on."""
        archive, engine = self._archive, conversation.memory.engine
        if archive is None or conversation.key:
            return
        first = [next((unit for unit in asked.units if unit.source.role == role), None) for role in _FIRST_ROLES]
        if not all(first):
            return
        digests = b"".join(unit.digest for unit in first if unit)
        key = conversation.key = blake2b(digests, digest_size=12).hexdigest()

        def others(words: str) -> list[Message]:
            known = set(map(_text_digest, engine.log))
            texts = [one for one in archive.find(key, words) if one.digest not in known]
            dialect = engine.cursor.context.dialect
            return [
                text_message(f"archived {one.digest}", "user", one.text, dialect, name=one.speaker) for one in texts
            ]

        engine.others = others


def _text_digest(message: Message) -> str:
    return blake2b(message.text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _current(conversation: _PassingConversation, asked: ApiRequest, context: Sequence[LLMMessage]) -> list[LLMMessage]:
    """Return the messages of a context as they are in the newest request, without a system prompt outside its list."""
    places = {id(source): number for number, source in enumerate(conversation.sources)}
    messages = [asked.units[places[id(one)]].source if id(one) in places else one for one in context]
    own = frozenset(id(unit.source) for unit in asked.units)
    return [message for message in messages if message.role != "system" or id(message) in own]


def _outcome(
    asked: ApiRequest, messages: Sequence[LLMMessage], memory: MemoryManager, plans: Sequence[Plan]
) -> FittedRequest:
    """Return the request with these messages, or the original one if a provider might refuse it."""
    sizes: dict[str, Any] = {
        "before": memory.engine.full_total,
        "after": memory.current_tokens,
        "budget": memory.config.max_context_tokens,
    }
    if [id(message) for message in messages] == [id(unit.source) for unit in asked.units]:
        return FittedRequest("unchanged", asked.request, plans=plans, **sizes)
    request, parts = asked.with_messages(messages)
    if refusal := api_request(asked.api, request).refusal():
        reason = f"the provider might refuse the compressed one ({clip(one_line(refusal), _MAX_REASON)})"
        return FittedRequest("original", asked.request, reason, plans=plans, **sizes)
    excess = sizes["after"] - sizes["budget"]
    reason = f"{excess:,} tokens more than the budget have to stay" if excess > 0 else ""
    return FittedRequest("applied", request, reason, messages=parts, plans=plans, **sizes)


async def _add_all(memory: MemoryManager, messages: Sequence[LLMMessage]) -> None:
    for message in messages:
        await memory.add_message(message)
