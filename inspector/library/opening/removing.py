"""Remove stored sessions for good, together with the files that hooks keep about them."""

from __future__ import annotations

from contextlib import suppress

from inspector.library.agent_hooks.hook_files import forget_session
from inspector.store import DamagedError, Store


def remove_session(store: Store, session_id: str, with_memories: bool = True) -> None:
    """Remove a session from a store, and the files that hooks keep about it. Source files are not changed.

    Args:
        store: The store.
        session_id: Id of the session in the store.
        with_memories: True to remove the entries of all tiers that come from it; False to keep those of the persistent
            tier.

    Raises:
        StoreError: There is no such session, or the store cannot be used.
    """
    path = store.removals.content(session_id).source
    calls = list[str]()
    with suppress(DamagedError):
        calls += [call.id for message in store.load(session_id).messages for call in message.calls]
    store.removals.remove(session_id, with_memories)
    forget_session(session_id.partition("~")[0], path, calls)
