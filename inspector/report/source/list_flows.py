"""Places in one function to which lists go: variables, fields, arguments, results, model calls.

A flow is a pair of places. A place is a text: `var PATH FUNCTION NAME`, `attr NAME`, `arg FUNCTION NAME` (or `#0`, its
position), `out FUNCTION NAME` (a list of the caller that a function changes), `result FUNCTION`, `kept` and `sent`.
Functions and fields are known by their last name only. Text that is made of messages is no list, and ends a flow.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain, islice

from inspector.report.source.expressions import identifiers, tail_name, walk
from inspector.report.source.models_called import is_client_call, sends_request, sent_messages
from inspector.report.source.modules import MODULE, FunctionNode, Scope
from inspector.report.source.subjects import MessageLists, message_dict

Flow = tuple[str, str]
SENT, KEPT = "sent", "kept"
# e.g. "summarize_history", "generate_title"
SIDE = re.compile(
    r"summar|title|naming|auto_name|classif|rubric|grade|grader|judge|lesson|reflect|extract|topic|suggest|telemetry|"
    r"evaluat|critic",
    re.IGNORECASE,
)
"""Functions whose model calls are not those of the conversation."""
_COPIES = frozenset(
    ["list", "reversed", "sorted", "tuple", "deepcopy", "copy", "deque", "filter", "chain", "cast", "islice"]
)
_ENDS = frozenset(
    ["len", "str", "print", "any", "all", "sum", "isinstance", "repr", "dumps", "join", "max", "min", "bool", "set",
     "format", "debug", "info", "warning", "error", "exception", "log", "hash", "id", "type", "dict", "next", "iter",
     "range", "zip", "map", "getattr", "hasattr", "append", "index", "count", "remove", "encode", "gather"]
)  # fmt: skip
"""Calls that do not hand a list on."""
_ELEMENT_FIELDS = frozenset(
    ["content", "text", "name", "id", "value", "data", "args", "role", "type", "model", "parts"]
)
_ADDS = frozenset(["append", "insert", "appendleft"])
_MAX_DEPTH, _MAX_FLOWS, _MAX_SLICES = 50, 20_000, 200
_CHANGES = frozenset(["pop", "popleft", "clear", "insert", "extend", "sort"])
# e.g. "messages", "chat_history"
_CARRIERS = re.compile(
    r"(?:^|_)(?:messages|msgs|history|contents|conversation|input_items|input|items|chat_history)$", re.IGNORECASE
)
# e.g. "state", "request", "model_kwargs"
_STATES = re.compile(r"state|request|kwargs|payload|params|body|update|context|self", re.IGNORECASE)
_MESSAGE_CLASSES = re.compile(r"Message|Msg|Content|Param|Turn|Item|Step")
_TEXT_CALLS = re.compile(r"str$|format|text|join|render|token|len$|strip|lower|upper|repr|dumps|content")


class ListFlows:
    """Flows of lists in one function."""

    def __init__(self, scope: Scope, lists: MessageLists) -> None:
        self._scope, self._lists = scope, lists
        self._function = scope.bare_name
        self._is_side = bool(SIDE.search(scope.name))
        self._parents = scope.module.parents

    def read(self) -> Iterator[Flow]:
        """Yield the flows of the function."""
        for start, ends in chain(self._parameters(), self._loads()):
            yield from ((start, end) for end in ends if end != start)

    def starts(self, node: ast.AST) -> frozenset[str]:
        """Return the places of the list that a statement or an expression shortens, builds or replaces."""
        match node:
            case ast.Subscript(slice=ast.Slice(), ctx=ast.Load()):
                return frozenset(self._ends(node))
            case ast.Subscript(value=home):
                return frozenset(self._changed(home))
            case ast.Delete(targets=targets):
                homes = [target.value for target in targets if isinstance(target, ast.Subscript)]
                return frozenset(place for home in homes for place in self._changed(home))
            case ast.Call(func=ast.Attribute(attr=verb, value=home)) if verb in _CHANGES:
                return frozenset(self._changed(home))
            case ast.For() | ast.AsyncFor():
                return frozenset((*self._collected(node), *self._removed(node)))
        return frozenset(self._written(node))

    def _written(self, node: ast.AST) -> Iterator[str]:
        """Yield the places of a list that a statement or an expression gives a value."""
        match node:
            case ast.Assign(targets=targets):
                for target in targets:
                    yield from self._targets(target)
            case ast.Return():
                yield f"result {self._function}"
            case ast.Name() | ast.Attribute():
                yield from self._targets(node)
            case ast.expr():
                yield from self._ends(node)

    def _loads(self) -> Iterator[tuple[str, set[str]]]:
        for node in self._scope.nodes:
            match node:
                case ast.Name(ctx=ast.Load(), id=name):
                    yield self._variable(name), set(self._ends(node))
                case ast.Attribute(ctx=ast.Load(), attr=name) if name not in _ELEMENT_FIELDS:
                    yield f"attr {name}", set(self._ends(node))
                case ast.Subscript(ctx=ast.Load(), slice=ast.Constant(value=str(key))) if _CARRIERS.search(key):
                    yield f"attr {key}", set(self._ends(node))
                case ast.Call(func=function):
                    if name := tail_name(function):
                        yield f"result {name}", set(self._ends(node))
                    yield from self._changed_arguments(node, name)

    def _changed_arguments(self, call: ast.Call, name: str) -> Iterator[tuple[str, set[str]]]:
        for number, argument in enumerate(call.args):
            if isinstance(argument, ast.Name | ast.Attribute) and self._lists.subject(argument):
                yield f"out {name} #{number}", set(self._targets(argument))

    def _parameters(self) -> Iterator[tuple[str, set[str]]]:
        node = self._scope.node
        if not isinstance(node, FunctionNode):
            return
        for number, name in enumerate(self._positional(node)):
            yield f"arg {self._function} #{number}", {self._variable(name)}
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            yield f"arg {self._function} {argument.arg}", {self._variable(argument.arg)}

    def _positional(self, node: FunctionNode) -> list[str]:
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        return names[1:] if names[:1] in (["self"], ["cls"]) else names

    def _variable(self, name: str) -> str:
        return f"var {self._scope.module.path} {self._scope.name} {name}"

    def _changed(self, home: ast.expr) -> Iterator[str]:
        """Yield the places of a list that is changed itself: also that of the caller, for a parameter."""
        yield from self._targets(home)
        node = self._scope.node
        if isinstance(home, ast.Name) and isinstance(node, FunctionNode):
            names = self._positional(node)
            if home.id in names:
                yield f"out {self._function} #{names.index(home.id)}"
            for other in self._scope.local_values.get(home.id, ()):
                if isinstance(other, ast.Attribute | ast.Subscript):
                    yield from self._targets(other)

    def _targets(self, target: ast.expr) -> Iterator[str]:
        """Yield the places that an assignment to a target changes."""
        match target:
            case ast.Name(id=name):
                yield self._variable(name)
            case ast.Attribute(attr=name):
                yield f"attr {name}"
                if _CARRIERS.search(name) and self._lists.subject(target):
                    yield KEPT
            case ast.Subscript(value=home, slice=ast.Slice()):
                yield from self._changed(home)
            case ast.Subscript(value=home, slice=ast.Constant(value=str(key))):
                yield f"attr {key}"
                if _CARRIERS.search(key) and _STATES.search(tail_name(home)):
                    yield KEPT
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element in elements:
                    yield from self._targets(element)

    def _ends(self, node: ast.AST, depth: int = 0) -> Iterator[str]:
        """Yield the places to which the value of an expression goes."""
        parent = self._parents.get(node) if depth < _MAX_DEPTH else None
        match parent:
            case ast.Starred() | ast.Await() | ast.BoolOp():
                yield from self._ends(parent, depth + 1)
            case ast.IfExp(test=test) if test is not node:
                yield from self._ends(parent, depth + 1)
            case ast.BinOp(op=ast.Add() | ast.BitOr()) | ast.Tuple():
                yield from self._ends(parent, depth + 1)
            case ast.List() if isinstance(node, ast.Starred):
                yield from self._ends(parent, depth + 1)
            case ast.Subscript(value=value, slice=ast.Slice()) if value is node:
                yield from self._ends(parent, depth + 1)
            case ast.Attribute(attr="copy") if isinstance(call := self._parents.get(parent), ast.Call):
                yield from self._ends(call, depth + 1)
            case _:
                yield from self._stored(node, parent, depth)

    def _stored(self, node: ast.AST, parent: ast.AST | None, depth: int) -> Iterator[str]:
        """Yield the places of a value that a statement stores or returns, or of its elements."""
        match parent:
            case ast.NamedExpr(target=target):
                yield from self._targets(target)
                yield from self._ends(parent, depth + 1)
            case ast.Assign(targets=targets):
                for place in targets:
                    yield from self._targets(place)
            case ast.AnnAssign() | ast.AugAssign():
                yield from self._targets(parent.target)
            case ast.Return() | ast.Yield() | ast.YieldFrom():
                yield f"result {self._function}"
            case ast.For() | ast.AsyncFor() if parent.iter is node:
                yield from self._collected(parent)
            case ast.comprehension(iter=source) if source is node:
                yield from self._converted(parent)
            case _:
                yield from self._used(node, parent)

    def _used(self, node: ast.AST, parent: ast.AST | None) -> Iterator[str]:
        """Yield the places of a value in a test, a call or a dict."""
        match parent:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[chosen]) if chosen is node:
                yield from self._chosen(parent)
            case ast.Call() | ast.keyword():
                yield from self._handed_on(node, parent)
            case ast.Dict(keys=keys, values=values):
                yield from self._in_dict(node, parent, keys, values)

    def _converted(self, loop: ast.comprehension) -> Iterator[str]:
        home = self._parents.get(loop)
        if isinstance(home, ast.SetComp) or (
            isinstance(home, ast.ListComp | ast.GeneratorExp) and _may_be_message(home.elt)
        ):
            yield from self._ends(home)

    def _chosen(self, test: ast.Compare) -> Iterator[str]:
        """Yield the places of a list that is filtered by a test whether its messages are in a set."""
        loop = self._parents.get(test)
        if isinstance(loop, ast.comprehension):
            yield from self._converted(loop)

    def _in_dict(
        self, node: ast.AST, home: ast.Dict, keys: list[ast.expr | None], values: list[ast.expr]
    ) -> Iterator[str]:
        key = next((key for key, value in zip(keys, values, strict=True) if value is node), None)
        if key is None:
            yield from self._ends(home)
        elif isinstance(key, ast.Constant) and isinstance(key.value, str) and _CARRIERS.search(key.value):
            yield f"attr {key.value}"
            yield from self._ends(home)
            if key.value == "messages" and isinstance(self._parents.get(home), ast.Return | ast.keyword):
                yield KEPT

    def _handed_on(self, node: ast.AST, parent: ast.Call | ast.keyword) -> Iterator[str]:
        """Yield the places of an argument: that of the function, a model, a list that it extends, or the result."""
        word = parent.arg if isinstance(parent, ast.keyword) else None
        call = self._parents.get(parent) if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and call.func is not node:
            yield from self._through(call, tail_name(call.func), word, node)

    def _through(self, call: ast.Call, name: str, word: str | None, node: ast.AST) -> Iterator[str]:
        """Yield the places of a value that is an argument of a call, given by its keyword or its node."""
        if name in _COPIES:
            yield from self._ends(call)
        elif name == "enumerate" and isinstance(loop := self._parents.get(call), ast.For | ast.AsyncFor):
            yield from self._collected(loop)
        elif name in ("extend", "extendleft") and isinstance(call.func, ast.Attribute):
            yield from self._targets(call.func.value)
        elif self._is_model_call(call):
            yield "side" if self._is_side or SIDE.search(name) else SENT
        elif name and name not in _ENDS:
            yield from self._argument(call, name, word, node)

    def _is_model_call(self, call: ast.Call) -> bool:
        return bool(is_client_call(call) or sends_request(call) or sent_messages(call, self._lists))

    def _argument(self, call: ast.Call, name: str, word: str | None, node: ast.AST) -> Iterator[str]:
        is_copy = name[:1].isupper() or name in ("override", "replace", "model_copy", "update")
        if is_copy and word and _CARRIERS.search(word):
            yield f"attr {word}"
            yield from self._ends(call)
            if name == "override":
                yield KEPT
        if word:
            yield f"arg {name} {word}"
        elif node in call.args:
            yield f"arg {name} #{call.args.index(node)}"

    def _collected(self, loop: ast.For | ast.AsyncFor) -> Iterator[str]:
        """Yield the places of lists to which a loop adds its messages."""
        names = {name.id for name in walk(loop.target) if isinstance(name, ast.Name)}
        for inner in walk(loop):
            match inner:
                case ast.Call(func=ast.Attribute(attr=verb, value=home), args=[*_, element]) if verb in _ADDS:
                    if _may_be_message(element) and not names.isdisjoint(identifiers(element)):
                        yield from self._targets(home)
                case ast.Yield(value=ast.Name(id=name)) if name in names:
                    yield f"result {self._function}"

    def _removed(self, loop: ast.For | ast.AsyncFor) -> Iterator[str]:
        """Yield the places of lists that a loop shortens or takes a tail from, by a position that it finds."""
        counters = {node.id for node in walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in self._scope.of(ast.Subscript)[:_MAX_SLICES]:
            if isinstance(node.slice, ast.Slice) and not counters.isdisjoint(identifiers(node.slice)):
                yield from self.starts(node)


def _may_be_message(node: ast.expr) -> bool:
    """Return True if an element of a list can be a message, possibly converted, rather than a text."""
    match node:
        case ast.Name() | ast.Starred():
            return True
        case ast.Dict():
            return bool(message_dict(node))
        case ast.Await(value=value):
            return _may_be_message(value)
        case ast.IfExp(body=body):
            return _may_be_message(body)
        case ast.Call(func=function):
            name = tail_name(function)
            return bool(_MESSAGE_CLASSES.search(name)) if name[:1].isupper() else not _TEXT_CALLS.search(name)
    return False


def flows_of(scope: Scope) -> ListFlows:
    """Return the reader of a function's flows, which is created once."""
    reader: ListFlows | None = scope.notes.get("flows")
    if reader is None:
        reader = scope.notes["flows"] = ListFlows(scope, MessageLists(scope))
    return reader


def read_flows(scope: Scope) -> frozenset[Flow]:
    """Return the flows of a function."""
    return frozenset(islice(flows_of(scope).read(), _MAX_FLOWS)) if scope.name != MODULE else frozenset()
