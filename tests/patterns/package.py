"""Every pattern of the package, wherever it is kept, with how it is used; and the calls of `re` that make others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, Literal

import inspector
from inspector.core.text import LazyPattern

ROOT = Path(inspector.__file__).parent
Way = Literal["match", "fullmatch", "scan"]
"""match, fullmatch: at the beginning of a text alone. scan: at any place, one after the other."""
MAKERS = frozenset(
    {"compile", "match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn", "template"}
)
"""The functions of `re` that make a pattern of a string."""
DEEPEST = 4
"""Containers within containers that are looked through."""


@dataclass
class Used:
    """A pattern, the first place where it was found, and the ways in which it is used; none are known in containers."""

    pattern: re.Pattern[Any]
    name: str
    ways: set[Way] = field(default_factory=set)


@cache
def modules() -> dict[Path, ModuleType]:
    """All modules of the package, those that are imported late too, by their files."""
    names = [module.name for module in walk_packages(inspector.__path__, "inspector.")]
    found = [inspector, *(import_module(name) for name in names if name != "inspector.__main__")]
    return {Path(str(module.__file__)): module for module in found}


@cache
def patterns() -> tuple[Used, ...]:
    """Each pattern once."""
    found: dict[re.Pattern[Any], Used] = {}
    for module in modules().values():
        for name, value in list(vars(module).items()):
            if not name.startswith("__"):
                for pattern, way in patterns_in(value):
                    used = found.setdefault(pattern, Used(pattern, f"{module.__name__}.{name}"))
                    used.ways |= {way} if way else set()
    for path, module in modules().items():
        if any(isinstance(plain(value), re.Pattern) for value in vars(module).values()):
            for pattern, way in uses(ast.parse(path.read_text(encoding="utf-8")), module):
                found[pattern].ways.add(way)
    return tuple(found.values())


def plain(value: Any) -> Any:
    """A value, or the pattern that it stands for."""
    return value.compiled if isinstance(value, LazyPattern) else value


def patterns_in(value: Any, depth: int = 0) -> Iterator[tuple[re.Pattern[Any], Way | None]]:
    """The patterns in a module's variable: itself, in its elements, in its class attributes, or bound in a method."""
    value = plain(value)
    if isinstance(value, re.Pattern):
        yield value, None if depth == 0 else "scan"
    elif isinstance(owner := getattr(value, "__self__", None), re.Pattern):
        yield owner, way_of(value.__name__, 1)
    elif depth < DEEPEST:
        for inner in elements(value):
            yield from patterns_in(inner, depth + 1)


def elements(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, type) and value.__module__.startswith("inspector"):
        return list(vars(value).values())
    if is_dataclass(value) and not isinstance(value, type) and type(value).__module__.startswith("inspector"):
        return [getattr(value, each.name) for each in fields(value) if hasattr(value, each.name)]
    if callable(value) and hasattr(value, "__defaults__"):
        return [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    return []


def way_of(method: str, arguments: int) -> Way:
    """How a method looks for its pattern; one that is told where to begin may be told so at every place."""
    if method == "match" and arguments <= 1:
        return "match"
    return "fullmatch" if method == "fullmatch" and arguments <= 1 else "scan"


def uses(tree: ast.AST, module: ModuleType) -> Iterator[tuple[re.Pattern[Any], Way]]:
    """How the patterns that are a module's variables are used in it; one that is handed on is used in every way."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        pattern = plain(getattr(module, node.id, None))
        if not isinstance(pattern, re.Pattern):
            continue
        parent = parents[node]
        if not isinstance(parent, ast.Attribute):
            yield pattern, "scan"
        elif callable(getattr(pattern, parent.attr)):
            call = parents[parent]
            yield pattern, way_of(parent.attr, len(call.args) if isinstance(call, ast.Call) else 1)


def late_patterns() -> list[str]:
    """Calls of `re` inside functions, where no look through a module's variables finds what they make."""
    return sorted(
        f"{path.relative_to(ROOT).as_posix()}:{function}"
        for path in modules()
        if "re." in (text := path.read_text(encoding="utf-8"))
        for function in makers(ast.parse(text), ())
    )


def makers(tree: ast.AST, around: tuple[str, ...]) -> Iterator[str]:
    """The functions around each call that makes a pattern."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from makers(node, (*around, node.name))
        else:
            if isinstance(node, ast.Call) and makes_pattern(node.func):
                yield from around
            yield from makers(node, around)


def makes_pattern(function: ast.expr) -> bool:
    if isinstance(function, ast.Name) and function.id == "lazy_pattern":
        return True
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in MAKERS
    )
