"""Search: documents in, ranked and explained results out. Everything that searches uses it (docs/memory.md)."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
