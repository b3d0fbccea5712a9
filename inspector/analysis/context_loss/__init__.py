"""Facts that a compaction or a plan removes from a context window, and the later replies that needed them."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
