"""Lazy packages that import a module when one of its public names is first used (PEP 562).

The public names are declared once, in the stub `__init__.pyi` of the package. Type checkers read the stub, and so does
`lazy_face` at run time. Importing such a package therefore only costs the time to read one small file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module

_IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
"""An import in a stub: `from inspector.x import A as A` or `from inspector.x import (A as A, B as B)`."""


def lazy_face(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return a package's `__getattr__`, `__dir__` and `__all__`, read from its stub.

    A name that has been used once becomes an ordinary attribute of the package.

    Args:
        package: The package's `__name__`. Its `__init__.pyi` contains only `from module import name as name`.

    Raises:
        OSError: The stub cannot be read.
    """
    namespace = vars(sys.modules[package])
    with open(namespace["__file__"].rpartition(".")[0] + ".pyi", encoding="utf-8") as file:  # noqa: PTH123
        stub = file.read()  # Without pathlib, which takes longer to import than all this.
    modules = {
        name.partition(" as ")[0].strip(): module
        for module, many, one in _IMPORT.findall(stub)
        for name in (many or one).split(",")
        if name.strip()
    }

    def load_name(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = namespace[name] = getattr(import_module(modules[name]), name)
        return value

    return load_name, lambda: sorted({*namespace, *modules}), list(modules)
