"""Screen 1, the library: a list of sessions, a preview of the one under the cursor, and a search over all."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
