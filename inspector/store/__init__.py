"""The store: one SQLite file that holds every imported session, the plans made for it, and what outlives it.

Three tiers of memory lie in it, each as a view for people: `session_tier` is the whole log, which never changes;
`working_tier` is what is in each agent's window now, the log seen through the stored plans; `persistent_tier` is what
was archived, summarised or remembered, and stays when its session is removed. `session_memory` is what a session keeps
beside its log, its state and what it has retrieved, and goes with it.

Importing this package loads neither sqlite-utils nor anything else that is slow.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
