"""Classes of frameworks that may not be installed."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def framework_class(module: str, name: str, extra: str) -> Any:
    """Return a class of a framework or, if it is not installed, one that raises ImportError when it is used.

    Args:
        module: Module of the class.
        name: Name of the class.
        extra: Extra of this package that installs the framework.
    """
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError:

        class Missing:
            """Stands in for a class of a framework that is not installed."""

            def __init__(self, *_: Any, **_options: Any) -> None:
                raise ImportError(f"{module} is not installed: pip install 'memory-inspector[{extra}]'")

        return Missing


def hidden_field() -> Any:
    """Return a field for a Pydantic model, None by default, that is not part of its dump; None without Pydantic."""
    pydantic = sys.modules.get("pydantic")  # a framework that uses it has imported it
    return pydantic.Field(default=None, exclude=True, repr=False) if pydantic else None
