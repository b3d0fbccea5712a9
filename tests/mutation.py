"""Change the package in small ways, one at a time, and report the share of the changes that nearby tests notice.

    python -m tests.mutation [PATH …] [--mutants 200] [--seed 1] [--jobs 2] [--seconds 30]

A mutant is a module with one changed operator, constant, condition or result, or without one statement. It exists in
the memory of a forked process alone, which runs the tests near to the module until the first fails. The same seed
chooses the same mutants wherever the code is the same, so that two versions of the tests can be compared.
"""

from __future__ import annotations

import argparse
import ast
import importlib.machinery
import os
import re
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any

import hypothesis  # noqa: F401  inherited by the processes that run tests
import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("inspector/engine", "inspector/llm", "inspector/formats")
GROUPS = ((0, 3), (3, 10), (10, 40))
"""Test files that are collected together, the nearest first; the next group is only run where the first are content."""
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Continue: ast.Break,
    ast.Break: ast.Continue,
}
Change = Callable[[], None]


@dataclass(frozen=True)
class Mutant:
    """A change to one node of a module."""

    path: Path
    number: int
    """Which of the changes of the module it is."""
    line: int
    text: str
    """The kind of change and the source of the node that is changed."""
    again: int
    """How many changes of the module have the same text and come before it."""

    @property
    def module(self) -> str:
        parts = self.path.relative_to(ROOT).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def rank(self, seed: int) -> str:
        """A digest that orders mutants at random, and depends on no other code than the changed node."""
        return sha256(f"{seed} {self.module} {self.text} {self.again}".encode()).hexdigest()

    def code(self) -> CodeType:
        """The changed module."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        list(changes(tree))[self.number][2]()
        return compile(ast.fix_missing_locations(tree), str(self.path), "exec")


def changes(tree: ast.AST) -> Iterator[tuple[ast.AST, str, Change]]:
    """Every change that can be made to a tree: the node, the kind of change, and a function that makes it."""
    for node in ast.iter_child_nodes(tree):
        if is_for_types(node):
            continue
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "returns", "decorator_list", "bases"):
                for place, part in enumerate(value if isinstance(value, list) else [value]):
                    if isinstance(part, ast.AST):
                        yield from changes_of(node, field, place if isinstance(value, list) else None, part)
        yield from changes(node)


def is_for_types(node: ast.AST) -> bool:
    """True for what a type checker reads and for imports and assertions, in which no change means a mistake."""
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)] if isinstance(node, ast.If) else []
    return "TYPE_CHECKING" in names or isinstance(node, ast.arg | ast.Import | ast.ImportFrom | ast.Assert)


def changes_of(owner: ast.AST, field: str, place: int | None, node: ast.AST) -> Iterator[tuple[ast.AST, str, Change]]:
    """The changes of one node, which is a field of its owner, or at a place of a list that is one."""

    def put(other: ast.AST) -> Change:
        if place is None:
            return lambda: setattr(owner, field, ast.copy_location(other, node))
        return lambda: getattr(owner, field).__setitem__(place, ast.copy_location(other, node))

    if type(node) in SWAPS:
        shown = owner if isinstance(node, ast.operator | ast.cmpop | ast.boolop) else node
        yield shown, type(node).__name__, put(SWAPS[type(node)]())
    match node:
        case ast.UnaryOp(op=ast.Not()):
            yield node, "not", put(node.operand)
        case ast.Constant(value=bool(value)):
            yield node, "bool", put(ast.Constant(not value))
        case ast.Constant(value=int(value)):
            yield node, "number", put(ast.Constant(value + 1))
        case ast.Return(value=ast.expr()):
            yield node, "return", put(ast.Return(ast.Constant(None)))
        case ast.Expr(value=ast.Call()):
            yield node, "statement", put(ast.Pass())
        case ast.expr() if field == "test" and isinstance(owner, ast.If | ast.IfExp):
            yield node, "condition", put(ast.UnaryOp(ast.Not(), node))


def mutants_of(path: Path) -> Iterator[Mutant]:
    seen: Counter[str] = Counter()
    for number, (node, kind, _) in enumerate(changes(ast.parse(path.read_text(encoding="utf-8")))):
        text = f"{kind}: {ast.unparse(node)}"
        yield Mutant(path, number, getattr(node, "lineno", 0), text, seen[text])
        seen[text] += 1


def chosen(places: list[str], count: int, seed: int) -> list[Mutant]:
    """So many mutants of the modules at these places, drawn by the seed."""
    paths = sorted(path for place in places for path in files_at(ROOT / place))
    return sorted((each for path in paths for each in mutants_of(path)), key=lambda each: each.rank(seed))[:count]


def files_at(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@cache
def imported_by_tests() -> dict[Path, set[str]]:
    """The modules of the package that each file of tests imports; for a name of a face, the module that defines it."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return {
        path: {name for node in ast.walk(ast.parse(path.read_text("utf-8"))) for name in origins(node)}
        for path in paths
    }


def origins(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        face = face_of(node.module)
        for alias in node.names:
            yield from (node.module, f"{node.module}.{alias.name}", face.get(alias.name, node.module))


@cache
def face_of(module: str) -> dict[str, str]:
    """The module that defines each public name of a package."""
    stub = ROOT.joinpath(*module.split("."), "__init__.pyi")
    if not module.startswith("inspector") or not stub.exists():
        return {}
    found = re.findall(r"from (\S+) import (?:\(([^)]*)\)|(.*))", stub.read_text("utf-8"))
    return {name.split()[0]: source for source, many, one in found for name in (many or one).split(",") if name.split()}


def nearby(mutant: Mutant) -> list[Path]:
    """Files of tests that import the module, are named after it, or lie in the folder that mirrors its package."""
    folder = ROOT / "tests" / mutant.path.parent.relative_to(ROOT / "inspector")
    while not folder.is_dir():
        folder = folder.parent
    words = {*mutant.path.stem.split("_"), *mutant.path.parent.name.split("_")}

    def near(path: Path) -> int:
        points = 4 * (mutant.module in imported_by_tests()[path]) + 2 * len(words.intersection(path.stem.split("_")))
        return points + 2 * folder.samefile(path.parent) + (folder in path.parents)

    files = [path for path in imported_by_tests() if near(path)]
    return sorted(files, key=lambda path: (-near(path), path.stat().st_size))


class Budget:
    """Ends a run of tests after some seconds of CPU."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.has_failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.has_failed |= report.failed
        if report.when == "teardown" and not self.has_failed and sum(os.times()[:4]) > self.seconds:
            os._exit(0)


def run_tests(mutant: Mutant, seconds: float, output: str) -> None:
    """Run the tests near a mutant in this process, and end it: with 0 where none noticed the change."""
    whole = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, name: str) -> CodeType | None:
        return mutant.code() if name == mutant.module else whole(self, name)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    for stream in (1, 2):
        os.dup2(os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), stream)
    resource.setrlimit(resource.RLIMIT_CPU, (int(3 * seconds) + 20, int(3 * seconds) + 30))
    options = ["-x", "-q", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist"]
    for first, last in GROUPS:
        files = [str(path) for path in nearby(mutant)[first:last]]
        if files and (status := pytest.main([*options, *files], plugins=[Budget(seconds)])) not in (0, 5):
            os._exit(int(status))
    os._exit(0)


def examined(mutants: list[Mutant], jobs: int, seconds: float) -> Iterator[tuple[Mutant, int, str]]:
    """Each mutant with the exit status of its tests and the last lines that they printed, as they end."""
    with tempfile.TemporaryDirectory() as folder:
        imported_by_tests()  # once, for all processes
        waiting, running = list(reversed(mutants)), dict[int, tuple[Mutant, Path]]()
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant, output = waiting.pop(), Path(folder, str(len(waiting)))
                if (child := os.fork()) == 0:
                    run_tests(mutant, seconds, str(output))
                running[child] = mutant, output
            child, status = os.wait()
            mutant, output = running.pop(child)
            yield mutant, status, output.read_text("utf-8", "replace")


def main() -> int:
    """Print the mutants that no test notices, and the share of those that one does."""
    parser = argparse.ArgumentParser(prog="tests.mutation", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("places", nargs="*", default=PLACES, metavar="PATH", help="Files and folders of the package.")
    parser.add_argument("--mutants", type=int, default=200, help="How many to make (200).")
    parser.add_argument("--seed", type=int, default=1, help="Chooses the mutants (1).")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="How many at once; one for each core.")
    parser.add_argument("--seconds", type=float, default=30, help="CPU time of the tests of one mutant (30).")
    parser.add_argument("--verbose", action="store_true", help="Print those that are noticed too, and by which test.")
    given = parser.parse_args()
    os.chdir(ROOT)
    caught: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for mutant, status, output in examined(
        chosen([*given.places], given.mutants, given.seed), given.jobs, given.seconds
    ):
        room = mutant.module.split(".")[1]
        total[room] += 1
        caught[room] += status != 0
        if status == 0 or given.verbose:
            failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
            place = f"{mutant.path.relative_to(ROOT)}:{mutant.line}"
            print("caught  " if status else "survived", place, repr(mutant.text[:100]), *failed[:1], flush=True)
    for room, count in sorted(total.items()):
        print(f"{room}: {caught[room]} of {count} caught ({caught[room] / count:.0%})")
    print(f"all: {caught.total()} of {total.total()} caught ({caught.total() / max(total.total(), 1):.1%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
