"""Messages that a preset archives on live traffic, in the persistent tier of the store, without secrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from inspector.analysis.redaction import Redactor
from inspector.engine.compression import Preset
from inspector.engine.strategies import retrieval_settings
from inspector.memory import ArchivedText
from inspector.store import MemoryFilter, Store, StoreError

_MAX_ENTRIES = 2_000
"""Entries of a conversation; the oldest are removed."""
_MAX_CHARS = 20_000
_MAX_FOUND = 24
_LIFETIME = 30 * 24 * 3600.0
"""Seconds after which an entry that was not archived again expires."""


class LiveArchive:
    """Archived messages by conversation. They are written in a thread, and a failure disturbs no request.

    Args:
        store: The store.
    """

    def __init__(self, store: Store) -> None:
        self.failure = ""
        """Why messages are missing in the store; empty if none are."""
        self._store = store
        self._redactor = Redactor()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")
        self._thread.submit(self._sweep)

    def keep(self, conversation: str, texts: Sequence[ArchivedText]) -> None:
        """Write archived messages soon. Equal ones of the conversation are kept once."""
        self._thread.submit(self._write, conversation, texts)

    def find(self, conversation: str, words: str) -> list[ArchivedText]:
        """Return messages of a conversation with any of the words, the best first."""
        entries = self._store.entries.recall(words, _MAX_FOUND, meant=_filter_of(conversation))
        return [ArchivedText((entry.key or "").partition(" ")[2], entry.agent, entry.text) for entry in entries]

    def close(self) -> None:
        """Write what waits."""
        self._thread.shutdown()

    def _sweep(self) -> None:
        try:
            self._store.entries.sweep_expired()
        except StoreError as error:
            self.failure = str(error)

    def _write(self, conversation: str, texts: Sequence[ArchivedText]) -> None:
        entries = self._store.entries
        try:
            clipped = [text.text[:_MAX_CHARS] for text in texts]
            patterns = self._redactor.collect(clipped)
            redacted: list[str] = self._redactor.value_of(clipped, patterns)
            with self._store.atomic():
                for one, text in zip(texts, redacted, strict=True):
                    entries.remember(
                        "archived", text, key=f"{conversation} {one.digest}", agent=one.speaker, origin="record",
                        reason="archived by the preset of a recording", ttl=_LIFETIME,
                    )  # fmt: skip
                older = entries.page(offset=_MAX_ENTRIES, meant=_filter_of(conversation))
                self._store.entries.forget(*[entry.id for entry in older])
        except StoreError as error:
            self.failure = str(error)
        except Exception as error:  # a recording never disturbs the recorded program
            self.failure = type(error).__name__


def _filter_of(conversation: str) -> MemoryFilter:
    return MemoryFilter(tier="persistent", kind="archived", key_start=f"{conversation} ")


@contextmanager
def live_archive(store: Store | None, preset: Preset, *, is_trial: bool) -> Iterator[LiveArchive | None]:
    """Give the archive of a preset while the context is entered; None in a trial, or if it retrieves nothing."""
    if store is None or is_trial or retrieval_settings(preset.strategy, preset.settings) is None:
        yield None
        return
    archive = LiveArchive(store)
    try:
        yield archive
    finally:
        archive.close()
