"""Statistics of shared memory: the writers of entries, the prompts that received them, and the entries in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Annotated, Any

from inspector.core.json_objects import json_object
from inspector.engine.facts import extract
from inspector.memory.shared.shared_entries import as_message, count_tokens, message_text, writer_name
from inspector.memory.shared.shared_injection import SharedInjection

_TELLING = frozenset({"path", "url", "id", "amount", "number", "email", "symbol", "error"})
"""Classes of facts that are never used by chance."""


@json_object()
@dataclass(frozen=True, slots=True)
class AgentActivity:
    """Contributions of one agent. Tokens are estimated at four characters each."""

    agent_id: str
    contributions: int
    contributed_tokens: int
    injections: int
    """How many times it was shown something of the shared memory."""
    injected_tokens: int
    cache_hits: int
    adopted: Annotated[int, "facts of others that it used after they were shown to it"]


@json_object()
@dataclass(frozen=True, slots=True)
class AgentExchange:
    """Entries of one agent that were injected into the prompts of another."""

    writer: str
    reader: str
    entries: int
    """How many times an entry of the writer was shown to the reader."""
    tokens: int
    adopted: int
    """Facts of the writer that the reader used after they were shown to it."""


@dataclass(frozen=True)
class CollaborationReport:
    """All agents, and every pair of them that has something to do with each other."""

    agents: tuple[AgentActivity, ...]
    exchanges: tuple[AgentExchange, ...]
    unread: tuple[str, ...]
    """Ids of contributions that no other agent was shown."""


@dataclass
class Collaboration:
    """The contributions and injections of an orchestrator, in their order. Threads may share it."""

    contributions: list[Mapping[str, Any]] = field(default_factory=list)
    injections: list[SharedInjection] = field(default_factory=list)
    _adopted: Counter[tuple[str, str]] = field(default_factory=Counter)
    _known: dict[str, dict[str, str]] = field(default_factory=dict)
    """The facts that each agent was shown, each with who told it."""
    _lock: Lock = field(default_factory=Lock, repr=False)

    def add_contribution(self, message: Mapping[str, Any]) -> None:
        """Note what an agent has contributed, and which facts of others it uses in it."""
        writer, facts = writer_name(message.get("agent_id")), _facts_in(message_text(message))
        with self._lock:
            self.contributions.append(dict(message))
            known = self._known.get(writer, {})
            self._adopted.update((known.pop(fact), writer) for fact in facts & known.keys())

    def add_injection(self, injection: SharedInjection) -> None:
        """Note what an agent was shown."""
        with self._lock:
            self.injections.append(injection)
            known = self._known.setdefault(writer_name(injection.agent_id), {})
            own, task = writer_name(injection.agent_id), _facts_in(injection.request)
            for entry in injection.entries:
                if own not in entry.writers:
                    known |= dict.fromkeys(_facts_in(entry.text) - task - known.keys(), entry.writers[0])

    def report(self) -> CollaborationReport:
        """Return the events of a collaboration so far."""
        with self._lock:
            contributions, injections = list(self.contributions), list(self.injections)
            adopted = Counter(self._adopted)
        readers = {writer_name(injection.agent_id) for injection in injections}
        writers = {writer_name(message.get("agent_id")) for message in contributions}
        names = sorted(readers | writers)
        return CollaborationReport(
            tuple(_activity(name, contributions, injections, adopted) for name in names),
            tuple(_exchanges(injections, adopted)),
            _unread(contributions, injections),
        )


def _facts_in(text: str) -> set[str]:
    return {fact.text for fact in extract(as_message("", {"role": "user", "content": text})) if fact.cls in _TELLING}


def _activity(
    name: str,
    contributions: Iterable[Mapping[str, Any]],
    injections: Iterable[SharedInjection],
    adopted: Mapping[tuple[str, str], int],
) -> AgentActivity:
    own = [message_text(message) for message in contributions if writer_name(message.get("agent_id")) == name]
    views = [injection for injection in injections if writer_name(injection.agent_id) == name and injection.text]
    return AgentActivity(
        name,
        len(own),
        sum(map(count_tokens, own)),
        len(views),
        sum(view.tokens for view in views),
        sum(view.was_cached for view in views),
        sum(count for (_, reader), count in adopted.items() if reader == name),
    )


def _exchanges(
    injections: Iterable[SharedInjection], adopted: Mapping[tuple[str, str], int]
) -> Iterable[AgentExchange]:
    entries: Counter[tuple[str, str]] = Counter()
    tokens: Counter[tuple[str, str]] = Counter()
    for injection in injections:
        reader = writer_name(injection.agent_id)
        for entry in injection.entries:
            for writer in entry.writers:
                entries[writer, reader] += 1
                tokens[writer, reader] += entry.tokens // len(entry.writers)
    for pair in sorted(entries):
        yield AgentExchange(*pair, entries[pair], tokens[pair], adopted.get(pair, 0))


def _unread(contributions: Iterable[Mapping[str, Any]], injections: Iterable[SharedInjection]) -> tuple[str, ...]:
    """Return ids of contributions that no other agent was shown, the oldest first."""
    readers: dict[str, set[str]] = {}
    for injection in injections:
        for entry in injection.entries:
            for name in entry.ids:
                readers.setdefault(name, set()).add(writer_name(injection.agent_id))
    return tuple(
        str(message["id"])
        for message in contributions
        if not readers.get(str(message["id"]), set()) - {writer_name(message.get("agent_id"))}
    )
