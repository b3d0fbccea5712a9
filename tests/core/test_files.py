"""Files of the program's own: written whole or not at all, over nothing unasked, and private to their owner."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.core.text.files import (
    is_stream,
    make_private_file,
    make_private_folder,
    restrict_permissions,
    stage_file,
    write_whole,
)

POSIX = pytest.mark.skipif(os.name == "nt", reason="permissions and pipes work differently there")


@pytest.fixture(params=[0o000, 0o022, 0o177], ids=oct)
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@POSIX
@pytest.mark.usefixtures("_umask")
def test_what_is_written_is_private_whatever_the_umask(tmp_path: Path) -> None:
    write_whole(tmp_path / "new.json", "{}")
    shared = tmp_path / "shared.json"
    shared.write_text("old")
    shared.chmod(0o644)
    write_whole(shared, "new")
    make_private_file(tmp_path / "empty")
    make_private_folder(tmp_path / "a" / "b")
    assert [mode(tmp_path / name) for name in ("new.json", "shared.json", "empty")] == [0o600] * 3
    assert [mode(tmp_path / name) for name in ("a", "a/b")] == [0o700] * 2
    assert shared.read_text() == "new"


@POSIX
def test_tightening_takes_away_what_others_may_do_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    file.chmod(0o754)
    assert restrict_permissions(file) and mode(file) == 0o700
    assert not restrict_permissions(file) and not restrict_permissions(tmp_path / "nothing")


def test_a_file_with_content_is_not_replaced_unless_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        write_whole(path, "yours", replace=False)
    assert path.read_text() == "mine"
    write_whole(path, "yours")
    assert path.read_text() == "yours"
    path.write_text("")
    write_whole(path, "into an empty file", replace=False)
    assert path.read_text() == "into an empty file"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_came_while_it_was_being_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    with pytest.raises(FileExistsError), stage_file(path, "ours", replace=False):
        path.write_text("another program's")
    assert path.read_text() == "another program's"
    assert list(tmp_path.iterdir()) == [path]


def test_a_block_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), stage_file(path, "new"):
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_also_to_where_nothing_is_yet(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    link.symlink_to(real)
    for text in ("first", "second"):
        write_whole(link, text)
        assert (link.is_symlink(), real.read_text()) == (True, text)


@POSIX
def test_pipes_and_devices_are_written_to(tmp_path: Path) -> None:
    write_whole(Path(os.devnull), "gone", replace=False)
    pipe, seen = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: seen.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "through a pipe", replace=False)
    reader.join(10)
    assert seen == ["through a pipe"]
    assert is_stream(pipe) and stat.S_ISFIFO(pipe.stat().st_mode)


@POSIX
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_is_gone_on_with_and_not_begun_anew(tmp_path: Path, name: str) -> None:
    out = tmp_path / "all.txt"
    out.write_text("before\n")
    code = "import sys; from pathlib import Path; from inspector.core.text.files import write_whole; "
    code += "print('said', flush=True); "
    code += "write_whole(Path(sys.argv[1]), 'written\\n', replace=False); print('said again')"
    with out.open("a") as file:
        subprocess.run([sys.executable, "-c", code, name], stdout=file, check=True)
    assert out.read_text() == "before\nsaid\nwritten\nsaid again\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full, the disk that is always full")
def test_a_full_device_is_an_error() -> None:
    with pytest.raises(OSError, match="No space left"):
        write_whole(Path("/dev/full"), "text", replace=False)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, "text")
