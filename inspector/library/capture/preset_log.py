"""The results of a preset on the requests of a recording, read from its log while it grows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.core.text import clip, loads, one_line

_HEAD = 2_000
"""Bytes of a line that contain the key of the preset, if it has one."""
_TAIL = 8_000_000
"""Bytes at the end of the log that the first poll reads."""
_MAX_RESULTS = 1_000
_MAX_WORDS = 300
_STATES = ("applied", "planned", "original")


@dataclass(frozen=True, slots=True)
class PresetResult:
    """A request that a preset compressed, or that was sent as it came for a reason."""

    time: str
    """Recorded time of the call."""
    name: str
    """Name of the preset."""
    state: str
    """"applied"; "planned" if only the plan was recorded; "original" if the request was sent as it came."""
    reason: str
    before: int
    """Tokens of the request of the program; 0 if they were not counted."""
    after: int


class PresetLog:
    """Results in the log of a recording. Not thread-safe.

    Args:
        path: The log.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        """The log."""
        self._end = -1
        self._results: deque[PresetResult] = deque(maxlen=_MAX_RESULTS)

    def poll(self) -> tuple[PresetResult, ...]:
        """Return the newest results, oldest first. Lines that are not complete yet are read later."""
        try:
            self._read()
        except OSError:
            return tuple(self._results)
        return tuple(self._results)

    def _read(self) -> None:
        with self.path.open("rb") as file:
            size = file.seek(0, 2)
            if size < self._end:
                self._end = -1
                self._results.clear()
            start = max(0, size - _TAIL) if self._end < 0 else self._end
            file.seek(start)
            data = file.read(min(size - start, _TAIL))
        whole, newline, _ = data.rpartition(b"\n")
        if not newline:
            self._end = start + (len(data) if len(data) == _TAIL else 0)
            return
        self._end = start + len(whole) + 1
        self._results.extend(_results_in(whole.split(b"\n")))


def _results_in(lines: list[bytes]) -> Iterator[PresetResult]:
    for line in lines:
        if b'"preset"' not in line[:_HEAD]:
            continue
        try:
            row = loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and isinstance(facts := row.get("preset"), dict):
            result = _result_of(_preset_text(row.get("time")), facts)
            if result.state == "original" or (result.state in _STATES and facts.get("plans")):
                yield result


def _result_of(time: str, facts: dict[str, Any]) -> PresetResult:
    name, state, reason = (_preset_text(facts.get(key)) for key in ("name", "state", "reason"))
    return PresetResult(time, name, state, reason, _tokens(facts.get("before")), _tokens(facts.get("after")))


def _preset_text(value: Any) -> str:
    return one_line(clip(value, _MAX_WORDS)) if isinstance(value, str) else ""


def _tokens(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0
