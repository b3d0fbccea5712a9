"""Folders of bodies that Claude Code writes for each call (`OTEL_LOG_RAW_API_BODIES=file:DIR`).

https://code.claude.com/docs/en/monitoring-usage: a call is two files, `UUID.request.json` and `ID.response.json`, and
neither names the other. A reply belongs to the request whose messages precede it in a later request, or else to the
newest request before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from inspector.formats.building.blocks import objects_of
from inspector.formats.readers.requests.request_chains import fingerprint
from inspector.formats.readers.requests.request_log import Exchange, exchange_of
from inspector.formats.reading.content import Content
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import UnreadableError

_REQUEST = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.request\.json")
_RESPONSE = ".response.json"
_MAX_FILES = 4_000
"""Files of a folder that are read."""
_MAX_BYTES = 2_000_000_000
"""Size of these files together."""


class _Body(NamedTuple):
    """One file of a call."""

    time: int
    """Time of the last change, in nanoseconds."""
    size: int
    path: Path


def is_request_body(path: Path) -> bool:
    """Return True if the name of a file is one that Claude Code gives to the body of a request."""
    return _REQUEST.fullmatch(path.name) is not None


def body_files(path: Path) -> list[Path]:
    """Return all files of calls in the folder of one of them, the first request first; empty for other files."""
    if not (is_request_body(path) or path.name.endswith(_RESPONSE)):
        return []
    try:
        names = _call_files(path.parent, path.parent.stat().st_mtime_ns)
    except OSError:
        return []
    return [path.with_name(name) for name in names]


@lru_cache(maxsize=8)
def _call_files(folder: Path, _changed: int) -> list[str]:
    names = sorted(entry.name for entry in folder.iterdir())
    requests = [name for name in names if _REQUEST.fullmatch(name)]
    return [*requests, *(name for name in names if name.endswith(_RESPONSE))] if requests else []


def recorded_calls(content: Content) -> Iterator[Exchange]:
    """Yield the calls in the folder of a file, in order, each with its reply."""
    bodies = _bodies(Path(content.source.path), content.problems)
    requests = [body for body in bodies if is_request_body(body.path)]
    responses = [body for body in bodies if not is_request_body(body.path)]
    answers = _answers(requests, responses, content.problems)
    for number, request in enumerate(requests, 1):
        value: Any = _body_at(request.path, content.problems)
        if request.path in answers:
            value = {"request": value, "response": _body_at(answers[request.path], content.problems)}
        if call := exchange_of(value, number):
            yield call


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
    bodies.sort()
    total = 0
    for place, body in enumerate(bodies):
        total += body.size
        if total > _MAX_BYTES:
            problems.add(f"only the first {place:,} files of calls are read: the others would take too much memory")
            return bodies[:place]
    return bodies


def _answers(requests: list[_Body], responses: list[_Body], problems: Problems) -> dict[Path, Path]:
    """Return the file of the reply to each request, as far as it is known."""
    ends: dict[int, list[_Body]] = {}
    followed: dict[tuple[int, int], None] = {}
    for request in requests:
        so_far = 0
        for raw in _messages(_body_at(request.path, problems)):
            own = fingerprint(raw, "anthropic")
            if raw.get("role") == "assistant":
                followed[so_far, own] = None
            so_far = hash((so_far, own))
        ends.setdefault(so_far, []).append(request)
    asked = {reply: ends[so_far] for so_far, reply in followed if so_far in ends}
    answers: dict[Path, Path] = {}
    waiting = []
    for response in responses:
        reply = fingerprint(_reply(_body_at(response.path, problems)), "anthropic")
        matching = [request for request in asked.get(reply, ()) if request.path not in answers]
        if matching:
            answers[matching[0].path] = response.path
        else:
            waiting.append(response)
    _pair_by_time([body for body in requests if body.path not in answers], waiting, answers)
    return answers


def _pair_by_time(requests: list[_Body], responses: list[_Body], answers: dict[Path, Path]) -> None:
    """Give each reply that no request repeats to the newest request before it."""
    if len(requests) == len(responses) == 1:
        answers[requests[0].path] = responses[0].path
        return
    for response in responses:
        earlier = [body for body in requests if body.time < response.time and body.path not in answers]
        if earlier:
            answers[earlier[-1].path] = response.path


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
