"""Diagnose a session in one true sentence that answers the likeliest question, with the key that shows the evidence."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
