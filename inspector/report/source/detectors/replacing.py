"""Detectors of messages moved to a store, shortened tool results, and cleared message lists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.report.findings import Detection
from inspector.report.source.conditions import bound_names, condition_of
from inspector.report.source.detectors.detections import detect, limits_of
from inspector.report.source.expressions import dotted, mentions, tail_name
from inspector.report.source.modules import MODULE, Scope
from inspector.report.source.subjects import MessageLists

_STORES = re.compile(r"store|vector|index|archiv|retriev|collection|memory|(?:^|_)db$|database", re.IGNORECASE)
_VECTORS = re.compile(r"vector|embed|index|retriev|archiv|semantic", re.IGNORECASE)
_WRITES = re.compile(r"^a?(?:add|upsert|insert|put|write|archive|store|save|index)(?:_\w+)?$")
# e.g. "[truncated]", "output omitted", "... (12 more lines)"
_MARKERS = re.compile(
    r"truncat|omitted|cleared|elided|trimmed|removed|shortened|redacted|\[\.\.\.|\.\.\. ?\(", re.IGNORECASE
)
# e.g. "tool_result", "ToolMessage", "observation"
_TOOLS = re.compile(
    r"tool_?(?:result|output|response|message|call_id|return)|ToolMessage|toolResult|"
    r"function_(?:response|result|call_output)|observation",
    re.IGNORECASE,
)
_NAMES_TOOL = re.compile(r"tool|observation", re.IGNORECASE)
_SAYS_TOOL = re.compile(r"tool|output|observation|result|content", re.IGNORECASE)
_CUTS = re.compile(r"truncat|trim|clip|clear|prune|shorten|compact|elide|cap_|limit", re.IGNORECASE)
# e.g. "truncate_output", "_clip_text"
_CUTTERS = re.compile(
    r"^_?(?:truncate|trim|clip|shorten|cut)_?"
    r"(?:content|output|text|result|string|str|observation|response|message)?s?$",
    re.IGNORECASE,
)
# e.g. "tool_output", "command_output"
_RESULTS = re.compile(
    r"tool_?(?:result|output|response)|observation|(?:action|execution|command|code)_?output", re.IGNORECASE
)
_TEXTS = re.compile(r"text|content|output|result|str|preview|observation|value|data|head|tail", re.IGNORECASE)
_SAYS = re.compile(r"log|warn|debug|info|print|Error|Exception|get$|output$|notify|toast|flash|status|^say$|write$")
_SHOWS = re.compile(r"print|log|debug|display|render|repr|telemetry|trace|span|format_for|describe", re.IGNORECASE)
_WAITS = re.compile(r"pending|queue|buffer|cache|candidate", re.IGNORECASE)
"""Names of lists that contain pending work."""
_SCREENS = re.compile(r"Render|Console|Display|Screen|Widget|View|Runner|Workflow|Queue|Bus|Transport|Channel")
"""Classes that show messages, or pass them between processes."""
_RESETS = re.compile(r"reset|clear|delete|forget|new_conversation|restart|wipe|flush", re.IGNORECASE)


def detect_archiving(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect older messages that are written to a store and removed from the list."""
    for call in scope.of(ast.Call):
        receiver, _, verb = dotted(call.func).rpartition(".")
        last = receiver.rpartition(".")[2]
        if not _WRITES.match(verb) or not _STORES.search(last):
            continue
        sent = (*call.args, *(item.value for item in call.keywords))
        part = next((argument for argument in sent if _is_part(scope, argument, lists)), None)
        subject = lists.subject(part) if part is not None else None
        if subject is None or not _is_cut(scope, lists):
            continue
        condition = condition_of(scope, call)
        yield detect(
            scope, "eviction", "vector", f"moves older {subject.name} to {last}", call, condition.node,
            subject=subject, is_firm=bool(_VECTORS.search(f"{last} {verb}")), trigger=condition.trigger,
        )  # fmt: skip


def _is_part(scope: Scope, node: ast.expr, lists: MessageLists) -> bool:
    """Return True if an argument is a slice of a message list, or a name that one was assigned to."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return lists.subject(node.value) is not None
    if not isinstance(node, ast.Name):
        return False
    values = scope.local_values.get(node.id, ())
    if any(isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice) for value in values):
        return True
    pops = (call for call in scope.of(ast.Call) if tail_name(call.func) in ("pop", "popleft"))
    return any(_goes_into(scope, call, node.id) for call in pops)


def _goes_into(scope: Scope, call: ast.Call, name: str) -> bool:
    """Return True if the popped value is added to a list with this name."""
    match next(scope.ancestors(call), None):
        case ast.Call(func=ast.Attribute(attr="append" | "insert", value=ast.Name(id=target))):
            return target == name
    return False


def _is_cut(scope: Scope, lists: MessageLists) -> bool:
    """Return True if the scope shortens a message list."""
    for target, value in scope.assignments:
        is_slice = isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)
        if is_slice and tail_name(target) == tail_name(value):
            return lists.subject(target) is not None
    return any(tail_name(call.func) in ("pop", "popleft") for call in scope.of(ast.Call)) or bool(scope.of(ast.Delete))


def detect_tool_results(scope: Scope) -> Iterator[Detection]:
    """Detect tool results that are cut or replaced by a placeholder."""
    if scope.name == MODULE or _SHOWS.search(scope.bare_name):
        return
    for call in scope.of(ast.Call):
        if _CUTTERS.match(tail_name(call.func)) and any(mentions(argument, _RESULTS) for argument in call.args):
            words = f"{tail_name(call.func)} trims tool results"
            yield detect(scope, "eviction", "tool results", words, call, is_firm=False)
            break
    if _CUTS.search(scope.bare_name) and _is_about_results(scope):
        yield from _cut_results(scope)


def _is_about_results(scope: Scope) -> bool:
    """Return True if a function handles tool results, judged by its words, or by its name and class."""
    if any(_TOOLS.search(word) for word in (scope.bare_name, *scope.words)):
        return True
    return "Tool" in scope.owner and bool(_SAYS_TOOL.search(scope.bare_name))


def _cut_results(scope: Scope) -> Iterator[Detection]:
    """Detect cut texts and placeholders, if the function writes a marker in their place."""
    marks: list[ast.expr] = [node for node in scope.of(ast.Constant) if _is_marker(scope, node)]
    marks += [node for node in scope.of(ast.Name) if node.id.isupper() and _MARKERS.search(node.id)]
    if not marks:
        return
    cut = next((node for node in scope.of(ast.Subscript) if _cuts_text(node)), None)
    condition = condition_of(scope, cut or marks[0])
    detail, unset = limits_of(scope, bound_names(cut.slice if cut else None) + bound_names(condition.node))
    words = "trims tool results to a length" if cut else "replaces tool results by a note"
    yield detect(
        scope, "eviction", "tool results", words, cut or marks[0], marks[0], condition.node,
        is_firm=bool(_NAMES_TOOL.search(scope.name)), trigger=condition.trigger,
        detail=detail, against=unset,
    )  # fmt: skip


def _is_marker(scope: Scope, node: ast.Constant) -> bool:
    """Return True if a string replaces content, rather than being a log message or a docstring."""
    if not isinstance(node.value, str) or len(node.value) > 300 or not _MARKERS.search(node.value):
        return False
    for above in scope.ancestors(node):
        match above:
            case ast.Call(func=function) if _SAYS.search(dotted(function)):
                return False
            case ast.Raise() | ast.Compare() | ast.Expr(value=ast.Constant()):
                return False
            case ast.stmt():
                return True
    return False


def _cuts_text(node: ast.Subscript) -> bool:
    is_slice = isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load)
    return is_slice and bool(_TEXTS.search(tail_name(node.value)))


def detect_removals(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect message lists of an object that are cleared on request."""
    if scope.bare_name.startswith("__") or not _RESETS.search(scope.name) or _SCREENS.search(scope.owner):
        return
    for node in scope.nodes:
        home = _emptied(node)
        subject = lists.subject(home) if home is not None and not isinstance(home, ast.Name) else None
        if subject and not _WAITS.search(subject.name):
            words = f"clears {subject.name} on request"
            yield detect(scope, "eviction", "removal", words, node, subject=subject, trigger="explicit")
            return


def _emptied(node: ast.AST) -> ast.expr | None:
    """Return the list that a statement clears, or None."""
    match node:
        case ast.Call(func=ast.Attribute(attr="clear", value=home), args=[]):
            return home
        case ast.Assign(targets=[ast.Attribute() as home], value=ast.List(elts=[])):
            return home
        case ast.Assign(targets=[ast.Subscript(value=home, slice=ast.Slice())], value=ast.List(elts=[])):
            return home
    return None
