"""Changes that the Memory screen makes to the store. Each returns a sentence for the user."""

from __future__ import annotations

from inspector.store import Memory, Store


def promote_entry(memory: Memory, store: Store) -> str:
    """Move an entry to the persistent tier, so that it outlives its session."""
    store.entries.promote(memory.id)
    return "It outlives the session now. [ takes that back."


def demote_entry(memory: Memory, session: str, store: Store) -> str:
    """Move an entry to the tier of a session.

    Args:
        memory: Entry to move.
        session: ID of the stored session.
        store: Store with the entry.
    """
    store.entries.demote(memory.id, session)
    return "It belongs to this session now, and goes with it. ] takes that back."


def keep_text(text: str, session: str | None, message: str, agent: str, tokens: int | None, store: Store) -> str:
    """Save a message as an entry of the persistent tier.

    Args:
        text: Text of the message.
        session: ID of the stored session; None if it is not stored.
        message: ID of the message.
        agent: Agent whose context contains the message.
        tokens: Tokens of the message; None if not counted.
        store: Store to save into.
    """
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
    """Record that entries were put into a window."""
    store.entries.touch(ids)
    return ""


def toggle_pin(number: int, store: Store) -> str:
    """Pin or unpin an entry."""
    if store.entries.get(number).is_pinned:
        store.entries.unpin(number)
        return "Unpinned."
    store.entries.pin(number)
    return "Pinned: it does not expire, and an undone plan leaves it."


def forget_entry(number: int, store: Store) -> str:
    """Delete an entry permanently."""
    return "Forgotten." if store.entries.forget(number) else "It is gone already."
