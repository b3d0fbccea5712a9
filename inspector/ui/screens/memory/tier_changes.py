"""Changes that the Memory screen makes to the store. Each returns a sentence for the user."""

from __future__ import annotations

from inspector.store import Memory, Store
from inspector.ui.key_remaps import with_keys


def promote_entry(memory: Memory, store: Store) -> str:
    """Move an entry to the persistent tier, so that it outlives its session."""
    store.entries.promote(memory.id)
    return with_keys("Promoted to the persistent tier. {demote}: demote")


def demote_entry(memory: Memory, session: str, store: Store) -> str:
    """Move an entry to the tier of a session.

    Args:
        memory: Entry to move.
        session: ID of the stored session.
        store: Store with the entry.
    """
    store.entries.demote(memory.id, session)
    return with_keys("Demoted to the session tier. {promote}: promote")


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
        reason="kept by the user",
        origin="user",
        tokens=tokens,
    )
    return f"Saved as memory {number} in the persistent tier."


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
    return "Pinned: it does not expire and is kept when a plan is undone."


def forget_entry(number: int, store: Store) -> str:
    """Delete an entry permanently."""
    return "Forgotten." if store.entries.forget(number) else "It was already deleted."
