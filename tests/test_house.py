"""The rules of the house that a machine can keep: what is imported where, and when."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import inspector

ROOT = Path(inspector.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
HEAVY = ("textual", "click", "openai", "anthropic", "numpy", "tiktoken", "sqlite_utils", "genai_prices", "pydantic")
"""What takes its time to import, or has no place in the core."""

ROOMS: dict[str, str] = {
    "core": "",
    "llm": "core",
    "formats": "core llm",
    "engine": "core llm",
    "store": "core llm engine",
    "analysis": "core llm formats engine store",
    "memory": "core llm formats engine store",
    "library": "core llm formats engine store analysis memory",
    "report": "core llm engine analysis",
    "testing": "core",
    "ui": "core llm formats engine store analysis library",
    "cli": "core llm formats engine store analysis memory library report ui",
}
"""The rooms, and the rooms that each may import; imports in functions and for type checkers count.

The table is closed: a new arrow between rooms is a changed line here, with a reason in its review.
"""
MAX_ARROWS = 50


def module(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(name: str) -> str:
    """The room of a dotted name: the package or module directly under `inspector`."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


DIVIDED = ("core", "llm", "engine", "analysis")
"""Rooms of several packages, each with a face of its own."""


@cache
def unit(name: str) -> str:
    """The package with a face that a dotted name lies in, or the loose module of a divided room."""
    parts = name.split(".")
    divided = room(name) in DIVIDED or parts[1:3] in (["library", "tailing"], ["library", "diagnosis"])
    return ".".join(parts[: 3 if divided else 2])


MODULES = {module(path): path for path in FILES}
LATE = {"inspector.store.migrations"}
"""Made of a heavy library's own decorators, and therefore imported only when a store is opened."""
CORE = sorted(name for name in MODULES if room(name) not in ("ui", "cli", "__main__") and name not in LATE)


@cache
def imports(tree: ast.AST, *, at_import: bool, for_types: bool = False) -> list[tuple[str, int]]:
    """Dotted names that a syntax tree imports, with their lines.

    Args:
        tree: A module.
        at_import: Leave out imports inside functions.
        for_types: Include imports under TYPE_CHECKING.
    """
    return list(walk_imports(tree, at_import=at_import, for_types=for_types))


def walk_imports(tree: ast.AST, *, at_import: bool, for_types: bool) -> Iterator[tuple[str, int]]:
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.Import():
                yield from ((alias.name, node.lineno) for alias in node.names)
            case ast.ImportFrom(module=str(source)):
                yield source, node.lineno
                yield from ((f"{source}.{alias.name}", node.lineno) for alias in node.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() if at_import:
                continue
            case ast.If(test=ast.Name(id="TYPE_CHECKING")) if not for_types:
                continue
            case ast.expr():
                continue
            case _:
                yield from walk_imports(node, at_import=at_import, for_types=for_types)


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


def place(path: Path, node: ast.stmt | ast.expr | ast.ExceptHandler | int | None = None) -> str:
    """Return the file, relative to the package, and the line of a node."""
    line = node if isinstance(node, int) else getattr(node, "lineno", None)
    return f"{path.relative_to(ROOT)}:{line}" if line else str(path.relative_to(ROOT))


def hold(rule: str, broken: Iterable[str]) -> None:
    """Fail with the rule and every place that breaks it."""
    places = sorted(broken)
    assert not places, "\n  ".join([rule, *places])


def test_there_is_a_house() -> None:
    assert "inspector.engine.window.plan" in CORE
    assert len(FILES) > 20


def test_the_core_starts_without_a_screen_and_without_anything_heavy() -> None:
    loaded = loaded_after("\n".join(f"import {name}" for name in CORE))
    assert set(CORE) <= loaded
    hold("The core imports heavy libraries only where they are used.", loaded.intersection(HEAVY))


@pytest.mark.skipif("inspector.cli" not in MODULES, reason="there is no command line yet")
def test_the_command_line_starts_without_a_screen() -> None:
    loaded = loaded_after("import inspector.cli")
    screens = [name for name in loaded if name == "textual" or name.startswith("inspector.ui")]
    hold("The command line imports a screen only to open it.", screens)


def test_nothing_imports_a_library_for_tests() -> None:
    taken = [
        f"{place(path, line)} imports {source}"
        for path in FILES
        for source, line in imports(parsed(path), at_import=False)
        if source.split(".")[0] in ("unittest", "pytest", "hypothesis")
    ]
    hold("The package imports no library for tests.", taken)


@pytest.mark.parametrize(("library", "home"), [("textual", "ui"), ("click", "cli")])
def test_a_library_for_one_front_end_is_imported_nowhere_else(library: str, home: str) -> None:
    found = [
        place(path, line)
        for name, path in MODULES.items()
        for imported, line in imports(parsed(path), at_import=False)
        if imported.split(".")[0] == library and room(name) != home
    ]
    hold(f"Only `{home}` imports {library}.", found)


def test_every_import_is_absolute() -> None:
    relative = [
        place(path, node) for path in FILES for node in nodes(path) if isinstance(node, ast.ImportFrom) and node.level
    ]
    hold("Every import is absolute.", relative)


def test_rooms_import_only_the_rooms_that_the_table_allows() -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for name, path in MODULES.items():
        for imported, line in imports(parsed(path), at_import=False, for_types=True):
            if imported in MODULES and room(name) in ROOMS and room(imported) not in (room(name), "__init__"):
                found.setdefault((room(name), room(imported)), []).append(f"{place(path, line)} imports {imported}")
    allowed = {(name, other) for name, others in ROOMS.items() for other in others.split()}
    broken = [each for arrow in found.keys() - allowed for each in found[arrow]]
    hold("A room imports only the rooms that ROOMS allows.", broken)
    hold("ROOMS allows only arrows that exist.", (f"{name} -> {other}" for name, other in allowed - found.keys()))
    assert len(found) <= MAX_ARROWS
    assert {room(name) for name in MODULES} == {*ROOMS, "__init__", "__main__"}


def test_the_rooms_have_an_order() -> None:
    TopologicalSorter({name: allowed.split() for name, allowed in ROOMS.items()}).prepare()


SHARED_NAMES = {"__init__", "screen", "controller", "panels", "base", "registry"}
"""What modules of several packages may be called."""


def test_a_module_name_is_given_once() -> None:
    places: dict[str, list[str]] = {}
    for path in FILES:
        places.setdefault(path.stem, []).append(place(path))
    twice = (", ".join(found) for stem, found in places.items() if len(found) > 1 and stem not in SHARED_NAMES)
    hold("A module name is given once, except SHARED_NAMES.", twice)


def test_no_packages_import_each_other_in_a_circle() -> None:
    hold("No packages import each other in a circle.", circle(unit))


def test_no_modules_import_each_other_in_a_circle() -> None:
    hold("No modules import each other in a circle.", circle(lambda name: name))


NOT_BY_FACE = {
    "inspector.engine.strategies.knobs.knobs": "the module is called the same",
}
"""What other packages import from the module itself, because its package's face cannot offer it."""


def test_other_packages_are_imported_by_their_faces() -> None:
    deep = {
        f"{node.module}.{alias.name}": f"{place(path, node)} imports {alias.name} from {node.module}"
        for name, path in MODULES.items()
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("inspector.")
        if unit(node.module) not in (node.module, unit(name)) and room(node.module) not in ("ui", "cli")
        for alias in node.names
    }
    hold("Other packages are imported by their faces.", (deep[name] for name in deep.keys() - NOT_BY_FACE.keys()))
    hold("NOT_BY_FACE lists only imports that exist.", NOT_BY_FACE.keys() - deep.keys())


def test_private_names_stay_at_home() -> None:
    taken = [
        f"{place(path, node)} imports {alias.name} from {node.module}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inspector")
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    hold("A private name is not imported by other modules.", taken)


def test_a_function_that_its_module_alone_uses_is_private() -> None:
    """Those that a test asks too, and those that a decorator hands over, are not alone."""
    users: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        for word in taken_words(nodes(path)):
            users.setdefault(word, set()).add(name)
    alone = {
        node.name: f"{place(path, node)} {node.name}"
        for name, path in MODULES.items()
        for node in parsed(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not node.name.startswith("_") and not node.decorator_list and not users.get(node.name, set()) - {name}
    }
    for path in Path(__file__).parent.rglob("*.py"):
        if alone.keys() & set(re.findall(r"\w+", text := path.read_text(encoding="utf-8"))):
            for word in taken_words(ast.walk(ast.parse(text))):
                alone.pop(word, None)
    hold("A function that only its own module uses has a name with an underscore.", alone.values())


def taken_words(found: Iterable[ast.AST]) -> Iterator[str]:
    """What is imported from other modules, asked of them, or named as a target of a registry."""
    for node in found:
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ":" in node.value:
            yield node.value.rpartition(":")[2]


def test_a_private_name_is_used_in_its_module() -> None:
    """A method may be called by a base class, which lies in another module."""
    asked = {node.attr for path in FILES for node in nodes(path) if isinstance(node, ast.Attribute)}
    unused = []
    for path in FILES:
        used = asked | {node.id for node in nodes(path) if isinstance(node, ast.Name)}
        unused += [
            f"{place(path, node)} {node.name}"
            for node in nodes(path)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if node.name.startswith("_") and not node.name.endswith("__") and not node.decorator_list
            if node.name not in used and node.name not in OVERRIDES
        ]
    hold("A private name is used in its own module.", unused)


OVERRIDES = {"_handle_exception", "_open_app_process"}
"""Private methods that Textual and textual-serve call."""


FACES = sorted(module(path) for path in ROOT.rglob("__init__.pyi"))


def test_all_packages_that_others_use_have_a_face() -> None:
    divided = {unit(name) for name in MODULES if room(name) in DIVIDED and name.count(".") > 2}
    hold("A package that others use has a face, `__init__.pyi`.", divided - set(FACES))


@pytest.mark.parametrize("package", FACES)
def test_a_face_offers_what_its_stub_says(package: str) -> None:
    face = importlib.import_module(package)
    assert vars(face)["__all__"]
    for name in vars(face)["__all__"]:
        assert getattr(face, name) is not None
        assert name in dir(face)
        assert f"{package}.{name}" not in MODULES, "a module that is loaded later would take the name's place"


def circle(called: Callable[[str], str]) -> list[str]:
    """A circle among modules or, where several are `called` the same, among those; empty if there is none.

    Imports inside functions and under TYPE_CHECKING count.
    """
    graph: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        found = {imported for imported, _ in imports(parsed(path), at_import=False, for_types=True)} & MODULES.keys()
        needs = {called(imported) for imported in found if not name.startswith(f"{imported}.")}
        graph.setdefault(called(name), set()).update(needs - {called(name)})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [" -> ".join(error.args[1])]
    return []


DEFERRED = {
    "cli -> cli.command_line": "the entry point guards against interrupts before anything is loaded",
    "cli -> cli.interrupts": "the same",
    "cli.commands.open -> cli.commands.overview": "only where there is no terminal",
    "cli.commands.open -> ui.process": "the only command that loads the app",
    "cli.commands.serve -> ui.web.server": "an extra, which may not be installed",
    "cli.command_errors -> core.crash": "only after a failure of our own",
    "engine.facts.cache -> engine.facts.fact_index": "a session that is only shown needs no facts",
    "cli.standard_input -> library": "only where something is sent; help needs none of it",
    "cli.model_summaries -> engine.strategies": "only where a model writes the summary",
    "cli.model_summaries -> engine.summaries": "the same",
    "analysis.experiments.trial_processes -> store": "only in a worker process that reads a stored session",
    "library.opening.loading -> library.opening.opener_process": "only for a long session in the app",
    "llm.models.profiles -> llm.models.catalog": "a table of two thousand models, for names unknown here",
    "store.agent_sessions -> engine.window": "a store that is only listed needs no windows",
    "store.integrity -> store.migrations": "made of a heavy library's decorators",
    "store.connections -> store.migrations": "the same; only for a store of an older version",
    "store.plans -> engine.window": "the same",
    "store.session_reader -> llm.tokens": "a store that is only listed needs no counts",
    "store.working -> llm.tokens": "the same",
    "store.working -> engine.window": "the same",
}
"""Imports inside functions: who imports what, and why not when it is loaded."""
MAX_DEFERRED = 20
MAX_FOR_TYPES = 78
"""Modules that import something for type checkers alone. They obey the same order as all others."""


def test_an_import_that_is_put_off_has_its_reason() -> None:
    deferred = set()
    for name, path in MODULES.items():
        at_import = {imported for imported, _ in imports(parsed(path), at_import=True)}
        later = {imported for imported, _ in imports(parsed(path), at_import=False)} - at_import
        deferred |= {short_arrow(name, imported) for imported in later if imported in MODULES and imported != name}
    hold("An import inside a function has its reason in DEFERRED.", deferred - DEFERRED.keys())
    hold("DEFERRED lists only imports that exist.", DEFERRED.keys() - deferred)
    assert len(deferred) <= MAX_DEFERRED


def short_arrow(name: str, imported: str) -> str:
    return f"{name.removeprefix('inspector.')} -> {imported.removeprefix('inspector.')}"


def test_imports_for_type_checkers_do_not_spread() -> None:
    found = [name for name, path in MODULES.items() if any(is_for_types(node) for node in nodes(path))]
    assert len(found) <= MAX_FOR_TYPES


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


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
    hold("A class inherits at most 2 levels and has fewer than 40 methods.", deep + large)


def test_a_class_name_is_given_once() -> None:
    """Twins of both front ends aside."""
    homes: dict[str, list[str]] = {}
    for name, node in classes():
        homes.setdefault(node.name, []).append(name)
    twice = (
        f"{name}: {', '.join(modules)}"
        for name, modules in homes.items()
        if len(modules) > 1 and sorted(map(room, modules)) != ["cli", "ui"]
    )
    hold("A class name is given once, except to one class of `cli` and one of `ui`.", twice)


def test_a_function_name_is_not_given_in_four_modules() -> None:
    homes: dict[str, dict[Path, str]] = {}
    for path in FILES:
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                homes.setdefault(node.name, {})[path] = place(path, node)
    often = (f"{name}: {', '.join(places.values())}" for name, places in homes.items() if len(places) >= 4)
    hold("A function name is given in at most 3 modules.", often)


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
    assert len(controllers) > 2
    hold("The controller of a screen imports no widget.", taken)


def test_strategies_touch_neither_disk_nor_network() -> None:
    outside = {"os", "pathlib", "io", "socket", "urllib", "http", "subprocess", "sqlite3", "shutil", "tempfile"}
    pure = ("engine.window", "engine.strategies", "engine.facts", "core.conversation", "llm.providers")
    found = [
        f"{place(path, line)} imports {imported}"
        for name, path in MODULES.items()
        if unit(name).removeprefix("inspector.") in pure
        for imported, line in imports(parsed(path), at_import=False)
        if imported.split(".")[0] in outside
    ]
    hold("Strategies touch neither disk nor network.", found)


def test_nothing_from_a_transcript_can_be_run() -> None:
    dangerous = {"eval", "exec", "compile", "__import__"}
    modules = {"pickle", "marshal", "shelve", "dill"}
    calls = [
        f"{place(path, node)} calls {node.func.id}"
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in dangerous
    ]
    unpicklers = [
        f"{place(path, line)} imports {imported}"
        for path in FILES
        for imported, line in imports(parsed(path), at_import=False)
        if imported.split(".")[0] in modules
    ]
    hold("Nothing is evaluated or unpickled.", calls + unpicklers)


def test_no_error_is_swallowed() -> None:
    silent = [
        place(path, node)
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")))
        and all(isinstance(inner, ast.Pass) for inner in node.body)
    ]
    hold("No handler of all exceptions passes over them.", silent)


def test_every_file_says_what_it_is_for() -> None:
    silent = [place(path) for path in FILES if parsed(path).body and not ast.get_docstring(parsed(path))]
    hold("Every file begins with a docstring.", silent)


def test_files_and_functions_can_be_read_in_one_go() -> None:
    functions = [
        (f"{place(path, node)} {node.name}", node)
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = [place(path) for path in FILES if len(path.read_text(encoding="utf-8").splitlines()) > 400]
    hold("A file has at most 400 lines.", long)
    long = [name for name, node in functions if (node.end_lineno or 0) - node.lineno >= 50]
    hold("A function has at most 50 lines.", long)
    hold("A function has a complexity of at most 12.", [name for name, node in functions if branches(node) > 12])


NO_NAMES = frozenset({"told", "found", "made", "given", "shown", "each"})
"""Participles that say nothing of what a variable holds."""


def test_no_variable_is_called_by_a_participle_that_tells_nothing() -> None:
    names = [
        f"{place(path)} {name}"
        for path in FILES
        for node in nodes(path)
        for name in _bound_names(node)
        if name.strip("_") in NO_NAMES
    ]
    hold("No variable is called by a participle of NO_NAMES.", names)


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
    hold("Modules that the documents name exist.", missing)
