"""`report` as a person and as a program read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import HOSTILE, chat, inspect, written
from tests.cli.commands import RAW
from tests.report.sources import AGENT, write_source

HEADINGS = ["### Context Assembly", "### Eviction Policy", "### Memory Tiers", "### Token Management"]
FIELDS = ["Order", "Method", "Location", "Strategy", "Trigger", "Counting", "Budget Allocation", "Overflow Handling"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_source(tmp_path / "keeper", AGENT)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return written(tmp_path / "chat.json", chat(steps=4))


@pytest.mark.parametrize("kind", ["session", "source"])
def test_the_headings_are_those_of_the_template(kind: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(kind)
    ended = inspect("report", *(["--source"] if kind == "source" else []), path)
    lines = ended.out.splitlines()
    assert ended.code == 0
    assert lines[0].startswith("## Memory Orchestration Analysis: ")
    assert [line for line in lines if line in HEADINGS] == HEADINGS
    assert all(any(line.startswith(f"- **{field}**: ") for line in lines) for field in FIELDS)
    assert "| Tier | Storage | Capacity | Retrieval |" in lines


def test_every_finding_has_its_place_and_its_line_of_code(source: Path) -> None:
    text = inspect("report", "--source", source).out
    assert "`lighthouse/trimming.py:5` in `keep_newest`" in text
    assert "  - `return history[-window:]`" in text
    assert "### Call Path" in text and "1. `Keeper.run`" in text


def test_several_sources_stand_in_a_matrix(source: Path, tmp_path: Path) -> None:
    other = write_source(tmp_path / "other", {"agent.py": "def newest(messages, n):\n    return messages[-n:]\n"})
    text = inspect("report", "--source", source, "--compare", other).out
    assert "| | keeper | other |" in text.replace("|  |", "| |")
    assert "| **Order** | System → History → Input | not seen |" in text
    assert text.count("## Memory Orchestration Analysis: ") == 2


def test_the_json_says_the_same(source: Path, session: Path) -> None:
    (row,) = inspect("report", "--source", source, "--json").json["sources"]
    assert row["outline"]["order"] == "System → History → Input"
    window = next(finding for finding in row["findings"] if finding["kind"] == "window")
    assert window["evidence"][0] == {
        "path": "lighthouse/trimming.py",
        "line": 5,
        "code": "return history[-window:]",
    }
    assert inspect("report", session, "--json").json["outline"]["strategy"] == "not seen"


def test_a_report_is_written_to_a_file_and_none_is_replaced_unasked(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.md"
    ended = inspect("report", "--source", source, "--output", out)
    assert ended.code == 0 and ended.out == ""
    assert out.read_text(encoding="utf-8").startswith("## Memory Orchestration Analysis: keeper")
    out.write_text("my own", encoding="utf-8")
    refused = inspect("report", "--source", source, "--output", out)
    assert refused.code == 2 and "exists" in refused.err
    assert out.read_text(encoding="utf-8") == "my own"
    assert inspect("report", "--source", source, "--output", out, "--force").code == 0


def test_the_session_itself_is_never_written_over(session: Path) -> None:
    before = session.read_bytes()
    assert inspect("report", session, "--output", session, "--force").code == 2
    assert session.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["report"], 2),
        (["report", "SESSION", "--source", "SOURCE"], 2),
        (["report", "SESSION", "--compare", "SOURCE"], 2),
        (["report", "--source", "SOURCE", "--agent", "main"], 2),
        (["report", "--source", "NOTHING"], 1),
        (["report", "NOTHING"], 1),
        (["report", "SESSION", "--agent", "nobody"], 2),
    ],
)
def test_exit_codes(words: list[str], code: int, session: Path, source: Path, tmp_path: Path) -> None:
    places = {"SESSION": session, "SOURCE": source, "NOTHING": tmp_path / "nothing"}
    assert inspect(*(places.get(word, word) for word in words)).code == code


def test_what_a_source_holds_cannot_send_commands_to_a_terminal(tmp_path: Path) -> None:
    evil = HOSTILE.replace("\x00", "").replace("\ud800", "").replace("\x0c", "")
    text = f"def newest(messages, n):\n    return messages[-n:]  # {evil} `|` \n"
    source = write_source(tmp_path / "a|b", {"agent.py": text, f"to\x1b]rn{1}.py": "def (:\n"})
    for more in ([], ["--compare", source]):
        ended = inspect("report", "--source", source, *more)
        assert ended.code == 0 and not RAW.search(ended.out)
