"""The library as a list: what was named, what is stored, and what agents left on this machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Annotated, Literal, get_args

from inspector.core.conversation import Session
from inspector.core.json_objects import Fraction, Tokens, json_object
from inspector.engine.window import compute_timeline
from inspector.formats import passed_over
from inspector.library.listing.discovery import agent_session_files
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
from inspector.llm.models import limit_above, profile
from inspector.llm.tokens import estimate
from inspector.store import SessionRow, Store, StoreError

_Origin = Literal["given", "stored", "found"]
ORIGINS: tuple[_Origin, ...] = get_args(_Origin)
_MAX_FOUND = 5_000
"""Sessions of tools' own folders that are listed where these are asked for, the newest ones."""
_MAX_BESIDE = 200
"""The same where they are listed beside others."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d")
"""How a time begins; a recording may say anything in its place."""
_ALIKE = 40
"""Characters of a title by which two listings of one session are known; both may be cut off behind them."""
_HEADS = 3
"""Messages of a session that are looked at for what is recorded beside them."""


@json_object(
    "Listed session",
    "target title origin format model agents messages turns tokens estimated peak_estimated peak_share compactions"
    " changed path project folder damage problem strangers=unsupported",
)
@dataclass(frozen=True, slots=True)
class Entry:
    """A session as the library lists it. What is not known without reading more is null."""

    target: Annotated[str, "what opens it: a path, FILE#N, or an id"]
    title: str
    origin: Annotated[_Origin, "named on the command line, in the store, or in an agent's own folder"]
    format: str = ""
    model: str = ""
    agents: int | None = None
    messages: int | None = None
    turns: Annotated[int | None, "model calls"] = None
    tokens: Annotated[Tokens | None, "of the whole log"] = None
    estimated: Annotated[bool, "whether `tokens` is an estimate"] = False
    peak_estimated: Annotated[bool, "whether `peak_share` is an estimate"] = True
    """A window holds what is counted less surely than its messages, such as tools."""
    peak_share: Annotated[Fraction | None, "how much of the model's window the largest context took"] = None
    compactions: Annotated[int | None, "that the recording holds"] = None
    changed: Annotated[str, "ISO time of the last message, or of the last change of the file"] = ""
    path: str = ""
    folder: Annotated[str, "that the agent worked in; empty where that was not recorded"] = ""
    damage: Annotated[int, "parts of the source that could not be read"] = 0
    problem: Annotated[str, "why it cannot be opened, in one sentence; empty where it can be"] = ""
    unsupported: Annotated[
        tuple[str, ...], "why files of a folder hold no conversation, where it stands for these"
    ] = ()
    passed_over: tuple[str, ...] = ()
    """The names of the files of that folder that were not looked at, as no recording is called like that."""

    @property
    def project(self) -> Annotated[str, "the name of `folder`, or else of the file's"]:
        """What it belongs to."""
        own = self.path if self.path not in TRANSIENT else ""
        folder = self.folder or (str(Path(own).absolute().parent) if own else "")
        return PurePath(folder.rstrip("/\\")).name or folder

    @property
    def number(self) -> str:
        """Which session of its file it is, as "#3"; empty where the file holds one, or is not the target."""
        return self.target.removeprefix(self.path) if self.target.startswith(f"{self.path}#") else ""


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """As a list begins that a person reads: what was named, what is stored, what was found; in each the newest first.

    Those without a time keep their order behind the others; damaged ones come behind all of these, and last what
    cannot be opened.
    """
    newest = sorted(entries, key=lambda entry: entry.changed, reverse=True)
    return sorted(newest, key=lambda entry: (ORIGINS.index(entry.origin), bool(entry.problem), bool(entry.damage)))


def distinctions(entries: Sequence[Entry]) -> dict[str, str]:
    """What tells an entry from others of its origin, title and project, by its target; none for the others.

    The name of its file, and its number there, each where it differs; else the id that opens it.
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
    targets: Sequence[str], store: Store | None = None, look_around: bool = True
) -> Iterator[tuple[Entry, float | None]]:
    """What was named, what is stored, and what agents left on this machine; each session once.

    Each entry comes as soon as it is known, with the share of the work that is done by then (None: unknown). A file
    that cannot be read is an entry with its problem. Raises StoreError.
    """
    names: set[object] = set()
    entries: list[Entry] = []
    rows = list(map(_row_entry, store.sessions())) if store else []
    stored = {_likeness(row): row for row in rows}
    for entry, share in target_entries(targets, store):
        names |= {entry.target, _whole_path(entry.path), _likeness(entry)}
        entries.append(entry)
        yield _counted(entry, stored.get(_likeness(entry))), share
    for entry in rows:
        if not names & {entry.target, _whole_path(entry.path) or entry.target, _likeness(entry)}:
            yield entry, None
        entries.append(entry)
    for entry in found_beside(entries, _MAX_BESIDE) if look_around else ():
        yield entry, None


def found_beside(entries: Iterable[Entry], most: int = _MAX_FOUND) -> Iterator[Entry]:
    """Sessions in tools' own folders, the newest first, that are not among some entries.

    Of a database, each session is told by its title: that one of them is stored hides no other. Of several with one
    title as many are hidden as are stored.
    """
    known = [*entries]
    places = {_whole_path(entry.path) for entry in known}
    sessions = Counter((_whole_path(entry.path), entry.title[:_ALIKE]) for entry in known)
    for entry in found_entries(most=most):
        path = _whole_path(entry.path)
        if not entry.number:
            if path not in places:
                yield entry
        elif sessions[path, entry.title[:_ALIKE]]:
            sessions[path, entry.title[:_ALIKE]] -= 1
        else:
            yield entry


def _likeness(entry: Entry) -> object:
    """What the copies of a session have in common, wherever they lie: the entry itself where no time is recorded."""
    is_dated = _TIME.match(entry.changed) and entry.messages
    return (entry.format, entry.title[:_ALIKE], entry.messages, entry.changed) if is_dated else entry


def _counted(entry: Entry, stored: Entry | None) -> Entry:
    """An entry with the counts of its copy in the store, where they are better than an estimate."""
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


def target_entries(targets: Sequence[str], store: Store | None = None) -> Iterator[tuple[Entry, float]]:
    """The sessions of files, folders and stored ids that were named."""
    files_by_target = [(target, *_files_of(target)) for target in targets]
    total, count = sum(max(1, len(files)) for _, files, _ in files_by_target), 0
    for target, files, closed in files_by_target:
        strange: list[Entry] = []
        for file in files:
            count += 1
            for entry in _file_entries(file):
                if entry.problem and Path(target).is_dir():
                    strange.append(entry)
                else:
                    yield entry, count / total
        count += not files
        others = _left_out(target, strange, closed) if files else (_other_entry(target, store),)
        yield from ((entry, count / total) for entry in others)


def _left_out(folder: str, strange: Sequence[Entry], closed: Sequence[Path]) -> Iterator[Entry]:
    """What is said of a folder's files that hold no conversation, and of folders in it that may not be looked into."""
    if strange:
        yield replace(unsupported(folder, strange), passed_over=tuple(path.name for path in passed_over(folder)))
    for problem in closed_words(closed):
        yield Entry(str(closed[0]), closed[0].name, "given", path=str(closed[0]), problem=problem)


def _files_of(target: str) -> tuple[list[Path], list[Path]]:
    """The files of a path, itself or all that a folder holds, and the folders in it that could not be looked into.

    Neither for what is no path, or one session of a file.
    """
    path, number = place_of(target)
    return ([], []) if path is None or number else files_in(path)


def _file_entries(path: Path) -> Iterator[Entry]:
    try:
        sessions = read_file(path)
    except OpenError as problem:
        yield Entry(str(path), path.name, "given", path=str(path), problem=str(problem))
        return
    for number, session in enumerate(sessions, 1):
        yield _session_entry(session, str(path) if len(sessions) == 1 else f"{path}#{number}")


def _other_entry(target: str, store: Store | None) -> Entry:
    """A stored session by its id, one session of a file, or an empty folder."""
    try:
        if place_of(target)[0] is not None:
            return _session_entry(resolve(target).session, target)
        session_id = find_session_id(target, store)
        assert store is not None, "it was found there"
        return next(_row_entry(row) for row in store.sessions() if row.id == session_id)
    except OpenError as problem:
        return Entry(target, target, "given", path=target, problem=str(problem))


def unsupported(folder: str, problems: Sequence[Entry]) -> Entry:
    """What is said of the files in a folder that hold no conversation; one alone speaks for itself."""
    reasons = tuple(entry.problem for entry in problems)
    if len(problems) == 1:
        return replace(problems[0], unsupported=reasons)
    text = f"{len(problems):,} files in {folder} hold no conversation: inspector ls FILE says why."
    return Entry(folder, folder, "given", path=folder, problem=text, unsupported=reasons)


def _session_entry(session: Session, target: str) -> Entry:
    sizes = estimate(session)
    line = compute_timeline(session, sizes)
    return Entry(
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
        path=session.path,
        folder=_folder_of(session),
        damage=len(session.problems),
    )


def _folder_of(session: Session) -> str:
    """The folder that the agent worked in, where its first messages record it; else empty."""
    for message in session.messages[:_HEADS]:
        with suppress(OSError, StoreError):
            if isinstance(folder := message.record.get("cwd"), str):
                return folder
    return ""


def _row_entry(row: SessionRow) -> Entry:
    peak = row.peak or 0
    model = profile(row.model)
    limit = model.limit if model.exact else limit_above(model, peak)
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
    )


def found_entries(tools: Collection[str] = (), most: int = _MAX_FOUND) -> Iterator[Entry]:
    """Sessions in tools' own folders, the newest first: only their first and last lines are read, for a title.

    Only those of some tools, where these are named in small letters, by the beginnings of their names, or their
    formats'.
    """
    for file in agent_session_files(most, tools):
        yield Entry(
            f"{file.path}#{file.number}" if file.number else str(file.path),
            file.title,
            "found",
            file.format,
            changed=_iso_time(file.mtime),
            path=str(file.path),
            folder=file.folder,
        )


def _iso_time(seconds: float) -> str:
    """Empty for what is no time."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""
