"""`inspector export`, and every file that a command writes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.library import EXPORT_FORMS
from tests.cli.calling import chat, inspect, transcript, written
from tests.places import ROOT
from tests.provider_rules import check_anthropic, check_openai
from tests.responses_rules import check_responses

CHECKS = {"openai": check_openai, "openai-responses": check_responses, "anthropic": check_anthropic}


@pytest.mark.parametrize("to", CHECKS)
@pytest.mark.parametrize("turn", [1, 4, 14])
def test_what_is_printed_is_a_request_that_the_provider_takes(log: Path, to: str, turn: int) -> None:
    request = inspect("export", log, "--to", to, "--turn", turn).json
    assert CHECKS[to](request) == []


def test_a_context_keeps_its_own_form_word_for_word(log: Path) -> None:
    assert inspect("export", log).json == chat()


@pytest.mark.parametrize("to", CHECKS)
def test_a_transcript_becomes_a_request_for_any_provider(tmp_path: Path, to: str) -> None:
    request = inspect("export", written(tmp_path / "agent.jsonl", transcript()), "--to", to).json
    assert CHECKS[to](request) == []


def test_json_counts_what_is_sent_in_every_form(log: Path) -> None:
    counts = {to: inspect("export", log, "--to", to, "--json").json["messages"] for to in CHECKS}
    assert counts["openai"] == 28
    assert counts["openai-responses"] == 39  # each of the 12 calls is an item of its own, and the prompt is none
    assert counts["anthropic"] == 27


def test_a_strategy_is_seen_through(log: Path) -> None:
    whole = inspect("export", log).json
    few = inspect("export", log, "--strategy", "deletion", "--set", "keep_recent=2").json
    assert len(few["messages"]) < len(whole["messages"])
    assert check_openai(few) == []


def test_a_file_holds_what_would_have_been_printed(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "request.json"
    ended = inspect("export", log, "--out", out)
    assert (ended.code, ended.out) == (0, "")
    assert out.read_text() == inspect("export", log).out


def test_json_tells_what_was_written_and_where(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "request.json"
    assert inspect("export", log, "--to", "openai", "--out", out, "--json").json == {
        "version": 1,
        "to": "openai",
        "messages": 28,
        "out": str(out),
        "files": [str(out), str(tmp_path / "request.inspector.json")],
        "notes": [],
        "redactions": [],
        "redaction_kinds": {"searched": [], "unsearched": []},
    }
    printed = inspect("export", log, "--json").json
    assert (printed["to"], printed["messages"], printed["out"]) == ("openai", 28, None)
    assert printed["request"] == chat()


def test_a_companion_stands_beside_the_request_for_nobody_but_its_owner(log: Path, tmp_path: Path) -> None:
    out, beside = tmp_path / "request.json", tmp_path / "request.inspector.json"
    assert inspect("export", log, "--out", out).err.endswith(f"Written: {out} and {beside}\n")
    assert beside.stat().st_mode & 0o777 == 0o600
    assert inspect("export", log, "--to", "anthropic", "--out", out).code == 0
    assert json.loads(beside.read_text())["request"]["provider"] == "anthropic"
    beside.write_text("theirs")
    ended = inspect("export", log, "--out", out)
    assert (ended.code, ended.err) == (
        2,
        f"{beside} exists: name another file with --out, or replace it with --force.\n",
    )
    assert inspect("compress", log, "--strategy", "fifo", "--out", out, "--force").code == 0
    assert json.loads(beside.read_text())["request"]["provider"] == "openai"


def test_no_companion_is_written_where_none_is_wanted_or_nothing_stands_beside(tmp_path: Path) -> None:
    log = written(tmp_path / "agent.jsonl", transcript())
    alone = tmp_path / "alone.json"
    ended = inspect("export", log, "--out", alone, "--no-companion", "--json").json
    assert ended["files"] == [str(alone)]
    assert not (tmp_path / "alone.inspector.json").exists()
    printed = inspect("export", log, "--json").json
    assert printed["files"] == []
    for notes in (ended["notes"], printed["notes"]):
        assert any("are unrecorded" in note for note in notes)
        assert notes[-1] == "A file that is written with its sidecar keeps it."
    kept = inspect("export", log, "--out", tmp_path / "kept.json", "--json").json["notes"]
    assert not any("unrecorded. The request does not contain" in note for note in kept)


def test_an_exported_transcript_is_as_large_when_it_is_opened_again(tmp_path: Path) -> None:
    log = written(tmp_path / "agent.jsonl", transcript(turns=8))
    out = tmp_path / "request.json"
    inspect("export", log, "--to", "anthropic", "--out", out)
    before, after = (inspect("show", file, "--json").json for file in (log, out))
    assert abs(before["window"]["total"] - after["window"]["total"]) <= 2
    assert inspect("check", out, "--provider", "anthropic").code == 0
    (tmp_path / "request.inspector.json").write_text("{}")
    assert "it is not a sidecar written by Inspector" in inspect("show", out).out + inspect("check", out).out


def test_a_session_is_never_written_over_by_what_comes_out_of_it(log: Path, tmp_path: Path) -> None:
    before = log.read_bytes()
    linked, hard = tmp_path / "link.json", tmp_path / "hard.json"
    linked.symlink_to(log)
    os.link(log, hard)
    for out in (log, linked, hard, tmp_path / "." / "log.json"):
        for command in (["export"], ["compress", "--strategy", "fifo"]):
            ended = inspect(command[0], log, *command[1:], "--out", out)
            assert ended.code == 2
            assert "which is never overwritten" in ended.err
    assert log.read_bytes() == before


def test_a_stored_session_knows_its_source_too(log: Path) -> None:
    (session,) = inspect("import", log, "--json").json["sessions"]
    before = log.read_bytes()
    assert inspect("export", session["id"], "--out", log).code == 2
    assert log.read_bytes() == before


def test_a_place_that_cannot_be_written_is_one_sentence(log: Path, tmp_path: Path) -> None:
    ended = inspect("export", log, "--out", tmp_path / "nowhere" / "request.json")
    assert (ended.code, ended.out) == (1, "")
    assert "nowhere/request.json (No such file or directory): name another" in ended.err


def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    out = written(folder / "request.json", {"old": True})

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))

    command = [sys.executable, "-B", "-m", "inspector", "export", str(log), "--out", str(out), "--force"]
    ended = subprocess.run(command, cwd=ROOT, preexec_fn=small_files, capture_output=True, check=False)
    assert ended.returncode == 1
    assert f"Cannot write {out} (File too large): name another file with --out.\n" in ended.stderr.decode()
    assert ended.stdout == b""
    assert json.loads(out.read_text()) == {"old": True}
    assert list(folder.iterdir()) == [out]


def test_what_the_export_puts_right_is_said(tmp_path: Path) -> None:
    request = chat(2)
    del request["messages"][2]
    ended = inspect("export", written(tmp_path / "broken.json", request))
    assert ended.code == 0
    assert check_openai(ended.json) == []
    assert ended.err.startswith("Repaired in the request: ")


@pytest.mark.parametrize("companion", [(), ("--no-companion",)])
def test_compress_says_of_the_request_what_export_says(companion: tuple[str, ...], tmp_path: Path) -> None:
    log = written(tmp_path / "agent.jsonl", transcript())
    out, other = tmp_path / "request.json", tmp_path / "other.json"
    options = ("--strategy", "fifo", "--to", "openai", *companion)
    expected = inspect("export", log, *options, "--out", other, "--json").json["notes"]
    assert expected
    ended = inspect("compress", log, *options, "--out", out)
    files = [out] if companion else [out, tmp_path / "request.inspector.json"]
    assert ended.err.splitlines() == [*expected, f"Written: {' and '.join(map(str, files))}"]
    output = inspect("compress", log, *options, "--out", out, "--json").json
    assert (output["notes"], output["files"]) == (expected, list(map(str, files)))
    nothing = inspect("compress", log, "--strategy", "fifo", "--json").json
    assert (nothing["notes"], nothing["files"]) == ([], [])


def test_requests_of_like_names_have_companions_of_their_own(log: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "agent.jsonl", transcript())
    names = ["r", "r.json", "r.txt", "r.txt.json"]
    for name, source in zip(names, [log, other, log, other], strict=True):
        assert inspect("export", source, "--out", tmp_path / name).code == 0
    for name, source in zip(names, [log, other, log, other], strict=True):
        totals = [inspect("show", file, "--json").json["window"]["total"] for file in (source, tmp_path / name)]
        assert abs(totals[0] - totals[1]) <= 2
        assert not any("was left out" in line for line in inspect("show", tmp_path / name).out.splitlines())
    (tmp_path / "r.inspector").rename(tmp_path / "r.inspector.json")
    (tmp_path / "r.json").unlink()
    shown = inspect("show", tmp_path / "r", "--json").json
    assert shown["session"]["title"] == inspect("show", log, "--json").json["session"]["title"]


def test_a_companion_of_what_was_replaced_goes_with_it(log: Path, tmp_path: Path) -> None:
    out, beside = tmp_path / "request.json", tmp_path / "request.inspector.json"
    for command in (["export"], ["compress", "--strategy", "fifo"]):
        assert inspect("export", log, "--out", out).code == 0
        assert beside.exists()
        assert inspect(command[0], log, *command[1:], "--out", out, "--no-companion").code == 0
        assert not beside.exists()
    beside.write_text("theirs")
    assert inspect("export", log, "--out", out, "--no-companion").code == 0
    assert beside.read_text() == "theirs"


def test_the_companion_of_a_session_is_never_written_over(log: Path, tmp_path: Path) -> None:
    out, beside = tmp_path / "request.json", tmp_path / "request.inspector.json"
    inspect("export", log, "--out", out)
    before = beside.read_bytes()
    for force in ((), ("--force",)):
        ended = inspect("export", out, "--out", beside, *force)
        assert (ended.code, ended.err) == (
            2,
            f"{beside} belongs to the session itself, which is never overwritten: name another file with --out.\n",
        )
    assert beside.read_bytes() == before


def test_an_export_that_was_imported_is_written_over_no_more(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "request.json"
    other = written(tmp_path / "agent.jsonl", transcript())
    inspect("export", log, "--out", out)
    inspect("import", out)
    before = out.read_bytes()
    for path in (out, tmp_path / "request.inspector.json"):
        ended = inspect("export", other, "--out", path, "--force")
        assert (ended.code, "is a recorded log, which is never overwritten" in ended.err) == (2, True)
    assert out.read_bytes() == before


def test_a_companion_is_refused_as_a_session_and_not_listed(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    out, beside = folder / "request.json", folder / "request.inspector.json"
    inspect("export", log, "--out", out)
    said = f"{beside} is the sidecar that Inspector keeps next to {out}: open that."
    for command in ("show", "check", "import"):
        ended = inspect(command, beside)
        assert (ended.code, ended.err.strip()) == (1, said)
    renamed = folder / "notes.json"
    renamed.write_bytes(beside.read_bytes())
    assert (
        f"{renamed} is the sidecar that Inspector keeps next to an exported request: open that."
        in inspect("show", renamed).err
    )
    renamed.unlink()
    out.unlink()
    assert inspect("import", folder, "--json").json["sessions"] == []
    assert "contain no conversation" not in inspect("import", folder).err


@pytest.mark.parametrize("to", ["atif", "open-telemetry", "markdown", "claude-code"])
def test_another_form_is_printed_written_and_opened_again(log: Path, tmp_path: Path, to: str) -> None:
    printed = inspect("export", log, "--to", to)
    output = inspect("export", log, "--to", to, "--json").json
    assert output["text"] == printed.out and "request" not in output
    assert output["notes"] == [line for line in printed.err.splitlines() if line] and output["messages"] == 28
    out = tmp_path / f"conversation-{to}"
    assert inspect("export", log, "--to", to, "--out", out, "--json").json["files"] == [str(out)]
    assert out.read_text() == printed.out
    again = inspect("show", out, "--json").json
    assert again["session"]["format"] == to
    assert len(again["messages"]) == 28 - (to == "claude-code")  # which has no system prompt


CHOICES = {
    "preset": ("--preset", "aggressive", "--force", "--set", "keep_recent=2"),
    "stages": ("--stage", "trim_outputs longest=100", "--stage", "sliding_window keep_recent=2", "--set", "target=500"),
    "strategy": ("--strategy", "sliding_window", "--set", "keep_recent=4"),
}


@pytest.mark.parametrize("to", EXPORT_FORMS)
@pytest.mark.parametrize("choice", CHOICES)
def test_every_form_is_written_as_any_choice_makes_it(to: str, choice: str, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "x"
    out.parent.mkdir()
    planned = inspect("compress", log, *CHOICES[choice], "--json").json
    told = inspect("export", log, "--to", to, *CHOICES[choice], "--out", out, "--json").json
    assert planned["after"]["messages"] < planned["before"]["messages"]
    if to not in CHECKS:  # requests have other items
        assert told["messages"] == planned["after"]["messages"]
    again, whole = inspect("show", out, "--json").json, inspect("show", log, "--json").json
    assert again["window"]["total"] < 0.9 * whole["window"]["total"]


def test_a_preset_leaves_an_export_alone_below_its_threshold_and_says_so(log: Path) -> None:
    whole, alone = inspect("export", log), inspect("export", log, "--preset", "conservative")
    assert alone.out == whole.out
    assert "The preset conservative does not compress" in alone.err
    assert "--force compresses anyway." in alone.err
    assert inspect("export", log, *CHOICES["preset"]).out != whole.out
    both = inspect("export", log, "--preset", "conservative", "--stage", "fifo")
    assert both.code == 2 and "cannot be combined with --strategy or --stage" in both.err
