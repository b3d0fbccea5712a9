"""Regrets of a recording whose compaction is encrypted are unknown, in Replay and in Tune."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.analysis.experiments import trial_result
from inspector.analysis.replay.run import NONE, RECORDED, replay
from inspector.core.conversation import InMemoryBody, Session
from inspector.engine.facts import FactIndex
from inspector.llm.models import Price
from tests.engine.work_state.scripts import Compact, Run, Say, User, session_of
from tests.generated import sized

STEPS = (User("Read the notes."), Run("cat notes.md", "port = 8123"), Compact("Summary."), Say("Go on."), Say("Done."))


def recording(folder: Path, is_encrypted: bool) -> Session:
    session = session_of(STEPS, "codex", folder)
    (place,) = session.compactions
    raw = {"type": "compaction", "encrypted_content": "b64"}
    messages = list(session.messages)
    if is_encrypted:
        messages[place] = replace(messages[place], body=InMemoryBody(raw))
    return replace(session, messages=tuple(messages))


@pytest.mark.parametrize("is_encrypted", [True, False])
def test_regrets_after_an_encrypted_compaction_are_unknown(is_encrypted: bool, tmp_path: Path) -> None:
    session = recording(tmp_path, is_encrypted)
    own = replay(session, sized(session), RECORDED, Price(1, 1, 1, 1), facts=FactIndex(session))
    assert len(own.sealed) == trial_result(own, RECORDED, 0).sealed == int(is_encrypted)
    assert not replay(session, sized(session), NONE, Price(1, 1, 1, 1), facts=FactIndex(session)).sealed
