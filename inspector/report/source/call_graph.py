"""Call graph of source code, based on names, and paths from its entry points to the assembly of a context."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

from inspector.core.json_objects import json_object
from inspector.report.findings import Evidence
from inspector.report.source.modules import MODULE, ClassFacts
from inspector.report.source.scan import CallFacts, FunctionFacts

_MAX_CANDIDATES = 6
"""Maximum number of methods with one name for which the name identifies a callee."""
_MAX_NAMESAKES = 3
_MAX_OVERRIDES = 12
_COMMON = frozenset(
    [
        "get",
        "set",
        "add",
        "append",
        "pop",
        "items",
        "keys",
        "values",
        "update",
        "copy",
        "format",
        "join",
        "split",
        "strip",
        "read",
        "write",
        "close",
        "open",
        "send",
        "put",
        "info",
        "debug",
        "warning",
        "error",
        "exception",
        "encode",
        "decode",
        "dump",
        "dumps",
        "load",
        "loads",
        "create",
        "start",
        "stop",
        "next",
        "extend",
        "insert",
        "remove",
        "clear",
        "index",
        "count",
        "sort",
        "exists",
        "replace",
        "search",
        "match",
        "group",
        "startswith",
        "endswith",
        "lower",
        "upper",
        "submit",
        "result",
    ]
)
_STARTS = {
    "run": 5, "invoke": 5, "chat": 5, "kickoff": 5, "ask": 4, "query": 3, "stream": 4, "__call__": 1, "execute": 2,
    "generate": 2, "reply": 3, "step": 2, "respond": 3, "process": 1, "call": 1, "start": 1, "complete": 2, "iter": 2,
}  # fmt: skip
_VARIANTS = re.compile(
    r"^a(?=run|invoke|chat|query|stream|step|call|kickoff|generate|complete)|_(?:sync|async|stream|streamed|messages)$"
)
"""Prefixes and suffixes of asynchronous and streaming variants of a function."""
_ACTORS = re.compile(r"Agent|Runner|Engine|Graph|Crew|Team|Assistant|Chat|Workflow|Pipeline|Conversation")


@json_object("Step", "function evidence by_name=is_by_name")
@dataclass(frozen=True, slots=True)
class CallStep:
    """A function on a call path, and the line that calls the next one. For the last function, its definition."""

    function: str
    evidence: Annotated[Evidence, "the line that calls the next one"]
    """For the last function, its own line."""
    is_by_name: Annotated[bool, "true if the next one is matched by the name of the method only"] = False


class CallGraph:
    """Functions of a source, and the possible calls between them."""

    def __init__(self, functions: Iterable[FunctionFacts], classes: Iterable[ClassFacts]) -> None:
        self._functions = list(functions)
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._by_method: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._bases: dict[str, tuple[str, ...]] = {}
        self._children: dict[str, list[str]] = defaultdict(list)
        for number, function in enumerate(self._functions):
            self._by_name[function.bare_name].append(number)
            self._by_method[function.owner, function.bare_name].append(number)
        for row in classes:
            self._bases.setdefault(row.name, row.bases)
            for base in row.bases:
                self._children[base].append(row.name)
        self._names = {call.name for function in self._functions for call in function.calls}
        self._callers = self._read_callers()

    def is_called(self, scope: str) -> bool:
        """Return True if any function with this name is called in the source."""
        return scope.rpartition(".")[2] in self._names

    def _places(self, path: str, scope: str) -> list[int]:
        numbers = self._by_name.get(scope.rpartition(".")[2], [])
        return [
            number
            for number in numbers
            if self._functions[number].path == path and self._functions[number].name == scope
        ]

    def path_to(self, path: str, scope: str) -> tuple[CallStep, ...]:
        """Return the best call path from an entry point to a function, or () if no entry point leads to it."""
        ends = self._places(path, scope)
        before: dict[int, tuple[int, CallFacts, bool] | None] = dict.fromkeys(ends)
        queue = deque((number, 0.0) for number in ends)
        best: tuple[float, int] | None = None
        while queue:
            number, length = queue.popleft()
            score = _entry_score(self._functions[number])
            if score and (best is None or score - 0.4 * length > best[0]):
                best = (score - 0.4 * length, number)
            for caller, call, is_by_name in self._callers.get(number, ()):
                if caller not in before and length < 12:
                    before[caller] = (number, call, is_by_name)
                    queue.append((caller, length + (2 if is_by_name else 1)))
        return tuple(self._steps(best[1], before)) if best else ()

    def _steps(self, start: int, before: dict[int, tuple[int, CallFacts, bool] | None]) -> Iterator[CallStep]:
        number = start
        while link := before[number]:
            function = self._functions[number]
            following, call, is_by_name = link
            yield CallStep(function.name, Evidence(function.path, call.line, call.code), is_by_name)
            number = following
        last = self._functions[number]
        yield CallStep(last.name, Evidence(last.path, last.line, last.code))

    def _read_callers(self) -> dict[int, list[tuple[int, CallFacts, bool]]]:
        callers: dict[int, list[tuple[int, CallFacts, bool]]] = defaultdict(list)
        for number, function in enumerate(self._functions):
            seen: set[int] = set()
            for call in function.calls:
                for target, is_by_name in self._targets(function, call):
                    if target != number and target not in seen:
                        seen.add(target)
                        callers[target].append((number, call, is_by_name))
        return callers

    def _targets(self, caller: FunctionFacts, call: CallFacts) -> Iterator[tuple[int, bool]]:
        """Yield the possible callees of a call, each with True if it was identified by its name only."""
        if call.receiver in ("self", "super"):
            yield from ((number, False) for number in self._methods(caller.owner, call.name, call.receiver == "super"))
        elif call.receiver == "":
            yield from ((number, False) for number in self._plain(caller.path, call.name))
        elif call.name not in _COMMON and len(call.name) > 2:
            numbers = self._by_name.get(call.name, [])
            if len(numbers) <= _MAX_CANDIDATES:
                yield from ((number, len(numbers) > 1) for number in numbers)

    def _plain(self, path: str, name: str) -> list[int]:
        """Return the candidates for a plain name: functions in the same file, a few elsewhere, or a constructor."""
        numbers = self._by_method.get(("", name), [])
        own = [number for number in numbers if self._functions[number].path == path]
        functions = own or (numbers if len(numbers) <= _MAX_NAMESAKES else [])
        return functions + self._by_method.get((name, "__init__"), [])[:1]

    def _methods(self, owner: str, name: str, is_super: bool) -> list[int]:
        """Return the candidates for a method: the class's own or inherited one, and its overrides in subclasses."""
        numbers_here: list[int] = []
        classes, seen = [*self._bases.get(owner, ())] if is_super else [owner], set[str]()
        while classes:
            one = classes.pop(0)
            if one in seen:
                continue
            seen.add(one)
            if own := self._by_method.get((one, name)):
                numbers_here += own
                break
            classes += self._bases.get(one, ())
        if not is_super:
            below = deque(self._children.get(owner, ()))
            while below and len(numbers_here) < _MAX_OVERRIDES:
                one = below.popleft()
                if one not in seen:
                    seen.add(one)
                    numbers_here += self._by_method.get((one, name), ())
                    below += self._children.get(one, ())
        return numbers_here


def _entry_score(function: FunctionFacts) -> float:
    """Return a score of how likely a function is an entry point for users of the source; 0 if it is not."""
    name = function.bare_name
    if function.name == MODULE or (name.startswith("_") and name != "__call__") or function.owner.startswith("_"):
        return 0.0
    words = _VARIANTS.sub("", name)
    score = _STARTS.get(words, 0)
    if not score:
        return 0.0
    return (
        score
        + (3 if _ACTORS.search(function.owner) else 0)
        - 0.5 * function.path.count("/_")
        - 0.1 * function.path.count("/")
    )
