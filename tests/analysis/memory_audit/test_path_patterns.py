"""Patterns for paths in rule files: which files they apply to, in bounded time."""

from __future__ import annotations

import pytest

from inspector.analysis.memory_audit.loaded_memories import matcher


@pytest.mark.parametrize(
    ("pattern", "path", "is_match"),
    [
        ("src/**/*.ts", "src/gate.ts", True),
        ("src/**/*.ts", "src/a/b/gate.ts", True),
        ("src/**/*.ts", "lib/src/gate.ts", False),
        ("src/**.ts", "src/a/gate.ts", True),
        ("./src/", "src/a/gate.ts", True),
        ("src/*", "src/a/gate.ts", False),
        ("*.{ts,tsx}", "src/a/gate.tsx", True),
        ("*.{ts,tsx}", "src/a/gate.py", False),
        ("/docs/gat?.md", "docs/gate.md", True),
        ("**", "a/b/c", True),
    ],
)
def test_a_pattern_applies_to_paths(pattern: str, path: str, is_match: bool) -> None:
    assert matcher(pattern)(path) is is_match


def test_a_hostile_pattern_takes_no_long_time() -> None:
    assert not matcher("**/" * 40 + "*a" * 40 + "b")("/".join(["a" * 60] * 40))
