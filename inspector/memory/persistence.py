"""Stores a manager's session while it runs, so that another manager can continue it.

Each message is written before it is added, a plan with the state after it: counters, statistics, settings. The log, the
plans and the newest state restore the manager. Messages after that state are counted again by the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from inspector.core.conversation import Message, Raw, Session
from inspector.engine.compression import CompressionEngine, describe_value
from inspector.engine.window import Plan
from inspector.llm.models import PRICING as DOCUMENTED_PRICING
from inspector.memory.compressions import Compressions
from inspector.memory.compressor import CompressedMemory
from inspector.memory.config import MemoryConfig
from inspector.memory.message_adapter import LLMMessage, MessageAdapter, as_message, now
from inspector.memory.model_calls import provider_field, text_field
from inspector.memory.stats import Account, usage_of_call
from inspector.memory.thresholds import Thresholds
from inspector.memory.token_tracker import PRICING, TokenTracker
from inspector.store import AGENT_FORMAT, EARLIER, AgentSession, DamagedError, Journal, StoreError, plan_values

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Arrival:
    """An added message: its messages in the log with their tokens, and the reported usage of its call."""

    source: LLMMessage
    pieces: Sequence[Message]
    tokens: Sequence[int]
    actual: Mapping[str, Any]
    recalled: tuple[str, int] | None = None
    """Content retrieved for the context of a reply: the request, and the tokens."""


class PersistentManager(Protocol):
    """The parts of a `MemoryManager` that are written to a store and restored from it."""

    config: MemoryConfig
    model: str
    provider: str
    engine: CompressionEngine
    adapter: MessageAdapter
    compressions: Compressions
    thresholds: Thresholds
    account: Account
    token_tracker: TokenTracker
    was_compressed_last_iteration: bool
    taken_back: list[str]

    def append_arrival(self, arrival: Arrival) -> None:
        """Append an arrived message to the log."""


class SessionWriter:
    """Writes a manager's session to its journal. `error` is why that last failed, in one sentence."""

    def __init__(self, journal: Journal, *, has_plans: bool = False) -> None:
        self.journal = journal
        self.error = ""
        self._has_plans = has_plans
        self._written: dict[str, tuple[str, int]] = {}
        """Summaries in the states that were written, by name: the text, and the number of messages that it replaces."""

    def write_message(self, arrival: Arrival, *, waits: bool) -> bool:
        """Write a message.

        Args:
            arrival: Message with its sizes.
            waits: True to wait while another program writes.

        Returns:
            False if another program is writing and this call does not wait.

        Raises:
            StoreError: The store cannot be written.
        """
        return self.journal.write(self._event(arrival), waits=waits)

    def write_plan(self, plan: Plan | None, state: Raw) -> None:
        """Write a plan, if any, and the manager's state after it. Never raises, because the manager works without.

        Summaries that an earlier state contains are only named, and the text of a summary is only in its plan.
        """
        summaries = state["summaries"]
        marks = {name: (values["summary"], len(values["preserved"])) for name, values in summaries.items()}
        old = [name for name, mark in marks.items() if self._written.get(name) == mark]
        texts = {summary.id: summary.text for summary in plan.summaries} if plan else {}
        fresh = {
            name: {key: value for key, value in values.items() if key != "summary" or value != texts.get(name)}
            for name, values in summaries.items()
            if name not in old
        }
        event: dict[str, Any] = {"state": {**state, "summaries": fresh, EARLIER: old}, "time": now()}
        if plan is not None:
            self._has_plans = True
            event["plan"] = plan_values(plan)
        try:
            self.journal.write(event)
            self.error, self._written = "", marks
        except StoreError as error:
            self.error = f"The session was not written: {error}."

    def write_all(self, manager: PersistentManager) -> None:
        """Write all that a manager knows to a session that has nothing yet. Raises StoreError."""
        self.journal.write_all(self._events(manager))

    def _events(self, manager: PersistentManager) -> Iterator[Raw]:
        engine, adapter = manager.engine, manager.adapter
        for run in adapter.runs(engine.log):
            pieces = [engine.log[place] for place in run]
            tokens = [engine.cursor.log_tokens[place] for place in run]
            yield self._event(Arrival(adapter.original(pieces[0]) or LLMMessage("user"), pieces, tokens, {}))
        for plan in engine.plans:
            self._has_plans = True
            yield {"plan": plan_values(plan), "time": now()}
        yield {"state": state_of(manager), "time": now()}

    def _event(self, arrival: Arrival) -> Raw:
        """Return a message as a journal entry.

        Usage reported by the provider is stored with the log message while the window is the whole log. For a
        compressed window it does not describe the log.
        """
        pieces, actual = arrival.pieces, arrival.actual
        notes: list[dict[str, Any]] = [{"tokens": tokens} for tokens in arrival.tokens]
        notes[0] |= {"pieces": len(pieces), "role": arrival.source.role}
        if actual:
            notes[0]["actual"] = dict(actual)
        if arrival.recalled:
            notes[0]["recalled"] = list(arrival.recalled)
        if len(pieces) > 1:
            notes[0]["source"] = arrival.source.to_dict()
        messages = [
            {"id": piece.id, "dialect": piece.dialect, "kind": piece.kind, "raw": piece.raw, "record": note}
            for piece, note in zip(pieces, notes, strict=True)
        ]
        event: dict[str, Any] = {"messages": messages, "time": pieces[0].time or now()}
        if actual.get("input") is not None and not self._has_plans:
            usage = usage_of_call(actual, 0, sum(arrival.tokens))
            event["usage"] = [usage.input, usage.output, usage.cache_read, usage.cache_write]
        return event


def session_head(manager: PersistentManager, session_id: str, title: str) -> Session:
    """Return the session of a manager without messages, as the store lists it.

    Args:
        manager: The manager.
        session_id: Id of the session.
        title: Title of the session.
    """
    context = manager.engine.cursor.context
    return Session(session_id, title or session_id, AGENT_FORMAT, (), manager.model, context.tools, context.dialect)


def state_of(manager: PersistentManager) -> Raw:
    """Return the state of a manager in addition to its log and plans, as JSON."""
    engine, compressions = manager.engine, manager.compressions
    trigger = engine.trigger
    return {
        "version": _VERSION,
        "at": len(engine.log),
        "config": _config_values(manager.config),
        "model": manager.model,
        "provider": manager.provider,
        "prices": _own_prices(manager),
        "threshold": manager.thresholds.values(),
        "trigger": {name: getattr(trigger, name) for name in _TRIGGER},
        "failures": engine.failures,
        "last_failure": engine.last_failure,
        "pins": sorted(engine.pins),
        "account": manager.account.values(),
        "summaries": {
            name: {key: getattr(memory, key) for key in _SUMMARY} | {"preserved": list(compressions.preserved[name])}
            for name, memory in compressions.summaries.items()
        },
        "writers": dict(compressions.writers),
        "last_savings": compressions.last_savings,
        "was_compressed": manager.was_compressed_last_iteration,
        "taken_back": list(manager.taken_back),
    }


_TRIGGER = ("level", "length", "attempts", "gave_up", "over_limit")
_SUMMARY = ("summary", "original_tokens", "compressed_tokens", "original_message_count", "strategy", "note")


def _config_values(config: MemoryConfig) -> dict[str, Any]:
    """Return settings as JSON values; `MemoryConfig(**values)` creates equal ones."""
    values = {field.name: getattr(config, field.name) for field in fields(config)}
    values["compression_strategy"] = str(config.compression_strategy)
    values["strategy_settings"] = dict(config.strategy_settings)
    values["summary_model"] = list(config.summary_model)
    threshold = config.compression_threshold
    values["compression_threshold"] = threshold if isinstance(threshold, int) else str(threshold)
    return values


def _own_prices(manager: PersistentManager) -> dict[str, dict[str, float]]:
    """Return the prices that the program has set for the models of a manager, by model."""
    names = {manager.model, manager.token_tracker.model, *manager.compressions.models.names}
    changes = names.intersection(name for name, rates in PRICING.items() if rates != DOCUMENTED_PRICING.get(name))
    return {name: dict(PRICING[name]) for name in sorted(changes)}


def known_arguments(record: AgentSession, llm: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a manager that continues a session: the given ones, and stored values of the others.

    Args:
        record: The stored session.
        llm: Client of the model.
        arguments: Arguments given by the program.

    Raises:
        DamagedError: The stored settings are invalid.
    """
    state, session = record.state, record.session
    values: dict[str, Any] = {"tools": session.tools}
    if state:
        try:
            values["config"] = MemoryConfig(**state["config"])
            if not text_field(llm, "model"):
                values["model"] = str(state["model"])
            if not provider_field(llm):
                values["provider"] = str(state["provider"])
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"the settings of the session {session.id!r} cannot be read") from error
    return values | dict(arguments)


def restore(manager: PersistentManager, record: AgentSession) -> list[str]:
    """Restore the state of the manager that wrote a session.

    Args:
        manager: New manager without messages.
        record: Stored session.

    Returns:
        Sentences about settings that are different now.

    Raises:
        DamagedError: No manager can have written the session.
    """
    try:
        return _restore(manager, record)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise DamagedError(f"the memory's record of the session {record.session.id!r} cannot be read") from error


def _restore(manager: PersistentManager, record: AgentSession) -> list[str]:
    state, engine = record.state, manager.engine
    notes = _differences(manager, state) if state else []
    since = state.get("at", 0)
    manager.taken_back += state.get("taken_back", ())
    for arrival in _arrivals(record):
        if len(engine.log) == since:
            _restore_state(manager, record)
        manager.adapter.readmit(arrival.pieces, arrival.source if len(arrival.pieces) > 1 else None)
        if arrival.pieces[0].id in manager.taken_back:
            manager.adapter.forget(arrival.pieces, engine.log)
            continue
        if len(engine.log) < since:
            for piece, tokens in zip(arrival.pieces, arrival.tokens, strict=True):
                engine.append(piece, tokens)
        else:
            manager.append_arrival(arrival)
    if len(engine.log) <= since:
        _restore_state(manager, record)
    return notes


def _arrivals(record: AgentSession) -> Iterator[Arrival]:
    """Yield the messages of a stored session in the order in which they were added."""
    messages, notes = record.session.messages, record.records
    place = 0
    while place < len(messages):
        note = notes[place]
        end = place + int(note["pieces"])
        pieces = [replace(message, parent=-1, usage=None) for message in messages[place:end]]
        source = as_message(note["source"]) if "source" in note else LLMMessage(note["role"])
        tokens = [int(other["tokens"]) for other in notes[place:end]]
        recalled = (str(note["recalled"][0]), int(note["recalled"][1])) if "recalled" in note else None
        yield Arrival(source, pieces, tokens, note.get("actual", {}), recalled)
        place = max(end, place + 1)


def _restore_state(manager: PersistentManager, record: AgentSession) -> None:
    """Restore the plans and the state of a session, after the messages that preceded them."""
    state, engine, compressions = record.state, manager.engine, manager.compressions
    engine.restack(record.plans)
    if not state:
        return
    manager.thresholds.restore(state["threshold"], is_same=not _differs(manager, state, _OF_THRESHOLD))
    for name in _TRIGGER:
        setattr(engine.trigger, name, state["trigger"][name])
    engine.failures, engine.last_failure = int(state["failures"]), str(state["last_failure"])
    engine.pins = frozenset(state["pins"])
    manager.account.restore(state["account"])
    by_id = {message.id: message for message in engine.log}
    for name, values in state["summaries"].items():
        ids = tuple(values["preserved"])
        originals = (manager.adapter.original(by_id[one]) for one in ids if one in by_id)
        memory = CompressedMemory(
            **{key: values[key] for key in _SUMMARY},
            preserved_messages=tuple(original for original in originals if original),
        )
        compressions.summaries[name], compressions.preserved[name] = memory, ids
    compressions.writers.update(state["writers"])
    compressions.last_savings = int(state["last_savings"])
    manager.was_compressed_last_iteration = bool(state["was_compressed"])


_OF_THRESHOLD = ("compression_threshold", "max_context_tokens")
"""Settings that a threshold follows from."""


def _differs(manager: PersistentManager, state: Raw, names: Sequence[str]) -> bool:
    """Return True if the model or one of some settings has changed."""
    now = _config_values(manager.config)
    return manager.model != state["model"] or any(now[name] != state["config"].get(name) for name in names)


def _differences(manager: PersistentManager, state: Raw) -> list[str]:
    """Return differences from the time when a state was written, in sentences. Prices set then are set again."""
    then, now = state["config"], _config_values(manager.config)
    pairs = [(name, then.get(name), now[name]) for name in now if name in then and then[name] != now[name]]
    pairs += [(name, state[name], getattr(manager, name)) for name in ("model", "provider")]
    notes = [
        f"{name} is {_value_text(new)}, and was {_value_text(old)} when the session was written."
        for name, old, new in pairs
        if old != new
    ]
    for model, rates in state["prices"].items():
        if PRICING.get(model) == DOCUMENTED_PRICING.get(model):
            PRICING[model] = {name: float(rate) for name, rate in rates.items()}
        elif PRICING[model] != rates:
            notes.append(f"The price of {model} is {PRICING[model]}, and was {rates} when the session was written.")
    return notes


def _value_text(value: Any) -> str:
    return "nothing" if value in ("", [], {}, None) else describe_value(value)
