"""Screens that open over another one: dialogs that ask, and readers that show one item in full.

Each is imported when it is first shown.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
