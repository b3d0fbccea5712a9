"""Queries on Python expressions, without recursion because expressions can be deeply nested."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

COPIES = frozenset({"list", "tuple", "copy", "deepcopy", "sorted", "reversed", "deque", "enumerate", "iter", "cast"})
"""Functions that return the elements of their argument."""
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNWRAPPED = 12
"""Maximum number of nested expressions that are unwrapped."""


_LEAVES = frozenset({"ctx", "op", "ops", "type_comment", "type_ignores", "type_params", "kind", "conversion"})
"""Fields of nodes that no query needs. Skipping them avoids nearly half of a tree."""
_fields: dict[type[ast.AST], tuple[str, ...]] = {}


def children(node: ast.AST) -> list[ast.AST]:
    """Return the direct children of a node in order, without operators and contexts. Faster than `ast`'s function."""
    kind = type(node)
    names = _fields.get(kind)
    if names is None:
        names = _fields[kind] = tuple(name for name in kind._fields if name not in _LEAVES)
    nodes: list[ast.AST] = []
    for name in names:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            nodes.append(value)
        elif isinstance(value, list):
            nodes += [item for item in value if isinstance(item, ast.AST)]
    return nodes


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and its descendants."""
    stack = [node]
    while stack:
        inner = stack.pop()
        yield inner
        stack += children(inner)


def tail_name(node: ast.AST | None) -> str:
    """Return the last name of an expression: `c` for `a.b.c`, `a["c"]`, `a.b.c()` and `list(a.c)`; "" without one."""
    for _ in range(_UNWRAPPED):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
                return name
            case ast.Call(func=ast.Attribute(attr="get" | "setdefault"), args=[ast.Constant(value=str(name)), *_]):
                return name
            case _:
                node = _inner(node)
    return ""


def _inner(node: ast.AST | None) -> ast.AST | None:
    """Return the expression that another one copies, slices, wraps or selects first, or None."""
    match node:
        case ast.Call(func=ast.Name(id="cast"), args=[_, argument]):
            return argument
        case ast.Call(func=ast.Name(id=name), args=[argument, *_]) if name in COPIES:
            return argument
        case ast.Call(func=ast.Attribute(attr="copy" | "deepcopy", value=value), args=arguments):
            return arguments[0] if arguments else value
        case ast.Call(func=value) | ast.BoolOp(op=ast.Or(), values=[value, *_]) | ast.IfExp(body=value):
            return value
        case ast.Await(value=value) | ast.Starred(value=value) | ast.NamedExpr(value=value):
            return value
        case ast.Subscript(value=value, slice=ast.Slice()):
            return value
    return None


def dotted(node: ast.AST) -> str:
    """Return the dotted name of an expression, such as `self.llm.chat`. Calls and subscripts in it are skipped."""
    names: list[str] = []
    while True:
        match node:
            case ast.Attribute(attr=name, value=value):
                names.append(name)
                node = value
            case ast.Call(func=value) | ast.Subscript(value=value) | ast.Await(value=value):
                node = value
            case ast.Name(id=name):
                names.append(name)
                break
            case _:
                break
    return ".".join(reversed(names))


def identifiers(node: ast.AST | None) -> Iterator[str]:
    """Yield all names, attributes, keywords and string subscripts in an expression."""
    for inner in walk(node) if node is not None else ():
        match inner:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.Subscript(slice=ast.Constant(value=str(name))):
                yield name


def mentions(node: ast.AST | None, pattern: re.Pattern[str]) -> bool:
    """Return True if any identifier in an expression matches."""
    return any(pattern.search(name) for name in identifiers(node))


def snake_case(name: str) -> str:
    """Separate the words of a name by underscores: `Chat_History` for `ChatHistory`."""
    return _WORD_START.sub("_", name)


def number_of(node: ast.AST | None) -> float | None:
    """Return the value of a number with its sign, or None for any other expression."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
    return None


def is_zero(node: ast.AST | None) -> bool:
    return number_of(node) == 0


def keyword(call: ast.Call, *names: str) -> ast.expr | None:
    """Return the value of the first keyword argument with one of these names, or None."""
    return next((item.value for item in call.keywords if item.arg in names), None)


def dict_items(node: ast.AST) -> dict[str, ast.expr]:
    """Return the items of a dict display or a `dict(…)` call, by key."""
    match node:
        case ast.Dict(keys=keys, values=values):
            items: dict[str, ast.expr] = {}
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    items[key.value] = value
            return items
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            return {item.arg: item.value for item in keywords if item.arg}
    return {}


LISTS = frozenset(
    [
        "list",
        "List",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "AsyncIterator",
        "Collection",
        "deque",
        "Deque",
        "tuple",
        "Tuple",
    ]
)
_NO_ELEMENTS = LISTS | frozenset(
    [
        "Optional",
        "Union",
        "Any",
        "None",
        "Annotated",
        "Literal",
        "Final",
        "ClassVar",
        "Required",
        "NotRequired",
        "object",
        "Type",
        "type",
        "Self",
        "Callable",
        "Awaitable",
        "Coroutine",
        "Generator",
        "AsyncGenerator",
        "typing",
        "collections",
        "abc",
        "t",
        "Mapped",
        "Field",
    ]
)
_MAPPINGS = frozenset(["dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict", "Counter"])
_WRAPPERS = frozenset({"Optional", "Annotated", "Mapped", "ClassVar", "Final", "Required", "NotRequired", "Union"})
_WORD = re.compile(r"[A-Za-z_]\w*")


def element_types(annotation: ast.AST | None) -> frozenset[str]:
    """Return the element type names in the annotation of a list. A bare name is returned as it is.

    For a mapping the result is only "dict", because a dict of lists is not a list.
    """
    if annotation is None:
        return frozenset()
    if _head(annotation) in _MAPPINGS:
        return frozenset({"dict"})
    names = frozenset(identifiers_and_texts(annotation))
    return names - _NO_ELEMENTS - (_MAPPINGS if names & LISTS else frozenset())


def _head(annotation: ast.AST) -> str:
    """Return the name of the outermost type of an annotation, ignoring wrappers such as `Optional`."""
    for _ in range(_UNWRAPPED):
        match annotation:
            case ast.Subscript(value=value, slice=inner) if dotted(value).rpartition(".")[2] in _WRAPPERS:
                annotation = inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
            case ast.Subscript(value=value):
                return dotted(value).rpartition(".")[2]
            case ast.BinOp(left=left):
                annotation = left
            case ast.Constant(value=str(text)):
                match = _WORD.search(text[:200])
                return match.group() if match else ""
            case _:
                return dotted(annotation).rpartition(".")[2]
    return ""


def is_list_annotation(annotation: ast.AST | None) -> bool:
    """Return True if an annotation is a list or another sequence type."""
    return annotation is not None and _head(annotation) in LISTS


def identifiers_and_texts(node: ast.AST) -> Iterator[str]:
    """Yield identifiers, and the words in strings, which can be forward references in annotations."""
    yield from identifiers(node)
    for inner in walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield from _WORD.findall(inner.value[:200])
