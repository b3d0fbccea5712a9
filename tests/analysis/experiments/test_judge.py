"""Texts whose order is known in advance, and judges that have to reproduce it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.analysis.experiments import (
    JudgeCase,
    judge_cases,
    judge_texts,
    report_of,
    retention_judge,
    summary_judge,
)
from inspector.analysis.experiments.judge.arrows import ARROWS, Judge, Scores
from inspector.analysis.experiments.judge.continuation import continuation, in_random_order
from inspector.analysis.experiments.judge.faithfulness import faithfulness, sound_part
from inspector.analysis.experiments.judge.variants import Variant, changed_value, cut, negate_constraint, swap_values
from inspector.cli import output
from inspector.engine.facts import Fact
from inspector.formats import load
from tests.analysis.experiments.compacted import WORKS, write_all
from tests.cli.calling import inspect
from tests.cli.interrupting import Interrupted, interrupted
from tests.engine.work_state.scripts import Compact, Edit, Plan, Run, Tasks, User, session_of


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_all(tmp_path_factory.mktemp("compacted"))


@pytest.fixture(scope="module")
def cases(paths: list[Path]) -> list[JudgeCase]:
    return [case for path in paths for session in load(path) for case in judge_cases(session, words)]


def test_every_recorded_compaction_gives_texts_of_its_size(cases: list[JudgeCase]) -> None:
    assert [case.session.id for case in cases] == [work.name for work in WORKS]
    for case, work in zip(cases, WORKS, strict=True):
        texts = case.texts("Another session was about nothing of this.")
        assert max(map(words, texts.values())) <= case.target == words(texts["recorded"])
        assert texts["recorded"].endswith(work.summary)
        assert texts["one line"].split() == texts["other breaks"].split() == texts["recorded"].split()
        assert sorted(texts["shuffled"].split()) == sorted(texts["recorded"].split())
        assert texts["shuffled"].split() != texts["recorded"].split()
        assert {"negated", "swapped", "other session"} <= texts.keys()


WORK = (
    User("Fix the rounding of the totals in shop/totals.py. Never push, I do that myself."),
    Tasks((("Rename the price column of the export", "completed"), ("Round the totals half up", "in_progress"))),
    Run(
        "cat shop/totals.py",
        "\n".join(f"def total_{number}(rows): return sum(rows[:{number}])" for number in range(60)),
    ),
    Plan("# Rewrite the shop in Rust\n1. Port the totals\n2. Port the export of prices", accepted=False),
    User("No, keep Python. Round half up in shop/totals.py with the Decimal type."),
    Edit("shop/totals.py"),
    Run("pytest tests/test_totals.py", "FAILED tests/test_totals.py::test_half_up - 1.01 != 1.02\n1 failed", 1),
    Compact(
        "The user wants the rounding of the totals in shop/totals.py fixed, half up and with the Decimal type.\n"
        "- The user said never to push\n- tests/test_totals.py::test_half_up fails: 1.01 != 1.02\n"
        "- The price column of the export was renamed\n\nPending Tasks:\n- Round the totals half up"
    ),
)


@pytest.mark.parametrize(
    ("judge", "apart"),
    [
        (
            retention_judge,
            {("recorded", "extractive")}
            | {("remark", kind) for kind in ("invented rule", "invented result", "revived work")},
        ),
        (summary_judge, {("mentions", "shuffled"), ("remark", "invented result")}),
    ],
    ids=["facts alone", "with going on"],
)
def test_a_judge_puts_the_texts_into_their_order(
    judge: Callable[[], Judge], apart: set[tuple[Variant, Variant]], cases: list[JudgeCase], tmp_path: Path
) -> None:
    works = judge_cases(session_of(WORK, "claude-code", tmp_path), words)
    outcomes = {(one.better, one.worse): one.outcome for one in judge_texts([*cases, *works], judge()).arrows}
    assert "violated" not in outcomes.values()
    held = {(better, worse) for better, _, worse in ARROWS if worse != "outdated value"} - apart
    assert {pair for pair, outcome in outcomes.items() if outcome == "held"} >= held


def test_what_a_summary_invents_or_revives_lowers_its_score(tmp_path: Path) -> None:
    [case] = judge_cases(session_of(WORK, "claude-code", tmp_path), words)
    assert case.transition is not None
    scores = {name: faithfulness(case.transition, text) for name, text in case.texts().items()}
    assert scores["recorded"] == scores["one line"] == scores["remark"] == 1.0
    assert all(scores[name] < 1.0 for name in ("invented rule", "invented result", "revived work"))
    assert faithfulness(case.transition, "") == 1.0
    assert faithfulness(case.transition, "The user asked to paint the harbour wall blue. All tests pass now.") == 0.0


def test_a_statement_that_revives_work_keeps_no_fact(tmp_path: Path) -> None:
    [case] = judge_cases(session_of(WORK, "claude-code", tmp_path), words)
    assert case.transition is not None
    texts = case.texts()
    assert "Rust" in texts["revived work"] and "Rust" not in sound_part(case.transition, texts["revived work"])[0]
    assert sound_part(case.transition, texts["recorded"]) == (texts["recorded"], 1.0)


def test_a_text_answers_what_its_words_in_random_order_do_not(tmp_path: Path) -> None:
    [case] = judge_cases(session_of(WORK, "claude-code", tmp_path), words)
    assert case.transition is not None
    texts = case.texts()
    shares = {name: continuation(case.transition, text) for name, text in texts.items()}
    assert (shares["recorded"] or 0) > 0
    assert shares["recorded"] == shares["one line"] == shares["other breaks"]
    assert continuation(case.transition, "Earlier work was done.") == 0


def test_a_changed_word_moves_no_other_word_of_the_random_order() -> None:
    text = "the pump of the harbour runs at noon and the gate is shut at night"
    order = in_random_order(text).split()
    meant = [word for word in order if word != "and"]
    assert sorted(meant) == sorted(text.replace(" and", "").split()) and meant != text.replace(" and", "").split()
    assert len(order) == len(in_random_order(f"{text} {text}").split()), "a short text is filled up"
    changed = in_random_order(text.replace("noon", "ten")).split()
    assert [word for word in meant if word != "noon"] == [word for word in changed if word not in ("ten", "and")]
    assert in_random_order(text.replace(" ", "\n")) == in_random_order(text)


def fact(cls: str, text: str) -> Fact:
    return Fact(cls, text, "m1", 0)  # type: ignore[arg-type]  # any class


@pytest.mark.parametrize(
    ("said", "negated"),
    [
        ("The pump must not run at noon.", "The pump run at noon."),
        ("Always keep the pump dry at noon.", "never keep the pump dry at noon."),
        ("The pump must run dry at noon.", "The pump must not run dry at noon."),
        ("Keep the pump dry at noon.", "Never keep the pump dry at noon."),
    ],
)
def test_the_constraint_that_a_summary_states_is_negated(said: str, negated: str) -> None:
    rule = fact("constraint", "the pump runs dry at noon")
    assert negate_constraint(f"It rained. {said} It was warm.", [rule]) == f"It rained. {negated} It was warm."
    assert not negate_constraint("It rained all day.", [rule])


def test_two_values_of_one_class_change_places() -> None:
    facts = [fact("path", "src/a.py"), fact("path", "src/b.py"), fact("symbol", "load_all")]
    assert (
        swap_values("src/a.py loads src/b.py, as load_all does.", facts) == "src/b.py loads src/a.py, as load_all does."
    )
    assert not swap_values("src/a.py is empty.", facts)


def test_a_key_that_changed_has_a_newest_and_an_earlier_value() -> None:
    facts = [fact("number", "retries = 6"), fact("number", "depth = 2"), fact("number", "retries = 4")]
    assert changed_value(facts) == ("retries = 6", "retries = 4")
    assert changed_value(facts[:2]) is None


def test_a_text_is_cut_between_words() -> None:
    assert cut("one two  three four", 3, words) == "one two  three"
    assert cut("one two", 3, words) == "one two"


def test_a_judge_of_length_is_told_from_one_that_knows_the_order(cases: list[JudgeCase]) -> None:
    report = judge_texts(cases, lambda case, text: len(text.split()) / case.target)
    outcomes = {(arrow.better, arrow.worse): arrow.outcome for arrow in report.arrows}
    assert outcomes["recorded", "one line"] == "held"
    assert outcomes["shuffled", "hollow"] == "held"
    assert outcomes["recorded", "shuffled"] == "unclear", "both have the same length"
    assert outcomes["hollow", "other session"] == "violated"
    assert (report.sessions, report.compactions) == (3, 3)


def test_an_arrow_is_violated_only_by_more_than_its_interval() -> None:
    sure: list[list[Scores]] = [[{"recorded": 0.5, "shuffled": 0.6}], [{"recorded": 0.4, "shuffled": 0.7}]]
    [arrow] = report_of(sure).arrows
    assert (arrow.outcome, arrow.held, arrow.violated) == ("violated", 0, 2)
    assert [arrow.low, arrow.high] == pytest.approx([-0.3, -0.1])
    [arrow] = report_of([*sure, [{"recorded": 0.9, "shuffled": 0.1}]]).arrows
    assert (arrow.outcome, arrow.held, arrow.violated, arrow.low < 0 < arrow.high) == ("unclear", 1, 2, True)


def test_the_command_prints_the_texts_and_their_order(paths: list[Path], tmp_path: Path) -> None:
    ended = inspect("probe", "--judge", *paths, "--db", tmp_path / "x.db", "--json")
    assert ended.code == 0, ended.err
    assert (ended.json["sessions"], ended.json["compactions"]) == (3, 3)
    assert [row["compactions"] for row in ended.json["texts"] if row["text"] == "hollow"] == [3]
    assert {arrow["outcome"] for arrow in ended.json["arrows"]} <= {"held", "violated", "unclear"}
    text = inspect("probe", "--judge", paths[0], "--db", tmp_path / "x.db").out
    assert "recorded > shuffled" in text and "One session has no interval" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_folder_stands_for_its_sessions_and_a_damaged_one_is_left_out(paths: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    for number, path in enumerate(paths):
        (folder / f"{number}{path.suffix}").write_bytes(path.read_bytes())
    (folder / "damaged.jsonl").write_text("{bad", encoding="utf-8")
    ended = inspect("probe", "--judge", folder, "--db", tmp_path / "x.db", "--json")
    assert (ended.code, ended.json["sessions"]) == (0, len(paths))
    assert "damaged.jsonl" in ended.err and "left out" in ended.err


def test_the_command_refuses_what_has_no_compaction(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"messages": [{"role": "user", "content": "Hello."}]}', encoding="utf-8")
    ended = inspect("probe", "--judge", tmp_path / "x.json", "--db", tmp_path / "x.db")
    assert (ended.code, ended.err) == (1, "No compaction with a readable summary is recorded there.\n")
    assert inspect("probe", "--judge").code == 2
    assert inspect("probe", tmp_path / "x.json", tmp_path / "x.json").code == 2


def test_the_command_reports_its_progress(paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(output, "_PROGRESS_DELAY", 0)
    monkeypatch.setattr(output, "_PROGRESS_INTERVAL", 0)
    monkeypatch.setattr(output, "show_progress", shown.append)
    assert inspect("probe", "--judge", *paths, "--db", tmp_path / "x.db").code == 0
    assert shown[0] == "session 1 of 3: reading" and "session 3 of 3: scoring texts 50%" in shown


@pytest.mark.parametrize(("count", "where"), [(1, "before the end"), (2, "in session 1 of 2")])
def test_an_interrupt_of_the_command_is_confirmed_in_one_sentence(paths: list[Path], count: int, where: str) -> None:
    ended = interrupted("probe", "--judge", *paths[:count], event="sqlite3.connect")
    assert ended == Interrupted(130, "", f"Interrupted {where}: no scores are printed.\n")
