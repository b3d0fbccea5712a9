"""`inspector presets`, and `inspector compress --preset`."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.analysis.export.preset_export import TARGETS, export_text
from inspector.cli.commands.presets import EXPORTS
from inspector.engine.compression.presets import PRESETS, Preset, load, own_path, save
from tests.cli.calling import HOSTILE, inspect

NAMES = ["aggressive", "balanced", "conservative", "early", "steady", "late"]


def listed() -> dict[str, str]:
    return {each["name"]: each["origin"] for each in inspect("presets", "--json").json["presets"]}


def test_the_built_in_ones_are_listed_and_nothing_is_written(tmp_path: Path) -> None:
    ended = inspect("presets")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == ["preset", *NAMES]
    assert "40,000    0.3      20  sliding_window · documented default" in ended.out
    assert "early               +20,000" in ended.out
    assert listed() == dict.fromkeys(NAMES, "built-in")
    assert not own_path().exists()
    assert own_path().is_relative_to(tmp_path)


def test_what_is_saved_is_listed_shown_and_removed() -> None:
    saved = inspect("presets", "save", "tight", "--set", "keep_recent=8", "--threshold", 20_000, "--about", "at night")
    assert (saved.code, saved.out.split()[:2]) == (0, ["Saved:", "tight,"])
    assert load(own_path()) == {"tight": Preset("tight", 20_000, keep_recent=8, about="at night")}
    assert listed()["tight"] == "own"
    assert "your own, in " in inspect("presets").out
    shown = inspect("presets", "show", "tight")
    assert "keep_recent      8 " in shown.out
    assert inspect("presets", "show", "tight", "--json").json["threshold"] == 20_000
    assert inspect("presets", "save", "tight").out.startswith("Replaced: tight")
    assert inspect("presets", "remove", "tight", "--json").json["removed"] == "tight"
    assert list(listed()) == NAMES


def test_settings_that_every_preset_has_stand_in_their_own_place() -> None:
    inspect("presets", "save", "a", "-s", "token_window", "--set", "max_tokens=9000")
    inspect("presets", "save", "b", "-s", "selective", "--set", "ratio=0.4", "--set", "target=7000")
    assert load(own_path()) == {
        "a": Preset("a", strategy="token_window", settings={"max_tokens": 9000}),
        "b": Preset("b", ratio=0.4, strategy="selective", settings={"target": 7000}),
    }


def test_another_file_can_be_named(tmp_path: Path, log: Path) -> None:
    file = tmp_path / "team.toml"
    assert inspect("presets", "save", "ours", "--threshold", 1, "--presets-file", file).code == 0
    assert not own_path().exists()
    assert inspect("presets", "show", "ours", "--presets-file", file).code == 0
    assert inspect("compress", log, "--preset", "ours", "--presets-file", file, "--json").json["preset"]["due"] is True
    assert inspect("presets", "show", "ours").code == 2


def test_the_environments_preset_is_listed_where_it_says_something(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "environment" not in listed()
    (tmp_path / ".aloop").mkdir()
    (tmp_path / ".aloop" / "config").write_text("MEMORY_SHORT_TERM_SIZE=7\n")
    monkeypatch.setenv("MEMORY_COMPRESSION_RATIO", "0.4")
    assert listed()["environment"] == "environment"
    found = inspect("presets", "show", "environment", "--json").json
    assert (found["keep_recent"], found["ratio"]) == (7, 0.4)


def test_a_preset_is_written_as_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    save(Preset("mine", 5_000, 0.25, 4, "selective", {"target": 3_000}))
    ended = inspect("presets", "show", "mine", "--env")
    assert "MEMORY_COMPRESSION_STRATEGY=selective\n" in ended.out
    assert ended.err == "These settings have no variable and are omitted: target.\n"
    (tmp_path / ".aloop").mkdir()
    (tmp_path / ".aloop" / "config").write_text(ended.out)
    monkeypatch.chdir(tmp_path)
    found = inspect("presets", "show", "environment", "--json").json
    assert (found["threshold"], found["ratio"], found["keep_recent"]) == (5_000, 0.25, 4)


def test_a_preset_is_shown_as_the_settings_of_another_program() -> None:
    assert tuple(TARGETS) == EXPORTS
    for to in EXPORTS:
        assert inspect("presets", "show", "balanced", "--to", to).out == export_text(PRESETS["balanced"], to)
    found = inspect("presets", "show", "balanced", "--to", "toml", "--json").json
    assert (found["name"], found["to"]) == ("balanced", "toml")
    assert found["text"] == export_text(PRESETS["balanced"], "toml")
    wrong = inspect("presets", "show", "balanced", "--to", "langchian")
    assert (wrong.code, wrong.out, wrong.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["show", "balancd"], 2, "Did you mean balanced?"),
        (["remove", "balanced"], 2, "balanced is built in and cannot be removed."),
        (["remove", "mine"], 2, "There is no preset 'mine' in "),
        (["save", "balanced"], 1, "The name 'balanced' belongs to"),
        (["save", "mine", "-s", "slide"], 2, "There is no strategy 'slide'"),
        (["save", "mine", "--set", "keep_recent=-1"], 2, "keep_recent must be between 0 and 100,000, not -1."),
        (["save", "mine", "--threshold", "0"], 2, "See: inspector presets save --help"),
        (["shw"], 2, "See: inspector presets --help"),
        (["--presets-file", "mine.toml", "show", "balanced"], 2, "Put options after the command"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence(words: list[str], code: int, says: str) -> None:
    ended = inspect("presets", *words)
    assert (ended.code, ended.out) == (code, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1
    assert not own_path().exists()


def test_a_broken_file_is_told_and_the_three_are_there_all_the_same(log: Path) -> None:
    own_path().parent.mkdir()
    own_path().write_text("[tight]\nthreshold = lots\n")
    ended = inspect("presets")
    assert ended.code == 1
    assert "line 2: invalid TOML" in ended.err
    assert "balanced" in ended.out
    assert inspect("compress", log, "--preset", "balanced").code == 0
    assert inspect("compress", log, "--preset", "tight").code == 1
    assert inspect("presets", "save", "other").code == 1
    assert own_path().read_text() == "[tight]\nthreshold = lots\n"


def test_keys_that_are_passed_over_are_told() -> None:
    own_path().parent.mkdir()
    own_path().write_text("[tight]\ntreshold = 5\n")
    ended = inspect("presets")
    assert (ended.code, "line 2: unknown key 'treshold'" in ended.err) == (0, True)


def test_names_and_words_from_a_file_cannot_command_the_terminal() -> None:
    save(Preset("mine", about=HOSTILE.replace("\ud800", "")))
    for ended in (inspect("presets"), inspect("presets", "show", "mine")):
        assert not set(ended.out) & set("\x1b\x07\x9b\u202e\x00\u200b")
        assert max(map(len, ended.out.splitlines())) <= 80


def test_a_preset_compresses_what_is_above_its_threshold(log: Path) -> None:
    save(Preset("small", 500, keep_recent=6))
    done = inspect("compress", log, "--preset", "small", "--json").json
    plain = inspect("compress", log, "--strategy", "sliding_window", "--set", "keep_recent=6", "--json").json
    preset = {"name": "small", "threshold": 500, "due": True, "forced": False}
    assert "thresholds below 1,000 leave no room" in done["fit"]
    assert done == plain | {"preset": preset, "fit": done["fit"]}
    assert plain["preset"] is None
    assert "preset small, threshold 500" in inspect("compress", log, "--preset", "small").out


def test_single_settings_of_a_preset_can_be_changed(log: Path) -> None:
    save(Preset("small", 500, keep_recent=6))
    done = inspect("compress", log, "--preset", "small", "--set", "ratio=0.5", "--json").json
    assert done["settings"] == {"keep_recent": 6, "ratio": 0.5, "state_tokens": 0}


def test_a_window_that_is_not_above_the_threshold_is_left_alone_unless_it_is_forced(log: Path) -> None:
    idle = inspect("compress", log, "--preset", "aggressive", "--json")
    assert (idle.code, idle.json["saved"], idle.json["fates"]) == (0, 0, {"kept": 28})
    assert idle.json["preset"] == {"name": "aggressive", "threshold": 30_000, "due": False, "forced": False}
    assert idle.json["note"].endswith("do not exceed its threshold of 30,000. --force compresses anyway.")
    text = inspect("compress", log, "--preset", "aggressive").out
    assert "The preset aggressive does not compress" in text
    assert "Σ" not in text
    forced = inspect("compress", log, "--preset", "aggressive", "--force", "--json").json
    assert forced["preset"]["forced"] is True
    assert forced["saved"] > 0


def test_a_preset_that_is_switched_off_does_nothing(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_ENABLED", "false")
    monkeypatch.setenv("MEMORY_COMPRESSION_THRESHOLD", "1")
    monkeypatch.setenv("MEMORY_SHORT_TERM_SIZE", "4")
    idle = inspect("compress", log, "--preset", "environment", "--json").json
    assert (idle["saved"], "it is disabled" in idle["note"]) == (0, True)
    assert inspect("compress", log, "--preset", "environment", "--force", "--json").json["saved"] > 0


def test_what_is_left_alone_is_not_put_on_the_stack(log: Path) -> None:
    ended = inspect("compress", log, "--preset", "balanced", "--apply")
    assert ended.code == 0
    assert "Applied" not in ended.err
    assert inspect("show", log, "--json").json["plans"] == []
    inspect("compress", log, "--preset", "balanced", "--force", "--apply")
    assert [plan["strategy"] for plan in inspect("show", log, "--json").json["plans"]] == ["sliding_window"]


def test_gates_look_at_the_window_that_was_left_alone(log: Path) -> None:
    assert inspect("compress", log, "--preset", "balanced", "--fail-over", 10).code == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--preset", "balancd"], "Did you mean balanced?"),
        (["--preset", "balanced", "--strategy", "fifo"], "--preset cannot be combined with --strategy"),
        (["--preset", "balanced", "--stage", "dedupe"], "--preset cannot be combined with --strategy"),
        (["--preset", "balanced", "--set", "max_tokens=5"], "There is no setting 'max_tokens'"),
        (["--strategy", "fifo", "--force"], "--force requires --preset"),
    ],
)
def test_ways_that_exclude_each_other_are_wrong_usage(log: Path, words: list[str], says: str) -> None:
    ended = inspect("compress", log, *words)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_every_preset_of_the_project_can_be_compressed_with(log: Path) -> None:
    for name, preset in PRESETS.items():
        done = inspect("compress", log, "--preset", name, "--force", "--json")
        assert (done.code, done.json["strategy"], done.json["valid"]) == (0, preset.strategy, True)
