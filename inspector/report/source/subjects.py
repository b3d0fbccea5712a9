"""Recognition of message lists, by their types, their elements and their names."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from inspector.report.findings import Subject
from inspector.report.source.expressions import dict_items, dotted, element_types, tail_name
from inspector.report.source.modules import Scope

# e.g. "messages", "chat_history"
_NAMED = re.compile(
    r"(?:^|_)(?:messages|msgs|chat_?history|history|histories|conversations?|transcript|dialog(?:ue)?|chat_?log|"
    r"message_?(?:list|history|log)|turns)$",
    re.IGNORECASE,
)
"""Typical names of message lists."""
# e.g. "events", "context", "memory_steps"
_WEAK = re.compile(
    r"(?:^|_)(?:events|contents|items|steps|inputs?|context|prompts?|memory|memories|chat|buffer|window|queue|"
    r"entries|records|blocks|interactions|exchanges|utterances|memory_steps)$",
    re.IGNORECASE,
)
"""Possible names of message lists that are also common for other data. Types or elements must confirm them."""
# e.g. "error_messages", "search_history", "message_count"
_OTHER = re.compile(
    r"error|warning|log_?messages|validation|commit|queue_?messages|kafka|mail|slack|protobuf|state_history|loss|"
    r"checkpoint|chunk|delta|usage|count|token|callback|download|search_history|shell|browser|version",
    re.IGNORECASE,
)
"""Words in names of other data that is named similarly."""
_CONTENT = frozenset({"content", "contents", "parts", "text", "blocks"})
# e.g. "count_messages", "has_history", "messages_to_text"
_NO_LISTS = re.compile(
    r"count|estimate|num_|(?:^|_)len|has_|is_|valid|log|dump|json|hash|find|search|index|str$|text$|prompt$|print|token",
    re.I,
)
"""Functions that do not return messages, regardless of their arguments."""
# e.g. "get_history", "build_messages"
_GETTERS = re.compile(
    r"^(?:a?get|a?load|a?fetch|a?list|a?read|_get|_load|to|format|prepare|build|make|_prepare|_build)_"
)


def message_dict(node: ast.AST) -> str:
    """Return the role of a dict that is a message, "?" if the role is not a constant, or "" for any other node."""
    items = dict_items(node)
    if "role" not in items or not items.keys() & (_CONTENT | {"tool_calls"}):
        return ""
    role = items["role"]
    return role.value if isinstance(role, ast.Constant) and isinstance(role.value, str) else "?"


class MessageLists:
    """Message lists of one scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._fields = scope.module.fields
        self._locals: dict[str, Subject] = {}
        self._reads_roles = "role" in scope.words and bool(_CONTENT & scope.words)
        for argument in scope.arguments:
            types = element_types(argument.annotation)
            if types:
                self._locals[argument.arg] = self._named(argument.arg, types)
        self._follow()

    def subject(self, node: ast.AST | None) -> Subject | None:
        """Return the message list that an expression can be, or None without any evidence."""
        subject = self._of(node)
        if subject is None or _OTHER.search(subject.name):
            return None
        if subject.has_roles or subject.types or subject.is_named or (subject.is_field and _WEAK.search(subject.name)):
            return subject
        return None

    def _of(self, node: ast.AST | None) -> Subject | None:
        if isinstance(node, ast.List | ast.ListComp | ast.Dict | ast.Constant | ast.JoinedStr | None):
            return None
        name = tail_name(node)
        if not name:
            return None
        if isinstance(node, ast.Name) or (name in self._locals and _is_plain(node)):
            return self._locals.get(name) or self._named(name, frozenset())
        if isinstance(node, ast.Call) and _NO_LISTS.search(name):
            return None
        types = self._fields.get(name, frozenset())
        subject = self._named(_GETTERS.sub("", name) if isinstance(node, ast.Call | ast.Await) else name, types)
        home = _field_home(node)
        if home is None:
            return subject
        return replace(subject, owner=self._scope.owner if home in ("self", "cls") else "", is_field=True)

    def _named(self, name: str, types: frozenset[str]) -> Subject:
        is_named = bool(_NAMED.search(name))
        has_roles = self._reads_roles and (is_named or bool(_WEAK.search(name)))
        return Subject(name, types, has_roles, is_named)

    def _follow(self) -> None:
        """Track lists through assignments to local names, and the elements that are added to them."""
        for node in self._scope.nodes:
            match node:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                    if types := element_types(annotation):
                        self._locals[name] = self._named(name, types)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._assign(name, value)
                case ast.Call(func=ast.Attribute(attr="append" | "insert", value=target), args=[*_, element]):
                    self._put(target, element)

    def _assign(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.List):
            for element in value.elts:
                self._put_name(name, element)
            return
        subject = self._of(value)
        if (
            subject
            and (subject.types or subject.has_roles or subject.is_named or subject.is_field)
            and _gives_list(value)
        ):
            named = bool(_NAMED.search(name))
            self._locals[name] = replace(subject, name=name, is_named=subject.is_named or named)

    def _put(self, target: ast.expr, element: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._put_name(target.id, element)

    def _put_name(self, name: str, element: ast.expr) -> None:
        old = self._locals.get(name) or self._named(name, frozenset())
        if message_dict(element):
            self._locals[name] = replace(old, has_roles=True)
        elif isinstance(element, ast.Call) and (type_name := _class_of_call(element)):
            self._locals[name] = replace(old, types=old.types | {type_name})
        elif isinstance(element, ast.Constant | ast.JoinedStr) and not old.types:
            self._locals[name] = replace(old, types=frozenset({"str"}))


def _field_home(node: ast.AST | None) -> str | None:
    """Return the name of the object whose field or method result an expression is.

    Returns:
        The name, an empty string for a nested object, or None if the expression is neither.
    """
    while True:
        match node:
            case ast.Attribute(value=ast.Name(id=name)):
                return name
            case ast.Attribute(value=ast.Attribute() | ast.Call()):
                return ""
            case ast.Call(func=ast.Attribute(attr="copy", value=value), args=[]):
                node = value
            case ast.Call(func=ast.Attribute() as function):
                node = function
            case ast.Call(
                func=ast.Name(id="list" | "reversed" | "sorted" | "deepcopy" | "enumerate"), args=[value, *_]
            ):
                node = value
            case ast.Await(value=value) | ast.Starred(value=value) | ast.Subscript(value=value, slice=ast.Slice()):
                node = value
            case ast.BoolOp(values=[value, *_]):
                node = value
            case _:
                return None


def _class_of_call(call: ast.Call) -> str:
    """Return the name of the class that a call instantiates, judged by its capitalisation, or an empty string."""
    name = dotted(call.func).rpartition(".")[2]
    return name if name[:1].isupper() and not name.isupper() else ""


def _is_plain(node: ast.AST | None) -> bool:
    """Return True if an expression is a local name, or a copy or slice of one."""
    while True:
        match node:
            case ast.Name():
                return True
            case ast.Subscript(value=value, slice=ast.Slice()) | ast.Starred(value=value):
                node = value
            case ast.Call(func=ast.Name(id="list" | "reversed" | "sorted" | "deepcopy" | "copy"), args=[value, *_]):
                node = value
            case ast.Call(func=ast.Attribute(attr="copy", value=value), args=[]):
                node = value
            case ast.Call(func=ast.Attribute(attr="deepcopy" | "copy"), args=[value, *_]):
                node = value
            case _:
                return False


def _gives_list(value: ast.expr) -> bool:
    """Return True if an assigned value is a list itself, rather than an element of it or text."""
    match value:
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Await() | ast.BoolOp() | ast.IfExp():
            return True
        case ast.Subscript(slice=ast.Slice() | ast.Constant(value=str())):
            return True
    return False


__all__ = ["MessageLists", "message_dict"]
