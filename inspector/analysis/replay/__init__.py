"""Replay a session under another policy, and measure what would have been sent, kept, lost and paid."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
