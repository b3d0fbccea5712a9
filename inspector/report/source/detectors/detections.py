"""Construction of detections from syntax nodes."""

from __future__ import annotations

import ast
from typing import Any

from inspector.report.findings import Detection, Topic
from inspector.report.source.conditions import default_of
from inspector.report.source.list_flows import flows_of
from inspector.report.source.modules import Scope

_BY_LIST = ("fifo", "window", "token window", "importance", "removal")
"""Kinds of evictions whose main node is the list that is shortened."""


def detect(scope: Scope, topic: Topic, kind: str, words: str, *nodes: ast.AST | None, **values: Any) -> Detection:
    """Return a detection.

    Args:
        scope: Scope that contains it.
        topic: The topic.
        kind: A key of `KINDS` for the topic.
        words: Description in one sentence.
        nodes: Main node, followed by related nodes. Their distinct lines become the evidence.
        values: Other fields of `Detection`.
    """
    numbers = dict.fromkeys(node.lineno for node in nodes if node is not None and hasattr(node, "lineno"))
    lines = tuple((number, scope.module.code(number)) for number in numbers)
    if topic == "eviction" and kind in _BY_LIST and "places" not in values and nodes[0] is not None:
        values["places"] = places_of(scope, nodes[0])
    return Detection(topic, kind, words, scope.name, lines, **values)


def places_of(scope: Scope, node: ast.AST) -> frozenset[str]:
    """Return the places of the list that a node shortens, builds or replaces, as in `list_flows`."""
    return flows_of(scope).starts(node)


def limits_of(scope: Scope, names: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return the defaults of names in a limit, as `name = 40`, and a limitation for each default that is None."""
    defaults = {name: value for name in dict.fromkeys(names) if (value := default_of(scope, name)) is not None}
    numbers = [f"{name.lstrip('_')} = {value}" for name, value in defaults.items() if value != "None"]
    unset = tuple(f"{name.lstrip('_')} is None unless it is set" for name, value in defaults.items() if value == "None")
    return ", ".join(numbers), unset
