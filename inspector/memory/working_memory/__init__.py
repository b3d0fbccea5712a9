"""Working memory of conversations: notes that an agent keeps with a model, in memory, a file, Redis or PostgreSQL."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
