"""Memory that several agents share (docs/memory.md), and agents that work with it."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
