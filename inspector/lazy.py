"""Faces of packages that load a module when one of its names is first used (PEP 562).

A face that imported all of its package would make every command wait for modules that it does not need.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`.

    `places` gives, for each module, the names that the package takes from it, divided by blanks.
    A name that was loaded is one of the package's own from then on.
    """
    modules = {name: module for module, names in places.items() for name in names.split()}

    def load_name(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = vars(sys.modules[package])[name] = getattr(import_module(modules[name]), name)
        return value

    return load_name, lambda: sorted(modules)
