"""Files on disk as sessions.

A format knows how its files look (`recognize`) and how to read them (`read`). Files are told apart by content, never by
name; see `base` for what a format is.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
