"""What the next compaction of a recorded tool would remove."""

from __future__ import annotations

from dataclasses import replace

from inspector.analysis.context_loss import next_compaction
from inspector.core.conversation import MAIN
from inspector.engine.work_state import WorkHistory
from inspector.formats import load
from inspector.library import SAMPLES
from inspector.llm.tokens import estimate_sizes


def test_a_growing_session_goes_on_from_the_states_that_are_known() -> None:
    whole = load(SAMPLES / "coding-agent.jsonl")[0]
    history = WorkHistory(replace(whole, messages=whole.messages[:1]), MAIN)
    for end in range(2, len(whole.messages) + 1, 3):
        session = replace(whole, messages=whole.messages[:end])
        history, sizes = history.continued(session, MAIN), estimate_sizes(session)
        assert next_compaction(session, sizes, history=history) == next_compaction(session, sizes)
