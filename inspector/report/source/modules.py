"""A module of source code, parsed and never run: its functions, their nodes, and its classes.

A function is read with the functions inside it; what stands outside of all functions is one scope of its own.
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
"""Characters of a line of code that are shown."""


class ParseError(Exception):
    """Source code that is no Python of this version; str says why."""


def _parse_source(text: str) -> ast.Module:
    """The syntax tree of a text. Raises ParseError."""
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
    """A class as its definition shows it."""

    name: str
    path: str
    line: int
    bases: tuple[str, ...]
    """Last names only."""
    fields: frozenset[str]
    methods: frozenset[str]
    types: tuple[tuple[str, frozenset[str]], ...] = ()
    """Its fields with the names of the types that their elements are annotated with, where they are."""


@dataclass(eq=False)
class Scope:
    """A function with everything inside it, or what stands outside of all functions."""

    name: str
    """With its class: `Agent.run`."""
    owner: str
    """The class it is a method of; else empty."""
    node: FunctionNode | ast.Module
    module: ParsedModule
    nodes: list[ast.AST] = field(default_factory=list)
    """In the order of the source."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What was worked out of it already."""

    @cached_property
    def assignments(self) -> Sequence[tuple[ast.expr, ast.expr]]:
        """Each target of an assignment with its value, in the order of the source."""
        return tuple(_assignments(self.nodes))

    @cached_property
    def local_values(self) -> Mapping[str, Sequence[ast.expr]]:
        """What each local name is set to, constants aside."""
        values: dict[str, list[ast.expr]] = defaultdict(list)
        for target, value in self.assignments:
            if isinstance(target, ast.Name) and not isinstance(value, ast.Constant):
                values[target.id].append(value)
        return values

    @cached_property
    def by_type(self) -> Mapping[type[ast.AST], list[ast.AST]]:
        kinds: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        for node in self.nodes:
            kinds[type(node)].append(node)
        return kinds

    def of(self, kind: type[Node]) -> Sequence[Node]:
        """The nodes of a kind, in order."""
        return self.by_type.get(kind, ())  # type: ignore[return-value]  # they are put in by their type

    @property
    def bare_name(self) -> str:
        return self.name.rpartition(".")[2]

    @cached_property
    def arguments(self) -> tuple[ast.arg, ...]:
        """The parameters, those of inner functions among them."""
        return tuple(self.of(ast.arg))

    @cached_property
    def defaults(self) -> Mapping[str, ast.expr]:
        """Parameters with their defaults."""
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
        """Attributes and short texts that stand in it: what is asked of the things it handles."""
        texts = (node.value for node in self.of(ast.Constant) if isinstance(node.value, str) and len(node.value) < 40)
        return frozenset((*(node.attr for node in self.of(ast.Attribute)), *texts))

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node stands in, from the inside out, up to this scope."""
        parents = self.module.parents
        while (parent := parents.get(node)) is not None and parent is not self.node:
            yield parent
            node = parent


@dataclass(eq=False)
class ParsedModule:
    """A file of source code."""

    path: str
    """Relative to the folder that is read, with slashes."""
    tree: ast.Module
    lines: Sequence[str]
    scopes: list[Scope] = field(default_factory=list)
    classes: list[ClassFacts] = field(default_factory=list)
    class_nodes: dict[str, ast.ClassDef] = field(default_factory=dict)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    @classmethod
    def of_text(cls, path: str, text: str) -> ParsedModule:
        """Parse a file's text. Raises ParseError."""
        module = cls(path, _parse_source(text), text.split("\n"))
        module._walk()
        return module

    def code(self, line: int) -> str:
        """A line of the file, from 1, without its indentation, clipped."""
        text = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        return text if len(text) <= _CLIP else f"{text[: _CLIP - 1]}…"

    @cached_property
    def imports(self) -> frozenset[str]:
        """The first names, and the full ones, of what it imports."""
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
        """Names of the module and fields of its classes, with what they are set to first."""
        values: dict[str, ast.expr] = {}
        for scope in self.scopes:
            if isinstance(scope.node, ast.Module):
                for target, value in scope.assignments:
                    if isinstance(target, ast.Name):
                        values.setdefault(target.id, value)
        return values

    @cached_property
    def aliases(self) -> Mapping[str, frozenset[str]]:
        """Names of the module that stand for types, with the names in them: `Messages = list[Message]`."""
        return {
            name: types
            for name, value in self.constants.items()
            if isinstance(value, ast.Subscript | ast.BinOp) and name[:1].isupper() and (types := element_types(value))
        }

    @cached_property
    def fields(self) -> Mapping[str, frozenset[str]]:
        """Attributes by name, with the names of the types that their elements are annotated with anywhere here."""
        types: dict[str, frozenset[str]] = {}
        for inside in self.field_types.values():
            for name, names in inside.items():
                _join(types, name, names)
        return types

    @cached_property
    def field_types(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """For each class, its fields with the names of the types that their elements are annotated with."""
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
        """Put every node into its scope, once, in the order of the source."""
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
    """The fields that a method annotates or sets to its parameters, and what it gives itself."""
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
