"""Detectors of token budgets, and of the handling of contexts that are too long."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.report.findings import Detection
from inspector.report.source.conditions import default_of, is_overflow, trigger_of_test
from inspector.report.source.detectors.detections import detect
from inspector.report.source.expressions import dotted, identifiers, mentions, number_of, tail_name, walk
from inspector.report.source.modules import MODULE, Scope

# e.g. "context_window", "max_input_tokens"
_WINDOW = re.compile(
    r"context_?(?:window|length|size|limit)|token_limit|max_input_tokens|max_context|token_budget|model_max|n_ctx|"
    r"num_ctx",
    re.I,
)
# e.g. "threshold_ratio", "output_reserve"
_SHARES = re.compile(
    r"ratio|fraction|percent|share|threshold|factor|reserve|buffer|headroom|margin|overhead|output", re.IGNORECASE
)
_CHECKS = ("__init__", "__post_init__", "model_post_init", "validate", "_validate", "check_", "from_")
"""Functions that validate settings rather than messages."""
_ACTIONS = re.compile(r"reduce|compact|summar|trim|truncat|compress|evict|prune|handle|retry")
_TOO_LONG = re.compile(
    r"context[ _](?:length|window)|too many tokens|prompt is too long|maximum context", re.IGNORECASE
)
"""Error messages of providers."""
# e.g. "max_history_tokens", "num_history_runs", "compaction_threshold"
_SETTINGS = re.compile(
    r"(?:^|_)(?:token_limit|max_(?:history|context|input|prompt|memory|message)_?tokens?|context_window|context_length|"
    r"max_history|max_messages|max_turns_in_context|window_size|message_limit|history_limit|num_history_(?:messages|runs|turns|responses)|"
    r"token_(?:flush_size|limit_ratio|threshold|budget|ratio)|"
    r"(?:summary|compress(?:ion)?|compact(?:ion)?|summari[sz](?:e|ation))_(?:ratio|threshold|limit|size|interval|tokens)|"
    r"(?:preserve|keep)_recent(?:_messages|_turns)?|buffer_size|memory_size|token_threshold)$",
    re.IGNORECASE,
)


def detect_budgets(scope: Scope) -> Iterator[Detection]:
    """Detect budgets: a share or remainder of the context window, or a setting with a default number."""
    shares = (node for node in scope.of(ast.BinOp) if isinstance(node.op, ast.Sub | ast.Mult))
    node = next((node for node in shares if _shares_window(node) and not _in_text(scope, node)), None)
    if node is not None:
        is_share = isinstance(node.op, ast.Mult)
        words = "computes a share of the window" if is_share else "subtracts used tokens from the window"
        yield detect(scope, "tokens", "budget", words, node, detail=_share_detail(scope, node))
    yield from _settings(scope)


def _share_detail(scope: Scope, node: ast.BinOp) -> str:
    """Return the defaults of the names in a budget expression, or else its number."""
    names = [name for name in identifiers(node) if _WINDOW.search(name) or _SHARES.search(name)]
    defaults = {name: value for name in names if (value := default_of(scope, name)) and value != "None"}
    if defaults:
        return ", ".join(f"{name} = {value}" for name, value in defaults.items())
    number = number_of(node.left) if number_of(node.right) is None else number_of(node.right)
    return "" if number is None else f"{number:g}"


def _shares_window(node: ast.BinOp) -> bool:
    if isinstance(node.op, ast.Mult):
        factor = any(mentions(side, _SHARES) or 0 < (number_of(side) or 0) < 1 for side in (node.left, node.right))
        return factor and (mentions(node.left, _WINDOW) or mentions(node.right, _WINDOW))
    return mentions(node.left, _WINDOW) and (number_of(node.right) or 0) != 1


def _in_text(scope: Scope, node: ast.AST) -> bool:
    return any(isinstance(above, ast.JoinedStr | ast.Raise) for above in scope.ancestors(node))


def _settings(scope: Scope) -> Iterator[Detection]:
    """Detect settings with a default number: class fields, constants, and constructor parameters."""
    pairs: list[tuple[str, ast.expr, ast.AST]]
    if scope.name == MODULE:
        pairs = [
            (tail_name(target), value, target) for target, value in scope.assignments if isinstance(target, ast.Name)
        ]
    elif scope.bare_name == "__init__":
        pairs = [(name, value, value) for name, value in scope.defaults.items()]
    else:
        return
    for name, value, node in pairs:
        number = number_of(value)
        if number is None and isinstance(value, ast.Call):
            number = next((number_of(item.value) for item in value.keywords if item.arg == "default"), None)
        if number is not None and _is_budget(name, number):
            yield detect(
                scope, "tokens", "budget", f"{name} is {number:g} by default", node, detail=f"{name} = {number:g}"
            )


def _is_budget(name: str, number: float) -> bool:
    """Return True if a setting counts tokens or is a share of them, rather than messages, characters or items."""
    is_counted = "token" in name.lower() or bool(_WINDOW.search(name)) or number < 1
    return number > 0 and bool(_SETTINGS.search(name.lower())) and is_counted


def detect_overflow(scope: Scope) -> Iterator[Detection]:
    """Detect errors raised for too many tokens, and handled errors of a provider."""
    for test in scope.of(ast.If):
        error = next((item for item in test.body if isinstance(item, ast.Raise)), None)
        if scope.bare_name.startswith(_CHECKS):
            break
        if error is not None and trigger_of_test(scope, test.test) == "tokens" and _is_size_test(test.test):
            yield detect(scope, "tokens", "overflow error", "too many tokens are an error", error, test.test)
    for handler in scope.of(ast.ExceptHandler):
        if handler.type is not None and is_overflow(handler.type):
            yield _handled(scope, handler)
        elif text := _overflow_text(handler):
            yield detect(
                scope, "tokens", "overflow handler", "handles an error about a context that is too long",
                handler, text,
            )  # fmt: skip


_SETTING = re.compile(r"_?(?:max|min|limit|default)_|None$")
"""Names of settings, which are compared with each other where they are checked."""


def _is_size_test(test: ast.expr) -> bool:
    """Return True if tokens are compared with a limit, rather than with a small number such as 0."""
    compares = [node for node in walk(test) if isinstance(node, ast.Compare)]
    sides = [side for node in compares for side in (node.left, *node.comparators)]
    if any((number := number_of(side)) is not None and number <= 1 for side in sides):
        return False
    return not all(_SETTING.match(tail_name(side)) for side in sides)


def _handled(scope: Scope, handler: ast.ExceptHandler) -> Detection:
    calls = [dotted(node.func) for node in walk(handler) if isinstance(node, ast.Call)]
    action = next(
        (name for name in calls if _ACTIONS.search(name)),
        "",
    )
    raises = any(isinstance(node, ast.Raise) for item in handler.body for node in walk(item))
    words = (
        f"a context that is too long leads to {action}"
        if action
        else ("re-raises the error for a context that is too long" if raises else "handles a context that is too long")
    )
    return detect(scope, "tokens", "overflow handler", words, handler, detail=action.rpartition(".")[2])


def _overflow_text(handler: ast.ExceptHandler) -> ast.AST | None:
    """Return the comparison in a handler that looks for a provider's error message, or None."""
    for node in walk(handler):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In) for op in node.ops):
            for side in walk(node):
                if isinstance(side, ast.Constant) and isinstance(side.value, str) and _TOO_LONG.search(side.value):
                    return node
    return None
