"""References of rule files and notes to paths, commands, symbols and topics that do not exist."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import orjson

from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.dead_lines import import_edits, link_edits, path_edits
from inspector.analysis.memory_audit.named_things import (
    GENERATED,
    NamedThing,
    introduces_examples,
    is_made_up,
    things_in,
)
from inspector.analysis.memory_audit.path_history import GonePath, gone_paths, has_history, has_whole_history
from inspector.core.text import clip, lazy_pattern, one_line, plural, word_set
from inspector.formats import Block, FolderTree, MemoryItem, MemoryStore, blocks_of, links_in

_TARGET = lazy_pattern(r"^([^\s:=#][^:=\n#]{0,300}):(?![:=])", re.MULTILINE)
_PHONY = lazy_pattern(r"^\.PHONY\s*:\s*((?:[^\n\\]|\\\n)*)", re.MULTILINE)
_INCLUDE = lazy_pattern(r"^ {0,8}(?:-|s)?include[ \t]([^\n#]{1,500})", re.MULTILINE)
_EVALUATES = lazy_pattern(r"\$[({]eval")
_RECIPE = lazy_pattern(r"^@?([A-Za-z][\w-]*+)[^:=\n]{0,300}:(?!=)", re.MULTILINE)
_ALIAS = lazy_pattern(r"^alias\s+([\w-]+)\s*:=", re.MULTILINE)
_MODULES = lazy_pattern(r"^(?:import|mod)\b", re.MULTILINE)
_MAX_BYTES = 1 << 20
_MAX_MANIFESTS = 200
_TWINS = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".md": (".mdx",), ".mdx": (".md",)}
_MAX_LINKS = 5
"""Maximum number of dead links of one file that are separate findings."""
_MAX_NAMED = 300
"""Maximum number of files that a sentence names."""
_INVENTED = word_set("app mysite myapp myproject project pkg schemas models services pages shop blog")
"""Names of folders in made-up paths, which are no dead references where the project has no such folder."""
_DELETED = 0.97
"""Confidence that a path is dead if git knows the commit that deleted it."""
_MOVED = 0.75
"""Confidence if another folder has, or had, the only file of its name."""
_UNKNOWN = 0.6
"""Confidence without the whole history of git, in a file whose folder exists, or in a command that no file can name."""
_NEVER_SEEN = 0.4
"""Confidence if git never had it, nor its folder: it may be planned, generated, or in another project."""
_MANIFESTS: Mapping[str, Sequence[str]] = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "script": ("package.json",),
    "just": ("justfile", "Justfile", ".justfile"),
}
"""Names of the files that name the commands of each kind."""


class Surroundings:
    """Paths, make targets, package scripts and recipes around rule files."""

    def __init__(self, tree: FolderTree) -> None:
        self.tree = tree

    def _read(self, path: str) -> str:
        try:
            with (self.tree.root / path).open("rb") as file:
                return file.read(_MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def has_manifest(self, kind: str) -> bool:
        """Return True if a file names commands of a kind: "make", "script" or "just"."""
        return any(name in self.tree.by_name for name in _MANIFESTS[kind])

    def _texts(self, *names: str) -> list[str]:
        paths = [path for name in names for path in self.tree.by_name.get(name, ())]
        return [self._read(path) for path in paths[:_MAX_MANIFESTS]]

    @cached_property
    def make_targets(self) -> frozenset[str] | None:
        """Targets of all makefiles, with their patterns, or None if they cannot be known."""
        texts = self._texts(*_MANIFESTS["make"])
        texts += [self._read(path) for path in sorted(self.tree.files) if path.endswith(".mk")][:_MAX_MANIFESTS]
        targets: set[str] = set()
        for text in texts:
            if _EVALUATES.search(text) or not all(map(self._reads, _INCLUDE.findall(text))):
                return None
            for match in (*_TARGET.finditer(text), *_PHONY.finditer(text)):
                targets.update(match[1].replace("\\\n", " ").split())
        return None if any("$" in target or target == "%" for target in targets) else frozenset(targets)

    def _reads(self, included: str) -> bool:
        """Return True if the files that a makefile includes are makefiles whose targets are read."""
        return all(name.endswith(".mk") and self.tree.ends(name.removeprefix("./")) for name in included.split())

    @cached_property
    def scripts(self) -> frozenset[str]:
        """Names of the scripts in all package.json files."""
        names: set[str] = set()
        for text in self._texts(*_MANIFESTS["script"]):
            try:
                value = orjson.loads(text)
            except orjson.JSONDecodeError:
                continue
            scripts = value.get("scripts") if isinstance(value, dict) else None
            names.update(scripts if isinstance(scripts, dict) else ())
        return frozenset(names)

    @cached_property
    def recipes(self) -> frozenset[str] | None:
        """Recipes of all justfiles, or None if they cannot be known."""
        names: set[str] = set()
        for text in self._texts(*_MANIFESTS["just"]):
            if _MODULES.search(text):
                return None
            names.update(match[1] for match in (*_RECIPE.finditer(text), *_ALIAS.finditer(text)))
        return frozenset(names)

    @cached_property
    def ignored(self) -> tuple[str, ...]:
        """Patterns of the files that git ignores."""
        lines = [line.strip() for text in self._texts(".gitignore") for line in text.split("\n")]
        return tuple(line.strip("/") for line in lines if line and not line.startswith(("#", "!")))

    @cached_property
    def has_history(self) -> bool:
        """True if git knows the folder."""
        return has_history(self.tree.root)

    @cached_property
    def has_whole_history(self) -> bool:
        """True if git knows all commits of the folder."""
        return has_whole_history(self.tree.root)

    def is_ignored(self, path: str) -> bool:
        """Return True if git ignores a path, or a folder that it is in."""
        parts = path.split("/")
        below = ["/".join(parts[:number]) for number in range(1, len(parts) + 1)]
        return any(
            fnmatchcase(part, pattern) or fnmatchcase(part.rpartition("/")[2], pattern)
            for pattern in self.ignored
            for part in below
        )

    def defines(self, path: str, symbol: str) -> bool:
        """Return True if a file contains a symbol, or cannot be found."""
        paths = [path] if path in self.tree.files else [
            other for other in self.tree.by_name.get(path.rpartition("/")[2], ()) if other.endswith(path)
        ]  # fmt: skip
        return not paths or any(re.search(rf"\b{re.escape(symbol)}\b", self._read(other)) for other in paths)

    def has_path(self, name: str, folder: str) -> bool:
        """Return True if a path may exist, seen from a folder of the tree, from its root, or inside any folder."""
        path = PurePosixPath(name)
        places = [os.path.normpath(f"{folder}/{name}") if folder else name, name]
        places += [str(path.with_suffix(suffix)) for suffix in _TWINS.get(path.suffix, ())]
        return any(map(self._has_place, places)) or self._has_alias(name) or (self.tree.root / places[0]).exists()

    def _has_place(self, place: str) -> bool:
        tree = self.tree
        is_there = tree.ends(place) or place.lower() in tree.lowered
        return is_there or tree.is_opaque(place) or self.is_ignored(place)

    def _has_alias(self, name: str) -> bool:
        """Return True if a path begins with the name of the repository, or names a module without its suffix."""
        head, _, rest = name.partition("/")
        if rest and head.lower() == self.tree.root.name.lower() and self.tree.ends(rest):
            return True
        dotted = "." + name.replace("/", ".")
        return any(other.startswith(f"{name}.") or other.endswith(dotted) for other in self.tree.by_name)

    def unknown_part(self, name: str) -> str:
        """Return a path without the folders at its start that exist."""
        known = [end for end, sign in enumerate(name) if sign == "/" and self.tree.ends(name[:end])]
        return name[max(known, default=-1) + 1 :]

    def nearest(self, name: str) -> str:
        """Return the only file with the same last name, or ""."""
        others = self.tree.by_name.get(name.rpartition("/")[2], ())
        return others[0] if len(others) == 1 and others[0] != name else ""


class _DeadThing(NamedTuple):
    """A thing that a rule file names and that does not exist."""

    store: MemoryStore
    thing: NamedThing
    """The first place with its name."""
    reason: str
    places: list[tuple[NamedThing, Block]]
    """All places with its name, and the blocks with them."""


def dead_references(stores: Sequence[MemoryStore], around: Surroundings, places: Places) -> Iterator[AuditFinding]:
    """Yield the references of stores to things that do not exist. Each thing is reported once per file."""
    yield from _of_all_rules([store for store in stores if store.kind == "rule-file"], around, places)
    for store in stores:
        if store.kind == "notes":
            yield from _of_notes(store, places)
        elif store.kind == "knowledge-graph":
            yield from _of_graph(store, places)


def _of_all_rules(rules: Sequence[MemoryStore], around: Surroundings, places: Places) -> Iterator[AuditFinding]:
    for store in rules:
        yield from _of_imports(store, places)
    dead = [row for store in rules for row in _of_rules(store, around)] if not around.tree.is_cut else []
    names = [row.thing.name for row in dead if row.thing.kind in ("path", "folder")]
    gone = gone_paths(around.tree.root, names) if names and around.has_history else {}
    for row in dead:
        name = row.thing.name
        if name in gone or not row.thing.may_be_made_up or not is_made_up(around.unknown_part(name)):
            yield _finding(row, gone.get(name), around, places)


def _of_imports(store: MemoryStore, places: Places) -> Iterator[AuditFinding]:
    for line, name, file in store.imports:
        if not file:
            evidence = f"{places.name(store.path)}:{line} imports @{name}, which does not exist."
            items = [f"{places.name(store.path)}:{line}"]
            edits = import_edits(store, line, name, places)
            yield AuditFinding("dead_reference", items, f"@{name}", evidence, 0.95).proposing(edits, places)


def _of_rules(store: MemoryStore, around: Surroundings) -> Iterator[_DeadThing]:
    folder = _folder_in(store, around.tree.root)
    imported = {("path", name) for _, name, file in store.imports if not file}
    dead: dict[tuple[str, str], _DeadThing] = {}
    are_examples = False
    for block in blocks_of(store.text):
        are_examples = are_examples and block.kind == "point"
        things = () if are_examples else things_in(block)
        are_examples = are_examples or introduces_examples(block.text)
        for thing in things:
            key = thing.kind, thing.name
            if key in dead:
                dead[key].places.append((thing, block))
            elif key not in imported and (reason := _why_dead(thing, around, folder)):
                dead[key] = _DeadThing(store, thing, reason, [(thing, block)])
    yield from dead.values()


def _folder_in(store: MemoryStore, root: Path) -> str:
    try:
        folder = Path(store.path).parent.relative_to(root).as_posix()
    except ValueError:
        return ""
    return "" if folder == "." or folder.startswith(".") else folder


def _why_dead(thing: NamedThing, around: Surroundings, folder: str) -> str:
    """Return why a thing does not exist, as the end of a sentence; "" if it may exist."""
    names, what = _NAMED_IN.get(thing.kind, (None, ""))
    if names is not None:
        known = names(around)
        if known is None or _is_among(thing.name, known):
            return ""
        return f"no {what}" if around.has_manifest(thing.kind) else f"the folder has no {what.partition(' ')[0]}"
    if thing.kind == "symbol":
        return "" if around.defines(thing.file, thing.name) else f"{thing.file} does not contain it"
    if thing.kind == "folder":
        return "" if _may_be_folder(thing.name, around, folder) else "no such folder exists"
    head = thing.name.partition("/")[0]
    may_be_invented = head in _INVENTED and head not in around.tree.folders
    return "" if may_be_invented or around.has_path(thing.name, folder) else "no such file exists"


def _is_among(name: str, known: frozenset[str]) -> bool:
    """Return True if a name is known, or one of a pattern of make: "docker-%"."""
    return name in known or any("%" in one and fnmatchcase(name, one.replace("%", "*")) for one in known)


_NAMED_IN: Mapping[str, tuple[Callable[[Surroundings], frozenset[str] | None], str]] = {
    "make": (lambda around: around.make_targets, "makefile has this target"),
    "script": (lambda around: around.scripts, "package.json has this script"),
    "just": (lambda around: around.recipes, "justfile has this recipe"),
}
"""Names of each kind of command, and what no file has if one is dead."""


def _may_be_folder(name: str, around: Surroundings, folder: str) -> bool:
    """Return True if a name without a suffix may exist, or be none of a folder, such as a branch or a package."""
    head, _, rest = name.partition("/")
    is_inside = rest and (head in around.tree.folders or (folder and f"{folder}/{head}" in around.tree.folders))
    if rest and not is_inside:
        return True
    return around.has_path(name, folder) or bool(GENERATED.search(f"{name}/"))


def _finding(row: _DeadThing, gone: GonePath | None, around: Surroundings, places: Places) -> AuditFinding:
    store, thing, reason, named = row
    file = places.name(store.path)
    names = [f"{file}:{line}" for line in dict.fromkeys(place.line for place, _ in named)]
    moved = _newer_path(thing, gone, around)
    if gone:
        deed = f"renamed it to {one_line(gone.moved)}" if gone.moved else "deleted it"
        rest = f". Commit {one_line(gone.commit)} of {one_line(gone.date)} {deed}."
    elif moved:
        rest = f". It may have moved to {one_line(moved)}."
    else:
        line = next(iter(places.lines(store.path)[thing.line - 1 : thing.line]), "")
        rest = f": “{clip(_quoted_line(line), 100)}”."
    more = f" (and in {plural(len(names) - 1, 'more line')})" if len(names) > 1 else ""
    evidence = f"{names[0]}{more} names {one_line(thing.written)}, but {reason}{rest}"
    value = thing.written if thing.kind in ("make", "script", "just") else thing.name
    sure = _sureness(thing, gone, around, is_moved=bool(moved))
    edits = path_edits(store.path, named, moved, places)
    return AuditFinding("dead_reference", names, one_line(value), evidence, sure).proposing(edits, places)


def _newer_path(thing: NamedThing, gone: GonePath | None, around: Surroundings) -> str:
    """Return the path that took the place of another: the one that git names, or the only one with its last name."""
    if gone and gone.moved in around.tree.files and f"/{gone.moved}".count("/") >= thing.name.count("/"):
        return gone.moved
    return around.nearest(thing.name) if thing.kind == "path" else ""


def _sureness(thing: NamedThing, gone: GonePath | None, around: Surroundings, *, is_moved: bool) -> float:
    """Return how sure it is that a reference is dead. A path without a history may be planned, or made elsewhere."""
    if thing.kind in _MANIFESTS and not around.has_manifest(thing.kind):
        return min(thing.confidence, _UNKNOWN)  # the folder may be a part of the project
    if thing.kind not in ("path", "folder"):
        return thing.confidence
    if gone and ("/" in thing.name or "/" not in gone.path or gone.moved):
        return _DELETED
    if is_moved or gone:
        return min(thing.confidence, _MOVED)
    return min(thing.confidence, _NEVER_SEEN if _may_be_elsewhere(thing, around) else _UNKNOWN)


def _may_be_elsewhere(thing: NamedThing, around: Surroundings) -> bool:
    """Return True if git never had a path, nor its folder if it is a file."""
    is_among_files = thing.kind == "path" and around.tree.ends(thing.name.rpartition("/")[0])
    return not is_among_files and around.has_whole_history


def _of_notes(store: MemoryStore, places: Places) -> Iterator[AuditFinding]:
    root = Path(store.path)
    dead: dict[str, list[tuple[MemoryItem, str]]] = defaultdict(list)
    for item in store.items:
        base = Path(item.path).parent if item.path else root
        for target in dict.fromkeys(links_in(item.text)):
            if not (base / target).exists() and not (root / target).exists():
                dead[item.path].append((item, target))
    for rows in dead.values():
        for some in [rows] if len(rows) > _MAX_LINKS else [[row] for row in rows]:
            yield _missing_topics(store, some, places)


def _missing_topics(store: MemoryStore, rows: Sequence[tuple[MemoryItem, str]], places: Places) -> AuditFinding:
    """Return one finding for the links of a file to files that do not exist."""
    names = [places.of(store, item) for item, _ in rows]
    targets = [one_line(target) for _, target in rows]
    evidence = f"{names[0]} links to {targets[0]}, which does not exist."
    if len(rows) > 1:
        evidence = f"{plural(len(rows), 'link')} of {places.name(rows[0][0].path)} lead to files that do not exist: "
        more = len(targets) - _MAX_NAMED
        evidence += f"{', '.join(targets[:_MAX_NAMED])}{f' and {more:,} more' if more > 0 else ''}."
    edits = [edit for item, target in rows for edit in link_edits(item, target, places)]
    finding = AuditFinding("dead_reference", names, clip(", ".join(targets), 200), evidence, 0.95)
    return finding.proposing(edits, places)


def _of_graph(store: MemoryStore, places: Places) -> Iterator[AuditFinding]:
    for item in store.items:
        for about in item.about if item.kind == "relation" else ():
            yield _missing_entity(store, item, about.partition(": ")[2], places)


def _missing_entity(store: MemoryStore, item: MemoryItem, name: str, places: Places) -> AuditFinding:
    patch, edit = places.removal(store, item)
    evidence = f"The relation “{clip(one_line(item.text), 80)}” names {one_line(name)}, and no entity has this name."
    return AuditFinding("dead_reference", [item.id], one_line(name), evidence, 0.97, patch, edit)


def _quoted_line(line: str) -> str:
    """Return a line without its list mark and its full stop."""
    return one_line(line.strip().lstrip("-*+ ")).removesuffix(".")
