"""Sessions of opencode: its database, rows of its tables as JSON, the files of earlier versions, and its exports.

https://github.com/sst/opencode: a message has parts; a call and its result are one part. A reply may consist of several
steps, each a call of the model. A summary that a compaction wrote begins a new context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Part, Role, Session, Text, Usage, named_values
from inspector.core.text import plural
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, SessionHead
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.readers.opencode.opencode_events import Entry
from inspector.formats.readers.opencode.opencode_storage import is_stored, stored_session
from inspector.formats.readers.opencode.opencode_tables import (
    Recording,
    is_database,
    joined,
    listed_sessions,
    recordings_in,
)
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_MAX_URL = 500
"""Maximum characters of the place of an attached file, which may be its data."""
_ROWS = ("messages.json", "parts.json", "sessions.json")
"""Names of the files if each table was exported as a separate list."""


class OpenCode(Format):
    """The database of opencode, the files of its earlier versions, and its exports."""

    name = "opencode"
    order: ClassVar[RecordOrder] = RecordOrder(id="info.id id", parent="info.parentID", time="info.time.created")
    costs: ClassVar[str] = "cost"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"usage", "cost", "times", "models", "thinking", "sub-agents", "compactions"}
    )
    page = "https://opencode.ai/docs/cli"
    place = "~/.local/share/opencode"

    def recognize(self, sample: Sample) -> FormatMatch:
        if sample.shape == "database":
            known = is_database(sample.tables)
            return FormatMatch(1.0, "tables of sessions, and of messages with their parts") if known else UNLIKE
        if any(map(_is_export, sample.objects)):
            return FormatMatch(0.95, "an info, and messages with parts")
        if any(map(_is_row, sample.objects)):
            return FormatMatch(0.95, "rows of the tables of sessions, messages or parts")
        is_one = sample.shape == "object" and is_stored(sample.objects[0])
        return FormatMatch(0.9, "a stored session, message or part") if is_one else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        if content.sample.shape == "database":
            recordings = list(recordings_in(content))
        elif any(map(_is_row, content.sample.objects)):
            recordings = list(_recordings_of_lists(content))
        elif content.sample.shape == "object" and is_stored(content.value):
            recordings = _stored_recordings(content)
        else:
            recordings = list(_exports_in(content, progress))
        sessions = unique(_family_session(family, content) for family in _with_sub_agents(recordings))
        return sessions or [LogBuilder().session(content, OpenCode.name)]

    def parts(self, path: Path) -> list[Path]:
        if path.name not in _ROWS:
            return [file for file in _stored_files(path) if file != path]
        return [other for name in _ROWS if name != path.name and (other := path.with_name(name)).is_file()]

    def whole(self, part: Path) -> Path | None:
        if stored := stored_session(part):
            whole = stored if stored.file != part else stored.parent()
            return whole.file if whole else None
        names = (*_ROWS[1:], "session_messages.json")
        return part.with_name(_ROWS[0]) if part.name in names and part.with_name(_ROWS[1]).is_file() else None

    def heads(self, path: Path) -> list[SessionHead]:
        families = _with_sub_agents(Recording(info, [({}, [])]) for info in listed_sessions(path))
        return [_head_of(family[0].info) for family in families]


def _head_of(info: Fields) -> SessionHead:
    time = info.get("time_updated")
    seconds = time / 1000 if isinstance(time, int | float) else 0.0
    return SessionHead(as_text(info.get("title")), as_text(info.get("directory")), seconds)


def _is_export(record: Any) -> bool:
    match record:
        case {"info": dict(), "messages": [{"info": dict(), "parts": list()}, *_]}:
            return True
    return False


def _exports_in(content: Content, progress: Progress | None) -> Iterator[Recording]:
    for number, record in content.records(progress):
        if not _is_export(record):
            content.reject(number, "is not a session of opencode")
            continue
        messages = [
            (fields_of(entry.get("info")), objects_of(entry.get("parts"))) for entry in objects_of(record["messages"])
        ]
        yield Recording(record["info"], messages, number)


def _is_row(record: Any) -> bool:
    return _is_row_of_session(record) or _is_row_of_message(record) or _is_row_of_part(record)


def _is_row_of_session(record: Any) -> bool:
    match record:
        case {"id": str(), "project_id": str(), "directory": str()}:
            return "data" not in record
    return False


def _is_row_of_message(record: Any) -> bool:
    match record:
        case {"id": str(), "session_id": str(), "data": str() | dict()}:
            return "message_id" not in record and "type" not in record
    return False


def _is_row_of_part(record: Any) -> bool:
    match record:
        case {"id": str(), "message_id": str(), "data": str() | dict()}:
            return True
    return False


def _recordings_of_lists(content: Content) -> Iterator[Recording]:
    """Yield the sessions in JSON lists of table rows, together with the other lists in the folder."""
    path = Path(content.source.path)
    rows = [record for _, record in content.records()]
    for name in _ROWS if path.name in _ROWS else ():
        if name != path.name:
            rows += _list_beside(path.with_name(name), content)
    rows = sorted(filter(_is_row, rows), key=lambda row: as_text(row["id"]))
    sessions, messages, parts = (
        list(filter(is_one, rows)) for is_one in (_is_row_of_session, _is_row_of_message, _is_row_of_part)
    )
    if not messages or not parts:
        missing = _ROWS[1] if messages else _ROWS[0]
        content.problems.add(f"the texts of the messages need {missing} from the same opencode database")
    names = dict.fromkeys(row["session_id"] for row in messages)
    sessions += [{"id": name} for name in names.keys() - {row["id"] for row in sessions}]
    yield from joined(sessions, messages, parts)


def _stored_recordings(content: Content) -> list[Recording]:
    """Return the session to which a file of the storage folder belongs, followed by its sub-agents.

    Raises:
        UnreadableError: The folder contains no message of these sessions.
    """
    stored = stored_session(Path(content.source.path))
    sessions = [stored, *stored.children()] if stored else []
    recordings = [Recording(*session.read(content.problems)) for session in sessions]
    if not any(recording.messages for recording in recordings):
        path = content.source.path
        what = f"{path} describes a session of opencode, without its messages"
        raise UnreadableError(path, f"{what}: open opencode.db, an export by opencode, or the folder storage.")
    return recordings


def _stored_files(path: Path) -> list[Path]:
    """Return the files that belong to the session of a file in the storage folder; none for any other file."""
    stored = stored_session(path)
    if stored is None:
        return []
    children = stored.children()
    own = [stored.file, *(child.file for child in children)]
    return [*own, *(file for session in (stored, *children) for file in session.files())]


def _list_beside(path: Path, content: Content) -> list[Fields]:
    """Return the rows in another list of the folder; none if it does not exist or cannot be read."""
    try:
        return objects_of(open_content(path).value) if path.is_file() else []
    except (UnreadableError, RecursionError):
        content.problems.add(f"{path.name} in the same folder could not be read")
        return []


def _with_sub_agents(recordings: Iterable[Recording]) -> Iterator[list[Recording]]:
    """Yield each session with the sessions of its sub-agents. Sessions without messages are skipped."""
    by_id = {as_text(recording.info.get("id")): recording for recording in recordings if recording.messages}
    families: dict[str, list[Recording]] = {}
    for name, recording in by_id.items():
        top, seen = name, {name}
        while (parent := _parent(by_id[top].info)) in by_id and parent not in seen:
            seen.add(parent)
            top = parent
        family = families.setdefault(top, [])
        family.insert(0 if top == name else len(family), recording)
    yield from families.values()


def _parent(info: Fields) -> str:
    return as_text(info.get("parent_id") or info.get("parentID"))


def _family_session(family: list[Recording], content: Content) -> Session:
    """Return one session of a main agent, whose log comes first, and its sub-agents."""
    main, info = family[0], family[0].info
    model = next(filter(None, (_model_of_message(message) for message, _ in reversed(main.messages))), "")
    log = LogBuilder(dialect_for(model))
    names: set[str] = set()
    for recording in family:
        log.work.note("where", [("folder", recording.info.get("directory"))], MAIN)
        agent = MAIN if recording is main else _agent_name(recording.info, names)
        kept, reverted = _divide_at_revert(recording)
        prompt = ""
        for message, parts in kept:
            prompt = _add_prompt(log, message, agent, prompt)
            _add_message(log, message, parts, agent)
        end = log.ends.get(agent, -1)
        for message, parts in reverted:
            _add_message(log, message, parts, agent)
        if reverted:
            log.begin_anew(agent, after=end)
            text = f"({plural(len(reverted), 'message')} reverted here)"
            log.add_parts("reverted", "system", [Text(text)], {}, agent=agent, kind="notice")
    line = 0 if content.sample.shape == "object" else main.line
    return log.session(
        content, OpenCode.name, as_text(info.get("id")), as_text(info.get("title")), model=model, line=line
    )


def _divide_at_revert(recording: Recording) -> tuple[list[Entry], list[Entry]]:
    """Return the messages in the next request, and the reverted ones, which opencode deletes when it sends the request.

    A revert names the first message that is reverted, or a part of it if the parts before that are kept.
    https://github.com/sst/opencode (session/revert.ts)
    """
    revert = fields_of(recording.info.get("revert"))
    name, part_name = as_text(revert.get("messageID")), as_text(revert.get("partID"))
    messages = recording.messages
    at = next((at for at, (info, _) in enumerate(messages) if name and info.get("id") == name), -1)
    if at < 0:
        return messages, []
    info, parts = messages[at]
    places = (place for place, part in enumerate(parts) if part_name and part.get("id") == part_name)
    first = next(places, 0)
    stay = [(info, parts[:first])] if first else []
    return [*messages[:at], *stay], [(info, parts[first:]), *messages[at + 1 :]]


def _agent_name(info: Fields, names: set[str]) -> str:
    """Return a name for a sub-agent that is unique in the session, and add it to `names`."""
    own = as_text(info.get("title")) or as_text(info.get("slug")) or as_text(info.get("id")) or "agent"
    name, number = own[:60], 2
    while name in names:
        name, number = f"{own[:60]} {number}", number + 1
    names.add(name)
    return name


def _model_of_message(message: Fields) -> str:
    return as_text(message.get("modelID") or fields_of(message.get("model")).get("modelID"))


def _add_prompt(log: LogBuilder, message: Fields, agent: str, before: str) -> str:
    """Add the system prompt of a user's message unless the context already has it.

    Returns:
        The system prompt of the context after the message.
    """
    if message.get("role") != "user":
        return "" if message.get("summary") is True else before
    text = as_text(message.get("system"))
    if text and text != before:
        log.add_parts(f"{as_text(message.get('id'))}-system", "system", [Text(text)], {}, agent=agent)
    return text


def _mode_of(message: Fields) -> Iterator[tuple[str, object]]:
    """Yield the name of the agent, and whether it only plans. Any other mode is the name of an agent, too."""
    mode = message.get("mode")
    if isinstance(mode, str):
        yield "permission", "plan" if mode == "plan" else "default"
    yield "agent", message.get("agent") or mode
    yield "model", message.get("modelID") or fields_of(message.get("model")).get("modelID")


def _add_message(log: LogBuilder, message: Fields, parts: list[Fields], agent: str) -> None:
    """Add a message. Each step of a reply becomes one message, followed by its results."""
    name = as_text(message.get("id")) or f"m{len(log.messages) + 1}"
    facts: dict[str, Any] = {"agent": agent, "time": time_of(fields_of(message.get("time")).get("created"))}
    record = {key: value for key, value in message.items() if key != "parts"}
    is_reply = message.get("role") == "assistant"
    log.work.note("where", named_values(message.get("path"), (("folder", "cwd"),)), agent)
    log.work.note("mode", _mode_of(message), agent)
    if is_reply and message.get("summary") is not True:
        _add_steps(log, name, message, parts, record, facts)
        return
    if is_reply:
        log.begin_anew(agent)
        facts |= {"model": _model_of_message(message), "usage": _opencode_usage(message.get("tokens"))}
        log.add_parts(name, "user", _said_blocks(parts), record, kind="summary", **facts)
    else:
        _add_words(log, name, message, parts, record, facts)


def _add_words(
    log: LogBuilder, name: str, message: Fields, parts: list[Fields], record: Fields, facts: dict[str, Any]
) -> None:
    """Add a message of the user or the system. Ignored parts, which were displayed but not sent, become a notice."""
    if own := _said_blocks(parts):
        kind = "injected" if all(part.get("synthetic") for part in parts) else "chat"
        role: Role = "system" if message.get("role") == "system" else "user"
        log.add_parts(name, role, own, record, kind=kind, **facts)
    if ignored := [part.get("text") for part in parts if part.get("ignored") is True]:
        log.add_parts(name, "system", blocks_of(ignored), {}, kind="notice", **facts)


def _said_blocks(parts: list[Fields]) -> list[Any]:
    """Return the displayed or sent content of the parts of a message that is not a reply."""
    said = (part for part in parts if part.get("type") in ("text", "file") and part.get("ignored") is not True)
    return [block for part in said for block in _blocks_of_part(part)]


def _add_steps(
    log: LogBuilder, name: str, message: Fields, parts: list[Fields], record: Fields, facts: dict[str, Any]
) -> None:
    steps = list(_steps_of(parts))
    for place, (step, usage) in enumerate(steps):
        reported = usage or (_opencode_usage(message.get("tokens")) if len(steps) == 1 else None)
        own = facts | {"model": _model_of_message(message), "usage": reported}
        _add_step(log, name, step, {} if place else record, own)


def _steps_of(parts: list[Fields]) -> Iterator[tuple[list[Fields], Usage | None]]:
    """Yield the parts of each step of a reply, with its reported usage."""
    step: list[Fields] = []
    for part in parts:
        if part.get("type") == "step-finish":
            if step:
                yield step, _opencode_usage(part.get("tokens"))
            step = []
        elif part.get("type") in ("text", "reasoning", "tool", "file"):
            step.append(part)
    if step:
        yield step, None


def _add_step(log: LogBuilder, name: str, step: list[Fields], record: Fields, facts: dict[str, Any]) -> None:
    own: list[Part] = []
    for part in step:
        match part.get("type"):
            case "reasoning":
                own += thoughts_of(part.get("text"))
            case "tool":
                own.append(call_of(part.get("callID"), part.get("tool"), fields_of(part.get("state")).get("input")))
            case _:
                own += _blocks_of_part(part)
    log.add_parts(name, "assistant", own, record, **facts)
    for part in step:
        state = fields_of(part.get("state"))
        if part.get("type") == "tool" and state.get("status") in ("completed", "error"):
            is_error = state["status"] == "error"
            result = result_of(part.get("callID"), state.get("error" if is_error else "output"), is_error=is_error)
            own_time = time_of(fields_of(state.get("time")).get("end")) or facts["time"]
            log.add_parts(as_text(part.get("id")) or name, "tool", [result], part, agent=facts["agent"], time=own_time)


def _blocks_of_part(part: Fields) -> list[Any]:
    """Return the content of a text or file part."""
    if part.get("type") == "file":
        url = as_text(part.get("url"))
        return blocks_of({"type": "image", "url": url} if _is_picture(part) else url[:_MAX_URL])
    return blocks_of(part.get("text"))


def _is_picture(part: Fields) -> bool:
    return as_text(part.get("mime")).startswith("image/")


def _opencode_usage(tokens: Any) -> Usage | None:
    """Return the usage of a step. `input` excludes tokens that were read from or written to the cache."""
    cache = fields_of(fields_of(tokens).get("cache"))
    fresh, read, written = token_count(tokens, "input"), token_count(cache, "read"), token_count(cache, "write")
    reply = token_count(tokens, "output") + token_count(tokens, "reasoning")
    return usage_unless_zero(fresh + read + written, reply, read, written)
