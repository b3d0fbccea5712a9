"""What there is to open, and opening it: paths, sessions in the store, and what agents left on this machine.

A person names a session by a *target*: a path; `path#3`, the third session of a file that holds several; or the id of
a stored session, or the beginning of one. Listing reads what it lists; nothing here changes a source, and nothing is
put into the store unless it is asked for. The store is a convenience: without it all works but plans and search.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
