"""The switch of a preset on live traffic: a private file next to the log, which other programs of the user turn."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from inspector.core.text import make_private_file

_ON, _OFF = "on\n", "off\n"


class PresetSwitch:
    """Turns the preset of a recording on and off.

    Args:
        log: The file that calls are recorded in.
    """

    def __init__(self, log: Path) -> None:
        self._path = log.with_name(f"{log.name}.preset")

    @property
    def is_on(self) -> bool | None:
        """True or False while a recording has a preset; None if it has none, or has ended."""
        try:
            with self._path.open(encoding="utf-8") as file:
                return file.read(len(_OFF)) != _OFF
        except (OSError, ValueError):
            return None

    def turn(self, is_on: bool) -> None:
        """Turn the preset on or off.

        Raises:
            OSError: The file cannot be written.
        """
        make_private_file(self._path)
        self._path.write_text(_ON if is_on else _OFF, encoding="utf-8")

    def remove(self) -> None:
        """Remove the switch, because the recording has ended."""
        with suppress(OSError):
            self._path.unlink()
