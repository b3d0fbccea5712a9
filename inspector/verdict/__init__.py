"""The verdict on a session: one true sentence that answers why somebody opens it, with the key that leads on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.verdict.evidence import Findings, look_back
    from inspector.verdict.judgement import verdict
    from inspector.verdict.sentence import Clause, Kind, Piece, Role, Target, Verdict

__all__ = ["Clause", "Findings", "Kind", "Piece", "Role", "Target", "Verdict", "look_back", "verdict"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.verdict.evidence": "Findings look_back",
        "inspector.verdict.judgement": "verdict",
        "inspector.verdict.sentence": "Clause Kind Piece Role Target Verdict",
    },
)
