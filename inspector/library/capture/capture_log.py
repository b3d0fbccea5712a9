"""The file that captured calls are appended to, without secrets.

Each line is one call. A request repeats the messages of those before it, so a line keeps only what the most similar
earlier line lacks, and the log grows with the conversation, not with its square. `formats.readers.captures` reads it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from inspector.analysis.redaction import Redactor
from inspector.core.limits import limit
from inspector.core.sequences import common_start
from inspector.core.text import clip, dumps, make_private_file, make_private_folder
from inspector.library.capture.captured_call import API, CapturedCall, reply_of_call, request_of_call
from inspector.library.capture.line_files import append_line

_VERSION = 1
_LISTS = ("messages", "input")
"""Fields of a request with the conversation."""
_SETTINGS = ("system", "tools", "instructions")
"""Other long fields that requests repeat."""
_RECENT = 200
"""Number of lines that a request is compared with."""
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class _Line:
    """Digests of the parts of a request that was written."""

    number: int
    api: str
    messages: Sequence[bytes]
    settings: dict[str, bytes]


class CaptureLog:
    """A private file of captured calls."""

    def __init__(self, path: Path, redactor: Redactor | None = None) -> None:
        """Create the file, and its folder.

        Args:
            path: The file; calls are appended if it exists.
            redactor: Finds what is not written; None for a new one.

        Raises:
            OSError: The file cannot be written.
        """
        if not path.parent.exists():
            make_private_folder(path.parent)
        make_private_file(path)
        self.path = path
        self.calls = 0
        """Number of calls that were written."""
        with path.open("rb") as file:
            self._lines = sum(line.endswith(b"\n") for line in file)
        self._most_bytes = limit("capture_body")
        self._redactor = redactor or Redactor()
        self._recent: deque[_Line] = deque(maxlen=_RECENT)
        self._sent: deque[_Line] = deque(maxlen=_RECENT)
        """Requests that were sent in place of those of the program."""

    def append(self, call: CapturedCall) -> bool:
        """Write a call. Returns False if its request is not a JSON object, which no API of a model accepts.

        Raises:
            OSError: The file cannot be written.
        """
        request = request_of_call(call, self._most_bytes)
        if not request:
            return False
        known = self._recent.copy(), self._sent.copy()
        try:
            self._write_call(call, request)
        except BaseException:
            self._recent, self._sent = known  # later lines must not refer to one that was not written
            raise
        return True

    def _write_call(self, call: CapturedCall, request: dict[str, Any]) -> None:
        reply, problem = reply_of_call(call, self._most_bytes)
        row: dict[str, Any] = {
            "capture": _VERSION,
            "api": call.api,
            "time": call.time,
            "seconds": round(call.seconds, 3),
            "status": call.status,
            "path": call.path,
            **({"cut": call.cut} if call.cut else {}),
            **({"problem": clip(problem, _MAX_REASON)} if problem else {}),
            **({"preset": self._preset_row(call.preset)} if call.preset else {}),
            **self._without_repeats(call.api, request),
            "response": reply,
        }
        patterns = self._redactor.collect(row)
        append_line(self.path, dumps(self._redactor.value_of(row, patterns)))
        self._lines += 1
        self.calls += 1

    def _without_repeats(self, api: API, request: dict[str, Any]) -> dict[str, Any]:
        """Return the request without the parts of an earlier one, and a reference to its line."""
        name = next((name for name in _LISTS if isinstance(request.get(name), list)), _LISTS[0])
        messages = request[name] if isinstance(request.get(name), list) else []
        digests = [_part_digest(message) for message in messages]
        settings = {key: _part_digest(request[key]) for key in _SETTINGS if key in request}
        before, same = _most_similar(self._recent, api, digests)
        self._recent.append(_Line(self._lines + 1, api, digests, settings))
        if before is None:
            return {"request": request}
        repeated = [key for key, value in settings.items() if before.settings.get(key) == value]
        own = {key: value for key, value in request.items() if key not in (name, *repeated)}
        return {
            "request": {**own, name: messages[same:]},
            "repeats": {"line": before.number, "messages": same, "fields": repeated},
        }

    def _preset_row(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the facts about a preset, with the messages that were sent without those of an earlier line."""
        sent = facts.get("sent")
        if not sent:
            return dict(facts)
        digests = [_part_digest(message) for message in sent]
        before, same = _most_similar(self._sent, "", digests)
        self._sent.append(_Line(self._lines + 1, "", digests, {}))
        repeats = {"sent_repeats": {"line": before.number, "messages": same}} if before else {}
        return {**facts, **repeats, "sent": _with_ranges(sent[same:])}


def _most_similar(lines: Sequence[_Line], api: str, digests: Sequence[bytes]) -> tuple[_Line | None, int]:
    """Return the line with the longest beginning of a conversation, and its number of messages."""
    best, most = None, 0
    for line in reversed(lines):
        same = common_start(line.messages, digests) if line.api == api else 0
        if same > most:
            best, most = line, same
    return best, most


def _with_ranges(messages: Sequence[Any]) -> list[Any]:
    """Return messages with positions in a row as [first, last]."""
    rows: list[Any] = []
    for message in messages:
        if not isinstance(message, int):
            rows.append(message)
        elif rows and isinstance(rows[-1], list) and rows[-1][1] == message - 1:
            rows[-1][1] = message
        else:
            rows.append([message, message])
    return rows


def _part_digest(value: Any) -> bytes:
    return blake2b(dumps(value).encode("utf-8", "surrogatepass"), digest_size=16).digest()
