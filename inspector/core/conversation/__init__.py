"""Data model: a recorded session, its messages, and the parts of a message.

All objects are immutable, and reading is lossless. A message keeps the *raw* record that it was read from, in its
original wire format, and parses the record into parts on demand. Unrecognised fields remain in the raw record, so they
are stored and exported unchanged.

A message itself is small: it has only the fields that windows and strategies need (role, calls, size, a preview). Its
`Body` loads the text on demand, so that a 50 MB log opens quickly.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
