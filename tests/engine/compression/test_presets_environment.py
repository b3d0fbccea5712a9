"""`MEMORY_*` settings as a preset, out of the environment and of a `.aloop/config` file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.engine.compression.presets import PRESETS, Preset, PresetError, as_env, memory_preset, memory_settings
from inspector.engine.compression.presets.environment import VARIABLES
from inspector.engine.strategies import STRATEGIES

BALANCED = """\
MEMORY_ENABLED=true
MEMORY_COMPRESSION_THRESHOLD=40000
MEMORY_COMPRESSION_RATIO=0.3
MEMORY_SHORT_TERM_SIZE=20
MEMORY_COMPRESSION_STRATEGY=sliding_window
"""


def config(folder: Path, text: str | bytes) -> Path:
    path = folder / ".aloop" / "config"
    path.parent.mkdir()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_nothing_said_gives_the_documented_defaults(tmp_path: Path) -> None:
    assert memory_preset({}, tmp_path) == Preset("environment")
    assert memory_settings({}, tmp_path) == {}


def test_a_file_is_read_line_by_line_in_all_the_ways_that_people_write_it(tmp_path: Path) -> None:
    config(
        tmp_path,
        "\ufeff# Memory\r\n\r\n"
        "export MEMORY_ENABLED=no\r\n"
        "  MEMORY_COMPRESSION_THRESHOLD = 50_000   # more\r\n"
        "MEMORY_COMPRESSION_RATIO='0.4' # quoted\r\n"
        'MEMORY_SHORT_TERM_SIZE="12"\r\n'
        "MEMORY_COMPRESSION_STRATEGY=selective#not a comment\r\n"
        "MEMORY_COMPRESSION_STRATEGY=deletion\r\n"
        "MEMORY_PRESERVE_SYSTEM_PROMPTS=FALSE\r\n"
        "API_KEY=sk-never-read\r\n"
        "this is no setting\r\n",
    )
    assert memory_preset({}, tmp_path) == Preset(
        "environment", 50_000, 0.4, 12, "deletion", enabled=False, preserve_system=False
    )


def test_the_documented_preset_of_the_requirements_is_read(tmp_path: Path) -> None:
    config(tmp_path, BALANCED)
    result = memory_preset({}, tmp_path)
    assert result.values() == PRESETS["balanced"].values()
    assert (result.threshold, result.strategy) == (40_000, "sliding_window")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    config(tmp_path, "MEMORY_SHORT_TERM_SIZE=many\nMEMORY_COMPRESSION_RATIO=0.5\n")
    result = memory_preset({"MEMORY_SHORT_TERM_SIZE": "3", "PATH": "/bin"}, tmp_path)
    assert (result.keep_recent, result.ratio) == (3, 0.5)


def test_what_is_set_to_nothing_is_not_set(tmp_path: Path) -> None:
    config(tmp_path, "MEMORY_SHORT_TERM_SIZE=\nMEMORY_COMPRESSION_RATIO=''\nMEMORY_ENABLED=   # later\n")
    assert memory_settings({"MEMORY_COMPRESSION_STRATEGY": " "}, tmp_path) == {}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("MEMORY_COMPRESSION_THRESHOLD=many", "MEMORY_COMPRESSION_THRESHOLD must be a number from 1 to"),
        ("MEMORY_COMPRESSION_RATIO=1.2", "MEMORY_COMPRESSION_RATIO must be between 0.01 and 0.9, not 1.2."),
        ("MEMORY_SHORT_TERM_SIZE=-1", "MEMORY_SHORT_TERM_SIZE must be between 0 and 100,000, not -1."),
        ("MEMORY_ENABLED=perhaps", "MEMORY_ENABLED must be true or false, not 'perhaps'."),
        ("MEMORY_COMPRESSION_STRATEGY=magic", "MEMORY_COMPRESSION_STRATEGY must be one of"),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_its_place(tmp_path: Path, line: str, says: str) -> None:
    name, _, value = line.partition("=")
    with pytest.raises(PresetError) as lines:
        memory_preset({name: value}, tmp_path)
    assert str(lines.value).startswith(f"The environment: {says}")
    path = config(tmp_path, f"# first\n{line}\n")
    with pytest.raises(PresetError) as lines:
        memory_preset({}, tmp_path)
    assert str(lines.value).startswith(f"{path}, line 2: {says}")


def test_a_line_about_memory_without_a_value_and_a_file_that_is_none_are_told(tmp_path: Path) -> None:
    path = config(tmp_path, "\nMEMORY_ENABLED\n")
    with pytest.raises(PresetError) as lines:
        memory_preset({}, tmp_path)
    assert str(lines.value) == f"{path}, line 2: write the setting as MEMORY_ENABLED=VALUE."
    path.unlink()
    path.mkdir()
    with pytest.raises(PresetError, match="Cannot read"):
        memory_preset({}, tmp_path)


def test_bytes_that_are_no_text_harm_nothing(tmp_path: Path) -> None:
    config(tmp_path, b"NAME=\xff\xfe\x00\nMEMORY_SHORT_TERM_SIZE=7\n")
    assert memory_preset({}, tmp_path).keep_recent == 7


@given(
    st.builds(
        Preset,
        st.just("environment"),
        st.integers(1, 1_000_000),
        st.floats(0.01, 0.9),
        st.integers(0, 100_000),
        st.sampled_from(sorted(STRATEGIES)),
        enabled=st.booleans(),
        preserve_system=st.booleans(),
    )
)
def test_a_preset_written_as_variables_is_read_as_the_same(preset: Preset) -> None:
    variables = as_env(preset)
    assert set(variables) == set(VARIABLES)
    assert memory_preset(variables, Path("/nowhere")) == preset


def test_a_preset_written_as_lines_is_read_as_the_same(tmp_path: Path) -> None:
    preset = Preset("environment", 12_345, 0.45, 6, "selective", enabled=False)
    config(tmp_path, "".join(f"{name}={value}\n" for name, value in as_env(preset).items()))
    assert memory_preset({}, tmp_path) == preset
