"""Shell lines: the commands in them, what they check, and when a passing check settles a failing one."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
