"""Tools of an agent that works in a folder: files, and commands of a shell. Writing and running have to be allowed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from inspector.memory.tools import Tool, as_tool

_MAX_BYTES = 1_000_000
"""Bytes of a file that are read."""
_MAX_OUTPUT = 200_000
"""Bytes of a command's output that are returned."""
_MAX_NAMES = 2_000
_SECONDS = 120.0
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")
"""Parts of names of environment variables that a command does not get."""

Allow = Callable[[str], bool]
"""Asks whether an action may be done: a sentence -> True if it may."""


class FolderTools:
    """Tools that read and write files of a folder, and run commands in it.

    No path leads out of the folder, also not by a link. A command starts in it, but could leave it; so each is asked
    for, as each file that is written.

    Args:
        folder: The folder.
        allow: Asks the user about one action.
        seconds: Seconds that a command may take.
    """

    def __init__(self, folder: Path, allow: Allow, *, seconds: float = _SECONDS) -> None:
        self._folder, self._allow, self._seconds = folder.resolve(), allow, seconds

    def named(self, names: Mapping[str, bool]) -> list[Tool]:
        """Return the tools of the kinds that are switched on: `files` and `shell`."""
        files = [self.list_files, self.read_file, self.write_file] if names.get("files") else []
        return [as_tool(tool) for tool in (*files, *([self.run_command] if names.get("shell") else []))]

    def list_files(self, folder: str = ".") -> str:
        """List the files and folders in a folder. Folders end with a slash."""
        place = self._inside(folder)
        names = sorted(f"{path.name}/" if path.is_dir() else path.name for path in place.iterdir())
        more = [f"… {len(names) - _MAX_NAMES:,} more"] if len(names) > _MAX_NAMES else []
        return "\n".join([*names[:_MAX_NAMES], *more]) or "The folder is empty."

    def read_file(self, path: str) -> str:
        """Return the text of a file."""
        place = self._inside(path)
        if not place.is_file():
            raise ValueError(f"{path} is no file.")
        with place.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
        cut = "\n[the rest of the file is left out]" if len(content) > _MAX_BYTES else ""
        return content[:_MAX_BYTES].decode("utf-8", "replace") + cut

    async def write_file(self, path: str, content: str) -> str:
        """Write a file, in place of an older one. The user is asked first."""
        place = self._inside(path)
        if not await asyncio.to_thread(self._allow, f"Write {len(content):,} characters to {place}"):
            return "The user did not allow it."
        self._inside(path).parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
        return "Written."

    async def run_command(self, command: str) -> str:
        """Run a command in a shell and return its output. The user is asked first."""
        if not await asyncio.to_thread(self._allow, f"Run in {self._folder}: {command}"):
            return "The user did not allow it."
        environ = {name: value for name, value in os.environ.items() if not any(part in name for part in _SECRET)}
        process = await asyncio.create_subprocess_shell(
            command,
            cwd=self._folder,
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        output = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                note = await _collect(process, output)
        except TimeoutError:
            note = f"[stopped after {self._seconds:g} seconds]"
        finally:
            with suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
        return f"{output.decode('utf-8', 'replace')}\n{note}"

    def _inside(self, path: str) -> Path:
        """Return a path in the folder. Raises ValueError if it leads out of it."""
        place = (self._folder / path).resolve()
        if not place.is_relative_to(self._folder):
            raise ValueError(f"{path} is not in the folder of the agent.")
        return place


async def _collect(process: asyncio.subprocess.Process, output: bytearray) -> str:
    """Read the output of a process, and return a note with its exit code, or that it was stopped."""
    if process.stdout is not None:
        while data := await process.stdout.read(65_536):
            output += data[: _MAX_OUTPUT - len(output)]
            if len(output) >= _MAX_OUTPUT:
                return f"[stopped after {_MAX_OUTPUT:,} bytes of output]"
    return f"[exit code {await process.wait()}]"
