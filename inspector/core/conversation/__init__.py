"""The nouns: a recorded session, its messages, and the parts that a message is made of.

Everything here is immutable and loss-free. A message keeps the *raw* record it came from, in the dialect it was
written in; its parts are a reading of that record, made when asked for. What no one understood is still in the raw
record, so it survives storage and export untouched.

A message is light: the few facts that windows and strategies need (role, calls, size, a preview) stand in it, and
the text itself stays behind a `Body` until somebody reads it. That is what lets a 50 MB log open in a moment.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
