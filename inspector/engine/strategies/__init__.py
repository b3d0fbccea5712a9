"""Compression strategies: pure functions that return a plan for a window.

All have the same parameters: the window, an instance of the frozen dataclass of their settings, and `Services` with a
summariser and a search. To add one, write a module and add an entry to the table in `registry.py`.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
