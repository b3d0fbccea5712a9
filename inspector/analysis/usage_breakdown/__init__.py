"""What eats a window: its tokens by tool, by file, by kind of content and by request, and what was read more than once.

root = occupancy(window, session, "tool")     # a tree; the tokens of the root are those of the window
repeats(window)                      # places that were read again, the most wasteful first
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
