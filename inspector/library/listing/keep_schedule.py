"""A timer of the operating system that runs `inspector keep` every day."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from inspector.core.json_objects import json_object

_NAME = "inspector-keep"
_SERVICE = """[Unit]
Description=Keep the sessions of coding agents before they are deleted

[Service]
Type=oneshot
ExecStart={command}
"""
_TIMER = """[Unit]
Description=Keep the sessions of coding agents every day

[Timer]
OnCalendar=daily
Persistent=true

[Install]
WantedBy=timers.target
"""
_PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>{name}</string>
  <key>ProgramArguments</key><array>{words}</array>
  <key>StartCalendarInterval</key><dict><key>Hour</key><integer>12</integer></dict>
</dict>
</plist>
"""


@json_object("Schedule", "files enable")
@dataclass(frozen=True, slots=True)
class KeepSchedule:
    """Files of a daily timer, and the command that starts it."""

    files: Mapping[str, str]
    """Content by path. Empty on Windows, where the command alone makes the timer."""
    enable: str

    def write(self) -> None:
        """Write the files that do not exist yet, or differ. Raises OSError."""
        for name, text in self.files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def keep_schedule(db: Path | None = None, platform: str = sys.platform) -> KeepSchedule:
    """Return the timer for an operating system.

    Args:
        db: Path of the store. None for the default path.
        platform: Name of the operating system, as `sys.platform`.
    """
    words = [sys.executable, "-m", "inspector", "keep", "--all", *(["--db", str(db.absolute())] if db else [])]
    if platform == "win32":
        command = " ".join(f'\\"{word}\\"' if " " in word else word for word in words)
        return KeepSchedule({}, f'schtasks /Create /SC DAILY /TN {_NAME} /TR "{command}"')
    if platform == "darwin":
        path = Path.home() / "Library" / "LaunchAgents" / f"{_NAME}.plist"
        items = "".join(f"<string>{escape(word)}</string>" for word in words)
        return KeepSchedule(
            {str(path): _PLIST.format(name=_NAME, words=items)}, f"launchctl load {shlex.quote(str(path))}"
        )
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    files = {
        str(folder / f"{_NAME}.service"): _SERVICE.format(command=_systemd_line(words)),
        str(folder / f"{_NAME}.timer"): _TIMER,
    }
    return KeepSchedule(files, f"systemctl --user enable --now {_NAME}.timer")


def _systemd_line(words: Sequence[str]) -> str:
    """Return a command as systemd reads it: with percent signs, dollar signs and quotation marks escaped."""
    quoted = (word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$") for word in words)
    return " ".join(f'"{word}"' for word in quoted)
