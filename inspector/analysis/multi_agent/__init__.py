"""Analyse how the agents of a recorded session worked together.

    collaboration = read_collaboration(session, sizes.tokens)
    collaboration.matrix["coder-1", "main"]              # text that coder-1 wrote and main received, in tokens
    collaboration.repeats                                # files and searches that several agents asked for
    with_adoptions(collaboration, FactIndex(session))    # facts of one agent that another agent used

No model is called. Every row refers to its evidence by positions in the log and states its certainty.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
