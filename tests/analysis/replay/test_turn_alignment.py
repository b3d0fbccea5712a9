"""Aligning the turns of two sessions by their actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, strategies as st

from inspector.analysis.replay import NONE, AlignedTurns, Lane, TurnActions, compare_replays
from inspector.analysis.replay.run import replay
from inspector.analysis.replay.turn_alignment import Feature, align_features, align_turns, turn_actions
from inspector.analysis.tool_activity import Action
from inspector.core.conversation import Session
from inspector.llm.models.prices import Price
from tests.generated import Ask, Call, Reply, Step, recorded, sized
from tests.growth import calls_made

FEATURES = st.frozensets(
    st.sampled_from([("call", "read a"), ("call", "read b"), ("target", "c"), ("answer", ""), ("prompt", "d")]),
    min_size=1,
)
TURNS = st.lists(FEATURES, max_size=30)


def read(*paths: str) -> Reply:
    return Reply(None, tuple(Call(reads=path) for path in paths))


def lane(*steps: Step) -> Lane:
    session: Session = recorded(steps)
    sizes = sized(session)
    return Lane(session, sizes, replay(session, sizes, NONE, Price(1, 1, 1, 1, "some-model", "user")))


def rows_of(found: Sequence[AlignedTurns]) -> list[tuple[int | None, int | None, bool]]:
    return [(row.left_turn, row.right_turn, row.same) for row in found]


def done(turn: int, *calls: Action, prompts: tuple[str, ...] = (), reply: str = "") -> TurnActions:
    return TurnActions(turn, prompts, calls, reply)


@given(TURNS, TURNS)
def test_turns_that_meet_ascend_and_have_something_in_common(
    left: list[frozenset[Feature]], right: list[frozenset[Feature]]
) -> None:
    chain = align_features(left, right)
    assert all(mine < other and theirs < last for (mine, theirs), (other, last) in pairwise(chain))
    assert all(left[mine] & right[theirs] for mine, theirs in chain)


@given(TURNS)
def test_a_session_meets_itself_turn_by_turn(turns: list[frozenset[Feature]]) -> None:
    assert align_features(turns, turns) == [(turn, turn) for turn in range(len(turns))]


def test_turns_that_one_session_has_more_stand_next_to_a_gap() -> None:
    short = lane(Ask("Count the orders."), read("/srv/one/orders.csv"), Reply("There are three."))
    long = lane(
        Ask("Count the orders."), read("/srv/readme.md"), read("/srv/notes.md"), read("/srv/two/one/orders.csv"),
        Reply("There are three."),
    )  # fmt: skip
    found = compare_replays(short, long)
    assert rows_of(found.aligned) == [
        (1, 1, False),
        (None, 2, False),
        (None, 3, False),
        (2, 4, True),
        (3, 5, True),
    ]
    assert (found.aligned[1].left_action, found.aligned[1].right_action) == ("", "read_file notes.md")


def test_what_is_done_counts_more_than_the_number_of_the_turn() -> None:
    a, b, c = (Action("Read", name, kind="read", resource=f"/srv/{name}") for name in ("a.py", "b.py", "c.py"))
    left = [done(1, a), done(2, b), done(3, c), done(4)]
    right = [done(1, c), done(2, a), done(3, b), done(4)]
    assert rows_of(align_turns(left, right)) == [
        (None, 1, False), (1, 2, True), (2, 3, True), (3, None, False), (4, 4, True),
    ]  # fmt: skip


def test_a_command_meets_one_with_the_same_program_or_file_and_differs_from_it() -> None:
    runs = [
        Action("Bash", words, kind="run") for words in ("pytest tests/test_a.py", "ls", "pytest -q tests/test_a.py")
    ]
    found = align_turns([done(1, runs[0]), done(2)], [done(1, runs[1]), done(2, runs[2]), done(3)])
    assert rows_of(found) == [(None, 1, False), (1, 2, False), (2, 3, True)]


def test_replies_that_only_say_something_meet_and_are_the_same_with_the_same_words() -> None:
    left = [done(1, reply="Three."), done(2, reply="Done."), done(3)]
    right = [replace(left[0], reply="Four."), *left[1:]]
    assert rows_of(align_turns(left, right)) == [(1, 1, False), (2, 2, True), (3, 3, True)]


def test_a_turn_is_told_by_its_prompts_and_calls() -> None:
    first, second, now = turn_actions(
        lane(Ask("Count\x1b the orders."), read("/srv/a.csv", "/srv/b.csv"), Reply("Three."))
    )
    assert first.text == "Count␛ the orders. → read_file a.csv, read_file b.csv"
    assert (second.text, now.text) == ("Three.", "")


def test_one_session_is_not_aligned_with_itself() -> None:
    side = lane(Ask("Count the orders."), Reply("Three."))
    assert compare_replays(side, side).aligned == ()


def test_aligning_takes_nearly_linear_time() -> None:
    """The worst case: every turn is like every other."""

    def work_for(count: int) -> int:
        turns = [frozenset([("call", f"read {number % 3}"), ("target", "a")]) for number in range(count)]
        return calls_made(lambda: align_features(turns, turns[count // 3 :]))

    assert work_for(1_600) <= 5 * work_for(400)
