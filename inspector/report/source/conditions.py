"""Conditions under which code runs: comparisons, default values, and exception handlers."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.report.findings import Trigger
from inspector.report.source.expressions import (
    identifiers,
    identifiers_and_texts,
    mentions,
    number_of,
    tail_name,
    walk,
)
from inspector.report.source.modules import Scope

TOKENS = re.compile(r"token|context_?(?:window|length|size|limit)|budget|n_ctx|num_ctx|prompt_size", re.IGNORECASE)
# e.g. "access_token", "next_token"
_NO_SIZES = re.compile(r"token_?type|access_?token|auth|page_?token|bearer|tokenizer$|next_token|stop_token", re.I)
# e.g. "max_messages", "window_size"
_COUNTS = re.compile(r"(?:^|_)(?:max|num|n|k|window|buffer|limit|keep|kept|size|recent|last|turns?|count)(?:_|$)", re.I)
_MESSAGES = re.compile(r"messages?|turns?|history|count", re.IGNORECASE)
# e.g. "ContextWindowExceededError", "context_length_exceeded", "TokenLimitError"
_ERRORS = re.compile(
    r"context.*(?:window|length|overflow|limit)|(?<!^)(?<!\.)overflow|too_?long|max_?tokens_?exceeded|token_?limit",
    re.IGNORECASE,
)
_VALUES = 20
"""Maximum number of assignments to one name that are examined."""
_GUARDS = (ast.Return, ast.Continue, ast.Break, ast.Raise)


@dataclass(frozen=True, slots=True)
class Condition:
    """Trigger of an action, and the node that shows it."""

    trigger: Trigger = ""
    node: ast.AST | None = None


def condition_of(scope: Scope, node: ast.AST) -> Condition:
    """Return the condition under which a node runs.

    This is the nearest enclosing condition about tokens, the number of messages or an overflow error, or else the last
    early exit before the node.
    """
    below = node
    for above in scope.ancestors(node):
        match above:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if below is not test:
                if trigger := trigger_of_test(scope, test):
                    return Condition(trigger, test)
            case ast.ExceptHandler(type=ast.expr() as kind) if is_overflow(kind):
                return Condition("overflow error", above)
        below = above
    guards = _guards(scope)
    place = bisect_left([line for line, _ in guards], getattr(node, "lineno", 0))
    return guards[place - 1][1] if place else Condition()


def _guards(scope: Scope) -> list[tuple[int, Condition]]:
    """Return the conditions of early exits from a scope with their lines, cached."""
    if "guards" not in scope.notes:
        scope.notes["guards"] = _read_guards(scope)
    guards: list[tuple[int, Condition]] = scope.notes["guards"]
    return guards


def _read_guards(scope: Scope) -> list[tuple[int, Condition]]:
    guards: list[tuple[int, Condition]] = []
    for test_node in scope.of(ast.If):
        last = test_node.body[-1]
        leaves = isinstance(last, _GUARDS) or any(isinstance(item, _GUARDS) for item in test_node.orelse[-1:])
        if leaves and (trigger := trigger_of_test(scope, test_node.test)):
            guards.append((test_node.lineno, Condition(trigger, test_node.test)))
    return guards


def trigger_of_test(scope: Scope, test: ast.expr) -> Trigger:
    """Return the quantity that a test compares: tokens, a number of messages, or neither."""
    compared = [node for node in walk(test) if isinstance(node, ast.Compare) and _orders(node)]
    for compare in compared:
        if is_about_tokens(compare) or any(is_about_tokens(value) for value in _local_values(scope, compare)):
            return "tokens"
    for compare in compared:
        if _counts_elements(compare) or any(_counts_elements(value) for value in _local_values(scope, compare)):
            return "messages"
    return ""


def is_about_tokens(node: ast.AST) -> bool:
    """Return True if an expression mentions tokens or the size of a context."""
    return any(TOKENS.search(name) and not _NO_SIZES.search(name) for name in identifiers(node))


def is_overflow(node: ast.AST) -> bool:
    """Return True if the type of an exception indicates a context that is too long."""
    return any(_ERRORS.search(name) for name in identifiers_and_texts(node) if name != "OverflowError")


def _orders(node: ast.Compare) -> bool:
    return any(isinstance(op, ast.Gt | ast.GtE | ast.Lt | ast.LtE) for op in node.ops)


def _counts_elements(node: ast.AST) -> bool:
    """Return True if a length or a number of messages is compared with a limit other than 0 or 1."""
    if not isinstance(node, ast.Compare):
        return isinstance(node, ast.Call) and tail_name(node.func) == "len"
    sides = [node.left, *node.comparators]
    if any((number := number_of(side)) is not None and number <= 1 for side in sides):
        return False
    has_length = any(isinstance(side, ast.Call) and tail_name(side.func) == "len" for side in sides)
    return has_length or (any(mentions(side, _COUNTS) for side in sides) and _is_limit(sides))


def _is_limit(sides: list[ast.expr]) -> bool:
    return any(mentions(side, _MESSAGES) for side in sides)


def _local_values(scope: Scope, node: ast.Compare) -> Iterator[ast.expr]:
    """Yield the values assigned to the local names in a comparison."""
    for side in (node.left, *node.comparators):
        if isinstance(side, ast.Name):
            yield from scope.local_values.get(side.id, ())[:_VALUES]


def default_of(scope: Scope, name: str) -> str | None:
    """Return the default value of a parameter, a field or a constant as code, or None if it is unknown."""
    bare = name.lstrip("_")
    for home in _homes(scope):
        for key in (name, bare):
            if key in home.defaults:
                return _as_words(home.defaults[key])
    value = scope.module.constants.get(name) or scope.module.constants.get(bare)
    return _as_words(value) if value is not None else None


def _homes(scope: Scope) -> Iterator[Scope]:
    """Yield the scope and the other scopes of its class."""
    yield scope
    for other in scope.module.scopes:
        if scope.owner and other.owner == scope.owner and other is not scope:
            yield other


def _as_words(value: ast.expr) -> str | None:
    match value:
        case ast.Constant(value=None):
            return "None"
        case ast.Constant(value=int() | float() as number):
            return str(number)
        case ast.Name(id=name):
            return name
        case ast.Call(keywords=keywords):
            inner = next((item.value for item in keywords if item.arg == "default"), None)
            return _as_words(inner) if inner is not None else None
        case ast.BinOp(left=ast.Constant(value=int() as left), op=ast.Mult(), right=ast.Constant(value=int() as right)):
            return str(left * right)
    return None


def bound_names(node: ast.AST | None) -> list[str]:
    """Return the names in a limit, except those of lists whose length is taken."""
    lengths = {
        name
        for call in (walk(node) if node is not None else ())
        if isinstance(call, ast.Call) and tail_name(call.func) == "len"
        for name in identifiers(call)
    }
    return [name for name in identifiers(node) if name not in lengths and name not in ("self", "int", "max", "min")]
