"""Distances of lists from a model call, over all functions of a source."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from inspector.report.source.list_flows import KEPT, SENT, SIDE, Flow

_MAX_STEPS = 40
# e.g. "convert_to_messages", "trim_history"
_PASSES = re.compile(r"messages|msgs|history|convert|prepare|sanitiz|repair|trim|merge", re.IGNORECASE)
_COMMON = frozenset(["get", "set", "add", "update", "run", "create", "call", "process", "execute", "handle", "apply"])


@dataclass(frozen=True, slots=True)
class Reach:
    """Ends of a list: the number of steps to a model call, to a field, and to a caller outside; 0 if never."""

    sent: int = 0
    kept: int = 0
    returned: int = 0

    @property
    def is_used(self) -> bool:
        return bool(self.sent or self.kept or self.returned)


class FlowGraph:
    """Flows of lists through the functions of a source.

    Args:
        flows: The flows of all functions.
        functions: Names of the functions.
        called: Names of the functions that are called.
    """

    def __init__(self, flows: Iterable[Flow], functions: Iterable[str], called: Iterable[str]) -> None:
        self._next: dict[str, list[str]] = defaultdict(list)
        for start, end in flows:
            self._next[start].append(end)
        self._functions, self._called = frozenset(functions), frozenset(called)

    def reach(self, starts: Iterable[str]) -> Reach:
        """Return where a list ends that is at these places."""
        steps: dict[str, int] = dict.fromkeys(starts, 1)
        queue = deque(steps)
        sent = kept = returned = 0
        while queue:
            place = queue.popleft()
            count = steps[place]
            if place == SENT:
                sent = sent or count
            elif place == KEPT:
                kept = kept or count
            elif self._is_returned(place):
                returned = returned or count
            for following in self._after(place) if count < _MAX_STEPS else ():
                if following not in steps:
                    steps[following] = count + 1
                    queue.append(following)
        return Reach(sent, kept, returned)

    def _is_returned(self, place: str) -> bool:
        kind, _, name = place.partition(" ")
        return kind == "result" and name in self._functions and name not in self._called

    def _after(self, place: str) -> list[str]:
        kind, _, rest = place.partition(" ")
        name = rest.partition(" ")[0]
        if kind in ("arg", "out", "result") and (name in _COMMON or (kind == "arg" and SIDE.search(name))):
            return []
        if kind == "arg" and name not in self._functions:
            return self._next[f"result {name}"] if _PASSES.search(name) else []
        return self._next.get(place, [])
