"""Answer the calls of the MCP tools from recorded sessions. Every answer is short and names turn and source."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector import library
from inspector.analysis.context_loss import restore
from inspector.analysis.message_search import fold_text, parse_words, readable_text, word_places
from inspector.core.conversation import Message, Session
from inspector.core.crash import error_message
from inspector.core.errors import InspectorError
from inspector.core.text import clip, is_stream, one_line, plural, visible
from inspector.engine.retrieval import FullTextIndex
from inspector.engine.window import call_names
from inspector.llm.tokens import counter_for
from inspector.store import Store, StoreError, default_path

_RECALL_TOKENS, _LOST_TOKENS, _SESSIONS_TOKENS = 1_500, 2_400, 1_200
"""Maximum tokens of the answers."""
_MAX_HITS, _MAX_SESSIONS = 12, 20
_MAX_EXCERPT = 480
"""Characters of an excerpt."""
_BEFORE = 80
"""Characters of an excerpt that precede the first word."""
_MAX_PLACES = 50
"""Number of places in a message that are compared for its excerpt."""
_MIN_STEM, _MAX_ENDING = 4, 3
"""Minimum letters of a word by which another form of it is found in an excerpt, and maximum letters of its ending."""
_MAX_QUERY = 1_000
_MAX_FOUND = 1_000
"""Number of sessions in tools' folders that are looked at, newest first."""
_SECONDS = 20.0
"""Seconds after which a search ends with what it has."""
_PLAIN_QUOTES = str.maketrans("“”", '""')


class _ToolError(InspectorError):
    """The arguments of a tool cannot be used."""


@dataclass(frozen=True, slots=True)
class _Recalled:
    """A message outside the window that contains words of the query."""

    place: int
    words: tuple[str, ...]
    line: str
    """Its text on one line, without control characters."""


def call_tool(name: str, arguments: Mapping[str, Any], db: Path | None = None) -> tuple[str, bool]:
    """Return the text that answers a call of a tool, and True if it is the reason of a failure.

    The text contains no control characters.

    Args:
        name: Name of a tool in `TOOLS`.
        arguments: Its arguments, unchecked.
        db: File of the store; None for the default one.
    """
    try:
        return visible(_tool_text(name, arguments, db)), False
    except Exception as error:
        return visible(error_message(error)), True


def _tool_text(name: str, arguments: Mapping[str, Any], db: Path | None) -> str:
    """Return the text that answers a call of a tool.

    Raises:
        _ToolError: If an argument cannot be used, or no session is recorded for the folder.
        OpenError: If the session cannot be read.
        StoreError: If the session is in a store that cannot be read.
        OSError: If the recording can no longer be read.
    """
    query, target = (_string_of(arguments, key) for key in ("query", "session"))
    with _opened_store(db) as store:
        if name == "sessions":
            return _listed_sessions(query, store)
        if name == "recall" and not parse_words(query).words:
            raise _ToolError("The query is empty. Pass words that the message contains.")
        session, source = _named_session(target, store)
        head = f"From the recording of {_quotation(session.title, 120)}, session {one_line(source)}."
        return _lost_text(session, head) if name == "lost" else _recalled_text(session, query, head)


def _string_of(arguments: Mapping[str, Any], key: str) -> str:
    value = arguments.get(key)
    if value is not None and not isinstance(value, str):
        raise _ToolError(f"The argument {key} is not a string.")
    return (value or "")[:_MAX_QUERY].strip()


@contextmanager
def _opened_store(db: Path | None) -> Iterator[Store | None]:
    """Open the store if it exists and can be read; it is not created."""
    if not (db or default_path()).exists():
        yield None
        return
    with library.Library(db) as opened:
        yield opened.store


def _quotation(text: str, room: int) -> str:
    """Return a text on one line in quotation marks that it cannot close."""
    return f"“{clip(one_line(text), room).translate(_PLAIN_QUOTES)}”"


def _named_session(name: str, store: Store | None) -> tuple[Session, str]:
    """Return a session by path or id, or the newest of the current folder, and the target that opens it."""
    target = name or _newest_here(store)
    path = library.place_of(target)[0]
    if path is not None and is_stream(path):
        raise _ToolError("The session is not a regular file.")
    try:
        return library.resolve(target, store).session, target
    except library.OpenError:
        named = (entry.target for entry in library.found_entries(most=_MAX_FOUND) if Path(entry.path).stem == target)
        if path is not None or not (other := next(named, "")):
            raise
    return library.resolve(other, store).session, other


def _newest_here(store: Store | None) -> str:
    """Return the target of the newest session of the current folder, else of the project that contains it."""
    here = _real_folder(str(Path.cwd()))
    project = next((str(one) for one in (Path(here), *Path(here).parents) if (one / ".git").exists()), here)
    inside = ""
    for entry in _known_sessions(store):
        folder = _real_folder(entry.folder)
        if folder == here:
            return entry.target
        if folder and not inside and Path(folder).is_relative_to(project):
            inside = entry.target
    if not inside:
        raise _ToolError(f"No session of {one_line(here)} is recorded. Pass session; the tool sessions lists them.")
    return inside


def _real_folder(name: str) -> str:
    """Return a recorded folder without links; "" if it is no valid name."""
    try:
        return os.path.realpath(name) if name else ""
    except (OSError, ValueError):
        return ""


def _known_sessions(store: Store | None) -> list[library.Entry]:
    """Return the sessions of this machine and of the store, newest first."""
    stored: list[library.Entry] = []
    if store is not None:
        try:
            stored = [entry for entry, _ in library.list_entries((), store, look_around=False)]
        except StoreError:
            stored = []
    entries = [*stored, *library.found_beside(stored, _MAX_FOUND)]
    return sorted(entries, key=lambda entry: entry.changed, reverse=True)


def _listed_sessions(query: str, store: Store | None) -> str:
    words = parse_words(query).words
    matches = [entry for entry in _known_sessions(store) if _names_all(entry, words)]
    if not matches:
        return "No recorded session has these words in its title or project."
    lines = [
        f"- {_quotation(entry.title, 100)}, project {_quotation(entry.project, 40)}, "
        f"{entry.format}, {entry.changed[:16]}: session {one_line(entry.target)}"
        for entry in matches[:_MAX_SESSIONS]
    ]
    head = f"{plural(len(matches), 'recorded session')}, newest first. Titles are quotations."
    return _within(head, lines, _SESSIONS_TOKENS, "")


def _names_all(entry: library.Entry, words: Sequence[str]) -> bool:
    text = fold_text(f"{entry.title} {entry.folder} {entry.project} {entry.format} {entry.target}")
    return all(word in text for word in words)


def _lost_text(session: Session, head: str) -> str:
    answer = restore(session, session.agents[0], tokens=_LOST_TOKENS - counter_for(session.model).count(head) - 1)
    if answer is None:
        return f"{head} It contains no compaction."
    return f"{head}\n{answer.text or 'The new context states everything that the last compaction dropped.'}"


def _recalled_text(session: Session, query: str, head: str) -> str:
    places = _outside(session)
    if not places:
        return f"{head} Every message is in the context window."
    hits, count, looked = _matches(session, places, query)
    scope = f"{plural(looked, 'message')} outside the context window searched"
    if not hits:
        return f"{head} {scope}; none contains these words."
    names = call_names(session.messages)
    replies = {agent: session.turns(agent) for agent in session.agents}
    lines = []
    for hit in hits:
        message = session.messages[hit.place]
        turn = bisect_left(replies[message.agent], hit.place) + 1
        agent = "" if message.agent == session.agents[0] else f"agent {one_line(message.agent)}, "
        who = f"{agent}{message.role}, {one_line(library.speaker(message, names))}"
        lines.append(f"- Turn {turn:,}, message {hit.place + 1:,} ({who}): {_excerpt(hit)}")
    return _within(f"{head} {scope}; {count:,} match. The lines are quotations.", lines, _RECALL_TOKENS, session.model)


def _outside(session: Session) -> list[int]:
    """Return the positions of the messages that the first agent's current context neither contains nor repeats.

    Other agents have other contexts, so all of their messages are included.
    """
    agent = session.agents[0]
    path = session.path_to(session.context_end(len(session.turns(agent)) + 1, agent))
    inside = {id(session.original_of(session.messages[place])) for place in path}
    return [
        place
        for place, message in enumerate(session.messages)
        if message.role != "system" and _is_first(session, message, inside)
    ]


def _is_first(session: Session, message: Message, inside: set[int]) -> bool:
    return session.original_of(message) is message and id(message) not in inside


def _matches(session: Session, places: Sequence[int], query: str) -> tuple[list[_Recalled], int, int]:
    """Return the best messages with any of some words, and the numbers of all matches and of searched messages.

    Messages with a quoted phrase are first, then those with the words as words, in all their forms: rare words count
    more than frequent ones, and short messages more than long ones. Parts of words and names follow. Of equal messages,
    the newest is first.
    """
    words, end = parse_words(query).words, time.monotonic() + _SECONDS
    texts, matched = dict[int, str](), dict[int, tuple[str, ...]]()
    for place in reversed(places):
        texts[place] = readable_text(session.messages[place])
        folded = fold_text(texts[place])
        if present := tuple(word for word in words if word in folded):
            matched[place] = present
        if time.monotonic() > end:
            break
    index = FullTextIndex[int]()
    index.hold(texts)
    ranks = {match.key: rank for rank, match in enumerate(index.search(query, len(texts)))}
    matched = dict.fromkeys(ranks, ()) | matched
    beginnings = tuple(word[: max(_MIN_STEM, len(word) - _MAX_ENDING)] for word in words)
    rows = [
        _Recalled(place, matched[place] or beginnings, one_line(texts[place])) for place in _best_places(matched, ranks)
    ]
    return rows, len(matched), len(texts)


def _best_places(matched: Mapping[int, tuple[str, ...]], ranks: Mapping[int, int]) -> list[int]:
    """Return the positions of the best messages.

    Args:
        matched: Words and phrases that occur in each message.
        ranks: Ranks of the messages that contain the words as words.
    """
    frequency = Counter(word for words in matched.values() for word in words)

    def order(place: int) -> tuple[int, int, float]:
        words = matched[place]
        rarity = sum(1 / frequency[word] + 0.1 for word in words)
        return -sum(" " in word for word in words), ranks.get(place, len(ranks)), -rarity

    return sorted(sorted(matched, reverse=True), key=order)[:_MAX_HITS]


def _excerpt(hit: _Recalled) -> str:
    """Return the part of the text with the most words of the query."""

    def words_from(start: int) -> int:
        part = fold_text(hit.line[start : start + _MAX_EXCERPT - _BEFORE])
        return sum(word in part for word in hit.words)

    starts = [start for start, _ in word_places(hit.line, hit.words)[:_MAX_PLACES]]
    start = max(0, max(starts, key=words_from, default=0) - _BEFORE)
    start = hit.line.find(" ", start, start + _BEFORE) + 1 or start if start else 0
    return f"{'…' if start else ''}{_quotation(hit.line[start:], _MAX_EXCERPT)}"


def _within(head: str, lines: Iterable[str], tokens: int, model: str) -> str:
    """Return a heading and as many lines as a number of tokens allows."""
    count = counter_for(model).count
    rows, left = [head], tokens - count(head)
    for line in lines:
        left -= count(line) + 1
        if left < 0:
            break
        rows.append(line)
    return "\n".join(rows)
