"""The folder that the agent of a session worked in."""

from __future__ import annotations

from contextlib import suppress

from inspector.core.conversation import Session
from inspector.store import StoreError

_HEADS = 3
"""Number of a session's first messages that are searched for its folder."""


def folder_of(session: Session) -> str:
    """Return the folder that the agent worked in, if its first messages record it; otherwise ""."""
    for message in session.messages[:_HEADS]:
        with suppress(OSError, StoreError):
            if isinstance(folder := message.record.get("cwd"), str):
                return folder
    return ""
