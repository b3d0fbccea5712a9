"""The store's face: every method opens nothing, holds nothing, and may be called from any thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.core.conversation import Session
from inspector.store import extract_rows, importing, plans, session_reader, word_search
from inspector.store.agent_sessions import AgentSessions
from inspector.store.bookmark_rows import Bookmarks
from inspector.store.connections import MEMORY, Connections, snapshot, transaction
from inspector.store.entries import Entries
from inspector.store.experiment_rows import Experiments
from inspector.store.importing import ImportResult, Progress
from inspector.store.plans import Stack
from inspector.store.rollup_rows import Rollups
from inspector.store.serialization import column
from inspector.store.session_reader import SessionRow, StoreBody
from inspector.store.session_removal import SessionRemovals
from inspector.store.sources import SourceFiles
from inspector.store.transcripts import Transcripts
from inspector.store.word_search import Hit
from inspector.store.working import write_working_tier

if TYPE_CHECKING:
    from inspector.core.extraction_cache import ExtractKind
    from inspector.engine.window import Plan


def _now() -> str:
    """Return the UTC time in the format of the store."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Store:
    """One store, in a file or in memory. Every method raises StoreError, one sentence, when the file cannot be used.

    Threads may share it: each has its own connection, and readers do not wait for a writer. A write waits while another
    thread or program is writing, so a user interface calls `add`, `push` and the like from a worker.
    """

    def __init__(self, path: Path | str = MEMORY, clock: Callable[[], str] = _now) -> None:
        self._connections = Connections(path)
        self._clock = clock
        self.entries = Entries(self._connections, clock)
        """Entries of the session tier and of the persistent tier."""
        self.agents = AgentSessions(self._connections, clock)
        """The sessions that running agents write."""
        self.bookmarks = Bookmarks(self.agents.settled, clock)
        """Messages that a person wants to find again."""
        self.experiments = Experiments(self.agents.settled, clock)
        """Replies of models to contexts of sessions."""
        self.rollups = Rollups(self.agents.settled)
        """Totals of sessions."""
        self.transcripts = Transcripts(self._connections)
        """Transcripts of agents that keep them here, entry by entry."""
        self.removals = SessionRemovals(self.agents.settled)
        """Removal of sessions for good."""
        self.sources = SourceFiles(self._connections, self.agents.settled)
        """Files that sessions were imported from."""

    @property
    def path(self) -> str:
        """The file, or ":memory:"."""
        return self._connections.path

    @property
    def was_public(self) -> bool:
        """True if others could read the file before it was opened."""
        return self._connections.was_public

    def close(self) -> None:
        """Close the connections of all threads. Bodies of sessions that were loaded from here can no longer be read."""
        self._connections.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Make everything that is changed inside, by this thread, one change: all of it or, after an error, nothing.

        Other writers wait meanwhile.
        """
        with self._connections.use() as connection, transaction(connection):
            yield

    # sessions

    def add(
        self,
        session: Session,
        progress: Progress | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> ImportResult:
        """Store a session, completely or not at all. Messages that are stored already are not written again.

        A log that has grown adds its new messages. A shorter log adds nothing. A log with the same id but other content
        becomes another session, `id~2`.

        Args:
            session: The session.
            progress: Called with the number of stored messages and the number of all messages.
            is_cancelled: Returns True to roll back the import.

        Raises:
            ImportCancelledError: `is_cancelled` returned True.
            StoreError: The store cannot be written.
        """

        def on_progress(count: int, total: int) -> None:
            self._connections.require_open()
            if progress:
                progress(count, total)

        with self._connections.use() as connection:
            return importing.add(connection, session, self._clock(), on_progress, is_cancelled or (lambda: False))

    def sessions(self, limit: int = -1) -> list[SessionRow]:
        """Return sessions, newest first. -1 is no limit."""
        with self.agents.settled() as connection:
            return session_reader.sessions(connection, limit)

    def row(self, id: str) -> SessionRow:
        """Return the row of one session in `sessions`. Raises StoreError if it is not stored."""
        with self.agents.settled() as connection:
            session_reader.require(connection, id)
            return session_reader.sessions(connection, id=id)[0]

    def find(self, id: str) -> str:
        """Return the id of the session with this id or unique prefix. Raises StoreError otherwise."""
        with self.agents.settled() as connection:
            return session_reader.find(connection, id)

    def ids_under(self, id: str) -> list[str]:
        """Return the ids of the sessions whose recorded or stored id is `id`, the oldest import first."""
        with self.agents.settled() as connection:
            return session_reader.ids_under(connection, id)

    def load(self, id: str) -> Session:
        """Return a session with the heads of its messages. Their bodies are read from the store on demand."""
        with self.agents.settled():
            pass
        return session_reader.load(self._connections, id)

    def load_tail(self, id: str) -> Session | None:
        """Return the newest context of a long session, or None if that is the whole session. Raises StoreError."""
        with self.agents.settled():
            pass
        return session_reader.load_tail(self._connections, id)

    def body(self, key: int) -> StoreBody:
        """Return the body of the message with a key. It is read when it is needed, as for the messages of `load`."""
        return StoreBody(self._connections, key)

    def remove(self, id: str) -> None:
        """Remove a session, its plans and bookmarks. Its entries in the persistent tier are kept, without its name."""
        with self._connections.use() as connection:
            session_reader.remove(connection, id)

    # sizes

    def digests(self, session_id: str) -> list[bytes]:
        """Return the digest of each message's content, in order."""
        with self.agents.settled() as connection:
            return session_reader.digests(connection, session_id)

    def counts(self, digests: Iterable[bytes], counter: str) -> dict[bytes, int]:
        """Return the tokens that a counter has already counted, in any session.

        Args:
            digests: Digests of contents.
            counter: Name of the counter.

        Returns:
            Tokens by digest. Unknown contents are missing.
        """
        with self._connections.use() as connection:
            return session_reader.counts(connection, digests, counter)

    def save_counts(self, counter: str, tokens: Mapping[bytes, int]) -> None:
        """Store the token counts of a counter, by digest."""
        with self._connections.use() as connection:
            session_reader.save_counts(connection, counter, tokens)

    def set_size(self, id: str, tokens: int, peak: int, counter: str = "", messages: int | None = None) -> None:
        """Save the size of a session.

        Args:
            id: Id of the session.
            tokens: Tokens of the whole log.
            peak: Tokens of the largest window.
            counter: Name of the tokenizer whose counts the views show.
            messages: Number of messages that were counted. If the store contains another number, for example because
                the counted file is a part of the session, nothing is saved. None for all of them.
        """
        with self._connections.use() as connection:
            session_reader.set_size(connection, id, tokens, peak, counter, messages)

    # what was read out of messages

    def message_keys(self, session_id: str) -> list[tuple[int, bytes, int]]:
        """Return the key, digest and number of characters of each message, in order. Extracts are cached by them."""
        with self.agents.settled() as connection:
            return extract_rows.message_keys(connection, session_id)

    def load_extracts(self, kind: ExtractKind, rules: bytes, keys: Sequence[int]) -> dict[int, str]:
        """Return the extracts of messages by key.

        Args:
            kind: Kind of the extracts.
            rules: Digest of the rules that made them.
            keys: Keys of the messages.
        """
        with self._connections.use() as connection:
            return extract_rows.load_extracts(connection, kind, rules, keys)

    def keys_without(self, kind: ExtractKind, rules: bytes, session_id: str) -> set[int]:
        """Return the keys of a session's messages without an extract.

        Args:
            kind: Kind of the extracts.
            rules: Digest of the rules that made them.
            session_id: Id of the session.
        """
        with self._connections.use() as connection:
            return extract_rows.keys_without(connection, kind, rules, session_id)

    def save_extracts(self, kind: ExtractKind, rules: bytes, rows: Iterable[tuple[int, bytes, str]]) -> None:
        """Save extracts, except those of messages that were removed or changed since.

        Args:
            kind: Kind of the extracts.
            rules: Digest of the rules that made them.
            rows: Key and digest of each message, and its extract as JSON.
        """
        with self._connections.use() as connection:
            extract_rows.save_extracts(connection, kind, rules, rows)

    # plans

    def plans(self, session_id: str, agent: str) -> list[Plan]:
        """Return the stack of plans over an agent's window, oldest first."""
        return list(self.stack(session_id, agent).plans)

    def stack(self, session_id: str, agent: str) -> Stack:
        """Return the same plans with the version of their stack, for `push` and `undo`."""
        with self.agents.settled() as connection, snapshot(connection):
            number = plans.version(connection, session_id, agent)
            return Stack(number, tuple(entry.plan for entry in plans.stack(connection, session_id, agent)))

    def version(self, session_id: str, agent: str) -> int:
        """Return the version of an agent's stack of plans; 0 if it is empty."""
        with self.agents.settled() as connection:
            return plans.version(connection, session_id, agent)

    def push(self, session_id: str, agent: str, plan: Plan, on: int | None = None) -> int:
        """Push a plan on a stack, and add its summaries and archived messages to the persistent tier.

        Args:
            session_id: Id of the session.
            agent: Agent of the stack.
            plan: The plan. Its settings are stored as JSON: a tuple becomes a list.
            on: Version of the stack that the plan was made for, or None for any.

        Returns:
            The new version of the stack.

        Raises:
            StaleError: The stack has another version. Nothing is stored.
        """
        with self.agents.settled() as connection, transaction(connection):
            number = plans.push(connection, session_id, agent, plan, self._clock(), on)
            write_working_tier(connection, session_id, agent)
            return number

    def undo(self, session_id: str, agent: str, on: int | None = None) -> Plan | None:
        """Remove the newest plan of a stack, and its entries in the persistent tier, and return it.

        Args:
            session_id: Id of the session.
            agent: Agent of the stack.
            on: Expected version of the stack, or None for any.

        Raises:
            StaleError: The stack has another version.
        """
        with self.agents.settled() as connection, transaction(connection):
            plan = plans.undo(connection, session_id, agent, on)
            write_working_tier(connection, session_id, agent)
            return plan

    # words

    def search(self, words: str, limit: int = 50, session_id: str | None = None) -> list[Hit]:
        """Return messages that contain all the words, the best match first.

        Args:
            words: The words. The last one may be the beginning of a word.
            limit: Maximum number of messages.
            session_id: Session to search in, or None for all.
        """
        with self.agents.settled() as connection:
            return word_search.search(connection, words, limit, session_id)

    # files written for the person

    def note_output(self, path: str, digest: bytes) -> None:
        """Record that Inspector wrote a file with this content.

        Args:
            path: Whole path of the file.
            digest: Digest of its content, from `files.digest_of_file`.
        """
        with self._connections.use() as connection, transaction(connection):
            row = (column(path), digest, self._clock())
            connection.execute("INSERT OR REPLACE INTO output VALUES (?, ?, ?)", row)

    def is_own_output(self, path: str, digest: bytes) -> bool:
        """Return True if the content of a file is the last that Inspector wrote to it."""
        with self._connections.use() as connection:
            statement = "SELECT 1 FROM output WHERE path = ? AND digest = ?"
            return connection.execute(statement, (column(path), digest)).fetchone() is not None
