"""Read a session from standard input when a path is `-`. The input is kept in a private file until the command ends.

`-#2` is its second session. Output names the file `-`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import BinaryIO

from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.interrupts import LastWork
from inspector.cli.output import is_terminal, name_path

_WORD = "-"
_NUMBERED = re.compile(r"-(#\d{1,9})?")
_NAME = "standard-input"
_LARGEST = 1 << 30
"""Maximum bytes to read, as for a decompressed file."""
_STEP = 1 << 20
_NO_PATHS = ("--out", "--db")
"""Options whose value is never a path to read."""


@contextmanager
def with_standard_input(words: Sequence[str]) -> Iterator[list[str]]:
    """Return a command line with each `-` replaced by a file. Standard input is read once, before the command runs.

    Raises UsageError if standard input is a terminal, and CommandError if it is empty, too long or cannot be read.
    """
    end = words.index("--") if "--" in words else len(words)
    places = {
        place
        for place, word in enumerate(words[:end])
        if _NUMBERED.fullmatch(word) and (place == 0 or words[place - 1] not in _NO_PATHS)
    }
    if not places:
        yield list(words)
        return
    if sys.stdin is None or is_terminal(sys.stdin):
        raise UsageError("Standard input is a terminal. Pipe a file into it, as in: cat FILE | inspector show -.")
    folder = mkdtemp(prefix="inspector-")
    with LastWork(partial(rmtree, folder, ignore_errors=True)):
        path = Path(folder, _NAME)
        _keep(sys.stdin.buffer, path)
        name_path(str(path), _WORD)
        from inspector.library import TRANSIENT

        TRANSIENT.add(str(path))
        yield [f"{path}{word.removeprefix(_WORD)}" if place in places else word for place, word in enumerate(words)]


def _keep(stream: BinaryIO, path: Path) -> None:
    """Copy a stream to a file. Raises CommandError if that fails."""
    size = 0
    try:
        with path.open("wb") as file:
            while data := stream.read(_STEP):
                size += len(data)
                if size > _LARGEST:
                    raise CommandError("Standard input is longer than 1 GB. Save it to a file and open that.")
                file.write(data)
    except OSError as error:
        raise CommandError(f"Cannot read standard input ({error.strerror or error}). Try again.") from error
    if not size:
        raise CommandError("Standard input is empty. Pipe a conversation into it, as in: cat FILE | inspector show -.")
