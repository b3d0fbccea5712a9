"""The strategies: pure functions of a window and its settings that return a plan.

Adding one means writing one file and adding one entry to the table in `registry.py`.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
