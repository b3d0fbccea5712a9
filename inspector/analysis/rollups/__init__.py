"""Add up a session into rollups, from which the totals of many sessions are computed."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
