"""Push stored sessions to a team's store: redacted, in batches, each session when it has changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from secrets import token_bytes
from typing import Annotated

from inspector import __version__
from inspector.analysis.redaction import RedactionError, Redactor, redact
from inspector.analysis.rollups import ROLLUP_RULES
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.text import make_private_file
from inspector.core.work_pool import ProgressCallback
from inspector.library.opening.loading import exact_sizes
from inspector.library.opening.rollup_saving import save_rollups
from inspector.store import Rollup, RollupPart, Store, StoreError, TeamSession, TeamWriter

_MAX_SESSIONS = 200
"""Sessions whose state is looked up, and written, at once."""
_MAX_MESSAGES = 2_000
"""Messages of a batch, which is written in one transaction. A single session may have more."""
_KEY_BYTES = 32
_REMOVED = (b"", False)
_IN_MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class PushOptions:
    """Parts of a session that a team may read."""

    redacts: bool = True
    stats_only: bool = False
    again: bool = True
    """False to leave out sessions that were removed from the team's store."""
    with_kinds: tuple[str, ...] = ()
    without_kinds: tuple[str, ...] = ()


@json_object("Pushed session", "session problem")
@dataclass(frozen=True, slots=True)
class PushOutcome:
    """A session that was pushed, or that could not be."""

    session: Annotated[str, "id in the store of this machine"]
    is_sent: bool = True
    """False if the team's store had all of it, or if it was removed there."""
    problem: Annotated[str, "why it was not pushed, in a sentence; empty if it was"] = ""


def push_sessions(
    store: Store,
    writer: TeamWriter,
    ids: Sequence[str],
    options: PushOptions,
    on_progress: ProgressCallback | None = None,
) -> Iterator[PushOutcome]:
    """Push stored sessions that the team's store does not have yet, batch by batch.

    Args:
        store: Store of this machine.
        writer: The team's store.
        ids: Ids of the sessions.
        options: Parts that the team may read.
        on_progress: Called with the activity, the number of finished sessions, and that of all.

    Yields:
        An outcome for each session, once the team's store has it.

    Raises:
        StoreError: The team's store cannot be written, or the list of sessions cannot be read. Batches before it stay.
    """
    push = _Push(store, writer, options, _store_key(store.path), frozenset(store.rollups.stale(ROLLUP_RULES)))
    done, waiting = 0, iter(ids)
    while chunk := list(islice(waiting, _MAX_SESSIONS)):
        for outcome in push.outcomes(chunk):
            done += 1
            yield outcome
            if on_progress:
                on_progress("pushing", done, len(ids))


@dataclass(frozen=True)
class _Push:
    """A push in progress."""

    store: Store
    writer: TeamWriter
    options: PushOptions
    key: bytes
    stale: frozenset[str]

    def outcomes(self, ids: Sequence[str]) -> Iterator[PushOutcome]:
        """Push some sessions, and yield the outcome of each."""
        origins = {key: self._digest(b"origin", key.encode("utf-8", "surrogatepass")) for key in ids}
        known = self.writer.sources(list(origins.values()))
        batch: list[TeamSession] = []
        names: list[str] = []
        for key, origin in origins.items():
            try:
                source = self._source(key)
                stored = known.get(origin)
                is_left_out = not self.options.again and stored == _REMOVED
                if is_left_out or stored == (source, not self.options.stats_only):
                    yield PushOutcome(key, is_sent=False)
                    continue
                batch.append(self._prepared(key, origin, source))
                names.append(key)
            except (StoreError, RedactionError, OSError) as error:
                yield PushOutcome(key, problem=f"{key}: {str(error).removesuffix('.')}.")
            if sum(len(item.session.messages) for item in batch) >= _MAX_MESSAGES:
                yield from self._write(batch, names)
        yield from self._write(batch, names)

    def _write(self, batch: list[TeamSession], names: list[str]) -> Iterator[PushOutcome]:
        if batch:
            self.writer.write(batch)
            yield from map(PushOutcome, names)
            batch.clear()
            names.clear()

    def _digest(self, *parts: bytes) -> bytes:
        """Return a digest that cannot be computed without the key of this store, even from the same content."""
        hasher = blake2b(key=self.key, digest_size=16)
        for part in parts:
            hasher.update(b"%d:" % len(part) + part)
        return hasher.digest()

    def _source(self, key: str) -> bytes:
        """Return a digest of all that a push of the session depends on."""
        options = replace(self.options, stats_only=False, again=True)
        rollups = self.store.rollups.of_session(key)
        presets = [part for rollup in rollups for part in rollup.parts if part.kind == "preset"]
        rules = repr((__version__, ROLLUP_RULES, options, self.store.row(key), presets)).encode(
            "utf-8", "surrogatepass"
        )
        return self._digest(rules, *self.store.digests(key))

    def _prepared(self, key: str, origin: bytes, source: bytes) -> TeamSession:
        """Return a session as the team may read it. Raises StoreError, OSError, or RedactionError."""
        session, row = self.store.load(key), self.store.row(key)
        if key in self.stale:
            save_rollups(self.store, key, session, exact_sizes(session, self.store))
        rollups, folder = self.store.rollups.of_session(key), row.folder
        if self.options.redacts:
            session, rollups, folder = self._redacted(session, rollups, folder)
        if self.options.stats_only:
            session, folder = Session(session.id, "", session.format, (), session.model), ""
        rollups = [replace(rollup, title="", path="") for rollup in rollups]
        return TeamSession(
            replace(session, path=""),
            rollups,
            origin,
            source,
            not self.options.stats_only,
            folder,
            row.tokens,
            row.peak,
        )

    def _redacted(self, session: Session, rollups: Sequence[Rollup], folder: str) -> tuple[Session, list[Rollup], str]:
        """Return a session, its totals and its folder without secrets."""
        kinds = self.options.with_kinds, self.options.without_kinds
        redactor = Redactor((), *kinds)
        redactor.collect([folder, *(_texts_of(rollup) for rollup in rollups)])
        if not self.options.stats_only:
            session = redact(session, redactor=redactor).session
        clean = [_redacted_rollup(rollup, redactor) for rollup in rollups]
        return replace(session, id=redactor.text_of(session.id)), clean, redactor.text_of(folder)


def _texts_of(rollup: Rollup) -> list[str]:
    return [rollup.agent, rollup.project, rollup.folder, rollup.model, *(part.name for part in rollup.parts)]


def _redacted_rollup(rollup: Rollup, redactor: Redactor) -> Rollup:
    """Return totals without secrets and without the name of the person. Parts that get the same name are added up."""
    parts: dict[tuple[str, str], RollupPart] = {}
    for part in rollup.parts:
        name = redactor.text_of(part.name)
        there = parts.get((part.kind, name), RollupPart(part.kind, name))
        parts[part.kind, name] = RollupPart(
            part.kind,
            name,
            there.count + part.count,
            there.tokens + part.tokens,
            there.defined + part.defined,
            part.cost if there.cost is None else there.cost + (part.cost or 0),
        )
    texts = {name: redactor.text_of(getattr(rollup, name)) for name in ("agent", "project", "folder", "model")}
    return replace(rollup, **texts, person="", parts=tuple(parts.values()))  # type: ignore[arg-type]  # of the fields


def _store_key(path: str) -> bytes:
    """Return the key of a store's digests, from a private file next to it, which is made if it is missing."""
    if path == _IN_MEMORY:
        return token_bytes(_KEY_BYTES)
    file = Path(path).with_suffix(".push-key")
    if not file.exists():
        part = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            make_private_file(part)
            part.write_bytes(token_bytes(_KEY_BYTES))
            with suppress(FileExistsError):  # another push was faster
                os.link(part, file)
        except OSError as error:
            raise StoreError(f"{file} cannot be written ({error.strerror or error})") from error
        finally:
            part.unlink(missing_ok=True)
    return file.read_bytes()[:_KEY_BYTES]


def stored_ids(store: Store, targets: Iterable[str]) -> list[str]:
    """Return the ids of stored sessions by their ids or prefixes; of all sessions without any. Raises StoreError."""
    wanted = list(targets)
    return [store.find(target) for target in wanted] if wanted else [row.id for row in store.sessions()]
