"""Compactions that put their summary behind what they keep of the context, and keep some of what stood behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.analysis.context_loss import loss_history
from inspector.analysis.replay import RECORDED, context_steps, uncompacted_session, uncompacted_sizes
from inspector.analysis.replay.run import NONE, replay, window_at
from inspector.core.conversation import Session
from inspector.engine.facts import FactIndex
from inspector.engine.window import GrowingTimeline, at_turn, compute_timeline
from inspector.library import Workbench
from inspector.library.bench.provenance import recorded_before
from inspector.library.diagnosis import look_back, verdict
from inspector.llm.models.prices import Price
from inspector.llm.tokens.sizes import estimate_sizes
from tests.formats.openhands_files import ASK, PROMPT, action, answer, conversation, event, text
from tests.formats.written import only

PRICE = Price(1.0, 4.0, 0.1, 1.25)
CODE = "The crate is HR-204417."


def listing(shelf: int) -> str:
    return "\n".join(f"shelf {shelf} holds crate number {row} of {100 * shelf + row}" for row in range(12))


def forgets(number: int, *names: int | str, **fields: Any) -> dict[str, Any]:
    gone = [f"e{name}" if isinstance(name, int) else name for name in names]
    return event("Condensation", number, "environment", forgotten_event_ids=gone, **fields)


def says(number: int, words: str) -> dict[str, Any]:
    return event("MessageEvent", number, llm_message={"role": "assistant", "content": [text(words)]})


def recording(path: Path, *more: dict[str, Any]) -> Session:
    """The prompt and the task stay, and the newest call; the first two calls leave."""
    return only(
        conversation(
            path,
            PROMPT,
            ASK,
            action(2, "r2"),
            answer(3, 2, CODE),
            action(4, "r4"),
            answer(5, 4, listing(1)),
            action(6, "r6"),
            answer(7, 6, listing(2)),
            forgets(8, 2, 3, 4, 5, summary="Two shelves were counted.", summary_offset=2),
            action(9, "r9"),
            answer(10, 9, listing(1)),
            says(11, "It was HR-204417."),
            *more,
        )
    )


def names(session: Session, places: list[int]) -> list[str]:
    return [session.messages[place].id for place in places]


def test_the_turn_behind_it_is_a_compaction(tmp_path: Path) -> None:
    session = recording(tmp_path)
    assert compute_timeline(session, estimate_sizes(session)).compactions == (4,)
    assert len(session.compactions) == 1
    grown = GrowingTimeline()
    for count in range(1, len(session.messages) + 1):
        part = session.with_messages(session.messages[:count])
        timeline = grown.feed(part, estimate_sizes(part), count - 1)
    assert timeline.compactions == (4,)


def test_the_verdict_tells_what_it_lost_and_the_history_how_much(tmp_path: Path) -> None:
    session = recording(tmp_path)
    sizes = estimate_sizes(session)
    bench = Workbench(session, sizes)
    assert "compacted at turn 4" in verdict(bench).text
    findings = look_back(bench)
    assert findings is not None and [need.regret.fact for need in findings.needs] == ["HR-204417"]
    history = loss_history(session, sizes, FactIndex(session))
    assert history is not None
    [losses] = history.compactions
    assert (losses.turn, losses.covered) == (4, 4), "what was kept has not left"
    assert "HR-204417" in [loss.fact for loss in losses.losses]


def test_its_summary_stands_for_the_context_before_it(tmp_path: Path) -> None:
    session = recording(tmp_path)
    [summary] = session.compactions
    assert [message.id for message in recorded_before(session, summary)] == ["e1", *(f"e{n}" for n in range(2, 8))]
    events = [forgets(12, 1, summary="Again.", summary_offset=3)]
    again = recording(tmp_path / "again", *events)
    before = [message.id for message in recorded_before(again, again.compactions[-1])]
    assert before == ["e1", "e8", "e6#2", "e7#2", "e9", "e10", "e11"], "copies stand before the new summary"
    assert names(again, again.path_to(len(again.messages) - 1))[:4] == ["e0", "e8#2", "e6#3", "e12"]
    assert len(again.compactions) == 2, "a summary that was kept is none of its own"


def test_the_recording_is_replayed_as_it_was_and_without_it_everything_stands_there_once(tmp_path: Path) -> None:
    session = recording(tmp_path)
    sizes = estimate_sizes(session)
    own = replay(session, sizes, RECORDED, PRICE)
    [compaction] = own.compactions
    assert (compaction.turn, compaction.covered) == (4, 4)
    assert [frame.total for frame in own.frames] == list(compute_timeline(session, sizes).totals)
    whole = replay(session, sizes, NONE, PRICE)
    last = window_at(session, sizes, whole, len(whole.frames))
    assert list(last.ids) == ["e0", "e1", *(f"e{n}" for n in range(2, 8)), "e9", "e10", "e11"]
    joined = uncompacted_session(session)
    assert at_turn(joined, uncompacted_sizes(session, sizes)).ids == last.ids


def test_what_is_kept_was_not_read_again_and_what_left_was(tmp_path: Path) -> None:
    session = recording(tmp_path)
    history = loss_history(session, estimate_sizes(session), FactIndex(session))
    assert history is not None
    [losses] = history.compactions
    assert [(one.message, one.again) for one in losses.reread] == [("e5", "e10")]


def test_a_summary_behind_everything_takes_nothing_out(tmp_path: Path) -> None:
    more = [forgets(12, summary="All is well.", summary_offset=99), says(13, "Good.")]
    session = recording(tmp_path, *more)
    sizes = estimate_sizes(session)
    assert compute_timeline(session, sizes).compactions == (4,)
    assert [one.turn for one in replay(session, sizes, RECORDED, PRICE).compactions] == [4]
    assert [step.left for step in context_steps(session)] == [0, 0, 0, 4, 0, 0, 0]
    assert uncompacted_session(session).messages[-2] is session.messages[-2], "it is what the model was told"


def test_what_is_forgotten_without_a_summary_is_still_there_in_the_whole_log(tmp_path: Path) -> None:
    events = [PROMPT, ASK, action(2, "r2"), answer(3, 2, CODE), action(4, "r4"), answer(5, 4, "none")]
    session = only(conversation(tmp_path, *events, forgets(6, 2, 3), says(7, "Done.")))
    assert session.compactions == () == compute_timeline(session, estimate_sizes(session)).compactions
    joined = uncompacted_session(session)
    path = joined.path_to(len(joined.messages) - 1)
    sent = [joined.messages[place].id for place in path if joined.messages[place].kind != "notice"]
    assert sent == ["e0", "e1", "e2", "e3", "e4", "e5", "e7"]
