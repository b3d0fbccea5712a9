"""`inspector tune FOLDER`: presets over the sessions of a folder, and the journal that continues a comparison."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.analysis.experiments import PresetFigures, corpus_rows, corpus_verdict, figures_of
from inspector.cli.commands import tune_folder
from inspector.cli.text.tune_text import corpus_lines
from inspector.engine.compression.presets import Preset, save
from tests.cli.calling import inspect
from tests.engine.summaries.endpoint import answers, serving
from tests.engine.work_state.scripts import Run, Say, User, session_of


def figures(cost: float, kept: float, misses: int = 0) -> PresetFigures:
    return PresetFigures(cost, kept, misses, 2, is_choice=True)


def test_the_best_preset_over_sessions_is_clear_only_outside_of_the_noise() -> None:
    none = figures(1.0, 1.0)
    apart = [{"none": none, "a": figures(0.7 + n / 50, 0.8), "b": figures(0.9 + n / 50, 0.7)} for n in range(6)]
    assert (corpus_verdict(apart).best, corpus_verdict(apart).is_clear) == ("a", True)
    assert corpus_verdict(apart[:5]).best == "a" and not corpus_verdict(apart[:5]).is_clear
    assert "a leads, and the sessions are too few." in "\n".join(corpus_lines([], corpus_verdict(apart[:1]), 0))
    alone = [{**one, "b": replace(one["b"], is_choice=number > 0)} for number, one in enumerate(apart)]
    assert not corpus_verdict(alone).is_clear
    assert "a is the only preset that may be chosen" in "\n".join(corpus_lines([], corpus_verdict(alone), 0))
    near = [{"none": none, "a": figures(0.7, 0.8), "b": figures((0.6, 0.9, 0.7, 0.8, 0.7)[n], 0.8)} for n in range(5)]
    assert (corpus_verdict(near).best, corpus_verdict(near).close) == ("a", ["b"])
    needed = [{"none": none, "a": figures(0.5, 0.8, 6 + n), "b": figures(0.9, 0.8, n)} for n in range(5)]
    assert corpus_verdict(needed).best == "b", "a has clearly more regrets"
    assert corpus_verdict([]).best is None is figures_of([]).get("none")
    rows = {row.preset: row for row in corpus_rows(apart)}
    assert (rows["a"].best, rows["b"].best, rows["none"].best) == (6, 0, 0)
    assert rows["a"].cost.mean == pytest.approx(0.75)
    assert rows["a"].cost.low < 0.75 < rows["a"].cost.high
    assert rows["a"].kept.low == rows["a"].kept.high == pytest.approx(0.8)


def test_the_presets_that_none_beats_are_told_with_what_they_clearly_gain_and_lose() -> None:
    sessions = [
        {
            "late": figures(0.9, 0.9, 1),
            "lean": figures(0.3 + n / 100, 0.5 + n / 100, 6),
            "middle": figures(0.5, 0.8, 1),
            "worse": figures(0.6, 0.7, 6),
        }
        for n in range(6)
    ]
    verdict = corpus_verdict(sessions)
    assert verdict.best == "middle"
    assert [trade.preset for trade in verdict.trades] == ["lean", "late"], "the cheapest first, without the beaten one"
    lean = verdict.trades[0]
    assert lean.cost.mean == pytest.approx(-0.175) and lean.cost.low < -0.175 < lean.cost.high < 0
    assert (lean.misses.mean, lean.going_on) == (5, None)
    text = " ".join("\n".join(corpus_lines([], verdict, 0)).split())
    assert "Trades against it, the cheapest first: lean: cost −18 points (−19 to −16), facts −28" in text
    assert "regrets +5.0 (+5.0 to +5.0); late: cost +40 points (+40 to +40), facts +10" in text
    noise = [{"a": figures(0.4 + n % 2 / 5, 0.8), "b": figures(0.52, 0.75 + n % 2 / 9)} for n in range(6)]
    assert "no clear difference" in " ".join("\n".join(corpus_lines([], corpus_verdict(noise), 0)).split())


def test_a_preset_that_may_not_be_chosen_in_a_session_is_marked() -> None:
    hasty = replace(figures(0.3, 0.9), is_choice=False)
    sessions = [{"recorded": hasty, "a": figures(0.7, 0.8), "b": hasty}, {"recorded": hasty, "a": hasty, "b": hasty}]
    for count, marks in ((1, "  ★ » "), (2, "  » » ")):
        lines = list(corpus_lines(corpus_rows(sessions[:count]), corpus_verdict(sessions[:count]), 0))
        rows = [line for line in lines if line.endswith(("0", "1")) and "%" in line]
        assert "".join(row[:2] for row in rows) == marks
        assert "» excluded, because it" in " ".join(lines)


def test_questions_for_going_on_have_an_interval_by_session_and_few_sessions_show_none() -> None:
    row = replace(figures(0.7, 0.8), going_on=0.5)
    sessions = [{"a": row}, {"a": replace(row, going_on=0.9)}, {"a": replace(row, going_on=None)}]
    (several,), (single,) = corpus_rows(sessions), corpus_rows(sessions[:1])
    assert several.going_on is not None and several.going_on.mean == pytest.approx(0.7)
    assert several.going_on.low == 0.5 and several.going_on.high == 0.9
    assert corpus_rows(sessions[2:])[0].going_on is None
    few = " ".join("\n".join(corpus_lines([single], corpus_verdict(sessions[:1]), 0)).split())
    assert "A mean over fewer than 6 sessions has no interval." in few and "70%–70%" not in few
    many = "\n".join(corpus_lines(corpus_rows(sessions * 2), corpus_verdict(sessions * 2), 0))
    assert "no interval" not in many and "70%–70%" in many


def script(number: int, turns: int = 12) -> tuple[User | Run | Say, ...]:
    steps: list[User | Run | Say] = [User(f"Count the parcels of depot {number}, and never open one.")]
    for turn in range(turns):
        rows = "\n".join(f"parcel PK-{turn:02}{row:03}, shelf depot/shelf{turn}/{row}.txt" for row in range(60))
        steps += [Run(f"cat depot/{turn}.csv", rows), Say(f"The shelves of depot {turn} are counted.")]
    return tuple(steps)


def test_a_folder_is_compared_by_session_and_continued_from_a_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(Preset("small", 3_000, 0.4, 4, "sliding_window"))
    folder, journal = tmp_path / "logs", tmp_path / "journal"
    for number in range(3):
        (folder / str(number)).mkdir(parents=True)
        session_of(script(number), "claude-code", folder / str(number))
    (folder / "other.json").write_text("{}")
    words = (
        "tune",
        folder,
        "--preset",
        "small",
        "--preset",
        "balanced",
        "--journal",
        journal,
        "--db",
        tmp_path / "x.db",
    )
    found = inspect(*words, "--json").json
    assert found["sessions"] == [f"{number}/claude-code.jsonl" for number in range(3)]
    assert found["unread"] == ["other.json"] and found["idle"] == []
    rows = {row["preset"]: row for row in found["rows"]}
    assert list(rows) == ["recorded", "none", "small", "balanced"]
    assert rows["none"]["cost"]["mean"] == 1.0 and rows["small"]["kept"]["mean"] < 1.0
    lines = journal.read_text().splitlines()
    assert len(lines) == 3
    journal.write_text(lines[0].replace('"kept": 1.0', '"kept": 0.5') + '\n{"key": 1}\n[]\nno JSON \x1b\n')
    again = inspect(*words, "--json").json
    assert [row["kept"]["mean"] for row in again["rows"]][1] == pytest.approx((0.5 + 1 + 1) / 3), "one was not replayed"
    journal.write_text(f"{lines[0]}\n{lines[1][:40]}", encoding="utf-8")
    assert inspect(*words, "--json").json == found, "a killed program left half a line"
    assert [line for line in journal.read_text().splitlines() if line in lines] == [lines[0], *lines[1:]]
    assert inspect(*words, "--json").json == found and len(journal.read_text().splitlines()) == 4, "all were kept"
    with monkeypatch.context() as patched:
        patched.setattr(tune_folder, "__version__", "another")
        assert inspect(*words, "--json").json == found
    assert len(journal.read_text().splitlines()) == 7, "what another version found was replayed again"
    text = inspect(*words)
    assert text.out.startswith("3 sessions\n") and "1 file cannot be replayed and is left out: other.json." in text.err
    assert max(map(len, text.out.splitlines())) <= 80
    assert inspect("tune", folder, "--sort", "cost").code == 2
    with serving(answers()) as endpoint:
        told = {"INSPECTOR_MODEL": "some-model", "OPENAI_BASE_URL": endpoint.url}
        both = inspect(*words, "--model", "--json", **told).json
        alone = (
            "tune",
            folder / "0" / "claude-code.jsonl",
            "--preset",
            "small",
            "--model",
            "--summaries-by",
            "another",
        )
        one = inspect(*alone, "--json", **told).json
    assert [row["preset"] for row in both["rows"]] == [*rows, "small · some-model", "balanced · some-model"]
    assert [row["preset"] for row in one["rows"]] == [
        *("recorded", "none", "small", "small · some-model", "small · another")
    ]
    kept = {row["preset"]: row["retained"] for row in one["rows"]}
    assert kept["small · some-model"] != kept["small"]
    (tmp_path / "two").mkdir()
    for name in ("a.json", "b.json"):
        (tmp_path / "two" / name).write_text('{"messages": [{"role": "user", "content": "Hello."}]}')
    ended = inspect("tune", tmp_path / "two", "--db", tmp_path / "x.db")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
