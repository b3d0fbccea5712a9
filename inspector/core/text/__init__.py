"""Text and files: sanitising for a terminal, fitting to columns, JSON, and atomic file writes."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
