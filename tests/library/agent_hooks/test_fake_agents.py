"""Sessions of agents with Inspector differ from those without it only in the additional context."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.library.agent_hooks.fake_agents import run_sessions
from tests.places import ROOT


@pytest.mark.parametrize("kills", [False, True])
def test_nothing_differs_but_the_additional_context(
    kills: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("HOME", ""), ("INSPECTOR_DB", "store.db"), ("XDG_STATE_HOME", "s"), ("XDG_DATA_HOME", "d")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for agent, is_same in run_sessions(4 if kills else 2, tmp_path, kills):
        assert is_same
        assert agent.problems == []
        if not agent.kills:
            assert agent.context
            assert all("python count.py --pier 1`" in text or "pier" in text for text in agent.context)
            assert "User, turn 1: “Count the lamps of pier 1, and never touch fuse 7.”" in agent.context[0]
