"""Labels that lie apart from their recordings: applied, refused where the text is another, and counted."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import orjson
import pytest

from inspector.analysis.replay import Rate
from inspector.engine.facts.classes import NAMES
from tests.benchmarks import facts_apart, facts_sample
from tests.benchmarks.facts_apart import Finding, is_excused, is_same, judge_all
from tests.benchmarks.facts_places import ANY, Label, find_files, read_labels

RULE = "Never send a parcel without a label."
TYPED = f"{RULE} The depot is in src/depot/plan.py and costs EUR 12.50."
CALL = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "src/depot/plan.py", "offset": 40}}
FAILURE = "Error: no depot called north"
RECORDS = [
    {"message": {"role": "user", "content": TYPED}},
    {"message": {"role": "assistant", "content": [{"type": "text", "text": "I look."}, CALL]}},
    {"message": {"role": "user", "content": [{"type": "tool_result", "content": FAILURE, "is_error": True}]}},
]


def span(text: str, part: str) -> list[int]:
    start = text.index(part)
    return [start, start + len(part)]


def place(record: int, at: list[str | int], slot: str, text: str, facts: dict[str, Any], half: str) -> dict[str, Any]:
    return {
        "file": 0,
        "record": record,
        "at": at,
        "slot": slot,
        "half": half,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "window": [0, len(text)],
        "facts": facts,
    }


@pytest.fixture
def recording(tmp_path: Path) -> tuple[Path, Path]:
    """A folder with a recording, and a file of labels for it."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    content = b"\n".join(map(orjson.dumps, RECORDS)) + b"\n"
    (folder / "depot.jsonl").write_bytes(content)
    (folder / "other.jsonl").write_bytes(b"{}\n")
    called = "Read\nfile_path: src/depot/plan.py\noffset: 40"
    typed = {
        "constraint": [span(TYPED, RULE)],
        "path": [span(TYPED, "src/depot/plan.py")],
        "amount": [span(TYPED, "EUR 12.50")],
        "decision": [span(TYPED, "The depot is in")],
    }
    call = {"tool": [span(called, "Read")], "path": [span(called, "src/depot/plan.py")], "?number": [[0, len(called)]]}
    messages = [
        place(0, ["message", "content"], "typed", TYPED, typed, "open"),
        place(1, ["message", "content", 1], "call", called, call, "open"),
        place(2, ["message", "content", 0, "content"], "failed", FAILURE, {"error": [[0, len(FAILURE)]]}, "locked"),
    ]
    files = [{"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content), "kind": "coding"}]
    labels = tmp_path / "labels.json"
    labels.write_bytes(orjson.dumps({"files": files, "messages": messages}))
    return folder, labels


def test_offsets_lead_to_what_was_labelled(recording: tuple[Path, Path]) -> None:
    folder, path = recording
    labels = read_labels(path)
    files = find_files([folder], labels.recordings)
    assert [file.name for file in files.values()] == ["depot.jsonl"]
    scores, problems = judge_all(labels.half("open"), files)
    assert not problems
    for name, count in (("constraint", 1), ("path", 2), ("amount", 1), ("tool", 1)):
        assert (scores[name].hits, scores[name].labels) == (count, count), name
        assert not scores[name].inventions, name
    assert scores["decision"].misses == ["The depot is in"]
    assert not scores["error"].labels
    scores, _ = judge_all(labels.half("locked"), files)
    assert scores["error"].hits == 1


def test_a_text_that_was_changed_is_told_and_not_counted(recording: tuple[Path, Path]) -> None:
    folder, path = recording
    content = orjson.loads(path.read_bytes())
    content["messages"][0]["sha256"] = "0" * 64
    content["messages"][1]["at"] = ["message", "content", 7]
    path.write_bytes(orjson.dumps(content))
    labels = read_labels(path)
    scores, problems = judge_all(labels.places, find_files([folder], labels.recordings))
    assert len(problems) == 2
    assert "is not the one that was labelled" in problems[0]
    assert "nothing at 1" in problems[1]
    assert sum(score.labels for score in scores.values()) == 1


def test_files_that_are_not_there_are_told(
    recording: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, path = recording
    monkeypatch.setattr(read_labels, "__defaults__", (path,))
    empty = tmp_path / "empty"
    empty.mkdir()
    assert facts_apart.main(["--data", str(empty)]) == 1
    errors = capsys.readouterr().err
    assert "not there: coding recording" in errors
    assert "2 messages" in errors
    assert "none of the labelled recordings is there" in errors


def test_the_locked_half_is_shown_on_request_only_and_never_its_cases(
    recording: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, path = recording
    monkeypatch.setattr(read_labels, "__defaults__", (path,))
    for words in (["--half", "locked"], ["--half", "locked", "--final", "--misses", "all"], []):
        with pytest.raises(SystemExit):
            facts_apart.main(["--data", str(folder), *words] if words else [])
    capsys.readouterr()
    assert facts_apart.main(["--data", str(folder), "--half", "locked", "--final"]) == 0
    output = capsys.readouterr().out
    assert "locked half: 1 facts labelled in 1 messages" in output
    assert FAILURE not in output
    assert facts_apart.main(["--data", str(folder), "--misses", "decision"]) == 0
    assert "missed   'The depot is in'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals(hits: int, count: int, low: float, high: float) -> None:
    assert Rate(hits, count).interval == pytest.approx((low, high), abs=5e-5)


def label(text: str, part: str, *classes: str, optional: bool = False) -> Label:
    start, end = span(text, part)
    return Label(classes, (start, end), optional)


def finding(text: str, part: str, cls: str, value: str | None = None) -> Finding:
    start, end = span(text, part)
    return Finding(cls, value or part, ((start, end),), start)


def test_what_counts_as_the_same() -> None:
    text = "Keep it below 5 MB, says notes/plan.md of 3 May 2026 (ticket #77): keep it small and keep it whole."
    rule = label(text, "Keep it below 5 MB", "constraint")
    assert is_same(rule, text, finding(text, "Keep it below 5 MB, says notes/plan.md", "constraint"))
    assert not is_same(rule, text, finding(text, "keep it small and keep it whole.", "constraint"))
    assert not is_same(rule, text, finding(text, "Keep it below 5 MB", "decision"))
    size = label(text, "5 MB", "number")
    assert is_same(size, text, finding(text, "5", "number", "size 5 MB"))
    assert not is_same(size, text, finding(text, "77", "number", "77"))
    path = label(text, "notes/plan.md", "path")
    assert is_same(path, text, finding(text, "plan.md", "path"))
    assert not is_same(path, text, Finding("path", "plan.txt", (), -1))
    day = label(text, "3 May 2026", "date")
    assert is_same(day, text, Finding("date", "2026-05-03", (), -1))
    assert not is_same(day, text, Finding("date", "2026-05-04", (), -1))
    ticket = label(text, "#77", "number", "id")
    assert is_same(ticket, text, finding(text, "#77", "id"))


def test_an_optional_label_excuses_what_lies_in_it() -> None:
    text = "The sheet: north_gate, south_gate."
    names = label(text, "north_gate, south_gate", "symbol", optional=True)
    assert is_excused(names, text, finding(text, "north_gate", "symbol"))
    assert not is_excused(names, text, finding(text, "north_gate", "path"))
    anything = label(text, "north_gate", ANY, optional=True)
    assert is_excused(anything, text, finding(text, "north_gate", "path"))
    assert not is_excused(anything, text, finding(text, text, "constraint"))


def test_labels_in_the_project_are_sound() -> None:
    labels = read_labels()
    assert {place.half for place in labels.places} == {"open", "locked"}
    sessions: dict[tuple[str, object], set[str]] = {}
    for each in labels.places:
        several = each.record < 0 and isinstance(each.pointer[0], int)
        sessions.setdefault((each.file, each.pointer[0] if several else 0), set()).add(each.half)
        for one in each.labels:
            assert each.window[0] <= one.span[0] < one.span[1] <= each.window[1]
            assert set(one.classes) <= {*NAMES, ANY}
            assert one.optional or ANY not in one.classes
    assert all(len(halves) == 1 for halves in sessions.values())
    texts = [(each.sha256, each.half) for each in labels.places]
    assert len({sha256 for sha256, _ in texts}) == len(set(texts))


def test_a_sample_is_drawn_the_same_again(recording: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = recording
    monkeypatch.setattr(facts_sample, "SHORTEST", 5)
    units = list(facts_sample.frame({"coding": [folder]}))
    assert [(unit.slot, unit.text.split("\n")[0]) for unit in units] == [
        ("typed", TYPED),
        ("said", "I look."),
        ("call", "Read"),
        ("failed", FAILURE),
    ]
    assert list(facts_sample.draw(units, 7)) == list(facts_sample.draw(units, 7))
    text = "".join(f"line {number} of a long text\n" for number in range(200))
    start, end = facts_sample.window(text, 300, random.Random(3))
    assert 100 < end - start <= 300
    assert start == 0 or text[start - 1] == "\n"
