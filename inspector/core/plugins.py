"""Registries declared as data, and the plugins that extend them.

A registry names its entries as `module:attribute` and imports a module when its entry is first used. Other
distributions add entries through the entry point group of the registry. A plugin that cannot be loaded is skipped and
reported in one sentence.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

from inspector.core.errors import InspectorError
from inspector.core.json_objects import json_object

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Group = Literal[
    "inspector.commands",
    "inspector.exporters",
    "inspector.formats",
    "inspector.memories",
    "inspector.providers",
    "inspector.strategies",
]
GROUPS: tuple[Group, ...] = get_args(Group)

_Entry = TypeVar("_Entry", covariant=True)


class PluginError(InspectorError):
    """The object at an entry point is not valid for its group."""


@json_object()
@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of another distribution."""

    group: Annotated[Group, "entry point group"]
    name: str
    target: Annotated[str, "the object it refers to, as `module:attribute`"]
    distribution: str
    version: str
    problem: Annotated[str, "why it is not used; empty if it is"] = ""
    """Reason why the plugin cannot be used, as the end of a sentence; empty if it can."""

    @property
    def sentence(self) -> str:
        """The problem as a full sentence that names the plugin."""
        origin = f"{self.distribution} {self.version}".strip() or self.target
        return f"The plugin {self.name} of {origin} is not used: {self.problem}."


def load_target(target: str) -> Any:
    """Import an object by its `module:attribute` name.

    Raises:
        ImportError: The module cannot be imported.
        AttributeError: The module has no such attribute.
    """
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def checked_instance(name: str, value: Any, kind: str, required: Sequence[str]) -> Any:
    """Return a plugin's object, or an instance of its class, after checking its attributes.

    Args:
        name: Name of the entry point, which the object must have too.
        value: Object or class that the entry point refers to.
        kind: Class that the object must conform to, after "it is": "not a Provider of inspector.llm.providers".
        required: Attributes that the object must have.

    Raises:
        PluginError: An attribute is missing, or the object has another name.
    """
    entry = value() if isinstance(value, type) else value
    if missing := [field for field in required if not hasattr(entry, field)]:
        raise PluginError(f"it is {kind}: it has no {missing[0]}")
    if entry.name != name:
        raise PluginError(f"its name is {entry.name!r}")
    return entry


class Registry(Mapping[str, _Entry]):
    """Mapping of names to entries: this package's own entries in their order, then those of plugins by name.

    An own entry is loaded on first access. Plugins are loaded together, when the registry is iterated over or a name is
    requested that is not an own entry.

    Args:
        group: Entry point group of the plugins.
        own: This package's entries, each an entry or its target (`module:attribute`).
        check: Converts a name and the loaded object to an entry. Raises PluginError if the object is not valid.
    """

    def __init__(self, group: Group, own: Mapping[str, _Entry | str], check: Callable[[str, Any], _Entry]) -> None:
        self.group: Group = group
        self._own = own
        self._check = check
        self._loaded: dict[str, _Entry] = {}
        self._plugins: list[Plugin] | None = None
        self._added: dict[str, _Entry] = {}
        _registries[group] = self

    @property
    def own(self) -> tuple[str, ...]:
        """Names of this package's entries."""
        return tuple(self._own)

    @property
    def added(self) -> Mapping[str, _Entry]:
        """Entries of plugins that were loaded successfully."""
        self.plugins()
        return self._added

    def offers(self, name: str) -> bool:
        """Return True if the package or a plugin has an entry of this name, without loading it."""
        return name in self._own or name in self._added or any(plugin.name == name for plugin, _ in self._points)

    @cached_property
    def _points(self) -> list[tuple[Plugin, EntryPoint]]:
        return _entry_points(self.group)

    def plugins(self) -> list[Plugin]:
        """Load the plugins of the group once, and return all of them, including those that cannot be used."""
        if self._plugins is None:
            self._plugins = []
            self._plugins = [self._load(plugin, point) for plugin, point in self._points]
        return self._plugins

    def problems(self) -> list[str]:
        """Return a sentence for each loaded plugin that cannot be used."""
        return [plugin.sentence for plugin in self._plugins or () if plugin.problem]

    def add(self, name: str, value: Any) -> None:
        """Add an entry to those of plugins, for this process only.

        Raises:
            PluginError: The name is taken, or the value is not valid for this registry.
        """
        self._insert(name, value)
        _additions[self.group, name] = os.urandom(16)

    def _insert(self, name: str, value: Any) -> None:
        if name in self._own or name in self._added:
            raise PluginError(f"there is already a {name}")
        self._added[name] = self._check(name, value)

    def remove(self, name: str) -> None:
        """Remove an entry that was added.

        Raises:
            KeyError: No such entry was added.
        """
        del self._added[name]
        _additions.pop((self.group, name), None)

    def disable(self, name: str, error: BaseException) -> None:
        """Remove the entry of a plugin that failed while it was used, and report the error as its problem.

        Raises:
            KeyError: No plugin has an entry of this name.
        """
        self.remove(name)
        problem = _reason_of(error)
        self._plugins = [replace(one, problem=problem) if one.name == name else one for one in self.plugins()]

    def _load(self, plugin: Plugin, point: EntryPoint) -> Plugin:
        try:
            self._insert(plugin.name, point.load())
        except (Exception, SystemExit) as error:  # plugin code can fail in any way, and must not end the program
            return replace(plugin, problem=_reason_of(error))
        return plugin

    def __getitem__(self, name: str) -> _Entry:
        if name in self._loaded:
            return self._loaded[name]
        if name not in self._own:
            return self.added[name]
        entry = self._own[name]
        loaded = self._check(name, load_target(entry)) if isinstance(entry, str) else entry
        self._loaded[name] = loaded
        return loaded

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self.added

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self.added

    def __len__(self) -> int:
        return len(self._own) + len(self.added)


_registries: dict[Group, Registry[Any]] = {}
_additions: dict[tuple[Group, str], bytes] = {}
"""A random mark for each entry that was added by a call, by its registry and name."""


def additions(groups: Sequence[Group]) -> list[bytes]:
    """Return the random mark of each entry that was added to some registries for this process only."""
    return [mark for (group, _), mark in _additions.items() if group in groups]


def declared_plugins(group: Group) -> list[EntryPoint]:
    """Return the entry points of a group in installed distributions, without loading them."""
    return [point for _, point in _entry_points(group)]


def plugin_problems() -> list[str]:
    """Return a sentence for each plugin that has been loaded so far and cannot be used."""
    return [sentence for registry in _registries.values() for sentence in registry.problems()]


def _entry_points(group: Group) -> list[tuple[Plugin, EntryPoint]]:
    if not any(_may_declare(group, folder or os.curdir) for folder in sys.path) and not _has_other_distributions():
        return []
    from importlib.metadata import entry_points  # slow to import, and rarely needed by the command line

    rows = []
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        name, version = (point.dist.name, point.dist.version) if point.dist is not None else ("", "")
        rows.append((Plugin(group, point.name, point.value, name, version), point))
    return rows


def _may_declare(group: Group, folder: str) -> bool:
    """Return False if no distribution in a folder of `sys.path` has entry points of a group.

    Reading the declarations as plain text takes a tenth of the time of importing `importlib.metadata`.
    """
    try:
        children = os.listdir(folder)  # noqa: PTH208
    except NotADirectoryError:  # an archive
        return True
    except OSError:
        return False
    if folder.lower().endswith(".egg"):
        return True
    for name in children:
        if name.lower().endswith((".dist-info", ".egg-info")):
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123
                    if group.encode() in file.read():
                        return True
            except OSError:
                continue
    return False


def _has_other_distributions() -> bool:
    """Return True if distributions are also found in other ways than in the folders of `sys.path`."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return [getattr(finder, "__name__", "") for finder in finders] != ["PathFinder"]


def _reason_of(error: BaseException) -> str:
    text = " ".join(str(error).split()).removesuffix(".")
    if isinstance(error, PluginError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
