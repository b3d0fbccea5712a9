"""Archives of recordings, zip or tar: each file in one is read as a file of its own would be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

from inspector.core.conversation import Problem, Session
from inspector.formats.building.ids import unique
from inspector.formats.reading.archives import ArchiveReader, DamagedArchiveError, open_archive
from inspector.formats.reading.sample import Content, content_of_text, describe_sample
from inspector.formats.reading.source import Progress, Source, UnreadableError, kind_of_member

_ASIDE = frozenset([".git", "__MACOSX"])
_NAMED = 3
"""Files that are named of those without a conversation."""
_HEAD = 4096
"""Bytes by which a text is told from other data."""


def visible_members(content: Content) -> list[str]:
    """The names of the files in an archive, in its order, but for those that systems and git keep for themselves."""
    return [name for name in content.sample.members if not _is_kept_aside(PurePosixPath(name))]


def _is_kept_aside(path: PurePosixPath) -> bool:
    """Whether a file is no one's to read. Tools keep recordings in hidden folders, and aider in a hidden file."""
    is_hidden = path.name.startswith("._") or (path.name.startswith(".") and not path.suffix)
    return is_hidden or not _ASIDE.isdisjoint(path.parts)


def read_members(
    content: Content,
    names: Sequence[str],
    read: Callable[[Content], list[Session]],
    progress: Progress | None = None,
) -> list[Session]:
    """The sessions of some files in an archive, in their order; `read` gives those of an opened file.

    Those without any are told in the first session. Raises UnreadableError where none has one.
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
    """What is missing of an archive, as sentences without their ends, where it is not among the problems already."""
    if damage and not any(one.text == damage for one in content.problems.problems):
        yield damage
    if refusals:
        features = (
            "1 file in the archive holds" if len(refusals) == 1 else f"{len(refusals):,} files in the archive hold"
        )
        yield f"{features} no conversation that can be read: {_some_of(refusals)}"


def _read_member(
    archive: ArchiveReader, name: str, path: str, read: Callable[[Content], list[Session]]
) -> list[Session]:
    """The sessions of a file in an archive. Raises UnreadableError."""
    try:
        return read(_open_member(archive, name, path))
    except RecursionError as error:
        raise UnreadableError(path, f"{path} holds {name}, which is nested too deeply to be read.") from error


def _open_member(archive: ArchiveReader, name: str, path: str) -> Content:
    """A file in an archive, with its JSON found. Raises UnreadableError."""
    try:
        data = archive.read(name)
    except DamagedArchiveError as error:
        text = f"{path} is an archive whose file {name} cannot be read: {error}; unpack it first."
        raise UnreadableError(path, text) from error
    if kind := kind_of_member(data[:_HEAD]):
        text = f"{path} is an archive with {name} in it, which is {kind}: unpack it, and open that."
        raise UnreadableError(path, text)
    return content_of_text(Source(path, len(data), data))


def _from_member(session: Session, name: str, number: int) -> Session:
    """A session of one file among others in an archive, whose problems say which."""
    problems = (Problem(f"{name}, {one}", message=one.message) for one in session.problems)
    return replace(session, line=session.line or number, problems=tuple(problems))


def _why_unread(content: Content, refusals: dict[str, UnreadableError]) -> UnreadableError:
    """Why an archive is not opened none of whose files has a conversation."""
    if len(refusals) == 1:
        return next(iter(refusals.values()))
    path = content.source.path
    what = f"{path} holds {describe_sample(content.sample)}, none of which has a conversation that can be read alone"
    return UnreadableError(path, f"{what}: unpack it, and open the folder.")


def _some_of(names: Collection[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(islice(names, _NAMED)) + (f" and {more:,} more" if more > 0 else "")
