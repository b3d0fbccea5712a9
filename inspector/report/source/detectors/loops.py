"""Detectors of loops that select messages up to a token budget, and of selection by a score."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.report.findings import Detection
from inspector.report.source.conditions import bound_names, is_about_tokens, trigger_of_test
from inspector.report.source.detectors.detections import detect, limits_of
from inspector.report.source.expressions import keyword, mentions, tail_name, walk
from inspector.report.source.modules import Scope
from inspector.report.source.subjects import MessageLists

_SCORES = re.compile(r"score|importan|relevan|priorit|salien|rank|similarity|decay|recency", re.IGNORECASE)

_SEARCHES = re.compile(r"search|retriev|query|rank|find|similar", re.IGNORECASE)
"""Functions that search memories, where sorting by a score does not mean eviction."""


def detect_budget_loops(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect loops over messages that stop or skip messages when a token budget is exceeded."""
    loops: list[ast.For | ast.AsyncFor] = [*scope.of(ast.For), *scope.of(ast.AsyncFor)]
    for loop in loops:
        subject = lists.subject(loop.iter)
        limit = _limit_of(scope, loop)
        if subject is None or limit is None or not _takes(loop):
            continue
        scored = mentions(loop.iter, _SCORES)
        words = f"takes messages of {subject.name} {_direction(loop.iter)}until their tokens exceed a limit"
        detail, unset = limits_of(scope, bound_names(limit.test))
        yield detect(
            scope, "eviction", "importance" if scored else "token window", words, loop, limit.test,
            subject=subject, trigger="tokens", detail=detail, against=unset,
        )  # fmt: skip


def _direction(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return _direction(inner)
        case ast.Call(func=ast.Name(id="reversed")) | ast.Subscript(slice=ast.Slice(step=ast.UnaryOp())):
            return "from the newest on "
    return ""


def _limit_of(scope: Scope, loop: ast.For | ast.AsyncFor) -> ast.If | None:
    """Return the test in a loop that compares tokens and ends the loop, or skips or adds a message."""
    for node in walk(loop):
        if isinstance(node, ast.If) and trigger_of_test(scope, node.test) == "tokens" and is_about_tokens(node.test):
            ends = [*node.body, *node.orelse]
            if any(isinstance(item, ast.Break | ast.Continue | ast.Return) or _is_append(item) for item in ends):
                return node
    return None


def _takes(loop: ast.For | ast.AsyncFor) -> bool:
    """Return True if a loop adds elements to a list, or counts."""
    return any(_is_append(node) or isinstance(node, ast.AugAssign) for node in walk(loop))


def _is_append(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append" | "insert" | "appendleft"))):
            return True
    return False


def detect_scores(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect messages that are sorted by a score and cut."""
    cut = next((node for node in scope.of(ast.Subscript) if isinstance(node.slice, ast.Slice)), None)
    if cut is None or _SEARCHES.search(scope.bare_name):
        return
    for call in scope.of(ast.Call):
        key, subject = keyword(call, "key"), lists.subject(_sorted_list(call))
        if subject and key and mentions(key, _SCORES):
            words = f"sorts {subject.name} by {tail_name(key) or 'a score'} and drops the rest"
            yield detect(scope, "eviction", "importance", words, call, cut, subject=subject)


def _sorted_list(call: ast.Call) -> ast.expr | None:
    match call:
        case ast.Call(func=ast.Name(id="sorted"), args=[target, *_]):
            return target
        case ast.Call(func=ast.Attribute(attr="sort", value=target)):
            return target
    return None
