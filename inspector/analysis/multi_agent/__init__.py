"""How the agents of a recorded session worked together.

    teamwork = read_teamwork(session, sizes.tokens)
    teamwork.matrix["coder-1", "main"]              # what coder-1 wrote and main was sent, in tokens
    teamwork.repeats                                # files and searches that several agents asked for
    with_adoptions(teamwork, FactIndex(session))    # facts of one agent that another one used

No model is asked. Every row names the messages that show it by their positions in the log, and says how certain it is.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
