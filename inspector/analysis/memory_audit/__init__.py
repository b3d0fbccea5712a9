"""Audit of memories: their cost, and items that are never loaded, dead, duplicate, contradictory or secret.

Every finding has its evidence, a confidence and the edit as a patch. Nothing is written.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
