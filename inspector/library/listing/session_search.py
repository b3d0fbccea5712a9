"""Searching the words of sessions: those in the store by its index, and those that are only listed by reading them."""

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
from inspector.store import Hit, Store, StoreError


@json_object("Hit", "session=target title message number agent role text")
@dataclass(frozen=True, slots=True)
class SessionHit:
    """A message that holds the words."""

    target: Annotated[str, "what opens its session: an id, a path or FILE#N"]
    title: str
    message: Annotated[str, "the message's id"]
    number: Annotated[int, "its place in the log, from 1"]
    agent: str
    role: str
    text: Annotated[str, "one line around the words"]
    """It has been cleaned."""
    spans: tuple[tuple[int, int], ...]
    """Where in that line the words stand."""


@json_object(keys="stored listed unread")
@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search has come, with what was found since the last of these."""

    hits: tuple[SessionHit, ...] = ()
    stored: Annotated[int, "stored sessions"] = 0
    listed: Annotated[int, "sessions of the files that were named"] = 0
    unread: Annotated[int, "files that could not be read any more"] = 0
    is_last: bool = False

    @property
    def scope(self) -> str:
        """What was searched, in words."""
        parts = [f"{self.stored:,} stored", f"{self.listed:,} listed"]
        if self.unread:
            parts.append(f"{self.unread:,} could not be read")
        return ", ".join(parts)


class _CancelledError(Exception):
    """Nobody wants the file any more that is being read."""


def search_sessions(
    words: str,
    store: Store | None,
    entries: Sequence[Entry] = (),
    most: int = 200,
    cancelled: Callable[[], bool] = bool,
) -> Iterator[SearchProgress]:
    """The messages of all stored sessions, and of the listed ones among `entries`, that hold all the words.

    What is stored comes at once, what is listed file by file; at most `most` hits in all. A stored session whose file
    is listed is searched in the file. Where `cancelled` returns true, there are no more. Raises StoreError.
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


def _search_store(words: str, store: Store | None, files: dict[str, list[Entry]], most: int) -> SearchProgress:
    if store is None:
        return SearchProgress()
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
    """A piece of a line, cleaned; the blanks at its ends stay, for a word may follow."""
    inside = one_line(text)
    before = " " if text[:1].isspace() and not inside[:1].isspace() else ""
    after = " " if inside and text[-1:].isspace() and not inside[-1:].isspace() else ""
    return f"{before}{inside}{after}"


def _search_file(
    path: str, entries: Sequence[Entry], query: MessageQuery, most: int, cancelled: Callable[[], bool]
) -> Iterator[SessionHit]:
    """Raises OpenError, OSError, StoreError, and _CancelledError."""

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
