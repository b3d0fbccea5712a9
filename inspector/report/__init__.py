"""How a framework's source or a recorded session handles memory: requirement 1's analysis as a report."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
