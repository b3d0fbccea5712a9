"""The state of the work in a conversation, what a compaction made of it, and what followed."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
