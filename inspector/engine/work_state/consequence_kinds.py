"""Kinds of consequences after a compaction, without the rules that find them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.core.json_objects import Turn, json_object

ConsequenceKind = Literal[
    "rule_broken",
    "outside_folder",
    "acted_while_waiting",
    "refused_plan_carried_out",
    "dropped_task_carried_out",
    "finished_task_repeated",
    "started_twice",
    "result_contradicted",
    "tool_shape_wrong",
    "language_changed",
]
CONSEQUENCES: tuple[ConsequenceKind, ...] = ConsequenceKind.__args__  # type: ignore[attr-defined]
"""All kinds, the worst first."""


@json_object("Consequence", "kind message turn compaction item evidence")
@dataclass(frozen=True, slots=True)
class Consequence:
    """An action or statement after a compaction that goes against the state before it."""

    kind: ConsequenceKind
    message: Annotated[str, "id of the reply"]
    turn: Turn
    compaction: Annotated[int, "the first turn after the compaction"]
    item: Annotated[str, "the item of the state that it goes against, in its own words"]
    evidence: Annotated[str, "the command, the path or the sentence of the reply"]
    source: Annotated[str, "id of the message that set the item"] = ""
