"""Memory for agents of other frameworks (docs/memory.md): each adapter imports its framework when it is first used."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
