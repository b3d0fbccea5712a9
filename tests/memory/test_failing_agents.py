"""One property: whatever happens to an agent, its requests are valid and within the limit, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from inspector.engine.strategies import STRATEGIES
from inspector.memory import MemoryManager
from inspector.store import Store
from tests.conftest import examples
from tests.memory.failing_agent import CLAUDES, MODELS, SESSION, FailingAgent, Turn, run_turns
from tests.places import ROOT

MEGABYTE = 45_000
"""Lines."""
turns = st.builds(
    Turn,
    fate=st.sampled_from(["reply", "blank", "fails", "calls", "calls", "calls"]),
    results=st.lists(st.sampled_from([0, 3, 3, 60, 60, 60, 400, MEGABYTE]), min_size=1, max_size=3).map(tuple),
    errs=st.booleans(),
    turned=st.booleans(),
    cut=st.sampled_from([-1, -1, -1, 0, 1]),
    inside=st.sampled_from([-1, -1, -1, 0, 1, 4]),
    asks=st.sampled_from(["", "", "words", "picture"]),
    answers=st.booleans(),
    model=st.integers(-1, 3),
)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=examples or 3)
@given(steps=st.lists(turns, min_size=4, max_size=14), models=st.sampled_from([MODELS, CLAUDES]))
def test_requests_are_valid_and_within_the_limit_and_nothing_is_lost(
    strategy: str, steps: list[Turn], models: tuple[str, ...]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        agent = asyncio.run(run_turns(FailingAgent(f"{folder}/mill.db", strategy, models), steps))
    assert agent.problems == []
    assert agent.sent == len(steps) + 1


@pytest.mark.parametrize("strategy", ["sliding_window", "selective", "vector_swap"])
def test_a_killed_process_loses_nothing_that_it_acknowledged(strategy: str, tmp_path: Path) -> None:
    path, acknowledged = str(tmp_path / "mill.db"), list[str]()
    for seed in range(3):
        command = [sys.executable, "-m", "tests.memory.failing_agent", path, strategy, str(seed)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            start = json.loads(process.stdout.readline())
            assert start["open"] == 0 and start["log"] >= len(acknowledged)
            for _ in range(20 + 7 * seed):
                row = json.loads(process.stdout.readline())
                assert row["problems"] == []
                acknowledged.append(row["text"])
            process.kill()
            lines = process.stdout.read().splitlines(keepends=True)
            acknowledged += [json.loads(line)["text"] for line in lines if line.endswith("\n")]
        with Store(path) as store:
            memory = MemoryManager.load(store, SESSION)
            rest = iter([message.text for message in memory.engine.log])
            assert [text for text in acknowledged if not any(text in one for one in rest)] == []
