"""The examples of docs/adapters.md: ten lines each, with names that are there."""

from __future__ import annotations

import ast
import re

import pytest

from inspector.memory import adapters
from tests.places import ROOT

PAGE = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)


@pytest.mark.parametrize("block", BLOCKS)
def test_an_example_is_short_and_uses_adapters_that_are_there(block: str) -> None:
    tree = ast.parse(block)
    names = [
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "inspector.memory.adapters"
        for alias in node.names
    ]
    assert names and set(names) <= set(vars(adapters)["__all__"])
    assert len([line for line in block.splitlines() if line.strip()]) <= 10


def test_each_adapter_has_an_example() -> None:
    shown = set(re.findall(r"\b[A-Za-z_]+\b", " ".join(BLOCKS)))
    assert set(vars(adapters)["__all__"]) - {"ContextFitter"} <= shown
