"""Conversations of the BEAM benchmark: batches of turns of a few messages each.

https://github.com/mohammadtavakoli78/BEAM: `chat.json`, and `chat_trunecated.json` for some. The longest conversations
have several plans with batches. The dataset on Hugging Face, and the files that its download script writes, have lists
of messages instead of batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.core.conversation import Role, Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import blocks_of, objects_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text


class BEAM(Format):
    """Conversations of BEAM: one per file of batches, or one per plan."""

    name = "beam"
    features: ClassVar[frozenset[Feature]] = frozenset({"times"})
    page = "https://github.com/mohammadtavakoli78/BEAM"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(True for record in sample.objects for _ in _batches_in(record)):
            return FormatMatch(1.0, "batches of turns with a time_anchor")
        if sample.shape == "list" and any(map(_is_batch, sample.records)):
            return FormatMatch(1.0, "lists of messages, the first with a time_anchor and a question_type")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        plans: dict[str, list[Fields]] = {}
        for number, record in content.records(progress):
            own = list(_batches_in(record))
            if not own:
                content.reject(number, "is not a batch of turns")
            for plan, batch in own:
                plans.setdefault(plan, []).append(batch)
        return unique(_plan_session(content, plan, batches) for plan, batches in plans.items())


def _is_batch(record: Any) -> bool:
    """Return True for a list of messages of which the first is a question with a time."""
    first = record[0] if isinstance(record, list) and record else None
    return isinstance(first, dict) and first.keys() >= _MARKS


_MARKS = {"role", "content", "id", "time_anchor", "question_type"}


def _batches_in(record: Any) -> Iterator[tuple[str, Fields]]:
    """Yield the batches of a record, each with its plan, or "" if there are no plans."""
    if not isinstance(record, dict):
        if isinstance(record, list) and any(isinstance(message, dict) and "role" in message for message in record):
            yield "", {"turns": [record]}
        return
    if "batch_number" in record and isinstance(record.get("turns"), list):
        yield "", record
        return
    for plan, batches in record.items():
        if plan.startswith("plan-"):
            yield from ((plan, batch) for batch in objects_of(batches) if isinstance(batch.get("turns"), list))


def _plan_session(content: Content, plan: str, batches: list[Fields]) -> Session:
    log = LogBuilder()
    for batch in batches:
        for turn in batch["turns"]:
            for message in objects_of(turn if isinstance(turn, list) else [turn]):
                words = blocks_of(message.get("content"))
                role: Role = "assistant" if message.get("role") == "assistant" else "user"
                record = {name: value for name, value in message.items() if name != "content"}
                if words:
                    time = as_text(message.get("time_anchor") or batch.get("time_anchor"))
                    log.add_parts(f"m{as_text(message.get('id'))}", role, words, record, time=time)
    return log.session(content, BEAM.name, plan, plan)
