"""A parsed module of source code: its functions, their nodes, and its classes.

A function includes its inner functions. Code outside of all functions forms a separate scope.
"""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from inspector.report.source.expressions import children, dotted, element_types

Node = TypeVar("Node", bound=ast.AST)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
MODULE = "<module>"
_CLIP = 160
"""Maximum length in characters of a line of code in a report."""


class ParseError(Exception):
    """The source code is not valid Python for this version. The message gives the reason."""


def _parse_source(text: str) -> ast.Module:
    """Return the syntax tree of a text.

    Raises:
        ParseError: The text cannot be parsed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        raise ParseError(f"line {error.lineno or 1}: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise ParseError("it is nested too deeply") from None
    except ValueError as error:
        raise ParseError(str(error)) from None


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """Facts about a class from its definition."""

    name: str
    path: str
    line: int
    bases: tuple[str, ...]
    """Last components of the names of the base classes."""
    fields: frozenset[str]
    methods: frozenset[str]
    types: tuple[tuple[str, frozenset[str]], ...] = ()
    """Fields with annotated element types."""


@dataclass(eq=False)
class Scope:
    """A function with its inner functions, or the code outside of all functions."""

    name: str
    """Name with its class: `Agent.run`."""
    owner: str
    """Class of a method; empty for a function."""
    node: FunctionNode | ast.Module
    module: ParsedModule
    nodes: list[ast.AST] = field(default_factory=list)
    """Nodes in the order of the source."""
    notes: dict[str, Any] = field(default_factory=dict)
    """Cache of computed values."""

    @cached_property
    def assignments(self) -> Sequence[tuple[ast.expr, ast.expr]]:
        """Each assigned target and its value, in the order of the source."""
        return tuple(_assignments(self.nodes))

    @cached_property
    def local_values(self) -> Mapping[str, Sequence[ast.expr]]:
        """Non-constant values assigned to each local name."""
        values: dict[str, list[ast.expr]] = defaultdict(list)
        for target, value in self.assignments:
            if isinstance(target, ast.Name) and not isinstance(value, ast.Constant):
                values[target.id].append(value)
        return values

    @cached_property
    def by_type(self) -> Mapping[type[ast.AST], list[ast.AST]]:
        """Nodes by type, in the order of the source."""
        kinds: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        for node in self.nodes:
            kinds[type(node)].append(node)
        return kinds

    def of(self, kind: type[Node]) -> Sequence[Node]:
        """Return the nodes of a type, in the order of the source."""
        return self.by_type.get(kind, ())  # type: ignore[return-value]  # grouped by type

    @property
    def bare_name(self) -> str:
        return self.name.rpartition(".")[2]

    @cached_property
    def arguments(self) -> tuple[ast.arg, ...]:
        """Parameters, including those of inner functions."""
        return tuple(self.of(ast.arg))

    @cached_property
    def defaults(self) -> Mapping[str, ast.expr]:
        """Default values of parameters."""
        if isinstance(self.node, ast.Module):
            return {}
        spec = self.node.args
        positional = [*spec.posonlyargs, *spec.args]
        pairs = [
            *zip(reversed(positional), reversed(spec.defaults), strict=False),
            *((argument, value) for argument, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value),
        ]
        return {argument.arg: value for argument, value in pairs}

    @cached_property
    def words(self) -> frozenset[str]:
        """Attributes and short strings in the scope."""
        texts = (node.value for node in self.of(ast.Constant) if isinstance(node.value, str) and len(node.value) < 40)
        return frozenset((*(node.attr for node in self.of(ast.Attribute)), *texts))

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the ancestors of a node within this scope, innermost first."""
        parents = self.module.parents
        while (parent := parents.get(node)) is not None and parent is not self.node:
            yield parent
            node = parent


@dataclass(eq=False)
class ParsedModule:
    """A parsed source file."""

    path: str
    """Path relative to the analysed folder, with slashes."""
    tree: ast.Module
    lines: Sequence[str]
    scopes: list[Scope] = field(default_factory=list)
    classes: list[ClassFacts] = field(default_factory=list)
    class_nodes: dict[str, ast.ClassDef] = field(default_factory=dict)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    @classmethod
    def of_text(cls, path: str, text: str) -> ParsedModule:
        """Parse the text of a file.

        Raises:
            ParseError: The text cannot be parsed.
        """
        module = cls(path, _parse_source(text), text.split("\n"))
        module._walk()
        return module

    def code(self, line: int) -> str:
        """Return a line of the file, counted from 1, without indentation and clipped."""
        text = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        return text if len(text) <= _CLIP else f"{text[: _CLIP - 1]}…"

    @cached_property
    def imports(self) -> frozenset[str]:
        """Imported modules, by full name and by first component."""
        names: set[str] = set()
        for scope in self.scopes:
            for single in scope.of(ast.Import):
                names.update(alias.name for alias in single.names)
            for group in scope.of(ast.ImportFrom):
                if group.module and not group.level:
                    names.add(group.module)
        return frozenset(names | {name.partition(".")[0] for name in names})

    @cached_property
    def constants(self) -> Mapping[str, ast.expr]:
        """First values of module-level names and class fields."""
        values: dict[str, ast.expr] = {}
        for scope in self.scopes:
            if isinstance(scope.node, ast.Module):
                for target, value in scope.assignments:
                    if isinstance(target, ast.Name):
                        values.setdefault(target.id, value)
        return values

    @cached_property
    def aliases(self) -> Mapping[str, frozenset[str]]:
        """Type aliases of the module with the names they contain, such as `Messages = list[Message]`."""
        return {
            name: types
            for name, value in self.constants.items()
            if isinstance(value, ast.Subscript | ast.BinOp) and name[:1].isupper() and (types := element_types(value))
        }

    @cached_property
    def fields(self) -> Mapping[str, frozenset[str]]:
        """Element types of attributes by name, from annotations in any class of the module."""
        types: dict[str, frozenset[str]] = {}
        for inside in self.field_types.values():
            for name, names in inside.items():
                _join(types, name, names)
        return types

    @cached_property
    def field_types(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Element types of annotated fields, by class."""
        types: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        for owner, node in self.class_nodes.items():
            for item in node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    _join(types[owner], item.target.id, element_types(item.annotation))
        for scope in self.scopes:
            if scope.owner:
                for name, names in _annotated_fields(scope):
                    _join(types[scope.owner], name, names)
        return types

    def _walk(self) -> None:
        """Assign every node to its scope, in the order of the source."""
        outside = Scope(MODULE, "", self.tree, self)
        self.scopes.append(outside)
        stack: list[tuple[ast.AST, Scope, str]] = [(self.tree, outside, "")]
        while stack:
            node, scope, owner = stack.pop()
            scope.nodes.append(node)
            if isinstance(node, ast.ClassDef):
                self.class_nodes.setdefault(node.name, node)
                owner = node.name if scope is outside else owner
            elif scope is outside and isinstance(node, FunctionNode):
                scope = Scope(f"{owner}.{node.name}" if owner else node.name, owner, node, self)
                self.scopes.append(scope)
            for child in reversed(children(node)):
                self.parents[child] = node
                stack.append((child, scope, owner))
        self.classes = [self._facts_of(node) for node in self.class_nodes.values()]

    def _facts_of(self, node: ast.ClassDef) -> ClassFacts:
        names: set[str] = set()
        methods: set[str] = set()
        for item in node.body:
            match item:
                case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                    names.add(name)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    methods.add(name)
                    if name == "__init__":
                        names.update(argument.arg for argument in item.args.args + item.args.kwonlyargs)
        bases = tuple(dotted(base).rpartition(".")[2] for base in node.bases)
        types = tuple(self.field_types.get(node.name, {}).items())
        return ClassFacts(node.name, self.path, node.lineno, bases, frozenset(names), frozenset(methods), types)


def _annotated_fields(scope: Scope) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the fields that a method annotates or assigns from parameters, and its own return type."""
    parameters = {argument.arg: argument.annotation for argument in scope.arguments}
    for node in scope.of(ast.AnnAssign):
        if isinstance(node.target, ast.Attribute):
            yield node.target.attr, element_types(node.annotation)
    for target, value in scope.assignments:
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Name | ast.BoolOp):
            name = value.id if isinstance(value, ast.Name) else dotted(value.values[0])
            yield target.attr, element_types(parameters.get(name))
    if isinstance(scope.node, FunctionNode) and not scope.bare_name.startswith("__"):
        yield scope.bare_name, element_types(scope.node.returns)


def _join(types: dict[str, frozenset[str]], name: str, more: frozenset[str]) -> None:
    if more:
        types[name] = types.get(name, frozenset()) | more


def _assignments(nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield target, value
            case ast.NamedExpr(target=target, value=value):
                yield target, value
