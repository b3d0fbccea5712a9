"""An item of a memory store as text: its facts, its full text, and the events of its life."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.cli.output import paint, width
from inspector.core.text import clip, lines_of, one_line, pad, visible
from inspector.formats import MemoryItem, MemoryStore


def item_lines(store: MemoryStore, item: MemoryItem) -> Iterator[str]:
    """Yield an item of a store of another program: its id, its known facts, its full text, and its events."""
    yield paint(clip(f"{one_line(item.id)}  {item.kind}", width()), "strong")
    facts = {
        "store": store.path,
        "name": item.name,
        "scope": item.scope,
        "loaded": item.load,
        "tokens": f"~{item.tokens:,}",
        "file": f"{item.path}:{item.line}" if item.line else "",
        "about": ", ".join(item.about),
        "from": item.source,
        "created": item.created,
        "updated": item.updated,
        "expires": item.expires,
        "deleted": "yes, with this text" if item.is_deleted else "",
    }
    yield from fact_lines(facts)
    yield ""
    yield from lines_of(visible(item.text), width())
    if item.history:
        yield ""
        yield from event_lines(item)


def event_lines(item: MemoryItem) -> Iterator[str]:
    """Yield a line for each event of an item: time, change, author and text, which of the last event is the item's."""
    for event in item.history:
        is_last = event is item.history[-1]
        text = event.after or event.before or (item.text if is_last else "")
        by = f" by {one_line(event.by)}" if event.by else ""
        yield clip(f"  {event.time[:19]:19}  {event.event}{by}  {one_line(text)}", width())


def fact_lines(facts: Mapping[str, str | None]) -> Iterator[str]:
    """Yield a line for each known fact: its name, which has at most nine cells, and its folded value."""
    for name, fact in facts.items():
        if fact:
            first, *rest = lines_of(fact, max(width() - 10, 20))
            yield f"{paint(pad(name, 9), 'dim')} {first}"
            yield from (f"{'':10}{line}" for line in rest)
