"""Sessions that another program is writing: what comes is seen as it comes, at the cost of what came."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
