"""What the result of a call says of a process or sub-agent that goes on."""

from __future__ import annotations

import pytest

from inspector.core.conversation import Text, ToolResult
from inspector.engine.work_state.result_news import news_of


@pytest.mark.parametrize(
    ("text", "started"),
    [
        ("Command running in background with ID: b7f3a1. Output is being written.", "b7f3a1"),
        ("Async agent launched successfully.\nagentId: a0f3d42 (This is an internal ID.)", "a0f3d42"),
        ('{"agent_id": "019f5500-aacb"}', "019f5500-aacb"),
        ('{"session_id": 5127, "output": "listening"}', "5127"),
        ("All 9 tests passed.\nagentId: a265c24 (for resuming to continue this agent's work if needed)", ""),
        ('{"session_id": "2026-01-08-45f30e78-e233", "strategy": "manual"}', ""),
        ('{"session_id": "45f30e78-e233"}', ""),
    ],
)
def test_only_what_goes_on_is_started(text: str, started: str) -> None:
    assert news_of(ToolResult("c1", (Text(text),))).started == started
