"""Describe tool calls and their results in one readable line each.

    actions = Actions(session.messages)
    actions.of(message)          # Action("Read", "readings.csv", "1,440 lines", "read", "/work/readings.csv"), or None

Tools are recognised by the shape of their arguments and by words in their names, whichever agent provides them.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
