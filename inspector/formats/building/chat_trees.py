"""Conversations that are trees, with a branch for each edit or second reply, and a current leaf."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspector.formats.building.blocks import fields_of
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text


def nodes_of(record: Fields) -> dict[str, Fields]:
    """Return the nodes of a conversation with a `mapping`, by id."""
    return {key: node for key, node in fields_of(record.get("mapping")).items() if isinstance(node, dict)}


def parents_of(nodes: Mapping[str, Fields]) -> dict[str, str]:
    """Return the parent of each node, as stated by the node or else by its parent."""
    listed = [
        (as_text(child), key)
        for key, node in nodes.items()
        if isinstance(node.get("children"), list)
        for child in node["children"]
    ]
    by_children = {child: key for child, key in listed if child != key}
    named = {key: as_text(node.get("parent")) for key, node in nodes.items()}
    return {key: one if one in nodes and one != key else by_children.get(key, "") for key, one in named.items()}


def way_to(parents: Mapping[str, str], leaf: str) -> set[str]:
    """Return a node and its ancestors. In a cycle, each node is returned once."""
    keys: set[str] = set()
    while leaf in parents and leaf not in keys:
        keys.add(leaf)
        leaf = parents[leaf]
    return keys


def tree_order(parents: Mapping[str, str], leaf: str) -> list[str]:
    """Return all nodes with parents first, and the branch of the current leaf last. Takes time linear in the nodes.

    Args:
        parents: Parent of each node. Roots are nodes whose parent is not a node, and the first node of each cycle.
        leaf: The current leaf.
    """
    current = way_to(parents, leaf)
    children: dict[str, list[str]] = {}
    for key, parent in parents.items():
        children.setdefault(parent, []).append(key)
    order: dict[str, None] = {}
    _walk([key for key, parent in parents.items() if parent not in parents], children, current, order)
    for key in parents:
        if key not in order:  # in a cycle, or after one
            _walk([key], children, current, order)
    return list(order)


def _walk(starts: Iterable[str], children: Mapping[str, list[str]], current: set[str], order: dict[str, None]) -> None:
    """Append the descendants of nodes to an order."""
    waiting = sorted(starts, key=lambda key: key not in current)
    while waiting:
        key = waiting.pop()
        if key not in order:
            order[key] = None
            waiting += sorted(children.get(key, ()), key=lambda child: child not in current)
