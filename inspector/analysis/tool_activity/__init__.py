"""What an agent did: a call of a tool with what came of it, in one line that a person understands.

    actions = Actions(session.messages)
    actions.of(message)          # Action("Read", "readings.csv", "1,440 lines", "read", "/work/readings.csv"), or None

Tools are known by the shape of what they are given and by words in their names, not by whose agent has them.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
