"""How the agents of a recorded session worked together.

    teamwork = read_teamwork(session, sizes.tokens)
    teamwork.matrix["coder-1", "main"]              # what coder-1 wrote and main was sent, in tokens
    teamwork.repeats                                # files and searches that several agents asked for
    with_adoptions(teamwork, FactIndex(session))    # facts of one agent that another one used

No model is asked. Every row names the messages that show it by their positions in the log, and says how certain it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.collaboration.adoption import Adoption
    from inspector.collaboration.parties import PERSON, Parties, read_parties
    from inspector.collaboration.recording import collaboration_record
    from inspector.collaboration.repeats import Repeat, ToolUse, prices_of
    from inspector.collaboration.sentences import describe_certainty, describe_teamwork
    from inspector.collaboration.teamwork import (
        GroupRow,
        MatrixCell,
        PartyRow,
        Teamwork,
        Unread,
        read_teamwork,
        with_adoptions,
    )
    from inspector.collaboration.transfers import Certainty, Channel, CollaborationCancelledError, Transfer

__all__ = [
    "PERSON",
    "Adoption",
    "Certainty",
    "Channel",
    "CollaborationCancelledError",
    "GroupRow",
    "MatrixCell",
    "Parties",
    "PartyRow",
    "Repeat",
    "Teamwork",
    "ToolUse",
    "Transfer",
    "Unread",
    "collaboration_record",
    "describe_certainty",
    "describe_teamwork",
    "prices_of",
    "read_parties",
    "read_teamwork",
    "with_adoptions",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.collaboration.adoption": "Adoption",
        "inspector.collaboration.parties": "PERSON Parties read_parties",
        "inspector.collaboration.transfers": "Certainty Channel CollaborationCancelledError Transfer",
        "inspector.collaboration.recording": "collaboration_record",
        "inspector.collaboration.repeats": "Repeat ToolUse prices_of",
        "inspector.collaboration.sentences": "describe_certainty describe_teamwork",
        "inspector.collaboration.teamwork": "GroupRow MatrixCell PartyRow Teamwork Unread read_teamwork with_adoptions",
    },
)
