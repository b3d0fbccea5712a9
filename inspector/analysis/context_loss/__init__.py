"""What a compaction or a plan takes out of a window, and where it was needed later."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
