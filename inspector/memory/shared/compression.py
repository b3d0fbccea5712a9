"""A shared conversation that has become too large: compressed by a strategy, or summarised by agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.core.conversation import Message, RequestContext
from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.summaries import summarise
from inspector.engine.window import Window, apply
from inspector.llm.providers import DEFAULT_DIALECT, text_message
from inspector.llm.tokens import CharsCounter, Sizes
from inspector.memory.shared.shared_entries import SharedEntry, count_tokens


def compress_entries(
    entries: Sequence[SharedEntry], request: str, room: int, strategy: str, settings: Mapping[str, Any]
) -> list[SharedEntry]:
    """Return entries compressed by a strategy, in order. A summary names the writers of all its entries.

    Args:
        entries: The entries.
        request: The current request.
        room: Target size in tokens, for strategies with such a setting.
        strategy: Name of the strategy.
        settings: Settings of the strategy.
    """
    messages = [_message(str(place), entry.text) for place, entry in enumerate(entries)]
    messages.append(_message("request", request or "Go on."))
    counter = CharsCounter(4.0)
    sizes = Sizes((), "estimated", 0, "exact", 0, 0, counter)
    tokens = tuple(map(sizes.measure, messages))
    window = Window(RequestContext("", DEFAULT_DIALECT), sizes, 1, tuple(messages), tokens, 0)
    knobs = {knob.role: knob.name for knob in STRATEGIES[strategy].knobs}
    target = {knobs["target"]: max(1, room)} if "target" in knobs else {}
    plan = draft_plan(window, strategy, {**target, **settings})
    by_id = {message.id: entry for message, entry in zip(messages, entries, strict=False)}
    rows: list[SharedEntry] = []
    for message in apply(window, plan).messages:
        entry = by_id.get(message.id)
        if entry is not None:
            rows.append(SharedEntry(entry.ids, entry.writers, message.text, entry.score, entry.is_summary))
        elif sources := [by_id[name] for name in plan.sources(message.id) if name in by_id]:
            rows.append(_summary(sources, message.text))
    return rows


def summarise_entries(entries: Sequence[SharedEntry], tokens: int) -> list[SharedEntry]:
    """Return one summary per agent, in the order of their first entries, with at most `tokens` tokens in total."""
    writers: dict[tuple[str, ...], list[SharedEntry]] = {}
    for entry in entries:
        writers.setdefault(entry.writers, []).append(entry)
    share = tokens // max(1, len(writers))
    rows = []
    for sources in writers.values():
        messages = [_message(entry.ids[0], entry.text) for entry in sources]
        text = summarise(messages, max(1, share - 16), count_tokens).strip()
        row = _summary(sources, text)
        if text and row.tokens <= share:
            rows.append(row)
    return rows


def _summary(sources: Sequence[SharedEntry], text: str) -> SharedEntry:
    ids = tuple(name for entry in sources for name in entry.ids)
    writers = dict.fromkeys(writer for entry in sources for writer in entry.writers)
    return SharedEntry(ids, tuple(writers), text, is_summary=True)


def _message(name: str, text: str) -> Message:
    return text_message(name, "user", text, DEFAULT_DIALECT)
