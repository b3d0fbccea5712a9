"""What the compressions of a replay, and those of a recording, keep of the state of the work."""

from __future__ import annotations

from pathlib import Path

from inspector.analysis.replay import RECORDED, ReplayRun, StateKept
from inspector.core.conversation import Session
from inspector.engine.compression import Preset
from inspector.engine.facts import FactIndex
from inspector.llm.models import price_of
from inspector.llm.tokens import estimate_sizes
from tests.engine.work_state.scripts import Compact, Plan, Run, Say, Step, Tasks, User, session_of

TALK = " ".join(f"Country number {number} has a rate of {number} percent." for number in range(200))
BEGIN: tuple[Step, ...] = (
    User("Add taxes to the shop. Never push to main."),
    Plan("# Move the rates to a database\n\n1. Create the table of rates", accepted=False),
    Tasks((("Add the tax table", "completed"), ("Translate the invoices", "in_progress"))),
    Run("npm run dev", "Command running in background with ID: d3v01", background="d3v01"),
)


def kept(session: Session, preset: Preset) -> StateKept:
    facts = FactIndex(session)
    run = ReplayRun(session, estimate_sizes(session), preset, price_of(session.model), facts=facts)
    for _ in run.frames():
        pass
    return run.replay().state


def test_the_block_of_state_raises_the_kept_share_and_revives_nothing(tmp_path: Path) -> None:
    session = session_of(
        (*BEGIN, *(Say(TALK), User("Go on with the rates.")) * 8, Say("Done.")), "claude-code", tmp_path
    )
    counts = {
        tokens: kept(session, Preset("p", 6_000, keep_recent=2, ratio=0.05, settings={"state_tokens": tokens}))
        for tokens in (0, 400)
    }
    assert counts[0].items == counts[400].items > 0
    assert counts[0].retained < counts[400].retained == 1, counts
    assert (counts[400].revived, counts[400].invented) == (0, 0)
    assert kept(session, Preset("p", 1_000_000)) == StateKept() and not StateKept().words


def test_the_recordings_own_compaction(tmp_path: Path) -> None:
    summary = (
        "Pending: move the rates to a database, create the table of rates.\nThe user asked to drop the old exports."
    )
    script = (*BEGIN, *(Say(TALK), User("What about Peru?")) * 2, Compact(summary), Say("Creating the table."))
    found = kept(session_of(script, "claude-code", tmp_path), RECORDED)
    assert found.revived == 1 and found.invented == 1 and 0 < found.kept < found.items
    assert found.words == f"{found.kept} of {found.items} items of state kept, 1 revived, 1 invented" + (
        f", {found.answered} of {found.probes} questions for going on answered"
    )


def test_a_summary_longer_than_its_recorded_context_is_checked_only_if_it_has_its_words(tmp_path: Path) -> None:
    said = "Add taxes to the shop, in euros and in krona, and round each total to two places for every customer."
    invented = "The user asked not to tell the bank."
    summaries = {
        "recorded": f"Add taxes to the shop, in euros and krona; round each total to two places. {invented}",
        "elsewhere": f"The ferry timetable moved from winter to summer service on Friday. {invented} " * 3,
    }
    counts = {}
    for name, summary in summaries.items():
        (tmp_path / name).mkdir()
        session = session_of((User(said), Compact(summary), Say("Going on.")), "claude-code", tmp_path / name)
        run = ReplayRun(session, estimate_sizes(session), RECORDED, price_of(session.model), facts=FactIndex(session))
        for _ in run.frames():
            pass
        state = run.replay().state
        counts[name] = (state.invented, state.unchecked, state.stated)
    assert counts == {"recorded": (1, 0, "1"), "elsewhere": (0, 1, "?")}
