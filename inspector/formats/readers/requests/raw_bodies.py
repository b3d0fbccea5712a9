"""Folders of bodies that Claude Code writes for each call (`OTEL_LOG_RAW_API_BODIES=file:DIR`).

https://code.claude.com/docs/en/monitoring-usage: a call is two files, `UUID.request.json` and `ID.response.json`, and
neither names the other. A reply belongs to the request whose messages precede it in a later request, or else to the
newest request before it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.limits import limit
from inspector.core.text import dumps
from inspector.formats.building.blocks import objects_of
from inspector.formats.readers.requests.request_chains import fingerprint
from inspector.formats.readers.requests.request_log import Exchange, exchange_of
from inspector.formats.reading.content import Content
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import UnreadableError

_REQUEST = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.request\.json")
_RESPONSE = ".response.json"
_ENDS = (_RESPONSE, ".request.json")
_MAX_FILES = 4_000
"""Files of a folder that are read."""


class _Body(NamedTuple):
    """One file of a call."""

    time: int
    """Time of the last change, in nanoseconds."""
    size: int
    path: Path
    value: Any = None
    prints: tuple[int, ...] = ()
    """Fingerprints of the messages of a request, or of a reply."""


def is_request_body(path: Path) -> bool:
    """Return True if the name of a file is one that Claude Code gives to the body of a request."""
    return _REQUEST.fullmatch(path.name) is not None


def body_files(path: Path) -> list[Path]:
    """Return all files of calls in the folder of one of them, the oldest request first; empty for other files."""
    if not (is_request_body(path) or path.name.endswith(_RESPONSE)):
        return []
    try:
        names = _call_files(path.parent, path.parent.stat().st_mtime_ns)
    except OSError:
        return []
    return [path.with_name(name) for name in names]


@lru_cache(maxsize=8)
def _call_files(folder: Path, _changed: int) -> list[str]:
    with os.scandir(folder) as entries:
        aged = [(entry.stat().st_mtime_ns, entry.name) for entry in entries if entry.name.endswith(_ENDS)]
    names = [name for _, name in sorted(aged)]
    requests = [name for name in names if _REQUEST.fullmatch(name)]
    return [*requests, *(name for name in names if name.endswith(_RESPONSE))] if requests else []


def recorded_calls(content: Content) -> Iterator[Exchange]:
    """Yield the calls in the folder of a file, in order, each with its reply."""
    path = Path(content.source.path)
    folder = _folder_at(path.parent.absolute())
    bodies = [folder.read(body, content.problems) for body in _bodies(path, content.problems)]
    folder.keep(bodies)
    requests = [body for body in bodies if is_request_body(body.path)]
    answers = _answers(requests, [body for body in bodies if not is_request_body(body.path)])
    for number, request in enumerate(requests, 1):
        value: Any = request.value
        if answer := answers.get(request.path):
            value = {"request": value, "response": answer.value}
        if call := exchange_of(value, number):
            yield replace(call, prints=request.prints) if call.messages == _messages(request.value) else call


@lru_cache(maxsize=1)
def _folder_at(_path: Path) -> _Folder:
    return _Folder()


class _Folder:
    """The files of a folder that were read, so that a growing one is not read again.

    A request repeats the messages of those before it. Equal messages are one object.
    """

    def __init__(self) -> None:
        self._files: dict[Path, _Body] = {}
        self._messages: dict[int, tuple[dict[str, Any], int]] = {}
        """Each message with its fingerprint, by the hash of its JSON."""

    def read(self, body: _Body, problems: Problems) -> _Body:
        """Return a file with its content."""
        known = self._files.get(body.path)
        if known and known[:2] == body[:2]:
            return known
        value = _body_at(body.path, problems)
        if not is_request_body(body.path):
            return body._replace(value=value, prints=(fingerprint(_reply(value), "anthropic"),))
        pairs = [self._shared(raw) for raw in _messages(value)]
        if pairs and len(pairs) == len(value["messages"]):
            value["messages"] = [raw for raw, _ in pairs]
        return body._replace(value=value, prints=tuple(own for _, own in pairs))

    def _shared(self, raw: dict[str, Any]) -> tuple[dict[str, Any], int]:
        key = hash(dumps(raw))
        known = self._messages.get(key)
        if known is None or known[0] != raw:
            known = self._messages[key] = raw, fingerprint(raw, "anthropic")
        return known

    def keep(self, bodies: Sequence[_Body]) -> None:
        """Keep the files that could be read, for the next reading of the folder."""
        self._files = {body.path: body for body in bodies if body.value is not None}


def _bodies(path: Path, problems: Problems) -> list[_Body]:
    """Return the files of the calls in order: by time, and by size if the times are the same."""
    files = body_files(path)
    if len(files) > _MAX_FILES:
        problems.add(f"of {len(files):,} files of calls in the folder, {_MAX_FILES:,} are read")
    bodies = []
    for file in files[:_MAX_FILES]:
        try:
            facts = file.stat()
        except OSError:
            continue
        bodies.append(_Body(facts.st_mtime_ns, facts.st_size, file))
    bodies.sort(key=itemgetter(0, 1, 2))
    total, most = 0, limit("call_files")
    for place, body in enumerate(bodies):
        total += body.size
        if total > most:
            problems.add(f"only the first {place:,} files of calls are read: the others would take too much memory")
            return bodies[:place]
    return bodies


def _answers(requests: Sequence[_Body], responses: Sequence[_Body]) -> dict[Path, _Body]:
    """Return the reply to each request, by the file of the request, as far as it is known."""
    ends: dict[int, list[_Body]] = {}
    followed: dict[tuple[int, int], None] = {}
    for request in requests:
        so_far = 0
        for raw, own in zip(_messages(request.value), request.prints, strict=True):
            if raw.get("role") == "assistant":
                followed[so_far, own] = None
            so_far = hash((so_far, own))
        ends.setdefault(so_far, []).append(request)
    asked = {reply: ends[so_far] for so_far, reply in followed if so_far in ends}
    answers: dict[Path, _Body] = {}
    waiting = []
    for response in responses:
        matching = [request for request in asked.get(response.prints[0], ()) if request.path not in answers]
        if matching:
            answers[matching[0].path] = response
        else:
            waiting.append(response)
    _pair_by_time([body for body in requests if body.path not in answers], waiting, answers)
    return answers


def _pair_by_time(requests: Sequence[_Body], responses: Sequence[_Body], answers: dict[Path, _Body]) -> None:
    """Give each reply that no request repeats to the newest request before it."""
    if len(requests) == len(responses) == 1:
        answers[requests[0].path] = responses[0]
        return
    for response in responses:
        earlier = [body for body in requests if body.time < response.time and body.path not in answers]
        if earlier:
            answers[earlier[-1].path] = response


def _messages(request: Any) -> list[dict[str, Any]]:
    return objects_of(request.get("messages")) if isinstance(request, dict) else []


def _reply(response: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": response.get("content")} if isinstance(response, dict) else {}


def _body_at(path: Path, problems: Problems) -> Any:
    try:
        return open_content(path).value
    except (OSError, UnreadableError, RecursionError):
        problems.add(f"{path.name} could not be read")
        return None
