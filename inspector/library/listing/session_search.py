"""Search the text of sessions: stored ones with the store's index, listed ones by reading them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from inspector.analysis.message_search import Haystack, MessageQuery, parse_words, search_messages, word_places
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.text import one_line
from inspector.library.listing.session_listing import Entry
from inspector.library.opening.session_refs import OpenError, read_file
from inspector.store import Hit, SessionStore, StoreError


@json_object("Hit", "session=target title message number agent role text")
@dataclass(frozen=True, slots=True)
class SessionHit:
    """A message that contains the words."""

    target: Annotated[str, "name that opens its session: an id, a path or FILE#N"]
    title: str
    message: Annotated[str, "the message's id"]
    number: Annotated[int, "its position in the log, from 1"]
    agent: str
    role: str
    text: Annotated[str, "one line around the match"]
    """Line of text around the words, without control characters."""
    spans: tuple[tuple[int, int], ...]
    """Positions of the words in that line."""


@json_object(keys="stored listed unread")
@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Progress of a search, with the matches since the previous report."""

    hits: tuple[SessionHit, ...] = ()
    stored: Annotated[int, "stored sessions"] = 0
    listed: Annotated[int, "sessions of the named files"] = 0
    unread: Annotated[int, "files that can no longer be read"] = 0
    is_last: bool = False

    @property
    def scope(self) -> str:
        """Description of the searched sessions."""
        parts = [f"{self.stored:,} stored", f"{self.listed:,} listed"]
        if self.unread:
            parts.append(f"{self.unread:,} unreadable")
        return ", ".join(parts)


class _CancelledError(Exception):
    """Raised while a file is read if the search is cancelled."""


def search_sessions(
    words: str,
    store: SessionStore | None,
    entries: Sequence[Entry] = (),
    most: int = 200,
    cancelled: Callable[[], bool] = bool,
) -> Iterator[SearchProgress]:
    """Search all stored sessions, and the listed ones among `entries`, for messages that contain all words.

    Stored sessions are reported at once and listed ones file by file. A stored session whose file is listed is searched
    in the file.

    Args:
        words: Words and phrases to find.
        store: Store to search.
        entries: Listed sessions.
        most: Maximum number of matches.
        cancelled: Called regularly; ends the search when it returns True.

    Raises:
        StoreError: If the store cannot be read.
    """
    files: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.origin != "stored" and not entry.problem:
            files.setdefault(entry.path or entry.target, []).append(entry)
    query = parse_words(words)
    state = _search_store(words, store, files, most)
    room = most - len(state.hits)
    yield replace(state, is_last=not files)
    for number, (path, same) in enumerate(files.items(), 1):
        if cancelled():
            return
        hits: tuple[SessionHit, ...] = ()
        try:
            hits = tuple(_search_file(path, same, query, room, cancelled)) if room and query.words else ()
            state = replace(state, listed=state.listed + len(same))
        except _CancelledError:
            return
        except (OpenError, OSError, StoreError):
            state = replace(state, unread=state.unread + 1)
        room -= len(hits)
        yield replace(state, hits=hits, is_last=number == len(files))


def _search_store(words: str, store: SessionStore | None, files: dict[str, list[Entry]], most: int) -> SearchProgress:
    if store is None:
        return SearchProgress()
    if not files:
        return SearchProgress(tuple(map(_stored_hit, store.search(words, most))), stored=store.rollups.stored())
    paths = {str(Path(path).absolute()) for path in files}
    ids = {row.id for row in store.sessions() if not row.path or str(Path(row.path).absolute()) not in paths}
    hits = [_stored_hit(hit) for hit in store.search(words, most) if hit.session_id in ids]
    return SearchProgress(tuple(hits), stored=len(ids))


def _stored_hit(hit: Hit) -> SessionHit:
    line, spans, at = "", [], 0
    for start, end in hit.spans:
        line += _cleaned(hit.snippet[at:start])
        word = _cleaned(hit.snippet[start:end])
        spans.append((len(line), len(line) + len(word)))
        line += word
        at = end
    line += _cleaned(hit.snippet[at:])
    place = (hit.session_id, hit.session, hit.message_id, hit.position + 1, hit.agent, hit.role)
    return SessionHit(*place, line, tuple(spans))


def _cleaned(text: str) -> str:
    """Return a part of a line without control characters, keeping spaces at its ends because a word can follow."""
    inside = one_line(text)
    before = " " if text[:1].isspace() and not inside[:1].isspace() else ""
    after = " " if inside and text[-1:].isspace() and not inside[-1:].isspace() else ""
    return f"{before}{inside}{after}"


def _search_file(
    path: str, entries: Sequence[Entry], query: MessageQuery, most: int, cancelled: Callable[[], bool]
) -> Iterator[SessionHit]:
    """Yield the matches in the listed sessions of one file.

    Raises:
        OpenError: If the file contains no readable session.
        OSError: If a source can no longer be read.
        StoreError: If a text is in a store that can no longer be read.
        _CancelledError: If `cancelled` returned True.
    """

    def watch(*_: object) -> None:
        if cancelled():
            raise _CancelledError

    sessions = read_file(Path(path), watch)
    count = 0
    for entry in entries:
        place = int(entry.number[1:]) if entry.number else 1
        if place <= len(sessions):
            for hit in _search_session(sessions[place - 1], entry, query, cancelled):
                yield hit
                count += 1
                if count >= most:
                    return


def _search_session(
    session: Session, entry: Entry, query: MessageQuery, cancelled: Callable[[], bool]
) -> Iterator[SessionHit]:
    haystack = Haystack(session.messages, [0] * len(session.messages))
    for batch in search_messages(query, haystack, stop=cancelled):
        for hit in batch.hits:
            message, line = session.messages[hit.place], one_line(hit.excerpt)
            spans = tuple(word_places(line, query.words))
            place = (entry.target, entry.title, message.id, hit.place + 1, message.agent, message.role)
            yield SessionHit(*place, line, spans)
    if cancelled():
        raise _CancelledError
