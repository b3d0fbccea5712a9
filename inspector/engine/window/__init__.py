"""What is in the context: sections, budget, atomic groups, plans and what they do to a window."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
