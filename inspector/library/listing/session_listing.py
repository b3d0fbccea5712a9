"""List the sessions that were named, the stored ones, and those that agents recorded on this machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Annotated, Literal, get_args

from inspector.core.conversation import Session
from inspector.core.json_objects import Dollars, Fraction, Tokens, json_object
from inspector.engine import window
from inspector.formats import passed_over
from inspector.library.capture.capture_search import captures_of_transcripts
from inspector.library.listing.discovery import agent_session_files
from inspector.library.listing.session_details import session_details
from inspector.library.listing.session_folder import folder_of
from inspector.library.listing.shared_messages import SharedMessageIndex, SharedMessages
from inspector.library.listing.tool_deletion import days_left
from inspector.library.opening.session_refs import (
    TRANSIENT,
    OpenError,
    closed_words,
    files_in,
    find_session_id,
    place_of,
    read_file,
    resolve,
)
from inspector.llm import tokens
from inspector.llm.models import limit_for_usage, profile
from inspector.store import MAX_LISTED, STORED_CAPTURE, SessionRow, SessionStore, Store, StoreError

_Origin = Literal["given", "stored", "found"]
ORIGINS: tuple[_Origin, ...] = get_args(_Origin)
_MAX_FOUND = 5_000
"""Maximum number of sessions from tools' folders if only these are listed, newest first."""
_MAX_BESIDE = 200
"""Maximum number of sessions from tools' folders if they are listed after others."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d")
"""Start of a valid time. Recordings can contain any text in its place."""
_ALIKE = 40
"""Characters of a title that are compared between two listings of one session, because both can be truncated."""


@json_object(
    "Listed session",
    "target title origin format model agents messages turns tokens estimated peak_estimated peak_share compactions"
    " over=is_over rereads cost changed days_left path project folder forked_from shared damage problem"
    " strangers=unsupported capture",
)
@dataclass(frozen=True, slots=True)
class Entry:
    """A session in a listing. Attributes that are unknown without reading more are None."""

    target: Annotated[str, "name that opens it: a path, FILE#N, or an id"]
    title: str
    origin: Annotated[_Origin, "named on the command line, in the store, or in an agent's own folder"]
    format: str = ""
    model: str = ""
    agents: int | None = None
    messages: int | None = None
    turns: Annotated[int | None, "model calls"] = None
    tokens: Annotated[Tokens | None, "of the whole log"] = None
    estimated: Annotated[bool, "true if `tokens` is an estimate"] = False
    peak_estimated: Annotated[bool, "true if `peak_share` is an estimate"] = True
    """True if the peak is an estimate. Other parts of a window, for example tools, are counted less precisely."""
    peak_share: Annotated[Fraction | None, "share of the model's window that the largest context filled"] = None
    compactions: Annotated[int | None, "in the recording"] = None
    rereads: Annotated[int | None, "repeated reads of a file or page; null if unknown or not requested"] = None
    cost: Annotated[Dollars | None, "of all model calls; null if unknown or not requested"] = None
    is_detailed: bool = False
    """True if `rereads` and `cost` have been computed, even if they remain unknown."""
    changed: Annotated[str, "ISO time of the last message, or of the last change of the file"] = ""
    days_left: Annotated[int | None, "until the tool deletes it; null if it is stored, or kept by the tool"] = None
    path: str = ""
    folder: Annotated[str, "folder that the agent worked in; empty if not recorded"] = ""
    forked_from: Annotated[str, "id of the session that it was forked from; empty if not recorded"] = ""
    shared: Annotated[SharedMessages | None, "messages of an earlier session of the list; null without any"] = None
    damage: Annotated[int, "number of unreadable parts of the source"] = 0
    problem: Annotated[str, "why it cannot be opened, in one sentence; empty if it can be"] = ""
    unsupported: Annotated[tuple[str, ...], "why files of a folder contain no conversation, if it represents them"] = ()
    capture: Annotated[str, "file of its captured requests, or `the store`; empty if they are not in this row"] = ""
    passed_over: tuple[str, ...] = ()
    """Names of files in that folder that were skipped because recordings are not named like that."""

    @property
    def is_over(self) -> Annotated[bool, "true if `peak_share` exceeds 1"]:
        """True if the largest context exceeds the model's window, according to the best number known."""
        return (self.peak_share or 0) > 1

    @property
    def project(self) -> Annotated[str, "name of `folder`, else of the file's folder"]:
        """Name of the folder that the agent worked in, or else of the file's folder."""
        own = self.path if self.path not in TRANSIENT else ""
        folder = self.folder or (str(Path(own).absolute().parent) if own else "")
        return PurePath(folder.rstrip("/\\")).name or folder

    @property
    def number(self) -> str:
        """Number of the session in its file, as "#3"; "" if the file contains only one, or is not the target."""
        return self.target.removeprefix(self.path) if self.target.startswith(f"{self.path}#") else ""


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Sort entries for display: given, stored and found ones, each newest first.

    Within each origin, entries without a time follow those with one, and those that cannot be opened come last.
    """
    newest = sorted(entries, key=lambda entry: entry.changed, reverse=True)
    return sorted(newest, key=lambda entry: (ORIGINS.index(entry.origin), bool(entry.problem)))


def distinctions(entries: Sequence[Entry]) -> dict[str, str]:
    """Return a text for each entry that distinguishes it from others with the same origin, title and project.

    The text is the name of the file and the number in it, as far as they differ, or else the target. Unique entries are
    not included.
    """
    alike: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        alike.setdefault((entry.origin, entry.title, entry.project), []).append(entry)
    return {entry.target: _distinction(entry, same) for same in alike.values() if len(same) > 1 for entry in same}


def _distinction(entry: Entry, same: Sequence[Entry]) -> str:
    names = {Path(other.path).stem for other in same}
    parts = ([Path(entry.path).stem] if len(names) > 1 else []) + [entry.number]
    return " ".join(filter(None, parts)) or entry.target


def list_entries(
    targets: Sequence[str], store: SessionStore | None = None, look_around: bool = True, detailed: bool = False
) -> Iterator[tuple[Entry, float | None]]:
    """List given, stored and found sessions, each once.

    Args:
        targets: Files, folders and stored ids.
        store: Store to list; a team's store is limited to its newest `MAX_LISTED` sessions.
        look_around: True to include sessions in tools' folders, unless `store` is a team's store.
        detailed: True to compute `cost` and `rereads` of the given sessions.

    Yields:
        Each entry as soon as it is known, with the share of the work that is finished, or None if that is unknown. A
        file that cannot be read is an entry with a problem.

    Raises:
        StoreError: If the store cannot be read.
    """
    names: set[object] = set()
    entries: list[Entry] = []
    most = -1 if isinstance(store, Store) else MAX_LISTED
    rows = list(map(_row_entry, store.sessions(most))) if store else []
    stored = {_likeness(row): row for row in rows}
    for entry, share in target_entries(targets, store, detailed):
        names |= {entry.target, _whole_path(entry.path), _likeness(entry)}
        entries.append(entry)
        yield _counted(entry, stored.get(_likeness(entry))), share
    for entry in rows:
        if not names & {entry.target, _whole_path(entry.path) or entry.target, _likeness(entry)}:
            yield entry, None
        entries.append(entry)
    for entry in found_beside(entries, _MAX_BESIDE) if look_around and most < 0 else ():
        yield entry, None


def found_beside(entries: Iterable[Entry], most: int = _MAX_FOUND) -> Iterator[Entry]:
    """Yield the sessions in tools' folders that are not among some entries, newest first.

    Sessions of a database are matched by title, so that one stored session does not hide the others. If several have
    the same title, as many are hidden as are stored.

    Args:
        entries: Entries that are already listed.
        most: Maximum number of sessions to look at, newest first.
    """
    known = [*entries]
    places = {_whole_path(entry.path) for entry in known}
    sessions = Counter((_whole_path(entry.path), entry.title[:_ALIKE]) for entry in known)
    stored = frozenset(_whole_path(entry.path) for entry in known if entry.origin == "stored" and not entry.capture)
    for entry in found_entries(most=most, stored=stored):
        path = _whole_path(entry.path)
        if not entry.number:
            if path not in places:
                yield entry
        elif sessions[path, entry.title[:_ALIKE]]:
            sessions[path, entry.title[:_ALIKE]] -= 1
        else:
            yield entry


def _likeness(entry: Entry) -> object:
    """Return a key that is equal for copies of a session in different places; the entry itself if it has no time."""
    is_dated = _TIME.match(entry.changed) and entry.messages
    return (entry.format, entry.title[:_ALIKE], entry.messages, entry.changed) if is_dated else entry


def _counted(entry: Entry, stored: Entry | None) -> Entry:
    """Return an entry with the counts of its stored copy if its own are estimates."""
    if stored is None or stored.tokens is None or not entry.estimated:
        return entry
    return replace(
        entry,
        tokens=stored.tokens,
        estimated=stored.estimated,
        peak_share=stored.peak_share,
        peak_estimated=stored.peak_estimated,
    )


def _whole_path(path: str) -> str:
    return str(Path(path).absolute()) if path else ""


def target_entries(
    targets: Sequence[str], store: SessionStore | None = None, detailed: bool = False
) -> Iterator[tuple[Entry, float]]:
    """Yield the sessions of the named files, folders and stored ids, each with the share of the finished work.

    Args:
        targets: Files, folders and stored ids.
        store: Store with stored sessions.
        detailed: True to compute `cost` and `rereads`.
    """
    index = SharedMessageIndex()
    files_by_target = [(target, *_files_of(target)) for target in targets]
    total, count = sum(max(1, len(files)) for _, files, _ in files_by_target), 0
    for target, files, closed in files_by_target:
        strange: list[Entry] = []
        for file in files:
            count += 1
            for entry in _file_entries(file, detailed, index):
                if entry.problem and Path(target).is_dir():
                    strange.append(entry)
                else:
                    yield entry, count / total
        count += not files
        others = _left_out(target, strange, closed) if files else (_other_entry(target, store, detailed, index),)
        yield from ((entry, count / total) for entry in others)


def _left_out(folder: str, strange: Sequence[Entry], closed: Sequence[Path]) -> Iterator[Entry]:
    """Yield entries for a folder's files without conversations and for subfolders that are not readable."""
    if strange:
        yield replace(unsupported(folder, strange), passed_over=tuple(path.name for path in passed_over(folder)))
    for problem in closed_words(closed):
        yield Entry(str(closed[0]), closed[0].name, "given", path=str(closed[0]), problem=problem)


def _files_of(target: str) -> tuple[list[Path], list[Path]]:
    """Return the files of a path, itself or all in a folder, and the folders that are not readable.

    Both are empty for a target that is not a path, or is one session of a file.
    """
    path, number = place_of(target)
    return ([], []) if path is None or number else files_in(path)


def _file_entries(path: Path, detailed: bool, index: SharedMessageIndex) -> Iterator[Entry]:
    try:
        sessions = read_file(path)
    except OpenError as problem:
        yield Entry(str(path), path.name, "given", path=str(path), problem=str(problem))
        return
    for number, session in enumerate(sessions, 1):
        yield _session_entry(session, str(path) if len(sessions) == 1 else f"{path}#{number}", detailed, index)


def _other_entry(target: str, store: SessionStore | None, detailed: bool, index: SharedMessageIndex) -> Entry:
    """Return the entry of a stored session, of one session of a file, or of an empty folder."""
    try:
        if place_of(target)[0] is not None:
            return _session_entry(resolve(target).session, target, detailed, index)
        session_id = find_session_id(target, store)
        assert store is not None, "the entry was found there"
        entry = _row_entry(store.row(session_id))
        return detailed_entry(entry, store) if detailed else entry
    except OpenError as problem:
        return Entry(target, target, "given", path=target, problem=str(problem))


def unsupported(folder: str, problems: Sequence[Entry]) -> Entry:
    """Return one entry for the files of a folder that contain no conversation. A single file keeps its own text."""
    reasons = tuple(entry.problem for entry in problems)
    if len(problems) == 1:
        return replace(problems[0], unsupported=reasons)
    memories = any("inspector memory " in reason for reason in reasons)
    some = " Some contain memories: inspector memory FOLDER lists them, or h in Memory." if memories else ""
    text = f"{len(problems):,} files in {folder} contain no conversation.{some} inspector ls FILE shows why."
    return Entry(folder, folder, "given", path=folder, problem=text, unsupported=reasons)


def detailed_entry(entry: Entry, store: SessionStore | None) -> Entry:
    """Return an entry with `cost` and `rereads`, for which its session is read; unchanged if it cannot be read."""
    try:
        return _with_details(entry, resolve(entry.target, store).session)
    except (OpenError, StoreError, OSError):
        return entry


def _with_details(entry: Entry, session: Session) -> Entry:
    details = session_details(session)
    return replace(entry, cost=details.cost, rereads=details.rereads, is_detailed=True)


def _session_entry(session: Session, target: str, detailed: bool, index: SharedMessageIndex) -> Entry:
    sizes = tokens.estimate(session)
    line = window.compute_timeline(session, sizes)
    entry = Entry(
        target=target,
        title=session.title,
        origin="given",
        format=session.format,
        model=session.model,
        agents=len(session.agents),
        messages=len(session.messages),
        turns=len(session.turns(session.agents[0])),
        tokens=sum(sizes.tokens),
        estimated=True,
        peak_share=line.peak / sizes.limit if sizes.limit else None,
        compactions=len(session.compactions),
        changed=next((message.time for message in reversed(session.messages) if _TIME.match(message.time)), ""),
        days_left=days_left(session.path, session.format),
        path=session.path,
        folder=folder_of(session),
        forked_from=session.forked_from,
        shared=index.add(session, sizes.tokens, target),
        damage=len(session.problems),
    )
    return _with_details(entry, session) if detailed else entry


def _row_entry(row: SessionRow) -> Entry:
    peak = row.peak or 0
    model = profile(row.model)
    limit = model.limit if model.exact else limit_for_usage(model, peak)
    return Entry(
        target=row.id,
        title=row.title,
        origin="stored",
        format=row.format,
        model=row.model,
        agents=row.agents,
        messages=row.messages,
        turns=row.turns,
        tokens=row.tokens,
        estimated=row.tokens is not None and not model.exact,
        peak_share=peak / limit if row.peak else None,
        compactions=row.compactions,
        changed=row.changed if _TIME.match(row.changed) else "",
        path=row.path,
        folder=row.folder,
        damage=row.damage,
        capture=STORED_CAPTURE if row.is_joined else "",
    )


def found_entries(tools: Collection[str] = (), most: int = _MAX_FOUND, stored: Collection[str] = ()) -> Iterator[Entry]:
    """Yield the sessions in tools' folders, newest first. Only their first and last lines are read, for a title.

    A transcript and the capture of its requests are one session, the transcript's, unless it is stored without them.

    Args:
        tools: Lower-case beginnings of the names or formats of tools; empty for all tools.
        most: Maximum number of sessions.
        stored: Files of sessions that are stored without their captures.
    """
    files = agent_session_files(most, tools)
    pairs = captures_of_transcripts(
        (file.path, file.mtime)
        for file in files
        if file.format != "capture" and not file.number and _whole_path(str(file.path)) not in stored
    )
    joined = frozenset(pairs.values())
    for file in files:
        if file.path in joined:
            continue
        yield Entry(
            f"{file.path}#{file.number}" if file.number else str(file.path),
            file.title,
            "found",
            file.format,
            changed=_iso_time(file.mtime),
            days_left=days_left(str(file.path), file.format),
            path=str(file.path),
            folder=file.folder,
            capture=str(pairs.get(file.path, "")),
        )


def _iso_time(seconds: float) -> str:
    """Return Unix time as ISO time; "" if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""
