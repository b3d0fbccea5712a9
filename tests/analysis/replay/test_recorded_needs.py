"""What a recording re-fetched after its own compaction is a regret; what it merely uses has an unknown source."""

from __future__ import annotations

from pathlib import Path

from inspector.analysis.experiments import trial_result
from inspector.analysis.replay import RECORDED, Replay
from inspector.analysis.replay.run import replay
from inspector.engine.facts import FactIndex
from inspector.llm.models import Price
from tests.engine.work_state.scripts import Compact, Run, Say, Step, User, session_of
from tests.generated import sized

NOTES = "\n".join(f"gateway {number} listens on gate-{number}.harbour.example" for number in range(40, 52))
BEFORE = (
    User("Read the notes."),
    Run("cat docs/harbour_notes.md", NOTES),
    Say("I read them."),
    Compact("Work goes on."),
)


def recorded(folder: Path, *after: Step) -> Replay:
    session = session_of((*BEFORE, *after), "claude-code", folder)
    return replay(session, sized(session), RECORDED, Price(1, 1, 1, 1), facts=FactIndex(session))


def test_a_fact_that_no_context_states_has_an_unknown_source(tmp_path: Path) -> None:
    own = recorded(tmp_path, Say("The notes are in docs/harbour_notes.md."))
    assert (len(own.regrets), [need.fact for need in own.reused]) == (0, ["docs/harbour_notes.md"])
    row = trial_result(own, RECORDED, 0)
    assert (row.regrets, row.reused, row.misses) == (0, 1, 0)


def test_a_file_that_is_read_again_is_a_regret(tmp_path: Path) -> None:
    own = recorded(tmp_path, Run("cat docs/harbour_notes.md", NOTES), Say("I read them again."))
    assert ([need.fact for need in own.regrets], len(own.reused)) == (["docs/harbour_notes.md"], 0)


def test_a_fact_in_another_spelling_is_neither(tmp_path: Path) -> None:
    said = User("Look at Harbour Notes md in docs again.")
    own = recorded(tmp_path, said, Say("The notes are in docs/harbour_notes.md."))
    assert not own.regrets and not own.reused
