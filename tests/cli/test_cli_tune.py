"""`inspector tune`: presets as rows, grids, and the gate."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.experiments import column_of
from inspector.engine.compression.presets import BUILT_IN, Preset, own_path, save
from tests.cli.calling import HOSTILE, chat, hostile_chat, inspect, process, written
from tests.places import ROOT
from tests.warm import Program

COLUMNS = {
    *("preset", "compressions", "peak", "tokens_sent", "cost", "cost_uncached"),
    *("retained", "retention", "regrets", "valid", "pareto"),
}
RESEARCH = ROOT / "sessions" / "research.json"
GRID = ("--grid", "threshold=800,1500,3000", "--grid", "keep_recent=2,6")


@pytest.fixture(autouse=True)
def _small() -> None:
    save(Preset("small", 1_500, 0.2, 4))


def tuned(*words: object) -> Any:
    ended = inspect("tune", *words, "--json")
    assert ended.code == 0, ended.err
    return ended.json


def names(found: Any) -> list[str]:
    return [row["preset"] for row in found["rows"]]


def test_every_preset_is_a_row_beside_what_was_recorded_and_no_compression(log: Path) -> None:
    found = tuned(log)
    assert names(found) == ["recorded", "none", *BUILT_IN, "small"]
    assert all(row.keys() >= COLUMNS for row in found["rows"])
    assert (found["agent"], found["missed"], found["price"]["model"]) == ("main", [], "gpt-4o")


def test_a_row_has_the_numbers_of_its_replay(log: Path) -> None:
    row = next(row for row in tuned(log)["rows"] if row["preset"] == "small")
    replay = inspect("replay", log, "--preset", "small", "--json").json
    same = ("turns", "peak", "tokens_sent", "cost", "cost_uncached", "retained", "retention", "valid", "policy")
    assert {key: row[key] for key in same} == {key: replay[key] for key in same}
    assert (row["compressions"], row["regrets"]) == (len(replay["compressions"]), len(replay["regrets"]))


def test_only_the_presets_that_are_named_are_compared(log: Path) -> None:
    assert names(tuned(log, "--preset", "small", "--preset", "balanced")) == ["recorded", "none", "small", "balanced"]
    assert names(tuned(log, "--preset", "none")) == ["recorded", "none"]


def test_a_grid_is_tried_on_top_of_a_preset(log: Path) -> None:
    found = tuned(log, "--preset", "small", *GRID)
    assert names(found)[:3] == ["recorded", "none", "small"]
    assert names(found)[3:] == [f"threshold={t} keep_recent={k}" for t in (800, 1500, 3000) for k in (2, 6)]
    assert {row["policy"]["ratio"] for row in found["rows"][3:]} == {0.2}
    plain = tuned(log, "--grid", "threshold=40000,800")
    assert names(plain) == ["recorded", "none", "threshold=40000", "threshold=800"]
    assert {row["policy"]["keep_recent"] for row in plain["rows"][2:]} == {20}


def test_what_a_grid_has_in_common_with_a_preset_is_no_second_row(log: Path) -> None:
    assert names(tuned(log, "--preset", "small", "--grid", "threshold=1500,800"))[2:] == ["small", "threshold=800"]


def test_several_processes_give_the_same_rows(log: Path) -> None:
    assert tuned(log, *GRID, "--jobs", 2) == tuned(log, *GRID, "--jobs", 1)


def test_rows_are_sorted_by_a_column(log: Path) -> None:
    found = tuned(log, "--preset", "small", *GRID, "--sort", "tokens-sent")["rows"]
    assert [row["tokens_sent"] for row in found] == sorted(row["tokens_sent"] for row in found)
    assert next(row for row in found if row["choice"])["pareto"]


def test_rows_are_sorted_by_every_number_of_the_json_and_by_the_titles_of_the_table(log: Path) -> None:
    row = tuned(log, "--preset", "small")["rows"][-1]
    numbers = [key for key, value in row.items() if isinstance(value, int | float)]
    assert {"reused", "fits", "tokens_sent"} <= {*numbers}
    assert [column_of(key).name for key in numbers] == numbers
    for title, key in (("going_on", "going_on"), ("going on", "going_on"), ("kept", "retained")):
        shares = [row[key] for row in tuned(RESEARCH, "--preset", "aggressive", "--sort", title)["rows"]]
        assert shares == sorted(shares, key=lambda share: -1.0 if share is None else -share), title


def test_columns_that_do_not_fit_are_named_and_the_one_that_sorts_the_rows_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("tune", RESEARCH, "--preset", "aggressive")
    heads, sorted_heads = (
        next(line for line in inspect(*words, *more).out.splitlines() if line.startswith("  preset"))
        for more in ((), ("--sort", "going on"))
    )
    assert "going on" not in heads and "going on" in sorted_heads and len(sorted_heads) <= 80
    text = " ".join(inspect(*words).out.split())
    assert "state kept, going on, revived, invented. A wider terminal and --json show them." in text
    monkeypatch.setenv("COLUMNS", "160")
    assert "Hidden at" not in inspect(*words).out


def test_the_gate_ends_with_3_and_a_line_for_each_bar_that_is_missed(log: Path) -> None:
    rows = {row["preset"]: row for row in tuned(log, "--preset", "small")["rows"]}
    peak = rows["small"]["peak"]
    assert rows["none"]["peak"] > peak
    met = inspect("tune", log, "--preset", "small", "--fail-over", peak, "--fail-invalid")
    assert (met.code, "--fail" in met.out) == (0, False)
    missed = inspect("tune", log, "--preset", "small", "--preset", "none", "--fail-over", peak - 1)
    assert missed.code == 3
    lines = [line for line in missed.out.splitlines() if line.endswith("--fail-over.")]
    assert [line.split()[0] for line in lines] == ["none", "small"]
    as_json = inspect("tune", log, "--preset", "small", "--fail-over", peak - 1, "--json")
    says = f"small sends {peak:,} tokens at once, more than the {peak - 1:,} of --fail-over."
    assert (as_json.code, as_json.json["missed"]) == (3, [says])


def test_a_recording_that_a_provider_would_refuse_misses_the_gate() -> None:
    damaged = ROOT / "sessions" / "damaged.jsonl"
    ended = inspect("tune", damaged, "--preset", "recorded", "--preset", "none", "--fail-invalid")
    assert ended.code == 3
    lines = [line for line in ended.out.splitlines() if "would reject" in line]
    assert "Recorded with problems that a request repairs: recorded, none." in ended.out
    assert "✗" not in ended.out
    assert lines == [f"{name} has windows that the provider would reject." for name in ("recorded", "none")]


def test_a_window_that_is_too_large_for_the_model_misses_the_gate() -> None:
    ended = inspect("tune", RESEARCH, "--preset", "none", "--fail-invalid", "--json")
    rows = {row["preset"]: row for row in ended.json["rows"]}
    assert (ended.code, rows["none"]["fits"], rows["none"]["valid"]) == (3, False, False)
    assert ended.json["missed"] == [
        f"none sends {rows['none']['peak']:,} tokens at once, which exceeds the model's window."
    ]


def test_the_recorded_row_is_billed_as_reported() -> None:
    found = tuned(ROOT / "sessions" / "coding-agent.jsonl", "--preset", "none")
    (recorded,) = [row for row in found["rows"] if row["preset"] == "recorded"]
    assert recorded["cost"] == pytest.approx(found["reported"]["cost"])
    assert found["reported"]["calls"] == recorded["turns"]


def test_presets_that_do_not_fit_are_told_and_the_others_shown(log: Path) -> None:
    own_path().write_text("[tight]\nthreshold = -4\n\n[loose]\nthreshold = 90000\n")
    ended = inspect("tune", log, "--json")
    assert "line 2: threshold must be between 1 and" in ended.err
    assert [row["preset"] for row in ended.json["rows"]][-1] == "loose"


def test_regrets_and_what_is_kept_are_those_of_the_facts() -> None:
    found = {row["preset"]: row for row in tuned(RESEARCH, "--preset", "aggressive")["rows"]}
    row = found["aggressive"]
    assert row["regrets"] > 0 == found["none"]["regrets"]
    assert 0 < row["retained"] < found["none"]["retained"] == 1
    assert row["retention"].keys() == row["classes"].keys() == found["none"]["retention"].keys()
    for name, kept in row["retention"].items():
        assert row["classes"][name] == pytest.approx(kept["retained"] / sum(kept.values()))
    assert inspect("tune", RESEARCH, "--preset", "aggressive", "--fail-regrets", row["regrets"]).code == 0
    missed = inspect("tune", RESEARCH, "--preset", "aggressive", "--fail-regrets", row["regrets"] - 1)
    assert missed.code == 3
    assert f"aggressive has {row['regrets']} regrets, more than the {row['regrets'] - 1} of --fail-reg" in missed.out


def test_what_a_class_of_facts_counts_is_told_and_can_be_changed() -> None:
    words = [RESEARCH, "--preset", "aggressive"]
    plain, only = tuned(*words), tuned(*words, "--weight", "amount=9", "--weight", "url=0")
    assert (plain["weights"]["amount"], only["weights"]["amount"], only["weights"]["url"]) == (1.5, 9, 0)
    row = only["rows"][2]
    assert row["retained"] != plain["rows"][2]["retained"]
    assert row["classes"] == plain["rows"][2]["classes"], "weights change no share of a class"
    same = inspect("replay", *words, "--weight", "amount=9", "--weight", "url=0", "--json").json
    assert same["retained"] == row["retained"]


def test_rows_are_sorted_by_a_class_of_facts() -> None:
    found = tuned(RESEARCH, "--preset", "aggressive", "--preset", "conservative", "--sort", "url")["rows"]
    shares = [row["classes"]["url"] for row in found]
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == 3


def test_an_absurd_threshold_is_flagged_and_never_chosen() -> None:
    found = tuned(RESEARCH, "--preset", "balanced", "--grid", "threshold=1,900")
    absurd = [row for row in found["rows"] if row["preset"].startswith("threshold=")]
    assert [(row["choice"], row["misfit"]) for row in absurd] == [(False, "floor"), (False, "small")]
    assert found["verdict"]["best"] == "balanced" and "threshold=1" not in found["verdict"]["front"]


def test_the_gate_looks_at_what_was_asked_for_and_not_at_the_rows_beside_it(log: Path) -> None:
    assert inspect("tune", log, "--preset", "small", "--fail-over", 1_600).code == 0
    assert inspect("tune", log, "--preset", "none", "--fail-over", 1_600).code == 3
    assert inspect("tune", log, "--fail-over", 1_600).code == 3


def test_the_table_has_a_line_for_each_row_and_marks_the_front(log: Path) -> None:
    told = tuned(log)
    found, best = {row["preset"]: row for row in told["rows"]}, told["verdict"]["best"]
    lines = inspect("tune", log).out.splitlines()
    table = {line[2:].split()[0]: line for line in lines if line.endswith("✓")}
    assert table.keys() == found.keys()
    for name, row in found.items():
        assert table[name][0] == ("★" if name == best else "●" if row["pareto"] else "○")
        assert f"{row['peak']:,}" in table[name]
        assert f"{row['tokens_sent']:,}" in table[name]
        assert table[name].endswith("✓")
    assert any(line.startswith("Prices of gpt-4o") for line in lines)


def test_the_plane_has_every_row_with_its_sign() -> None:
    rows = {row["preset"]: row for row in tuned(RESEARCH)["rows"]}
    lines = inspect("tune", RESEARCH).out.splitlines()
    plane = lines[lines.index(" facts kept") : next(i for i, line in enumerate(lines) if "↖ better" in line)]
    text = "\n".join(plane)
    for name, row in rows.items():
        assert name in text or row["tokens_sent"] in [
            other["tokens_sent"] for key, other in rows.items() if key != name
        ]
    assert text.count("★") == 1
    assert max(map(len, lines)) <= 80


def test_a_window_that_is_larger_than_the_models_is_told(tmp_path: Path) -> None:
    log = written(tmp_path / "large.json", chat(steps=12, words=2_000))
    found = {row["preset"]: row for row in tuned(log, "--preset", "small")["rows"]}
    assert (found["none"]["fits"], found["none"]["pareto"]) == (False, False)
    assert "Exceeds the model's 128,000 tokens: recorded, none." in inspect("tune", log, "--preset", "small").out


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "words", [(), GRID, ("--grid", "strategy=clear_tool_uses,importance", "--grid", "keep=1,2", *GRID)]
)
def test_every_line_fits_the_terminal(
    width: int, words: tuple[str, ...], log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = inspect("tune", log, *words).out
    assert max(map(len, text.splitlines())) <= width
    for name in names(tuned(log, *words)):
        assert all(word in text for word in name.split())


def test_what_a_transcript_and_a_preset_say_cannot_command_the_terminal(tmp_path: Path) -> None:
    save(Preset("odd", 30, 0.2, 0, about=HOSTILE.replace("\ud800", "")))
    log = written(tmp_path / "hostile.json", hostile_chat())
    assert not set(inspect("tune", log).out) & set("\x1b\x07\x9b\u202e\x00\u200b")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--preset", "smal"], 2, "Did you mean small?"),
        (["--sort", "token_sent"], 2, "Did you mean tokens_sent?"),
        (["--sort", "beauty"], 2, "There is no column 'beauty'. Columns: preset, turns, compressions, "),
        (["--weight", "amount"], 2, "--weight takes CLASS=NUMBER, such as path=2, not 'amount'."),
        (["--weight", "amont=2"], 2, "Did you mean amount?"),
        (["--weight", "amount=-2"], 2, "The weight of amount must be from 0 to 1,000, not -2.0."),
        (["--grid", "threshold"], 2, "A grid must be KEY=VALUE,VALUE,…, not 'threshold'."),
        (["--grid", "depth=3"], 2, "There is no setting 'depth'"),
        (["--grid", "keep_recent=-1"], 2, "In the grid, keep_recent must be between 0 and 100,000, not -1."),
        (["--fail-over", "few"], 2, "See: inspector tune --help"),
        (["--agent", "nobody"], 2, "There is no agent 'nobody' in this session"),
    ],
)
def test_wrong_words_are_told_in_one_sentence(log: Path, words: list[str], code: int, says: str) -> None:
    ended = inspect("tune", log, *words)
    assert (ended.code, ended.out) == (code, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_presets_that_cannot_be_read_are_told(log: Path) -> None:
    own_path().write_text("[tight]\nthreshold = lots\n")
    ended = inspect("tune", log)
    assert (ended.code, ended.out) == (1, "")
    assert "invalid TOML" in ended.err
    assert inspect("tune", log, "--preset", "balanced").code == 0


def test_a_program_of_its_own_forks_and_gives_the_same_rows(log: Path) -> None:
    done = process("tune", log, *GRID, "--jobs", 2, "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == inspect("tune", log, *GRID, "--json").out


def test_an_interrupt_ends_it_without_a_word(tmp_path: Path) -> None:
    log = written(tmp_path / "log.json", chat(steps=60))
    thresholds, ratios = ",".join(map(str, range(500, 600))), ",".join(f"0.{number}" for number in range(10, 90))
    many = ("--grid", f"threshold={thresholds}", "--grid", f"ratio={ratios}")
    words = ["-m", "inspector", "tune", log, *many, "--jobs", "2"]
    running = Program(words, cwd=ROOT, stdout=-1, stderr=-1, start_new_session=True)
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    if not children.exists():
        running.kill()
        pytest.skip("the system does not tell which processes a program has started")
    while len(children.read_text().split()) < 2:
        assert running.poll() is None
    os.killpg(running.pid, signal.SIGINT)
    try:
        out, err = running.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        pytest.fail("it went on")
    assert (running.returncode, out, err.strip()) == (130, b"", b"")


def test_a_hasty_row_carries_a_sign_and_is_no_choice() -> None:
    save(Preset("hollow", 5_000, 0.3, 20, "mask_observations", {"keep": 0}))
    rows = {row["preset"]: row for row in tuned(RESEARCH, "--preset", "hollow", "--preset", "balanced")["rows"]}
    assert [name for name, row in rows.items() if row["choice"]] == ["balanced"]
    assert rows["hollow"]["valid"] and 2 * rows["hollow"]["hasty"] >= rows["hollow"]["compressions"] > 0
    text = inspect("tune", RESEARCH, "--preset", "hollow").out
    assert any(line.startswith("» hollow ") for line in text.splitlines())
    assert "» not recommended, removes content right after it was read: hollow." in " ".join(text.split())


def test_where_no_row_fits_the_model_some_are_set_beside_each_other_all_the_same(tmp_path: Path) -> None:
    messages = [
        {"role": role, "content": f"{role} {n} " + "apples " * 400} for n in range(30) for role in ("user", "assistant")
    ]
    file = written(tmp_path / "small.json", {"model": "gpt-4", "messages": messages})
    grid = ("--grid", "threshold=10000,11000,12000,13000,14000,15000")
    ended = inspect("tune", file, "--jobs", "1", "--preset", "balanced", *grid)
    assert ended.code == 0, ended.err
    assert "Exceeds the model's" in ended.out and "kept   weight" in ended.out
