"""Shorter versions of messages: what they are, what they save, and that they are made once."""

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
"""What a new version of a message has from the old one; the rest is read from its new text."""
_VERSIONS: MessageCache[dict[Hashable, Message | None]] = MessageCache("versions")
"""Shorter versions of messages, by what they are called; None where there is none."""
_MAX_VERSIONS = 16
"""Of one message."""
_Row = tuple[Message | None, int]
"""A shorter version, or None where there is none, and the tokens that it saves."""
_MAX_LABELS = 4
"""Kinds of versions that a window remembers."""


class Shortener:
    """The fates of a window's messages, and the versions that stand in for those that are shortened."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.fates: list[Fate] = list(window.remember_form(first_fates))
        self.rewrites: dict[str, Message] = {}
        """New versions of messages, by id."""

    def results(self) -> list[int]:
        """The tool results that may be shortened, oldest first: none that is protected, gone or without a call.

        The oldest are those of the oldest calls: that is where they stand in a window that was compressed.
        """
        fates = self.fates
        return [i for i in self.window.remember_form(free_results) if fates[i].kind not in LEAVE_KINDS]

    @property
    def answers(self) -> tuple[int, ...]:
        """All tool results that have a call, in the order of their calls."""
        return self.window.remember_form(tool_results)

    def newest_results(self, count: int) -> frozenset[int]:
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
        """Put a line of text in the place of tool results, for one reason or each for its own.

        Where the text is None, the result stays. Without a `key`, the text itself is one. Otherwise as `replace`.
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
        """Trim messages to what `write` makes of them, unless that is None. Otherwise as `replace`."""

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
        """Put other versions in the place of messages, where they are smaller, until `enough` tokens are saved.

        `key` names the version of the message at a place among all versions of it; `label`, among those of this window.
        `fates` are theirs, in the order of the places. Returns the tokens saved.
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
        """What is known of versions with a label, by place in this window."""
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
        """A new version of a message, the same in all but its text."""
        facts = {name: getattr(message, name) for name in _COPY_FIELDS}
        return message_from_raw(message.id, raw, message.dialect, body=InMemoryBody(raw, message.record), **facts)


def _none_yet(_message: Message) -> dict[Hashable, Message | None]:
    return {}


def _no_rows_yet(_window: Window) -> dict[Hashable, dict[int, _Row]]:
    return {}
