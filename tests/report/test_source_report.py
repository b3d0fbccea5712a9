"""A report on a folder of source code: types from other files, ways through it, contradictions, and hostile files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.report import (
    SourceError,
    SourceFinding,
    SourceReport,
    analyse_source,
    main_assembly,
    outline_of_source,
)
from tests.report.sources import AGENT, write_source


def finding_of(report: SourceReport, kind: str) -> SourceFinding:
    return next(finding for finding in report.findings if finding.kind == kind)


@pytest.fixture
def agent(tmp_path: Path) -> SourceReport:
    return analyse_source(write_source(tmp_path / "keeper", AGENT))


def test_a_finding_has_its_line_and_what_stands_there(agent: SourceReport, tmp_path: Path) -> None:
    for finding in agent.findings:
        for evidence in finding.evidence:
            lines = (tmp_path / "keeper" / evidence.path).read_text(encoding="utf-8").splitlines()
            assert lines[evidence.line - 1].strip() == evidence.code


def test_types_of_other_files_make_a_finding_sure(agent: SourceReport) -> None:
    window = finding_of(agent, "window")
    assert (window.place, window.confidence) == ("lighthouse/trimming.py:5", "high")


def test_without_a_type_a_name_alone_is_said_to_be_one(tmp_path: Path) -> None:
    files = {"trimming.py": "def keep_newest(history, window):\n    return history[-window:]\n"}
    window = finding_of(analyse_source(write_source(tmp_path, files)), "window")
    assert window.confidence == "medium"
    assert "only the name history suggests that these are messages" in window.against


def test_a_type_that_is_no_message_takes_a_finding_away(tmp_path: Path) -> None:
    files = {
        "types.py": "class Tide:\n    height: float\n    hour: int\n    place: str\n",
        "trimming.py": "def newest(history: list[Tide], count):\n    return history[-count:]\n",
    }
    assert analyse_source(write_source(tmp_path, files)).findings == ()


def test_messages_are_known_by_the_fields_of_a_base_in_another_file(tmp_path: Path) -> None:
    files = {
        "base.py": "class Spoken:\n    role: str\n    content: str\n",
        "types.py": "from base import Spoken\nclass Tide(Spoken):\n    hour: int\n",
        "trimming.py": "def newest(tides: list[Tide], count):\n    return tides[-count:]\n",
    }
    assert finding_of(analyse_source(write_source(tmp_path, files)), "window").confidence == "medium"


def test_the_way_from_an_entry_to_the_assembly_is_told_line_by_line(agent: SourceReport) -> None:
    ways = [[step.function for step in path] for path in agent.paths]
    assert ["Keeper.run", "Keeper._answer"] in ways
    first = agent.paths[ways.index(["Keeper.run", "Keeper._answer"])][0]
    assert first.evidence.code == "return self._answer(question)"


def test_the_fields_of_the_template(agent: SourceReport) -> None:
    outline = outline_of_source(agent)
    assert outline.name == "keeper"
    assert outline.order == "System → History → Input"
    assert outline.method == "Message List (1 place)"
    assert (outline.strategy, outline.trigger) == ("Window", "Message count")
    assert outline.eviction_location == "`lighthouse/trimming.py:L5`"
    assert [row.tier for row in outline.tiers] == ["Working", "Session", "Persistent"]
    assert outline.tiers[1].storage == "List (history)"
    assert outline.counting == "not seen"


def test_what_speaks_against_a_finding_is_told(tmp_path: Path) -> None:
    files = {
        "talk.py": """
            class Talk:
                def __init__(self, window=None):
                    self.messages: list[ChatMessage] = []
                    self.window = window

                def newest(self):
                    return self.messages[-self.window:]
        """
    }
    window = finding_of(analyse_source(write_source(tmp_path, files)), "window")
    assert "self.messages itself is not changed" in window.against
    assert "window is None unless it is set" in window.against
    assert any(sentence.startswith("this source never calls Talk.newest") for sentence in window.against)


def test_what_only_writes_a_provider_s_form_is_not_the_main_assembly(tmp_path: Path) -> None:
    both = """
        def prepare(self, question):
            return [{"role": "system", "content": self.rules}, *self.history, {"role": "user", "content": question}]
    """
    report = analyse_source(write_source(tmp_path, {"models/lamp.py": both, "agent.py": both}))
    main = main_assembly(report.findings)
    assert main is not None and main.place == "agent.py:2"


def test_tests_and_other_languages_are_left_out_and_told(agent: SourceReport) -> None:
    assert agent.files == 3
    assert dict(agent.left_out) == {"folders of tests, examples, evaluation, telemetry and documents": 1}
    assert dict(agent.other_languages) == {"TypeScript": 1}


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    files = {f"part{number:03}/{name}": text for number in range(45) for name, text in AGENT.items()}
    root = write_source(tmp_path, files)
    assert analyse_source(root, workers=2).findings == analyse_source(root, workers=1).findings


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    analyse_source(write_source(tmp_path, AGENT), lambda _, count, total: told.append((count, total)))
    assert told[-1] == (3, 3)


HOSTILE = {
    "deep.py": b"x = " + b"-" * 200_000 + b"1\n",
    "brackets.py": b"(" * 5_000 + b")" * 5_000,
    "sums.py": b"x = " + b"1+" * 100_000 + b"1\n",
    "attributes.py": b"x = messages" + b".messages" * 20_000 + b"\n",
    "latin.py": b"name = '\xe9\xff'\n",
    "nothing.py": b"x = '\0'\n",
    "unknown.py": b"# -*- coding: no-such-thing -*-\nx = 1\n",
    "torn.py": b"def reply(:\n",
    "elif.py": b"if a: pass\n" + b"elif a: pass\n" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_does_not_parse_is_told_and_harms_nothing(name: str, tmp_path: Path) -> None:
    root = write_source(tmp_path, AGENT)
    (root / name).write_bytes(HOSTILE[name])
    report = analyse_source(root)
    assert [path for path, reason in report.problems if reason] == [name]
    assert finding_of(report, "window").confidence == "high"


def test_long_lines_and_many_findings_end(tmp_path: Path) -> None:
    text = (
        "def trim(messages, limit):\n    if len(messages) > limit:\n        return messages[-limit:]  # "
        + "x" * 100_000
    )
    many = "def trim(messages, limit):\n" + "    messages = messages[-limit:]\n" * 4_000
    report = analyse_source(write_source(tmp_path, {"long.py": text, "many.py": many}))
    assert report.problems == ()
    assert all(len(line.code) <= 200 for finding in report.findings for line in finding.evidence)
    assert len(report.findings) < 2_100


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in the file system are for POSIX")
def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    root = write_source(tmp_path / "source", AGENT)
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "link.py").symlink_to("/dev/zero")
    os.mkfifo(root / "pipe.py")
    report = analyse_source(root)
    assert report.files == 3
    assert dict(report.left_out)["links and special files"] == 2


def test_nothing_that_is_read_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    text = f"open({str(trap)!r}, 'w').close()\nmessages = []\n"
    write_source(tmp_path / "source", {"agent.py": text, "__init__.py": text, "setup.py": text})
    code = (
        "from pathlib import Path; from inspector.report import analyse_source; "
        f"analyse_source(Path({str(tmp_path / 'source')!r}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert not trap.exists()


def test_a_folder_that_is_not_there_or_holds_no_python_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="There is no folder"):
        analyse_source(tmp_path / "nothing")
    with pytest.raises(SourceError, match="1 of TypeScript"):
        analyse_source(write_source(tmp_path, {"page.ts": "1\n"}))


def test_a_single_file_is_a_source_too(tmp_path: Path) -> None:
    root = write_source(tmp_path, AGENT)
    assert finding_of(analyse_source(root / "lighthouse" / "trimming.py"), "window").evidence[0].path == "trimming.py"
