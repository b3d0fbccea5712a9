"""A temporary folder with a small project in it, and a coding agent's tools, which really work on it.

Reading, searching and editing are done here, in Python, on every run. Commands of the `Bash` tool need a shell, git
and a Python of some version, and their output differs a little from one machine to the next; so they are run once,
with `make.py --record`, and kept on a tape (a JSON file beside the makers) from which every later run takes them.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .transcript import Outcome

Arguments = dict[str, Any]
LONGEST = 30_000
"""Characters of a command's output that reach the model."""


@dataclass
class Tape:
    """Commands and what they printed, in order. With `recording`, commands are run; without, they are looked up."""

    path: Path
    recording: bool = False
    place: int = 0

    def __post_init__(self) -> None:
        kept = not self.recording and self.path.exists()
        self.takes: list[Arguments] = json.loads(self.path.read_text(encoding="utf-8")) if kept else []

    def run(self, command: str, workshop: Workshop) -> Arguments:
        """The exit code and the output of `command`."""
        if self.recording:
            self.takes.append({"command": command} | workshop.shell(command))
        self.place += 1
        take = self.takes[self.place - 1] if self.place <= len(self.takes) else {}
        if take.get("command") != command:
            raise SystemExit(
                f"{self.path.name} has no take of: {command}\nRun make.py --record to run the commands again."
            )
        return take

    def keep(self) -> None:
        if self.recording:
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text(json.dumps(self.takes, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


class Workshop:
    """The folder: `project` is copied into it, and it is shown as `home` wherever its path would be seen."""

    def __init__(self, project: Path, home: str, tape: Tape) -> None:
        self.home, self.tape = home, tape
        self.date = "2026-01-01T00:00:00+0000"
        """The date of the commits that are made now."""
        self.outside = Path(tempfile.mkdtemp(prefix="workshop-"))
        self.root = self.outside / Path(home).name
        shutil.copytree(project, self.root, ignore=shutil.ignore_patterns("__pycache__"))
        (self.outside / "bin").mkdir()
        (self.outside / "bin" / "python").symlink_to(sys.executable)

    def close(self) -> None:
        self.tape.keep()
        shutil.rmtree(self.outside)

    def shell(self, command: str) -> Arguments:
        """Run a command in the folder, with a clean environment and a fixed date for commits."""
        environment = {
            "PATH": f"{self.outside / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.outside),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONPYCACHEPREFIX": str(self.outside / "cache"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PAGER": "cat",
            "GIT_AUTHOR_DATE": self.date,
            "GIT_COMMITTER_DATE": self.date,
        }
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.root, env=environment, capture_output=True, encoding="utf-8", timeout=60
        )
        return {"exit": done.returncode, "stdout": self.cleaned(done.stdout), "stderr": self.cleaned(done.stderr)}

    def cleaned(self, text: str) -> str:
        """Output without what differs between machines: folders and timings."""
        for found in (str(self.root), str(self.root.resolve())):
            text = text.replace(found, self.home)
        text = text.replace(str(Path(os.__file__).parent), "/usr/lib/python3")
        return re.sub(r"(Ran \d+ tests? in )\d+\.\d+s", r"\g<1>0.009s", text)

    def use(self, name: str, arguments: Arguments) -> Outcome:
        """Do what the agent asks for with the tool `name`."""
        outcome: Outcome = getattr(self, f"tool_{name.lower()}")(
            **{key.lstrip("-"): arguments[key] for key in arguments}
        )
        return outcome

    def path(self, shown: str) -> Path:
        return self.root / Path(shown).relative_to(self.home)

    def tool_bash(self, command: str, **_: Any) -> Outcome:
        take = self.tape.run(command, self)
        output = "\n".join(filter(None, (take["stdout"].rstrip("\n"), take["stderr"].rstrip("\n"))))
        if len(output) > LONGEST:
            rest = output[LONGEST:].count("\n") + 1
            output = f"{output[:LONGEST]}\n\n... [{rest} lines truncated] ..."
        if take["exit"]:
            failed = f"Exit code {take['exit']}\n{output}"
            return Outcome(failed, f"Error: {failed}", is_error=True)
        structured = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return Outcome(output, structured)

    def tool_read(self, file_path: str, offset: int = 1, limit: int = 2000) -> Outcome:
        lines = self.path(file_path).read_text(encoding="utf-8").split("\n")
        part = lines[offset - 1 : offset - 1 + limit]
        content = "\n".join(f"{number:>6}→{text}" for number, text in enumerate(part, start=offset))
        file = {"filePath": file_path, "content": "\n".join(part), "numLines": len(part), "startLine": offset}
        return Outcome(content, {"type": "text", "file": file | {"totalLines": len(lines)}})

    def tool_write(self, file_path: str, content: str) -> Outcome:
        path = self.path(file_path)
        kind = "update" if path.exists() else "create"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
        structured = {"type": kind, "filePath": file_path, "content": content, "structuredPatch": []}
        return Outcome(f"{file_path} was written ({kind}d, {len(content.splitlines())} lines).", structured)

    def tool_edit(self, file_path: str, old_string: str, new_string: str) -> Outcome:
        path = self.path(file_path)
        before = path.read_text(encoding="utf-8")
        if before.count(old_string) != 1:
            problem = (
                f"The text to replace stands {before.count(old_string)} times in the file; it must stand there once."
            )
            return Outcome(problem, f"Error: {problem}", is_error=True)
        after = before.replace(old_string, new_string)
        path.write_text(after, encoding="utf-8", newline="")
        first = before[: before.index(old_string)].count("\n") + 1
        shown = self.tool_read(file_path, max(1, first - 3), new_string.count("\n") + 7)
        structured: Arguments = {"filePath": file_path, "oldString": old_string, "newString": new_string}
        structured |= {"structuredPatch": patch(before, after), "userModified": False, "replaceAll": False}
        return Outcome(f"{file_path} was changed. The lines around the change:\n{shown.content}", structured)

    def tool_grep(self, pattern: str, path: str = "", output_mode: str = "content", **_: Any) -> Outcome:
        found = list(self.matches(re.compile(pattern), self.path(path) if path else self.root))
        names = list(dict.fromkeys(name for name, _, _ in found))
        lines = names if output_mode == "files_with_matches" else [f"{name}:{row}:{text}" for name, row, text in found]
        structured: Arguments = {
            "mode": output_mode,
            "numFiles": len(names),
            "filenames": names,
            "content": "\n".join(lines),
        }
        return Outcome("\n".join(lines) or "Nothing found.", structured | {"numLines": len(lines)})

    def matches(self, pattern: re.Pattern[str], under: Path) -> Iterator[tuple[str, int, str]]:
        for file in [under] if under.is_file() else sorted(under.rglob("*")):
            if file.is_file() and not {".git", "__pycache__"} & set(file.parts):
                for row, text in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                    if pattern.search(text):
                        yield str(file.relative_to(self.root)), row, text

    def tool_glob(self, pattern: str) -> Outcome:
        names = sorted(
            f"{self.home}/{path.relative_to(self.root)}" for path in self.root.glob(pattern) if path.is_file()
        )
        structured = {"filenames": names, "durationMs": 11, "numFiles": len(names), "truncated": False}
        return Outcome("\n".join(names), structured)

    def tool_todowrite(self, todos: list[Arguments]) -> Outcome:
        states = [todo["status"] for todo in todos]
        done, left = states.count("completed"), len(states) - states.count("completed")
        return Outcome(f"The list is kept: {done} done, {left} to do.", {"oldTodos": [], "newTodos": todos})


def patch(before: str, after: str) -> list[Arguments]:
    """The hunks of a change, as the recorder keeps them."""
    hunks: list[Arguments] = []
    for row in difflib.unified_diff(before.splitlines(), after.splitlines(), n=3, lineterm=""):
        if found := re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", row):
            old, olds, new, news = (int(number or 1) for number in found.groups())
            hunks.append({"oldStart": old, "oldLines": olds, "newStart": new, "newLines": news, "lines": []})
        elif hunks:
            hunks[-1]["lines"].append(row)
    return hunks
