"""Screen 2, the home of the app: a session's window at a turn, and the effect of a strategy on it."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
