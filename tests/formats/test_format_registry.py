"""Files are told apart by content; what cannot be read is refused in one plain sentence, what can be is."""

from __future__ import annotations

import gc
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from inspector.formats import FORMATS, UnreadableError, load
from inspector.formats.format_table import FORMAT_TABLE
from inspector.llm.providers import DIALECTS, count_characters
from tests.drawn import RECORDS
from tests.formats.written import Scribe, only, texts, write_json, write_lines
from tests.places import SESSIONS

CHAT = {"messages": [{"role": "user", "content": "grüße 漢字"}]}


READERS_AFTER_SHOW = """
import sys
from inspector.cli import main
sys.argv = ["inspector", "show", sys.argv[1]]
try:
    main()
finally:
    print(*(name for name in sys.modules if name.startswith("inspector.formats.readers.")), sep="\\n", file=sys.stderr)
"""


def test_only_the_readers_that_may_know_a_file_are_imported() -> None:
    command = [sys.executable, "-c", READERS_AFTER_SHOW, str(SESSIONS / "coding-agent.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = {entry.target.partition(":")[0]: name for name, entry in FORMAT_TABLE.items()}
    readers = {modules[line] for line in done.stderr.splitlines() if line in modules}
    assert readers == {"claude-code"} and done.stdout


def test_a_wire_format_has_its_format_of_recorded_requests() -> None:
    assert set(DIALECTS) <= FORMAT_TABLE.keys()


def refusal(path: Path) -> UnreadableError:
    with pytest.raises(UnreadableError) as error:
        load(path)
    assert str(path) in str(error.value) and "\n" not in str(error.value)
    return error.value


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b" \n\n\t", "is empty"),
        (b"\0" * 50, "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        ("".encode("utf-16"), "is empty"),
        (b"SQLite format 3\0....", "is a damaged SQLite database"),
        (b"PK\x03\x04....", "is an archive, and it is damaged"),
        (b"\x1f\x8b....", "is a damaged gzip archive"),
        (gzip.compress(b" \n", mtime=0), "is empty"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "is binary data"),
        (b"Dear diary,\ntoday", "is text without a conversation (line 1 is no JSON)"),
        (b"<html><p>hi</p></html>", "is a page of HTML or XML without a conversation"),
        (b'{"messages": [}', "at line 1 it is not JSON"),
        (b'"hello"', "contains a single JSON string"),
        (b"42", "contains a single JSON number"),
        (b"null", "contains a single JSON null"),
        (b"[]", "holds a JSON list with nothing in it"),
        (b"{}", "holds a JSON object, which is not a supported format"),
        (b'["a", "b"]', "holds a JSON list of strings"),
        (b'{"kind": 1, "x": 2}\n{"kind": 2}\n', "holds JSON lines of objects with the fields kind, x"),
        (b'{"messages": []}', "not a supported format"),
        (b'{"messages": [1, 2]}', "not a supported format"),
        pytest.param(b"[" * 100_000, "it is cut off", id="brackets"),
        pytest.param(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "holds a JSON object with the fields a", id="braces"),
    ],
)
def test_what_is_no_conversation_is_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    assert sentence in str(refusal(path))


def test_the_refusal_of_an_unknown_format_names_those_that_are_known(tmp_path: Path) -> None:
    assert "run inspector formats" in str(refusal(write_json(tmp_path / "x", {"a": 1})))


@pytest.mark.parametrize(("record", "name"), [({"parentUuid": 1}, "claude-code"), ({"qa": [], "x": 1}, "locomo")])
def test_the_refusal_names_the_format_that_is_nearest(tmp_path: Path, record: Any, name: str) -> None:
    assert f"nearest format is {FORMATS[name].title} (" in str(refusal(write_json(tmp_path / "x", record)))


def test_a_refusal_repeats_nothing_that_could_steer_a_terminal(tmp_path: Path) -> None:
    assert "\x1b" not in str(refusal(write_json(tmp_path / "x", {"\x1b[2J\n" + "y" * 99: 1})))


def test_the_search_for_garbage_goes_on_after_reading(tmp_path: Path) -> None:
    load(write_json(tmp_path / "x", CHAT))
    assert gc.isenabled()
    with pytest.raises(UnreadableError):
        load(write_json(tmp_path / "y", {"messages": [{"role": "user"}]}))
    assert gc.isenabled()


def test_broken_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{\n"a": "b",\n"c": oops\n}')
    assert refusal(path).line == 3


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    assert "does not exist" in str(refusal(tmp_path / "nowhere"))
    assert "is a folder" in str(refusal(tmp_path))
    assert "does not exist" in str(refusal(write_json(tmp_path / "file", CHAT) / "below"))
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in str(refusal(tmp_path / "pipe"))
    with pytest.raises(UnreadableError, match="is not the name of a file"):
        load("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission_are_refused(tmp_path: Path) -> None:
    path = write_json(tmp_path / "x", CHAT)
    path.chmod(0)
    assert "may not be read by you" in str(refusal(path))


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(CHAT).encode(),
        json.dumps(CHAT, ensure_ascii=False).encode(),
        b"\xef\xbb\xbf" + json.dumps(CHAT).encode(),
        b"\n\r\n  \n" + json.dumps(CHAT, indent=2).replace("\n", "\r\n").encode(),
        json.dumps(CHAT, indent=2, ensure_ascii=False).encode("utf-16"),
        json.dumps(CHAT, ensure_ascii=False).encode("utf-32"),
        json.dumps(json.dumps(json.dumps(CHAT))).encode(),
        json.dumps(CHAT).encode() + b"\n\0\0\0\0",
        (json.dumps(CHAT["messages"][0], ensure_ascii=False) + "\r\n").encode() * 2,
        b"\xef\xbb\xbf\n" + (json.dumps(CHAT["messages"][0]) + "\n\n").encode() * 2,
    ],
)
def test_the_name_and_the_encoding_do_not_matter(tmp_path: Path, data: bytes) -> None:
    for name in ("x.jsonl", "x.json", "x"):
        path = tmp_path / name
        path.write_bytes(data)
        assert texts(only(path))[0] == "grüße 漢字"


def test_transcripts_in_another_encoding_are_read_again_from_memory(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.ask("u1", "grüße")
    scribe.ask("u2", "漢字")
    path = scribe.write(tmp_path / "x")
    path.write_bytes("\r\n".join(json.dumps(r, ensure_ascii=False) for r in scribe.records).encode("utf-16"))
    session = only(path)
    path.unlink()
    assert texts(session) == ["grüße", "漢字"]


def test_broken_characters_are_shown_as_such_and_told(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.ask("u1", "caf?")
    scribe.ask("u2", "fine")
    path = scribe.write(tmp_path / "x")
    path.write_bytes(path.read_bytes().replace(b"?", b"\xe9"))
    session = only(path)
    assert texts(session) == ["caf\ufffd", "fine"]
    assert [problem.line for problem in session.problems] == [1]
    assert "not valid UTF-8" in session.problems[0].text


def test_half_surrogates_numbers_without_end_and_raw_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "x"
    lines = ['"a \\ud83d b \\ud83d\\ude00"', '["tab\there", NaN, 1e999]', "1" * 5000]
    path.write_text("".join(f'{{"role": "user", "content": {content}}}\n' for content in lines))
    session = only(path)
    assert session.messages[0].text == "a \ufffd b 😀"
    assert session.messages[1].text == "tab\there\n\nnull\n\nnull"
    assert "number that is too long" in session.problems[0].text


def test_lines_that_were_zeroed_in_a_crash_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    line = json.dumps({"role": "user", "content": "hi"}).encode()
    path.write_bytes(line + b"\n" + b"\0" * 400 + b"\n" + b"\0" * 30 + line + b"\n")
    session = only(path)
    assert texts(session) == ["hi", "hi"]
    assert [problem.line for problem in session.problems] == [2, 3]
    assert "400 zero bytes" in session.problems[0].text and "30 zero bytes" in session.problems[1].text


def test_a_bomb_on_one_line_is_a_problem_and_the_rest_is_read(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.ask("u1", "Go.")
    path = scribe.write(tmp_path / "x")
    deep = '{"type":"user","uuid":"u2","message":{"role":"user","content":%s}}\n'
    result = '{"type":"tool_result","content":['
    with path.open("a") as file:
        file.write(deep % ("[" * 60_000 + "]" * 60_000))
        file.write(deep % ("[" * 900 + "]" * 900))
        file.write(deep % ("[" + result * 450 + "]}" * 450 + "]"))
    session = only(path)
    assert [problem.line for problem in session.problems] == [2]
    assert all(sum(map(count_characters, m.parts)) == m.chars for m in session)


@pytest.mark.parametrize("indent", [None, 1])
def test_of_json_that_breaks_off_all_that_is_whole_is_read(tmp_path: Path, indent: int | None) -> None:
    runs = [{"task_id": n, "trial": 0, "traj": [{"role": "user", "content": 'a " ] }'}] * 3} for n in range(4)]
    path = tmp_path / "x"
    path.write_text(json.dumps(runs, indent=indent)[:-30])
    sessions = load(path)
    assert [len(session.messages) for session in sessions] == [3, 3, 3, 2]
    assert "only the part before the damage could be read: it is cut off" in str(sessions[0].problems[0])


def test_a_request_that_breaks_off_keeps_its_whole_messages(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{"model": "m", "messages": [{"role": "user", "content": "hi"}, {"role": "assist')
    assert texts(only(path)) == ["hi"]


def test_a_bracket_in_a_string_that_is_broken_closes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(r'[{"role": "user", "content": "hi"}, {"role": "user", "content": "a \" } ] \q"}]')
    assert texts(only(path)) == ["hi"]


def test_a_first_line_that_is_broken_does_not_hide_the_others(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x", [{"role": "user", "content": "hi"}] * 2)
    path.write_text("e is cut\n" + path.read_text())
    session = only(path)
    assert texts(session) == ["hi", "hi"]
    assert session.problems[0].line == 1


QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUIET
@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    try:
        load(path)
    except UnreadableError as error:
        assert str(path) in str(error)


@QUIET
@given(st.lists(RECORDS, min_size=1, max_size=9), st.booleans(), st.integers(0, 6))
def test_any_records_give_a_sound_log_or_are_refused(tmp_path: Path, records: list[Any], lines: bool, cut: int) -> None:
    path = tmp_path / "x"
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    path.write_text(text[: len(text) - cut])
    try:
        sessions = load(path)
    except UnreadableError:
        return
    for session in sessions:
        assert len({message.id for message in session}) == len(session.messages)
        for position, message in enumerate(session):
            assert -1 <= message.parent < position
            assert sum(map(count_characters, message.parts)) == message.chars
            assert isinstance(message.record, dict) and isinstance(message.text, str)


LINES = [{"role": "user", "content": "Is the lamp\nlit?"}, {"role": "assistant", "content": "It is."}]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n".join(json.dumps(line, indent=2) for line in LINES), id="indented"),
        pytest.param("".join(map(json.dumps, LINES)), id="without a space"),
        pytest.param("\r".join(map(json.dumps, LINES)), id="carriage returns"),
        pytest.param("".join(f"\x1e{json.dumps(line)}\n" for line in LINES), id="RFC 7464"),
    ],
)
def test_values_behind_one_another_are_read_as_json_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    session = only(path)
    assert [message.text for message in session] == ["Is the lamp\nlit?", "It is."]
    assert session.problems == ()


def test_what_is_broken_among_values_is_left_out_with_its_line(tmp_path: Path) -> None:
    first, second = (json.dumps(line, indent=2) for line in LINES)
    path = tmp_path / "x.json"
    path.write_text(f'{first}\n{{"role": "user", "content": oh\n}}\n{second}\n')
    session = only(path)
    assert [message.text for message in session] == ["Is the lamp\nlit?", "It is."]
    assert [problem.line for problem in session.problems] == [5]


def test_a_truncated_gzip_archive_gives_what_stands_before(tmp_path: Path) -> None:
    lines = [json.dumps({"role": "user", "content": f"{number} {number**9}"}) for number in range(4_000)]
    packed = gzip.compress("\n".join(lines).encode())
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])
    session = only(path)
    assert 500 < len(session.messages) < 4_000
    assert session.messages[7].text == f"7 {7**9}"
    assert "the gzip archive is damaged" in str(session.problems[0])
    path.write_bytes(packed[:30] + packed)
    assert "damaged gzip archive" in str(refusal(path)) or only(path).problems


def test_archives_behind_one_another_are_one_text(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(b"".join(gzip.compress(f"{json.dumps(line)}\n".encode()) for line in LINES))
    assert len(only(path).messages) == 2


def test_the_one_file_in_a_zip_archive_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("lamp.jsonl", "\n".join(map(json.dumps, LINES)))
    assert len(only(path).messages) == 2
    with ZipFile(path, "a") as archive:
        archive.writestr("notes.txt", "nothing")
    assert len(only(path).messages) == 2


@pytest.mark.parametrize(
    ("name", "kind"), [("x.md", "Markdown"), ("x.csv", "a table"), ("x.yaml", "YAML"), ("x", "text")]
)
def test_text_is_refused_by_what_it_is(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / name
    path.write_text("lamp: 3\n")
    assert f"{name} is {kind} without a conversation" in str(refusal(path))


def test_further_answers_failures_and_rejected_answers_are_said(tmp_path: Path) -> None:
    request = {"model": "gpt-4o", "messages": LINES[:1]}
    choices = [{"message": LINES[1]}, {"message": {"role": "assistant", "content": "No."}}]
    rows = [
        {"request": request, "response": response} for response in ({"choices": choices}, {"error": {"message": "429"}})
    ]
    sessions = load(write_lines(tmp_path / "log.jsonl", rows))
    assert [str(problem) for problem in sessions[0].problems] == [
        "line 1: of its 2 answers the first is shown",
        "line 2: the request failed: 429",
    ]
    turn = {"from": "gpt", "value": "It is."}
    ranked = {
        "conversations": [{"from": "human", "value": "Lit?"}],
        "chosen": turn,
        "rejected": {"from": "gpt", "value": "No"},
    }
    session = only(write_json(tmp_path / "dpo.json", [ranked]))
    assert [message.text for message in session] == ["Lit?", "It is."]
    assert "the chosen answer is shown" in str(session.problems[0])


def test_one_common_word_among_others_makes_nothing_near(tmp_path: Path) -> None:
    record = {"level": "info", "msg": "lit", "time": "10:00", "status": 200}
    assert "nearest" not in str(refusal(write_json(tmp_path / "x", record)))
