"""The package as it is imported."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import inspector.memory


def test_every_name_that_is_offered_is_there() -> None:
    names = vars(inspector.memory)["__all__"]
    assert {"LLMMessage", "MemoryConfig", "MemoryManager"} <= set(names) <= set(dir(inspector.memory))
    for name in names:
        assert getattr(inspector.memory, name) is not None


def test_the_prices_stand_where_the_requirement_has_them() -> None:
    module = importlib.import_module("inspector.memory.token_tracker")
    assert inspector.memory.PRICING is module.PRICING is inspector.memory.TokenTracker.PRICING


def test_a_name_that_is_not_there_is_refused_as_anywhere() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Magic'"):
        _ = inspector.memory.Magic  # type: ignore[attr-defined]


def test_looking_for_one_loads_nothing_heavy_and_not_the_others() -> None:
    script = "import sys; from inspector.memory import ShortTermMemory; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "inspector.memory.short_term" in loaded
    assert not loaded & {"inspector.memory.manager", "tiktoken", "openai", "genai_prices", "textual", "click"}
