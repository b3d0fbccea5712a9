"""Classification of expressions as parts of a context: prompt, memory, tools, history or request."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from inspector.report.findings import Component
from inspector.report.source.expressions import dict_items, dotted, identifiers, keyword, snake_case, tail_name
from inspector.report.source.subjects import MessageLists, message_dict

_BY_NAME: tuple[tuple[Component, re.Pattern[str]], ...] = (
    (
        "Scratchpad",
        # e.g. "agent_scratchpad", "intermediate_steps"
        re.compile(
            r"scratchpad|intermediate_steps|thoughts?(?:_|$)|agent_outcome|current_reasoning|reasoning_steps", re.I
        ),
    ),
    (
        "Tools",
        # e.g. "tools", "tool_schemas", but not "tool_results"
        re.compile(
            r"(?:^|_)tools?(?:_(?!m(?:sg|essage)|result|call|response|output|return|sequence|use)|$)|tool_?(?:desc|schema|spec|prompt|names)|functions?_?(?:desc|schema)",
            re.I,
        ),
    ),
    (
        "Memory",
        # e.g. "retrieved_docs", "memory_block", but not "memory_messages"
        re.compile(
            r"memor(?:y|ies)(?!\w*_messages)|retriev|knowledge|documents?(?:_|$)|(?:^|_)docs?(?:_|$)|summar|(?:^|_)rag(?:_|$)|recall|facts?(?:_|$)|context_str|user_?context|preferences",
            re.I,
        ),
    ),
    (
        "System",
        # e.g. "system_prompt", "agent_instructions"
        re.compile(r"system|instruction|persona|preamble|developer|(?:^|_)sys(?:_|$)|prefix_messages|backstory", re.I),
    ),
    (
        "History",
        # e.g. "chat_history", "past_turns"
        re.compile(
            r"history|(?:^|_)(?:messages?|msgs|conversation|turns?|events?|previous|past|prior|items|transcript|chat)(?:_|$)",
            re.I,
        ),
    ),
    (
        "Input",
        # e.g. "user_message", "query_str"
        re.compile(
            r"(?:^|_)(?:input|inputs|query|question|user|request|task|human|prompt|new_message|user_\w+)(?:_|$)|query_str|user_?(?:input|message|msg|prompt|query)",
            re.I,
        ),
    ),
)
_ROLES: dict[str, Component] = {
    "system": "System",
    "developer": "System",
    "user": "Input",
    "human": "Input",
}
_CLASSES: tuple[tuple[re.Pattern[str], Component], ...] = (
    (re.compile(r"^(?:Chat)?(?:System|Developer)\w*?(?:Message|Prompt|Part)"), "System"),
    (re.compile(r"^(?:Chat)?(?:User|Human)\w*?(?:Message|Prompt|Part)"), "Input"),
)


_SPOKEN = ("Message", "Content", "Msg")
# e.g. "get_messages", "aload", "as_list"
_HANDS_OUT = re.compile(
    r"^a?(?:get|get_all|get_messages|to_messages|to_message|messages|load|format|as_\w+|copy|get_items)$"
)


def component_of_name(name: str) -> Component | None:
    """Return the part of a context that a name indicates, or None."""
    spaced = snake_case(name)
    return next((part for part, pattern in _BY_NAME if pattern.search(spaced)), None)


def component_of(node: ast.AST, lists: MessageLists) -> Component | None:
    """Return the part of a context that an element of a message list is, or None."""
    match node:
        case ast.Starred(value=value):
            return component_of(value, lists) or "History"
        case ast.Await(value=ast.Call() as call):
            return component_of(call, lists)
        case ast.Dict() if role := message_dict(node):
            return (_by_content(node) if role in ("user", "human") else None) or _ROLES.get(role)
        case ast.Call(func=function):
            name = dotted(function).rpartition(".")[2]
            if name[:1].isupper():
                return _of_class(node, name)
            if part := _of_class(node, name) or _of_receiver(node):
                return part
    return _of_name(node, lists)


def _of_name(node: ast.AST, lists: MessageLists) -> Component | None:
    """Return the part that the name of an element indicates. A message list without further evidence is the history."""
    name = tail_name(node)
    part = component_of_name(name) if name else None
    if part not in ("History", "Input", None) or not lists.subject(node):
        return part
    if part is None and "memory" in name:
        return "Memory"
    return "History" if part == "History" or name.endswith("s") else part


def _of_receiver(call: ast.Call) -> Component | None:
    """Return the part of an object whose method returns its content: `system_prompt.to_messages()`, `memory.get()`."""
    if not isinstance(call.func, ast.Attribute) or not _HANDS_OUT.match(call.func.attr):
        return None
    name = tail_name(call.func.value)
    part = component_of_name(name)
    return "History" if part == "Memory" and "retriev" not in name else part


def _of_class(call: ast.Call, name: str) -> Component | None:
    """Return the part of a message object, from its class or the role that is passed to it."""
    for pattern, part in _CLASSES:
        if pattern.match(name):
            return part if part != "Input" else _by_content(call) or part
    if not name[:1].isupper() and not name.startswith("from_"):
        return None
    role = keyword(call, "role") or (call.args[0] if call.args and name.endswith(_SPOKEN) else None)
    text = role.value if isinstance(role, ast.Constant) else tail_name(role).lower()
    return _ROLES.get(text) if isinstance(text, str) else None


def _by_content(node: ast.AST) -> Component | None:
    """Return the part that a user message carries, such as memory or tools, from the names in its content."""
    items = dict_items(node)
    content: ast.AST | None = items.get("content") or items.get("parts")
    if isinstance(node, ast.Call) and content is None:
        content = keyword(node, "content", "parts", "text", "blocks") or next(iter(node.args), None)
    parts = {part for name in identifiers(content) if (part := component_of_name(name))}
    carried: tuple[Component, ...] = ("Scratchpad", "Memory", "Tools")
    return next((part for part in carried if part in parts), None)


def list_parts(node: ast.AST, lists: MessageLists) -> Iterator[Component]:
    """Yield the parts that a list is assembled from, in order."""
    match node:
        case ast.List(elts=elements):
            for element in elements:
                if part := component_of(element, lists):
                    yield part
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            stack = [right, left]
            while stack:
                item = stack.pop()
                if isinstance(item, ast.BinOp) and isinstance(item.op, ast.Add):
                    stack += [item.right, item.left]
                elif isinstance(item, ast.BinOp):
                    continue
                else:
                    yield from list_parts(item, lists)
        case ast.Await(value=value) | ast.Call(func=ast.Name(id="list" | "tuple" | "deepcopy"), args=[value, *_]):
            yield from list_parts(value, lists)
        case _:
            if part := component_of(node, lists):
                yield part


def in_order(parts: Sequence[Component]) -> tuple[Component, ...]:
    """Return the parts without consecutive duplicates."""
    kept: list[Component] = []
    for part in parts:
        if not kept or kept[-1] != part:
            kept.append(part)
    return tuple(kept)
