"""Detectors: pure functions of a scope and its message lists that yield detections."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
