"""The rules of the house that a machine can keep: what is imported where, and when."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import inspector

ROOT = Path(inspector.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
HEAVY = ("textual", "click", "openai", "numpy", "tiktoken", "sqlite_utils", "genai_prices", "pydantic")
"""What takes its time to import, or has no place in the core."""

LAYERS: tuple[tuple[str, ...], ...] = (
    (
        "lazy",
        "errors",
        "garbage",
        "conversation",
        "caches",
        "extracts",
        "text",
        "crash",
        "settings",
        "processes",
        "retrieval",
    ),
    ("providers", "models"),
    ("tokens", "formats"),
    ("store",),
    ("window",),
    ("actions", "occupancy", "facts", "prompts", "finding", "redaction"),
    ("summaries",),
    ("strategies",),
    ("compression",),
    ("memory", "replay", "collaboration"),
    ("experiments", "orchestration", "losses"),
    ("export",),
    ("library",),
    ("following", "verdict"),
    ("ui",),
    ("cli", "__main__", "__init__"),
)
"""From the bottom to the top: while it is imported, a package imports only from its own layer and from those below."""
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}


def module(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def unit(name: str) -> str:
    """The package or module right under `inspector` that a dotted name lies in."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


MODULES = {module(path): path for path in FILES}
LATE = {"inspector.store.migrations"}
"""Made of a heavy library's own decorators, and therefore imported only when a store is opened."""
CORE = sorted(name for name in MODULES if unit(name) not in ("ui", "cli", "__main__") and name not in LATE)


@cache
def imports(tree: ast.AST, *, at_import: bool) -> list[tuple[str, int]]:
    """Dotted names that a syntax tree imports, with their lines; only those that happen `at_import` when asked."""
    return list(walk_imports(tree, at_import=at_import))


def walk_imports(tree: ast.AST, *, at_import: bool) -> Iterator[tuple[str, int]]:
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.Import():
                yield from ((alias.name, node.lineno) for alias in node.names)
            case ast.ImportFrom(module=str(source)):
                yield source, node.lineno
                yield from ((f"{source}.{alias.name}", node.lineno) for alias in node.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() if at_import:
                continue
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.expr():
                continue
            case _:
                yield from walk_imports(node, at_import=at_import)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Every node of a file; the marks of reading and writing, and operators, are none that a rule is about."""
    return [node for node in ast.walk(parsed(path)) if not isinstance(node, ast.expr_context | ast.operator)]


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh interpreter holds after running some code."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_there_is_a_house() -> None:
    assert "inspector.window.plan" in CORE
    assert len(FILES) > 20


def test_the_core_starts_without_a_screen_and_without_anything_heavy() -> None:
    loaded = loaded_after("\n".join(f"import {name}" for name in CORE))
    assert set(CORE) <= loaded
    assert sorted(loaded.intersection(HEAVY)) == []


@pytest.mark.skipif("inspector.cli" not in MODULES, reason="there is no command line yet")
def test_the_command_line_starts_without_a_screen() -> None:
    loaded = loaded_after("import inspector.cli")
    assert "textual" not in loaded
    assert not [name for name in loaded if name.startswith("inspector.ui")]


@pytest.mark.parametrize(("library", "home"), [("textual", "ui"), ("click", "cli")])
def test_a_library_for_one_front_end_is_imported_nowhere_else(library: str, home: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for name, path in MODULES.items()
        for imported, line in imports(parsed(path), at_import=False)
        if imported.split(".")[0] == library and unit(name) != home
    ]
    assert found == []


def test_every_import_is_absolute() -> None:
    relative = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_every_part_of_the_house_has_its_place_in_the_order() -> None:
    assert sorted({unit(name) for name in MODULES} - HEIGHT.keys()) == []


def test_imports_go_one_way_from_the_top_to_the_bottom() -> None:
    upward = [
        f"{path.relative_to(ROOT)}:{line} imports {imported}"
        for name, path in MODULES.items()
        for imported, line in imports(parsed(path), at_import=True)
        if imported in MODULES
        and unit(imported) != "__init__"
        and HEIGHT.get(unit(imported), 0) > HEIGHT.get(unit(name), len(LAYERS))
    ]
    assert upward == []


def test_no_packages_import_each_other_in_a_circle() -> None:
    assert circle({name: unit(name) for name in MODULES}) is None


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle({name: name for name in MODULES}) is None


NOT_BY_FACE = {
    "inspector.strategies.knobs.knobs": "the module is called the same",
}
"""What other packages import from the module itself, because its package's face cannot offer it."""


def test_other_packages_are_imported_by_their_faces() -> None:
    deep = {
        f"{node.module}.{alias.name}"
        for name, path in MODULES.items()
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("inspector.")
        if node.module.count(".") > 1 and unit(node.module) not in (unit(name), "ui", "cli")
        for alias in node.names
    }
    assert deep == NOT_BY_FACE.keys()


def test_private_names_stay_at_home() -> None:
    taken = [
        f"{path.relative_to(ROOT)}:{node.lineno} imports {alias.name} from {node.module}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inspector")
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert taken == []


def test_a_function_that_its_module_alone_uses_is_private() -> None:
    """Those that a test asks too, and those that a decorator hands over, are not alone."""
    users: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        for word in taken_words(nodes(path)):
            users.setdefault(word, set()).add(name)
    alone = {
        node.name: f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for name, path in MODULES.items()
        for node in parsed(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not node.name.startswith("_") and not node.decorator_list and not users.get(node.name, set()) - {name}
    }
    for path in Path(__file__).parent.rglob("*.py"):
        if alone.keys() & set(re.findall(r"\w+", text := path.read_text(encoding="utf-8"))):
            for word in taken_words(ast.walk(ast.parse(text))):
                alone.pop(word, None)
    assert alone == {}


def taken_words(found: Iterable[ast.AST]) -> Iterator[str]:
    """What is imported from other modules, or asked of them."""
    for node in found:
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield node.attr


@pytest.mark.parametrize(
    "package", sorted(unit(name) for name in MODULES if name.count(".") == 1 and name != "inspector.__main__")
)
def test_a_face_offers_what_it_says(package: str) -> None:
    face = importlib.import_module(f"inspector.{package}")
    for name in getattr(face, "__all__", ()):
        assert getattr(face, name) is not None
        assert name in dir(face)
        assert f"inspector.{package}.{name}" not in MODULES, "a module that is loaded later would take the name's place"


def circle(called: dict[str, str], *, at_import: bool = True) -> list[str] | None:
    """A circle among modules or, where several are `called` the same, among those; None when there is none."""
    graph: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        known = {imported for imported, _ in imports(parsed(path), at_import=at_import) if imported in MODULES}
        needs = {called[imported] for imported in known if not name.startswith(f"{imported}.")}
        graph.setdefault(called[name], set()).update(needs - {called[name]})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def test_no_modules_import_each_other_in_a_circle_in_functions_either() -> None:
    assert circle({name: name for name in MODULES}, at_import=False) is None


DEFERRED = {
    ("inspector.cli", "inspector.cli.app"): "the entry point guards against interrupts before anything is loaded",
    ("inspector.cli", "inspector.cli.interrupts"): "the same",
    ("inspector.cli.commands.open", "inspector.cli.commands.overview"): "only where there is no terminal",
    ("inspector.cli.commands.open", "inspector.ui.process"): "the only command that loads the app",
    ("inspector.cli.commands.serve", "inspector.ui.web.server"): "an extra, which may not be installed",
    ("inspector.cli.errors", "inspector.crash"): "only after a failure of our own",
    ("inspector.facts.cache", "inspector.facts.index"): "a session that is only shown needs no facts",
    ("inspector.cli.standard_input", "inspector.library"): "only where something is sent; help needs none of it",
    ("inspector.cli.writing", "inspector.strategies"): "only where a model writes the summary",
    ("inspector.cli.writing", "inspector.summaries"): "the same",
    ("inspector.experiments.processes", "inspector.store"): "only in a worker process that reads a stored session",
    ("inspector.library.loading", "inspector.library.helper"): "only for a long session in the app",
    ("inspector.models.profiles", "inspector.models.catalog"): "a table of two thousand models, for names unknown here",
    ("inspector.store.agent_sessions", "inspector.window"): "a store that is only listed needs no windows",
    ("inspector.store.checking", "inspector.store.migrations"): "made of a heavy library's decorators",
    ("inspector.store.connections", "inspector.store.migrations"): "the same; only for a store of an older version",
    ("inspector.store.plans", "inspector.window"): "the same",
    ("inspector.store.reading", "inspector.tokens"): "a store that is only listed needs no counts",
    ("inspector.store.working", "inspector.tokens"): "the same",
    ("inspector.store.working", "inspector.window"): "the same",
}
"""Imports inside functions: who imports what, and why not when it is loaded."""


def test_an_import_that_is_put_off_has_its_reason() -> None:
    deferred = set()
    for name, path in MODULES.items():
        at_import = {imported for imported, _ in imports(parsed(path), at_import=True)}
        later = {imported for imported, _ in imports(parsed(path), at_import=False)} - at_import
        deferred |= {(name, imported) for imported in later if imported in MODULES and imported != name}
    assert deferred == DEFERRED.keys()


def branches(function: ast.AST) -> int:
    """The cyclomatic complexity of a function, with those inside it."""
    count = 1
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, BRANCHES):
            count += 1
    return count


BRANCHES = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert, ast.comprehension),
    ast.match_case,
)


@cache
def classes() -> list[tuple[str, ast.ClassDef]]:
    """Every class of the package, with its module."""
    return [(name, node) for name, path in MODULES.items() for node in nodes(path) if isinstance(node, ast.ClassDef)]


@cache
def homes() -> dict[str, ast.ClassDef]:
    return {node.name: node for _, node in classes()}


def bases(node: ast.ClassDef) -> list[ast.ClassDef]:
    """The bases of a class that the package defines itself."""
    names = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    own = [homes()[name.id] for name in names if isinstance(name, ast.Name) and name.id in homes()]
    return [base for base in own if base is not node]


def depth(node: ast.ClassDef) -> int:
    return max((1 + depth(base) for base in bases(node)), default=0)


def methods(node: ast.ClassDef) -> set[str]:
    """The names of a class's methods, with those of its bases in the package."""
    own = {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    return own.union(*map(methods, bases(node)))


def test_no_class_inherits_deeply_or_has_too_many_methods() -> None:
    deep = [f"{name}.{node.name} inherits {depth(node)} levels" for name, node in classes() if depth(node) > 2]
    large = [f"{name}.{node.name} has {len(methods(node))}" for name, node in classes() if len(methods(node)) >= 40]
    assert deep + large == []


SETTINGS_OF_STRATEGIES = {"Settings"}
"""Each strategy has its settings, under one name."""


def test_a_class_name_is_given_once() -> None:
    """Twins of both front ends aside."""
    homes: dict[str, list[str]] = {}
    for name, node in classes():
        homes.setdefault(node.name, []).append(unit(name))
    twice = {name: units for name, units in homes.items() if len(units) > 1 and sorted(units) != ["cli", "ui"]}
    assert twice.keys() - SETTINGS_OF_STRATEGIES == set()


def test_a_function_name_is_not_given_in_four_modules() -> None:
    homes: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                homes.setdefault(node.name, set()).add(name)
    assert {name: sorted(modules) for name, modules in homes.items() if len(modules) >= 4} == {}


def test_controllers_of_screens_know_no_widget() -> None:
    controllers = {
        name for name in MODULES if name.startswith("inspector.ui.screens.") and name.endswith(".controller")
    }
    taken = [
        f"{name} imports {imported}"
        for name in controllers
        for imported, _ in imports(parsed(MODULES[name]), at_import=False)
        if imported.startswith(("textual", "inspector.ui.widgets", "inspector.ui.app"))
    ]
    assert len(controllers) > 2 and taken == []


def test_strategies_touch_neither_disk_nor_network() -> None:
    outside = {"os", "pathlib", "io", "socket", "urllib", "http", "subprocess", "sqlite3", "shutil", "tempfile"}
    pure = ("window", "strategies", "facts", "conversation", "providers")
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {imported}"
        for name, path in MODULES.items()
        if unit(name) in pure
        for imported, line in imports(parsed(path), at_import=False)
        if imported.split(".")[0] in outside
    ]
    assert found == []


def test_nothing_from_a_transcript_can_be_run() -> None:
    dangerous = {"eval", "exec", "compile", "__import__"}
    modules = {"pickle", "marshal", "shelve", "dill"}
    calls = [
        f"{path.relative_to(ROOT)}:{node.lineno} calls {node.func.id}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in dangerous
    ]
    unpicklers = [
        f"{path.relative_to(ROOT)}:{line} imports {imported}"
        for path in FILES
        for imported, line in imports(parsed(path), at_import=False)
        if imported.split(".")[0] in modules
    ]
    assert calls + unpicklers == []


def test_no_error_is_swallowed() -> None:
    silent = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")))
        and all(isinstance(inner, ast.Pass) for inner in node.body)
    ]
    assert silent == []


def test_every_file_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT)) for path in FILES if parsed(path).body and not ast.get_docstring(parsed(path))
    ]
    assert silent == []


def test_files_and_functions_can_be_read_in_one_go() -> None:
    functions = [
        (f"{path.relative_to(ROOT)}:{node.name}", node)
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert [path for path in FILES if len(path.read_text(encoding="utf-8").splitlines()) > 400] == []
    assert [name for name, node in functions if (node.end_lineno or 0) - node.lineno >= 50] == []
    assert [name for name, node in functions if branches(node) > 12] == []


NO_NAMES = frozenset({"told", "found", "made", "given", "shown", "each"})
"""Participles that say nothing of what a variable holds."""


def test_no_variable_is_called_by_a_participle_that_tells_nothing() -> None:
    names = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in FILES
        for node in nodes(path)
        for name in _bound_names(node)
        if name.strip("_") in NO_NAMES
    ]
    assert names == []


def _bound_names(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name):
            return [name]
        case _:
            return []


def test_modules_that_the_documents_name_are_there() -> None:
    root = ROOT.parent
    documents = [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").glob("*.md")]
    missing = [
        f"{document.name}: {path}"
        for document in documents
        for path in re.findall(r"`([\w./]+\.py)`", document.read_text(encoding="utf-8"))
        if "/" in path and not any(any(folder.glob(path.replace("NAME", "*"))) for folder in (root, ROOT))
    ]
    assert missing == []
