"""Search: documents in, ranked and explained results out. Used by everything that searches (docs/memory.md)."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
