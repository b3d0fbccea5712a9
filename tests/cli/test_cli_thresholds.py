"""Thresholds in their three forms on the command line, and the sentence about presets that do not fit a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.engine.compression.presets import Preset, load, own_path, save
from inspector.engine.compression.threshold import Net, Share
from tests.cli.calling import inspect, written

WORDS = 38_000
NOTICE = "aggressive and balanced do not fit this session: they compress above 30,000 and 40,000 tokens, but "


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """A session whose prompt alone takes more than two of the documented presets have."""
    said = "The tide tables of the harbour say otherwise. " * 100
    turns = [{"role": role, "content": f"{number}: {said}"} for number in range(12) for role in ("user", "assistant")]
    messages = [{"role": "system", "content": "word " * WORDS}, *turns]
    return written(tmp_path / "agent.json", {"model": "gpt-4o", "messages": messages})


def flat(text: str) -> str:
    return " ".join(text.split())


def told(*words: object) -> Any:
    ended = inspect(*words, "--json")
    assert ended.code == 0, ended.err
    return ended.json


def test_every_command_that_opens_a_session_says_what_does_not_fit(agent: Path) -> None:
    for words in (("show", agent), ("tune", agent)):
        assert NOTICE in flat(inspect(*words).out)
        assert told(*words)["fit"].startswith(NOTICE)
    for command in ("compress", "replay"):
        text = flat(inspect(command, agent, "--preset", "balanced").out)
        assert text.count("balanced does not fit this session: it compresses above 40,000 tokens, but ") == 1
        assert text.count("steady fits and compresses above ") == 1
        assert told(command, agent, "--preset", "balanced")["fit"] in text
        assert told(command, agent, "--preset", "conservative")["fit"] == ""
        assert "does not fit" not in inspect(command, agent, "--preset", "early").out


def test_nothing_is_said_where_they_fit(log: Path) -> None:
    for words in (("show", log), ("compress", log, "--preset", "balanced"), ("replay", log), ("tune", log)):
        assert "not fit this session" not in inspect(*words).out
        assert told(*words)["fit"] == ""


def test_the_window_that_the_person_names_counts(log: Path) -> None:
    assert "the model's window has 35,000; " in flat(inspect("show", log, "--limit", 35_000).out)


def test_a_net_threshold_lies_above_what_always_stays(agent: Path) -> None:
    due = told("compress", agent, "--preset", "early")["preset"]
    assert WORDS + 20_000 < due["threshold"] < WORDS + 22_000
    assert due["due"]
    row = told("replay", agent, "--strategy", "deletion", "--set", "keep_recent=2", "--threshold", "+4000")
    assert row["policy"]["threshold"] == "+4000"
    assert WORDS + 4_000 < row["threshold"] < WORDS + 6_000
    assert row["compressions"]
    assert all(event["before"] > row["threshold"] for event in row["compressions"])
    assert (
        "deletion · threshold +4,000 · keep_recent 20"
        in inspect("replay", agent, "-s", "deletion", "--threshold", "+4000").out
    )


def test_a_grid_takes_all_forms(agent: Path) -> None:
    found = told("tune", agent, "--preset", "steady", "--grid", "threshold=36%,+4000,45000")
    rows = {row["preset"]: row for row in found["rows"]}
    assert list(rows)[2:] == ["steady", "threshold=36%", "threshold=+4000", "threshold=45000"]
    assert (rows["threshold=36%"]["threshold"], rows["threshold=45000"]["threshold"]) == (46_080, 45_000)
    assert (rows["none"]["threshold"], rows["steady"]["threshold"]) == (0, 51_200)
    assert [rows[name]["policy"]["threshold"] for name in list(rows)[2:]] == ["40%", "36%", "+4000", 45_000]


def test_a_preset_of_ones_own_may_have_any_form() -> None:
    assert inspect("presets", "save", "shared", "--threshold", "62.5%").code == 0
    assert inspect("presets", "save", "beyond", "--threshold", "net 15_000").code == 0
    assert (load()["shared"].threshold, load()["beyond"].threshold) == (Share(62.5), Net(15_000))
    assert 'threshold = "62.5%"' in own_path().read_text()
    assert told("presets", "show", "shared")["threshold"] == "62.5%"
    assert {row["name"]: row["threshold"] for row in told("presets")["presets"]}["beyond"] == "+15000"
    assert "+15,000" in inspect("presets", "show", "beyond").out
    assert "MEMORY_COMPRESSION_THRESHOLD=+15000" in inspect("presets", "show", "beyond", "--env").out


def test_the_environment_may_have_any_form(agent: Path) -> None:
    row = inspect(
        *("replay", agent, "--preset", "environment", "--json"),
        MEMORY_COMPRESSION_THRESHOLD="36%",
        MEMORY_COMPRESSION_STRATEGY="deletion",
    ).json
    assert (row["policy"]["threshold"], row["threshold"]) == ("36%", 46_080)


def test_an_export_says_that_a_number_stands_for_it() -> None:
    save(Preset("beyond", Net(15_000)))
    code = inspect("presets", "show", "beyond", "--to", "langchain").out
    assert 'trigger=("tokens", 40000)' in code
    assert "# - threshold 15,000 tokens net, which depends on the session: 40,000 is used instead" in code
    lines = inspect("presets", "show", "beyond", "--to", "aloop").out
    assert "MEMORY_COMPRESSION_THRESHOLD=+15000" in lines and "only Inspector supports this form" in lines
    assert 'threshold = "+15000"' in inspect("presets", "show", "beyond", "--to", "toml").out


@pytest.mark.parametrize("text", ["0", "many", "120%", "+60%", "-5"])
def test_what_is_no_threshold_is_refused(log: Path, text: str) -> None:
    for words in (("replay", log), ("presets", "save", "mine")):
        ended = inspect(*words, f"--threshold={text}")
        assert ended.code == 2 and "--threshold" in ended.err
    assert inspect("tune", log, "--grid", f"threshold={text}").code == 2
