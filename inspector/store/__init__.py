"""The store: one SQLite file with all imported sessions, their plans and the memories that outlive them.

It has three tiers of memory, each with a view: `session_tier` is the whole log, which never changes. `working_tier` is
the current window of each agent: the log with its plans applied. `persistent_tier` holds archived messages, summaries
and facts, which survive the removal of their session. `session_memory` holds the state and the retrievals of a session
and is removed with it.

Importing this package loads neither sqlite-utils nor any other slow library.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
