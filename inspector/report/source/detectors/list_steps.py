"""Steps in which lists are assembled: the added elements, their positions, and their parts of a context."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from inspector.report.findings import Component
from inspector.report.source.components import component_of, list_parts
from inspector.report.source.expressions import is_zero, tail_name, walk
from inspector.report.source.modules import Scope
from inspector.report.source.subjects import MessageLists

_MAX_STEPS = 50
_GATHERED = ("messages", "input", "contents", "history")
"""Keyword arguments of calls that are treated as assembled lists."""
_Lists = ast.List | ast.BinOp
_Others = ast.Call | ast.Await | ast.Name | ast.Attribute


@dataclass(frozen=True, slots=True)
class ListStep:
    """An element or list that is added to a list."""

    node: ast.AST
    part: Component
    is_first: bool = False
    """True if it is inserted at the front."""


@dataclass
class ListSteps:
    """Collects the steps for each list of a scope, in the order of the source."""

    scope: Scope
    lists: MessageLists
    rows: dict[str, list[ListStep]] = field(default_factory=dict)

    def read(self) -> dict[str, list[ListStep]]:
        """Return the steps of each list, by name. Elements inserted at the front come first."""
        for node in self.scope.nodes:
            match node:
                case (
                    ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value)
                ):
                    self._start(tail_name(target), node, value)
                case ast.AugAssign(target=target, op=ast.Add(), value=value):
                    self._extend(tail_name(target), node, list(list_parts(value, self.lists)))
                case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute())):
                    self._call(node)
                case ast.Return(value=ast.List() | ast.BinOp() as value):
                    self._start("return value", node, value)
                case ast.keyword(arg=str(name), value=ast.List() | ast.BinOp() as value) if name in _GATHERED:
                    self._start(f"{name} of a call", value, value)
        return {name: sorted(_merged(self.scope, steps), key=_is_behind) for name, steps in self.rows.items()}

    def _call(self, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        name, verb = tail_name(call.func.value), call.func.attr
        match verb, call.args:
            case "append", [element]:
                part = component_of(element, self.lists)
                self._extend(name, call, [part] if part else [])
            case "extend", [element]:
                self._extend(name, call, list(list_parts(element, self.lists)))
            case "insert", [place, element] if is_zero(place):
                if name and (part := component_of(element, self.lists)):
                    self.rows.setdefault(name, []).append(ListStep(call, part, is_first=True))

    def _start(self, name: str, node: ast.AST, value: ast.expr) -> None:
        """Start a list again. A list that is derived from another one keeps its steps."""
        if not name or not isinstance(value, _Lists | _Others):
            return
        parts = list(list_parts(value, self.lists))
        if isinstance(value, _Others):
            other = tail_name(value)
            if other in self.rows and other != name:
                self.rows[name] = self.rows[other][:_MAX_STEPS]
                return
            parts = parts if self.lists.subject(value) else []
        elif name in self.rows and _holds(value, name):
            leads = isinstance(value, ast.BinOp) and tail_name(value.right) == name
            self.rows[name] += [ListStep(node, part, leads) for part in parts if part != "History"]
            return
        self.rows[name] = [ListStep(node, part) for part in parts]

    def _extend(self, name: str, node: ast.AST, parts: list[Component]) -> None:
        if name and parts:
            self.rows.setdefault(name, []).extend(ListStep(node, part) for part in parts)


def _holds(value: ast.expr, name: str) -> bool:
    return any(isinstance(leaf, ast.Name) and leaf.id == name for leaf in walk(value))


def _is_behind(step: ListStep) -> bool:
    return not step.is_first


def _merged(scope: Scope, steps: list[ListStep]) -> Iterator[ListStep]:
    """Yield steps, treating different parts in one loop as the history: such a loop converts messages."""
    loops = [_loop_of(scope, step.node) for step in steps]
    for step, loop in zip(steps, loops, strict=True):
        inside = {other.part for other, home in zip(steps, loops, strict=True) if home is loop}
        alike = loop is None or len(inside) == 1
        yield step if alike or step.is_first else ListStep(step.node, "History")


def _loop_of(scope: Scope, node: ast.AST) -> ast.AST | None:
    """Return the outermost loop that contains a node, or None."""
    homes = [above for above in scope.ancestors(node) if isinstance(above, ast.For | ast.AsyncFor | ast.While)]
    return homes[-1] if homes else None
