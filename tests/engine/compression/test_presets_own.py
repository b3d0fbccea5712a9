"""A person's own presets: kept in one file that stays the person's."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.engine.compression.presets import (
    BUILT_IN,
    PRESETS,
    Preset,
    PresetError,
    UnknownPresetError,
    all_presets,
    find,
    find_complaints,
    load,
    own_path,
    remove,
    save,
)
from inspector.engine.compression.presets.user import KEYS, edit_table, table_of

TIGHT = Preset("tight", 20_000, 0.2, 8, about="for the small model")
BY_TOKENS = Preset("by tokens", strategy="token_window", settings={"max_tokens": 9_000})

WRITTEN = """\
# what I use at work
colour = "blue"

# the one for long nights
[night]   # do not touch
strategy = "deletion"
keep_recent = 4
mood = "calm"

# and for the days
[day]
threshold = 50_000

[day.settings]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "presets.toml"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(WRITTEN)
    return path


def test_what_is_saved_comes_back(file: Path) -> None:
    assert load(file) == {}
    for preset in (TIGHT, BY_TOKENS, Preset("off", enabled=False, preserve_system=False)):
        save(preset, file)
        assert load(file)[preset.name] == preset
    assert list(load(file)) == ["tight", "by tokens", "off"]


def test_saving_again_replaces_one_and_keeps_the_others(file: Path) -> None:
    save(TIGHT, file)
    save(BY_TOKENS, file)
    save(Preset("tight", 30_000), file)
    assert load(file) == {"tight": Preset("tight", 30_000), "by tokens": BY_TOKENS}


def test_removing_takes_one_out_and_says_whether_it_was_there(file: Path) -> None:
    save(TIGHT, file)
    save(BY_TOKENS, file)
    assert remove("tight", file)
    assert not remove("tight", file)
    assert load(file) == {"by tokens": BY_TOKENS}


def test_comments_order_and_keys_that_nobody_knows_stay_as_a_person_wrote_them(mine: Path) -> None:
    save(Preset("day", 60_000), mine)
    text = mine.read_text()
    assert text.startswith(WRITTEN[: WRITTEN.index("[day]")])
    assert "# and for the days\n[day]\n" in text
    save(TIGHT, mine)
    assert mine.read_text().startswith(text.rstrip())
    remove("tight", mine)
    remove("day", mine)
    assert mine.read_text().rstrip() == WRITTEN[: WRITTEN.index("# and for")].rstrip()


def test_keys_that_nobody_knows_stay_in_a_preset_that_is_saved_again(mine: Path) -> None:
    save(Preset("night", 5), mine)
    assert tomllib.loads(mine.read_text())["night"]["mood"] == "calm"
    assert tomllib.loads(mine.read_text())["colour"] == "blue"


def test_keys_that_are_passed_over_are_told(mine: Path) -> None:
    assert set(load(mine)) == {"night", "day"}
    outside, mood = find_complaints(mine)
    assert outside == f"{mine}: 'colour' is outside any preset."
    assert mood.startswith(f"{mine}, line 8: unknown key 'mood'")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[a]\nthreshold = \n", "line 2: invalid TOML (Invalid value)"),
        ("[a]\nthreshold = 1\nthreshold = 2\n", "line 3: invalid TOML (Cannot overwrite a value)"),
        ('x = """open', "line 1: invalid TOML"),
        (
            "[a]\nratio = 0.3\n\nthreshold = 'many'\n",
            "line 4: threshold must be a number from 1 to 100,000,000, a share such as 60%, tokens on top such as "
            "+20000, or adaptive, not 'many'.",
        ),
        ("[a]\nthreshold = 0\n", "line 2: threshold must be between 1 and 100,000,000, not 0."),
        ("[a]\nthreshold = true\n", "line 2: threshold must be a number"),
        ("[a]\n'ratio' = 1.5\n", "line 2: ratio must be between 0.01 and 0.9, not 1.5."),
        ("[a]\nratio = nan\n", "line 2: ratio must be between"),
        ("[a]\nkeep_recent = -1\n", "line 2: keep_recent must be between 0 and 100,000, not -1."),
        ("\n[a]\nstrategy = 'slide'\n", "line 3: strategy must be one of dedupe"),
        ("[a]\nenabled = 'perhaps'\n", "line 2: enabled must be true or false, not 'perhaps'."),
        ("[a]\nsettings = 3\n", "line 2: settings must be a table of names and values."),
        ("[a.settings]\nkeep_recnt = 3\n", "line 2: there is no setting 'keep_recnt'"),
        (
            "[a]\nstrategy = 'token_window'\n[a.settings]\nmax_tokens = -1\n",
            "line 4: max_tokens must be between 0 and 2,000,000, not -1.",
        ),
        ("[balanced]\nratio = 0.9\n", "line 1: the name 'balanced' belongs to"),
        ("[environment]\n", "line 1: the name 'environment' belongs to"),
        ('["a\\tb"]\n', "line 1: 'a\\tb' is not a valid name"),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text)
    (lines, *_) = refusals(path)
    assert lines.startswith(f"{path}, {says}")
    assert lines.endswith(".")
    assert path.read_text() == text


def refusals(path: Path) -> list[str]:
    """What is said of a file: of the whole where it is none, else of the presets in it."""
    try:
        return find_complaints(path)
    except PresetError as problem:
        return [str(problem)]


def test_a_preset_that_does_not_fit_hides_no_other_one(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("[good]\nthreshold = 9000\n[bad]\nratio = 7\n[[tight]]\n")
    assert list(load(path)) == ["good"]
    assert find("good", path).threshold == 9000
    with pytest.raises(PresetError, match="ratio must be between"):
        find("bad", path)
    lines = find_complaints(path)
    assert any("line 4" in item for item in lines)
    assert any("write the preset as [tight]" in item for item in lines)
    save(TIGHT, path)
    assert set(load(path)) == {"good", TIGHT.name}


def test_a_file_that_cannot_be_read_is_never_written_to(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("[a]\nthreshold = \n")
    for change in (lambda: save(TIGHT, path), lambda: remove("a", path)):
        with pytest.raises(PresetError, match="line 2"):
            change()
    assert path.read_text() == "[a]\nthreshold = \n"
    path.write_bytes(b"\xff\xfe[a]")
    with pytest.raises(PresetError, match="it is not UTF-8 text"):
        save(TIGHT, path)
    assert path.read_bytes() == b"\xff\xfe[a]"


def test_places_that_cannot_be_written_to_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PresetError, match="Cannot "):
        save(TIGHT, tmp_path / "file" / "p.toml")
    with pytest.raises(PresetError, match="Cannot read"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["balanced", "environment", "none", "recorded", "", " x", "a\nb", "x" * 61])
def test_names_that_are_taken_or_no_names_are_refused(file: Path, name: str) -> None:
    with pytest.raises(PresetError):
        save(Preset(name), file)
    assert not file.exists()


def test_a_preset_that_would_not_load_is_not_saved(file: Path) -> None:
    for preset in (Preset("p", threshold=0), Preset("p", ratio=2), Preset("p", settings={"zap": 1})):
        with pytest.raises(PresetError, match=r"^p: "):
            save(preset, file)
    assert not file.exists()


def test_names_are_found_among_all_presets(file: Path, tmp_path: Path) -> None:
    save(TIGHT, file)
    assert find("tight", file) == TIGHT
    assert find("balanced", file) is PRESETS["balanced"]
    assert find("environment", file, {"MEMORY_COMPRESSION_RATIO": "0.5"}, tmp_path).ratio == 0.5
    with pytest.raises(UnknownPresetError) as lines:
        find("tigth", file)
    assert str(lines.value) == (f"There is no preset 'tigth'. Presets: {', '.join(BUILT_IN)}, tight, environment.")
    assert "tight" in lines.value.names


def test_the_three_are_found_whatever_the_persons_file_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("[[[")
    assert find("aggressive", path) is PRESETS["aggressive"]


def test_all_presets_are_offered_the_environments_only_where_it_says_something(file: Path, tmp_path: Path) -> None:
    save(TIGHT, file)
    names = [*BUILT_IN, "tight"]
    assert [preset.name for preset in all_presets(file, {}, tmp_path)] == names
    assert [preset.name for preset in all_presets(file, {"MEMORY_ENABLED": "false"}, tmp_path)] == [
        *names,
        "environment",
    ]


def test_the_file_is_where_the_variable_says_and_else_among_the_persons_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("INSPECTOR_PRESETS", str(tmp_path / "here.toml"))
    save(TIGHT)
    assert own_path() == tmp_path / "here.toml"
    assert load() == {"tight": TIGHT}
    monkeypatch.delenv("INSPECTOR_PRESETS")
    assert own_path().name == "presets.toml"
    assert own_path().parent.name == "inspector"


NAMES = st.text(st.sampled_from("ab.-_ é1"), min_size=1, max_size=6).map(str.strip).filter(bool)
VALUES = st.integers(-5, 5) | st.text(st.sampled_from('[]="#\n\\a '), max_size=8) | st.lists(st.booleans(), max_size=2)
TABLES = st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=3) | VALUES, max_size=4)


@given(TABLES, NAMES, st.none() | st.dictionaries(NAMES, VALUES, max_size=3), st.sampled_from(["", "# hi\n", "\n\n"]))
def test_whatever_a_file_says_one_table_changes_and_nothing_else(
    tables: dict[str, Any], name: str, table: dict[str, Any] | None, above: str
) -> None:
    import tomli_w

    text = edit_table(above + tomli_w.dumps(tables), name, table)
    wanted = {key: value for key, value in tables.items() if key != name}
    assert tomllib.loads(text) == (wanted if table is None else wanted | {name: table})


@pytest.mark.parametrize(
    "text",
    ["tight = {threshold = 5}\n# gone\n", "[x]\na = '''\n[tight]\n'''\n", "[tight]\n[x]\n[tight.settings]\n"],
)
def test_files_of_strange_shape_are_changed_rightly_too(text: str) -> None:
    result = tomllib.loads(edit_table(text, "tight", table_of(TIGHT)))
    before = tomllib.loads(text)
    assert result == {**before, "tight": table_of(TIGHT)}


def test_a_preset_is_written_with_known_keys_only() -> None:
    full = Preset("p", settings={"ratio": 0.1}, enabled=False, preserve_system=False, about="x")
    assert set(table_of(full)) == KEYS
