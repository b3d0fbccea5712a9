"""Screen 1, the library: the sessions there are, what the one under the cursor is about, and a search over all."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
