"""Shorter versions of messages. Each version is created and measured once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import repeat
from math import inf

from inspector.core.caches import MessageCache
from inspector.core.conversation import InMemoryBody, Message, Raw
from inspector.engine.strategies.protection import first_fates, free_results, tool_results
from inspector.engine.window import LEAVE_KINDS, Fate, Window
from inspector.llm.providers import message_from_raw, with_placeholder

_COPY_FIELDS = ("kind", "name", "agent", "parent", "time", "model", "usage")
"""Fields that a new version takes from the original message; the others are derived from its new text."""
_VERSIONS: MessageCache[dict[Hashable, Message | None]] = MessageCache("versions")
"""Shorter versions of messages, by key; None if a message has no such version."""
_MAX_VERSIONS = 16
"""Maximum number of versions per message."""
_Row = tuple[Message | None, int]
"""A shorter version and the tokens it saves. The version is None if a message has none."""
_MAX_LABELS = 4
"""Number of labels for which a window caches versions."""


class Shortener:
    """The fates of a window's messages and the shorter versions that replace some of them."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.fates: list[Fate] = list(window.cached_form(first_fates))
        self.rewrites: dict[str, Message] = {}
        """New versions of messages, by id."""

    def results(self) -> list[int]:
        """Return the positions of tool results that can be shortened, oldest call first.

        Results that are protected, already removed or without a call are excluded. Sorting by call gives the order they
        have in a compressed window.
        """
        fates = self.fates
        return [i for i in self.window.cached_form(free_results) if fates[i].kind not in LEAVE_KINDS]

    @property
    def answers(self) -> tuple[int, ...]:
        """Positions of all tool results with a call, in the order of their calls."""
        return self.window.cached_form(tool_results)

    def newest_results(self, count: int) -> frozenset[int]:
        """Return the positions of the newest `count` tool results."""
        return frozenset(self.answers[-count:]) if count else frozenset()

    def retell(
        self,
        places: Sequence[int],
        text: Callable[[int], str | None],
        reason: str | Sequence[str],
        label: Hashable,
        key: Callable[[int], Hashable] | None = None,
        enough: float = inf,
    ) -> int:
        """Replace tool results by a placeholder line. Returns the tokens saved.

        Args:
            places: Positions of the tool results.
            text: Returns the placeholder of the result at a position, or None to keep it.
            reason: Reason of all replacements, or one per position.
            label: Identifies this kind of version within the window.
            key: Returns the key of the version among all versions of a message; the text by default.
            enough: Tokens to save; remaining results are kept.
        """

        def make(index: int) -> Message | None:
            line = text(index)
            return None if line is None else with_placeholder(self.window.messages[index], line)

        fates = repeat(Fate("masked", reason)) if isinstance(reason, str) else [Fate("masked", why) for why in reason]
        return self.replace(places, label, key or text, make, fates, enough)

    def rewrite(
        self,
        places: Sequence[int],
        key: Hashable,
        write: Callable[[Message], Raw | None],
        reason: str,
        enough: float = inf,
    ) -> int:
        """Trim messages. Returns the tokens saved.

        Args:
            places: Positions of the messages.
            key: Identifies this kind of version, within the window and among all versions of a message.
            write: Returns the new raw form of a message, or None to keep it.
            reason: Reason of all replacements.
            enough: Tokens to save; remaining messages are kept.
        """

        def make(index: int) -> Message | None:
            message = self.window.messages[index]
            raw = write(message)
            return None if raw is None else self.version(message, raw)

        return self.replace(places, key, lambda _: key, make, repeat(Fate("trimmed", reason)), enough)

    def replace(
        self,
        places: Sequence[int],
        label: Hashable,
        key: Callable[[int], Hashable],
        make: Callable[[int], Message | None],
        fates: Iterable[Fate],
        enough: float = inf,
    ) -> int:
        """Replace messages by versions that are smaller. Returns the tokens saved.

        Args:
            places: Positions of the messages.
            label: Identifies this kind of version within the window.
            key: Returns the key of the version among all versions of a message.
            make: Creates the version of the message at a position; None keeps it.
            fates: Fates of the replaced messages, one per position.
            enough: Tokens to save; remaining messages are kept.
        """
        ids, rows, total = self.window.ids, self._rows(label), 0
        messages = [self.window.messages[index] for index in places if index not in rows]
        histories = iter(_VERSIONS.get_all(messages, _none_yet))
        for index, fate in zip(places, fates, strict=False):
            if total >= enough:
                break
            if (row := rows.get(index)) is None:
                rows[index] = row = self._row(index, next(histories), key(index), make)
            new, savings = row
            if new is not None and savings > 0:
                self.fates[index] = fate
                self.rewrites[ids[index]] = new
                total += savings
        return total

    def _rows(self, label: Hashable) -> dict[int, _Row]:
        """Return the cached versions with a label, by position in this window."""
        rows = self.window.remember(_no_rows_yet)
        if label not in rows:
            if len(rows) >= _MAX_LABELS:
                rows.clear()
            rows[label] = {}
        return rows[label]

    def _row(
        self,
        index: int,
        versions: dict[Hashable, Message | None],
        name: Hashable,
        make: Callable[[int], Message | None],
    ) -> _Row:
        if name not in versions:
            if len(versions) >= _MAX_VERSIONS:
                versions.clear()
            versions[name] = make(index)
        new, sizes = versions[name], self.window.sizes
        return new, 0 if new is None else self.window.tokens[index] - (sizes.cache.get(new) or sizes.measure(new))

    def version(self, message: Message, raw: Raw) -> Message:
        """Return a new version of a message that differs only in its content."""
        facts = {name: getattr(message, name) for name in _COPY_FIELDS}
        return message_from_raw(message.id, raw, message.dialect, body=InMemoryBody(raw, message.record), **facts)


def _none_yet(_message: Message) -> dict[Hashable, Message | None]:
    return {}


def _no_rows_yet(_window: Window) -> dict[Hashable, dict[int, _Row]]:
    return {}
