"""Sessions of the files in a zip or tar archive. Each file is read as if it were unpacked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

from inspector.core.conversation import Problem, Session
from inspector.formats.building.ids import unique
from inspector.formats.reading.archives import ArchiveReader, DamagedArchiveError, open_archive
from inspector.formats.reading.content import Content, describe_sample
from inspector.formats.reading.source import Progress, Source, UnreadableError, kind_of_member
from inspector.formats.reading.text_files import text_content

_ASIDE = frozenset([".git", "__MACOSX"])
_NAMED = 3
"""Maximum number of files without a conversation that are named."""
_HEAD = 4096
"""Number of bytes by which text is distinguished from binary data."""


def visible_members(content: Content) -> list[str]:
    """Return the names of the files in an archive, except files of the operating system and of git."""
    return [name for name in content.sample.members if not _is_kept_aside(PurePosixPath(name))]


def _is_kept_aside(path: PurePosixPath) -> bool:
    """Return True for files that contain no recordings. Some tools keep recordings in hidden folders and files."""
    is_hidden = path.name.startswith("._") or (path.name.startswith(".") and not path.suffix)
    return is_hidden or not _ASIDE.isdisjoint(path.parts)


def read_members(
    content: Content,
    names: Sequence[str],
    read: Callable[[Content], list[Session]],
    progress: Progress | None = None,
) -> list[Session]:
    """Read the sessions of files in an archive.

    Args:
        content: The archive.
        names: The files, in the order of their sessions.
        read: Reads the sessions of an opened file. May raise UnreadableError.
        progress: Called with the number of bytes read and the total number of bytes.

    Returns:
        The sessions. The first one reports the files that could not be read.

    Raises:
        UnreadableError: No file contains a session.
    """
    path, size = content.source.path, content.source.size
    sessions: list[Session] = []
    refusals: dict[str, UnreadableError] = {}
    try:
        with open_archive(path) as archive:
            for number, name in enumerate(names, 1):
                try:
                    own = _read_member(archive, name, path, read)
                    sessions += own if len(names) == 1 else (_from_member(one, name, number) for one in own)
                except UnreadableError as error:
                    refusals[name] = error
                if progress:
                    progress(size * number // len(names), size)
            damage = archive.damage
    except DamagedArchiveError as error:
        raise UnreadableError(path, f"{path} is an archive, and {error}: choose another file.") from error
    if not sessions:
        raise _why_unread(content, refusals)
    first, *others = unique(sessions)
    problems = [*content.problems.all(), *map(Problem, _remarks(content, damage, refusals))]
    return [replace(first, problems=(*problems, *first.problems)), *others]


def _remarks(content: Content, damage: str, refusals: Collection[str]) -> Iterator[str]:
    """Yield what is missing of an archive, as clauses, unless it is among the problems."""
    if damage and not any(one.text == damage for one in content.problems.problems):
        yield damage
    if refusals:
        features = (
            "1 file in the archive contains"
            if len(refusals) == 1
            else f"{len(refusals):,} files in the archive contain"
        )
        yield f"{features} no conversation that can be read: {_some_of(refusals)}"


def _read_member(
    archive: ArchiveReader, name: str, path: str, read: Callable[[Content], list[Session]]
) -> list[Session]:
    """Read the sessions of a file in an archive. Raises UnreadableError."""
    try:
        return read(_open_member(archive, name, path))
    except RecursionError as error:
        raise UnreadableError(path, f"{path} holds {name}, which is nested too deeply to be read.") from error


def _open_member(archive: ArchiveReader, name: str, path: str) -> Content:
    """Open a file in an archive. Raises UnreadableError."""
    try:
        data = archive.read(name)
    except DamagedArchiveError as error:
        text = f"{path} is an archive whose file {name} cannot be read: {error}; unpack it first."
        raise UnreadableError(path, text) from error
    if kind := kind_of_member(data[:_HEAD]):
        text = f"{path} is an archive with {name} in it, which is {kind}: unpack it, and open that."
        raise UnreadableError(path, text)
    return text_content(Source(path, len(data), data))


def _from_member(session: Session, name: str, number: int) -> Session:
    """Return the session of one of several files. Its problems name the file."""
    problems = (Problem(f"{name}, {one}", message=one.message) for one in session.problems)
    return replace(session, line=session.line or number, problems=tuple(problems))


def _why_unread(content: Content, refusals: dict[str, UnreadableError]) -> UnreadableError:
    """Return the error for an archive without a conversation."""
    if len(refusals) == 1:
        return next(iter(refusals.values()))
    path = content.source.path
    what = f"{path} holds {describe_sample(content.sample)}, none of which has a conversation that can be read alone"
    return UnreadableError(path, f"{what}: unpack it, and open the folder.")


def _some_of(names: Collection[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(islice(names, _NAMED)) + (f" and {more:,} more" if more > 0 else "")
