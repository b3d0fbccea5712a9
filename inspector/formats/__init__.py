"""Files on disk as sessions.

A format recognizes its files (`recognize`) and reads them (`read`). Files are recognized by content, never by name. See
`base` for the class of a format.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
