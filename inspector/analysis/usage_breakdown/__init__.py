"""Break down the tokens of a window by tool, file, kind of content or request, and find repeated reads.

    root = break_down_usage(window, session, "tool")
    repeats(window)    # files and pages that were read again, most wasteful first

The root of the tree has the tokens of the whole window.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
