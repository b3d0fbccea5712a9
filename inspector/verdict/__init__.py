"""The verdict on a session: one true sentence that answers why somebody opens it, with the key that leads on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.verdict.answers import Case, Saving, WhyAnswer
    from inspector.verdict.evidence import Findings, LateNeed, Overview, look_back
    from inspector.verdict.judgement import judge, survey, verdict
    from inspector.verdict.sentence import Clause, Kind, Piece, Role, Target, Verdict
    from inspector.verdict.shares import WindowShare, largest_messages

__all__ = [
    "Case",
    "Clause",
    "Findings",
    "Kind",
    "LateNeed",
    "Overview",
    "Piece",
    "Role",
    "Saving",
    "Target",
    "Verdict",
    "WhyAnswer",
    "WindowShare",
    "judge",
    "largest_messages",
    "look_back",
    "survey",
    "verdict",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.verdict.answers": "WhyAnswer Case Saving",
        "inspector.verdict.evidence": "Findings LateNeed Overview look_back",
        "inspector.verdict.judgement": "judge survey verdict",
        "inspector.verdict.sentence": "Clause Kind Piece Role Target Verdict",
        "inspector.verdict.shares": "WindowShare largest_messages",
    },
)
