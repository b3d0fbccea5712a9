"""Archives of recordings, zip and tar: each file in them is a recording of its own, and nothing goes past a bound."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from inspector.formats import UnreadableError, is_log, load
from tests.formats.samples import SAMPLES

CODEX = "".join(f"{json.dumps(record)}\n" for record in SAMPLES["codex"])
CLAUDE = "".join(f"{json.dumps(record)}\n" for record in SAMPLES["claude-code"])
TWO = {"./rollout.jsonl": CODEX, f"{'deep/' * 40}claude.jsonl": CLAUDE}


def tar(members: dict[str, str], form: int = tarfile.PAX_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for name, text in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("link.jsonl")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return file.getvalue()


def packed(members: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def refusal(path: Path) -> str:
    with pytest.raises(UnreadableError) as caught:
        load(path)
    return str(caught.value)


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_each_file_of_a_tar_archive_gives_its_sessions(tmp_path: Path, form: int, pack: type[bytes]) -> None:
    path = tmp_path / "x"
    path.write_bytes(pack(tar(TWO, form)))
    sessions = load(path)
    assert [(one.format, one.line, len(one.messages)) for one in sessions] == [("codex", 1, 2), ("claude-code", 2, 2)]
    assert not any(one.problems for one in sessions)
    assert is_log(path)


def test_each_file_of_a_zip_archive_gives_its_sessions_and_the_others_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    others = {"./._rollout.jsonl": "x", "__MACOSX/a.jsonl": "x", "pictures/a.png": "x", "settings.json": "{"}
    broken = {"again.jsonl": CODEX + "{\n"}
    path.write_bytes(packed(others | TWO | broken))
    sessions = load(path)
    assert [(one.format, one.id) for one in sessions] == [("codex", "s1"), ("claude-code", "s1-2"), ("codex", "s1-3")]
    assert "1 file in the archive contains no conversation that can be read: settings.json" in map(
        str, sessions[0].problems
    )
    assert str(sessions[2].problems[0]).startswith("again.jsonl, line 4: ")


def test_a_file_that_belongs_to_another_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(packed({"p/s1.jsonl": CLAUDE, "p/s1/subagents/agent-a.jsonl": CLAUDE}))
    (session,) = load(path)
    assert (
        "1 file in the archive belongs to another, which is read without it: unpack the archive, and open the folder"
        in map(str, session.problems)
    )


def test_an_archive_without_a_conversation_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(tar({"a.json": "{", "b.json": "1"}))
    assert "an archive with the files a.json, b.json, none of which has a conversation" in refusal(path)


def test_what_is_cut_off_a_tar_archive_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    whole = tar(TWO)
    path.write_bytes(whole[: 512 + len(CODEX) - 10])
    (session,) = load(path)
    assert "the tar archive ends in the middle of ./rollout.jsonl" in map(str, session.problems)
    path.write_bytes(whole[:1024] + b"\xff" * 512)
    (session,) = load(path)
    assert "the tar archive is damaged; only the files before could be read" in map(str, session.problems)
    path.write_bytes(whole[:124] + b"no number   " + whole[136:])
    assert refusal(path) == f"{path} is an archive, and it is damaged: choose another file."


def test_tar_archives_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.tar.gz"
    path.write_bytes(gzip.compress(tar(TWO)))
    monkeypatch.setenv("INSPECTOR_LIMIT_UNPACKED", str(len(tar(TWO)) + 1))
    assert "is a tar archive of more than " in refusal(path)
    path.write_bytes(tar(TWO))
    monkeypatch.setenv("INSPECTOR_LIMIT_UNPACKED", str(len(CODEX) + 1))
    (session,) = load(path)
    assert any("deep/claude.jsonl" in str(problem) for problem in session.problems)
