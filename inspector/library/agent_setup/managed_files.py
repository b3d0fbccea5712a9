"""The files that a tool reads, and how Inspector's part is added to each of them and removed again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from inspector.library.agent_setup.json_places import (
    JsonPlace,
    SettingsError,
    parse_json,
    refusal,
    with_member,
    with_value,
    without_member,
)
from inspector.library.agent_setup.toml_block import parse_toml, with_block, without_block

MARK = "inspector setup"
"""Words in each file that Inspector writes alone."""
_OURS = re.compile(r"(?<![\w-])inspector(?:\.exe|\.cmd)?[\"']? (?:hook|statusline|mcp)\b")
"""A command of Inspector: `/home/ann/.local/bin/inspector hook claude-code`."""


class ManagedFile(Protocol):
    """A file that a tool reads, with a part of Inspector's."""

    @property
    def path(self) -> Path: ...

    def added(self, text: str | None) -> str:
        """Return the text with Inspector's part. Raises SettingsError if the text is not understood."""

    def removed(self, text: str) -> str | None:
        """Return the text without Inspector's part; None if nothing remains. Raises SettingsError."""


@dataclass(frozen=True)
class OwnFile:
    """A file that Inspector writes alone."""

    path: Path
    content: str

    def added(self, text: str | None) -> str:
        if text and text != self.content and MARK not in text:
            raise SettingsError(f"{self.path}, line 1: Inspector has not written this file. Move it away.")
        return self.content

    def removed(self, text: str) -> str | None:
        return None if MARK in text or text == self.content else text


@dataclass(frozen=True)
class TomlTables:
    """Tables at the end of a TOML file, unless the file contains others of the same name."""

    path: Path
    tables: str
    is_set: Callable[[Mapping[str, Any]], bool]
    """True if the file defines the tables itself."""

    def added(self, text: str | None) -> str:
        bare = without_block(text or "")
        if self.is_set(parse_toml(bare, str(self.path))):
            return text or ""
        return with_block(bare, self.tables, str(self.path))

    def removed(self, text: str) -> str | None:
        return without_block(text) or None


@dataclass(frozen=True)
class JsonSettings:
    """Hooks and other members of a JSON file, added after those that it has."""

    path: Path
    hooks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The group of each event: `{"matcher": "compact", "hooks": [{"type": "command", …}]}`."""
    members: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    """Values by two keys, the first of which is "" for a member of the file's object."""

    def added(self, text: str | None) -> str:
        text = text if text and text.strip() else "{}\n"
        for event, group in self.hooks.items():
            text = self._with_hook(text, event, group)
        for (outer, key), value in self.members.items():
            text = self._with_setting(text, outer, key, value)
        return text

    def _with_hook(self, text: str, event: str, group: Mapping[str, Any]) -> str:
        groups = self._container(self._container(self._root(text), "hooks", text), event, text, list)
        command = group["hooks"][0]["command"]
        for _, _, place in groups.members if groups else ():
            for _, _, handler in _handlers(place):
                if _is_ours(handler.value):
                    old = handler.of("command")
                    return with_value(text, old, command) if old and old.value != command else text
        for keys, value in ((("hooks",), {}), (("hooks", event), [])):
            text = self._with_path(text, keys, value)
        groups = self._at(text, ("hooks", event))
        return with_member(text, groups, group)

    def _with_setting(self, text: str, outer: str, key: str, value: Any) -> str:
        root = self._root(text)
        holder = self._container(root, outer, text) if outer else root
        old = holder.of(key) if holder else None
        if old is not None:
            if old.value == value or not _is_ours(old.value):
                return text
            text = self._without(text, (outer, key) if outer else (key,))
        if outer:
            text = self._with_path(text, (outer,), {})
        return with_member(text, self._at(text, (outer,) if outer else ()), value, key)

    def _with_path(self, text: str, keys: Sequence[str], empty: Any) -> str:
        """Return the text with an empty value at a path of keys, unless there is a value."""
        holder = self._at(text, keys[:-1])
        return text if holder.of(keys[-1]) else with_member(text, holder, empty, keys[-1])

    def _root(self, text: str) -> JsonPlace:
        root = parse_json(text, str(self.path))
        if not isinstance(root.value, dict):
            raise refusal(str(self.path), text, root.start, "the value is not an object")
        return root

    def _container(
        self, holder: JsonPlace | None, key: str, text: str, kind: type[dict[str, Any]] | type[list[Any]] = dict
    ) -> JsonPlace | None:
        """Return the object or list of a key; None if it is missing."""
        place = holder.of(key) if holder else None
        if place is not None and not isinstance(place.value, kind):
            raise refusal(
                str(self.path), text, place.start, f"{key} is not {'an object' if kind is dict else 'a list'}"
            )
        return place

    def _at(self, text: str, keys: Sequence[str]) -> JsonPlace:
        place = self._root(text)
        for key in keys:
            inner = place.of(key)
            assert inner is not None, "it was added"
            place = inner
        return place

    def removed(self, text: str) -> str | None:
        before = text
        while path := self._ours(text):
            text = self._without(text, path)
        return None if text != before and not self._root(text).members else text

    def kept(self, text: str) -> list[str]:
        """Return the members that belong to others and are therefore left as they are."""
        root = self._root(text) if text.strip() else None
        places = [
            (key, holder.of(key))
            for outer, key in self.members
            if (holder := root.of(outer) if root and outer else root)
        ]
        return [key for key, place in places if place and not _is_ours(place.value)]

    def _ours(self, text: str) -> tuple[str | int, ...] | None:
        """Return the keys of the next part of Inspector's, or of a container that it leaves empty."""
        root = self._root(text)
        events = self._container(root, "hooks", text)
        for event, _, groups in events.members if events else ():
            for number, (_, _, place) in enumerate(groups.members):
                handlers = _handlers(place)
                for position, (_, _, handler) in enumerate(handlers):
                    if _is_ours(handler.value):
                        return _largest(("hooks", event, number, "hooks", position), root)
        for outer, key in self.members:
            holder = root.of(outer) if outer else root
            place_of_key = holder.of(key) if holder else None
            if place_of_key and _is_ours(place_of_key.value):
                return _largest((outer, key) if outer else (key,), root)
        return None

    def _without(self, text: str, path: Sequence[str | int]) -> str:
        holder = self._root(text)
        for key in path[:-1]:
            holder = _member_place(holder, key)
        last = path[-1]
        number = last if isinstance(last, int) else [name for name, _, _ in holder.members].index(last)
        return without_member(text, holder, number)


def _member_place(place: JsonPlace, key: str | int) -> JsonPlace:
    inner = place.members[key][2] if isinstance(key, int) else place.of(key)
    assert inner is not None, "the path was read from this text"
    return inner


def _largest(path: tuple[str | int, ...], root: JsonPlace) -> tuple[str | int, ...]:
    """Return the path of the largest part that contains nothing else than the part at a path."""
    places = [root]
    for key in path:
        places.append(_member_place(places[-1], key))
    length = len(path)
    while length > 1:
        holder = places[length - 1]
        is_group = isinstance(path[length - 2], int) and path[length - 1] == "hooks"
        if len(holder.members) > 1 and not is_group:
            break
        length -= 1
    return path[:length]


def _handlers(group: JsonPlace) -> Sequence[tuple[str, int, JsonPlace]]:
    """Return the handlers of a group of hooks; none for a group in another form."""
    place = group.of("hooks") if isinstance(group.value, dict) else None
    return place.members if place is not None and isinstance(place.value, list) else ()


def _is_ours(value: Any) -> bool:
    """Return True if a hook, a status line or a server runs Inspector."""
    if not isinstance(value, dict):
        return False
    words: list[Any] = []
    for part in (value.get("command"), value.get("args")):
        words += part if isinstance(part, list) else [part]
    return bool(_OURS.search(" ".join(word for word in words if isinstance(word, str))))
