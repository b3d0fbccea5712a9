"""Detectors of context assembly: message lists, templates, builders, insertions and model calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.report.findings import Component, Detection, Subject
from inspector.report.source.components import component_of, component_of_name, in_order
from inspector.report.source.detectors.detections import detect, places_of
from inspector.report.source.detectors.list_steps import ListSteps
from inspector.report.source.expressions import dotted, identifiers, is_zero, tail_name
from inspector.report.source.models_called import is_client_call, sends_request, sent_messages
from inspector.report.source.modules import MODULE, Scope
from inspector.report.source.subjects import MessageLists, message_dict

_ADDS = re.compile(r"^(?:add|with|set|append|include|insert)_?(\w*)$")
_BUILDS = re.compile(r"^(?:build|render|compile|to_messages|to_prompt|as_messages|finish|create)$")
_PROMPT = re.compile(r"prompt|template|instruction|message", re.IGNORECASE)
_FILLS = ("format", "render", "substitute", "safe_substitute", "format_map")
_SHOWS = re.compile(r"(?:^|_)(?:log|logs|debug|print|repr|trace|rater)(?:_|$)", re.IGNORECASE)
_MIN_STEPS = 3


def detect_message_lists(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect message lists that are assembled from several parts, at once or step by step."""
    for name, steps in ListSteps(scope, lists).read().items():
        parts = in_order([step.part for step in steps])
        if len(set(parts)) < 2:
            continue
        subject = lists.subject(ast.Name(name, ast.Load())) or _made_of_messages([step.node for step in steps])
        if subject is None:
            continue
        nodes = list(dict.fromkeys(step.node for step in steps))
        yield detect(
            scope, "assembly", "message list", f"{name} is assembled: {' → '.join(parts)}", *nodes[:6],
            subject=subject, parts=parts, is_firm="System" in parts or "History" in parts,
            places=_places_of_list(scope, name, nodes),
        )  # fmt: skip


def _places_of_list(scope: Scope, name: str, nodes: list[ast.AST]) -> frozenset[str] | None:
    """Return the places of a list that is assembled under a name; None for the argument of a call."""
    if name == "return value":
        return frozenset({f"result {scope.bare_name}"})
    if name.endswith(" of a call"):
        return places_of(scope, nodes[0])
    is_local = any(isinstance(node, ast.Name) and node.id == name for node in scope.of(ast.Name))
    return places_of(scope, ast.Name(name) if is_local else ast.Attribute(ast.Name("self"), name))


def _made_of_messages(nodes: list[ast.AST]) -> Subject | None:
    """Return a subject for a list that contains messages although its name does not indicate it, or None."""
    elements = [element for node in nodes for element in _elements(node)]
    if any(message_dict(element) for element in elements):
        return Subject("messages", has_roles=True)
    types = {dotted(element.func).rpartition(".")[2] for element in elements if isinstance(element, ast.Call)}
    names = frozenset(name for name in types if name.endswith(("Message", "Msg")))
    return Subject("messages", types=names) if names else None


def _elements(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.List(elts=elements):
            return elements
        case ast.BinOp(left=left, right=right):
            return _elements(left) + _elements(right)
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
            return _elements(value)
        case ast.Call(args=arguments):
            return arguments
    return []


def detect_insertions(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect memories, documents or prompts that are inserted into a message list."""
    for call in scope.of(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(attr="insert", value=target), args=[place, element]):
                part = component_of(element, lists)
            case _:
                continue
        subject = lists.subject(target)
        if subject and part in ("Memory", "System"):
            where = "in front of" if is_zero(place) else "into"
            words = f"{part} goes {where} {subject.name}"
            yield detect(scope, "assembly", "insertion", words, call, subject=subject, parts=(part,))


def detect_model_calls(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect calls that send messages to a model, one per callee in each function."""
    names: set[str] = set()
    for call in scope.of(ast.Call) if "embed" not in scope.name.lower() else ():
        name = dotted(call.func)
        subject = sent_messages(call, lists)
        if name in names or (subject is None and not is_client_call(call) and not sends_request(call)):
            continue
        names.add(name)
        keywords = [item.arg for item in call.keywords if item.arg]
        parts = [part for word in keywords if (part := component_of_name(word)) in ("System", "Tools")]
        order = in_order([part for part in ("System", "Tools") if part in parts])
        beside = f", {' and '.join(order).lower()} separate from them" if order else ""
        what = subject.name if subject else "a request"
        yield detect(
            scope, "assembly", "model call", f"{name} sends {what}{beside}", call,
            subject=subject, parts=order, is_firm=True,
        )  # fmt: skip


def detect_templates(scope: Scope) -> Iterator[Detection]:
    """Detect strings that are formatted with at least two parts of a context."""
    nodes: list[ast.Call | ast.JoinedStr] = [*scope.of(ast.Call), *scope.of(ast.JoinedStr)]
    for node in nodes if scope.name != MODULE and not _SHOWS.search(scope.bare_name) else ():
        names = _filled_names(scope, node)
        parts = in_order([part for name in names if name and (part := component_of_name(name))])
        if len(set(parts)) >= 2 and _has_body(parts):
            words = f"fills in a template: {' → '.join(parts)}"
            yield detect(scope, "assembly", "template", words, node, parts=parts, is_firm=len(set(parts)) > 2)


def _filled_names(scope: Scope, node: ast.Call | ast.JoinedStr) -> list[str]:
    """Return the names of the values in a formatted prompt, or an empty list for any other string."""
    match node:
        case ast.Call(func=ast.Attribute(attr=verb, value=text), keywords=[_, _, *_] as keywords) if verb in _FILLS:
            is_prompt = any(_PROMPT.search(name) for name in identifiers(text)) or isinstance(text, ast.Constant)
            return [item.arg for item in keywords if item.arg] if is_prompt else []
        case ast.JoinedStr(values=values) if _is_prompt_text(scope, node):
            places = [value.value for value in values if isinstance(value, ast.FormattedValue)]
            return [
                next(identifiers(place), "") if isinstance(place, ast.Call) else tail_name(place) for place in places
            ]
    return []


def _has_body(parts: tuple[Component, ...]) -> bool:
    return bool({"History", "Memory", "Scratchpad", "Tools"} & set(parts))


def _is_prompt_text(scope: Scope, node: ast.JoinedStr) -> bool:
    """Return True if an f-string is a prompt: assigned to such a name on several lines, or returned as one."""
    for above in scope.ancestors(node):
        match above:
            case ast.Assign(targets=[target]):
                return bool(_PROMPT.search(tail_name(target))) and node.end_lineno != node.lineno
            case ast.Return():
                return bool("prompt" in scope.bare_name.lower())
            case ast.Raise() | ast.Call():
                return False
            case ast.stmt():
                return False
    return False


def detect_builders(scope: Scope) -> Iterator[Detection]:
    """Detect prompts that are built by adding parts to an object one by one."""
    calls: dict[str, list[tuple[ast.Call, Component]]] = {}
    built: set[str] = set()
    for call in scope.of(ast.Call):
        if isinstance(call.func, ast.Attribute):
            name = _receiver(call.func.value)
            if part := _added(call.func.attr):
                calls.setdefault(name, []).append((call, part))
            elif _BUILDS.match(call.func.attr):
                built.add(name)
    for name, steps in calls.items():
        steps.sort(key=lambda step: (step[0].end_lineno or 0, step[0].end_col_offset or 0))
        parts = in_order([part for _, part in steps])
        if len(set(parts)) >= _MIN_STEPS and name in built:
            words = f"{name} is built step by step: {' → '.join(parts)}"
            yield detect(scope, "assembly", "builder", words, *(call for call, _ in steps[:6]), parts=parts)


def _receiver(node: ast.expr) -> str:
    """Return the object at the start of a chain of calls."""
    name = dotted(node)
    return name if name.startswith("self.") else name.partition(".")[0]


def _added(verb: str) -> Component | None:
    """Return the part that a method adds, judged by its name: `add_history`."""
    match = _ADDS.match(verb)
    return component_of_name(match.group(1)) if match and match.group(1) else None
