"""Find and open sessions: files, stored sessions, and sessions that agents recorded on this machine.

Users refer to a session by a target: a path; `path#3`, the third session of a file that contains several; or the id of
a stored session, or a prefix of one. Sources are never modified, and sessions are stored only on request. Everything
except plans and the search of stored sessions works without the store.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
