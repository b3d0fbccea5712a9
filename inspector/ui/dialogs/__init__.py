"""What lies over a screen: dialogs that ask, and readers that show one thing whole.

Each loads when it is first shown.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
