"""What the Memory screen does to the store; each change gives what is told of it."""

from __future__ import annotations

from inspector.store import Memory, Store


def promote_entry(memory: Memory, store: Store) -> str:
    """Let an entry outlive its session."""
    store.entries.promote(memory.id)
    return "It outlives the session now. [ takes that back."


def demote_entry(memory: Memory, session: str, store: Store) -> str:
    """Move an entry into the tier of a session."""
    store.entries.demote(memory.id, session)
    return "It belongs to this session now, and goes with it. ] takes that back."


def keep_text(text: str, session: str | None, message: str, agent: str, tokens: int | None, store: Store) -> str:
    """Let a message outlive its session."""
    number = store.entries.remember(
        "archived",
        text,
        session,
        message,
        once=True,
        agent=agent,
        reason="kept by hand",
        origin="user",
        tokens=tokens,
    )
    return f"Kept as memory {number}: it outlives the session."


def touch_entries(ids: list[int], store: Store) -> str:
    """Note that entries came into a window."""
    store.entries.touch(ids)
    return ""


def toggle_pin(number: int, store: Store) -> str:
    """Pin an entry, or unpin it."""
    if store.entries.get(number).is_pinned:
        store.entries.unpin(number)
        return "Unpinned."
    store.entries.pin(number)
    return "Pinned: it does not expire, and an undone plan leaves it."


def forget_entry(number: int, store: Store) -> str:
    """Delete an entry for good."""
    return "Forgotten." if store.entries.forget(number) else "It is gone already."
