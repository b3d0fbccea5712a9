"""Context windows: sections, token budgets, atomic groups, plans and their effect on a window."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
