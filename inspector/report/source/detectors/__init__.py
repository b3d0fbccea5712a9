"""Detectors: each a pure function of a scope and its lists of messages, which yields what it sees there."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
