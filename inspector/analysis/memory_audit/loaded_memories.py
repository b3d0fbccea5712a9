"""The cost of memories in every window, and memories that are never loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.dead_lines import import_edits
from inspector.core.text import clip, lazy_pattern, one_line, plural
from inspector.formats import CODEX_BYTES, FolderTree, MemoryStore

_BRACES = lazy_pattern(r"\{([^{}]*)\}")


def costs(stores: Sequence[MemoryStore], places: Places, most: int) -> Iterator[AuditFinding]:
    """Yield the tokens that rule files and notes put into every window, if they are more than `most`."""
    sizes = {store.path: size for store in stores if (size := loaded_tokens(store))}
    total = sum(sizes.values())
    if total <= most:
        return
    largest = sorted(sizes, key=lambda path: -sizes[path])
    listed = ", ".join(f"{places.name(path)} ~{sizes[path]:,}" for path in largest[:5])
    evidence = f"~{plural(total, 'token')} are in every window: {listed}."
    yield AuditFinding("cost", [places.name(path) for path in largest], f"{total} tokens", evidence, 0.9)


def loaded_tokens(store: MemoryStore) -> int:
    """Return the estimated tokens that a store puts into every window."""
    if store.kind == "notes":
        return sum(item.tokens for item in store.items if item.load == "at start")
    return store.tokens if store.load == "always" else 0


def not_loaded(stores: Sequence[MemoryStore], tree: FolderTree, places: Places) -> Iterator[AuditFinding]:
    """Yield what no window ever gets: the end of a long file, imports and patterns without a file, expired items."""
    now = datetime.now(UTC).isoformat()
    for store in stores:
        yield from _beyond_cap(store, places)
        for line, name, file in store.imports:
            if not file:
                place = f"{places.name(store.path)}:{line}"
                evidence = f"{place} imports @{name}. The file does not exist, so nothing is loaded."
                finding = AuditFinding("not_loaded", [place], f"@{name}", evidence, 0.95)
                yield finding.proposing(import_edits(store, line, name, places), places)
        if store.kind == "rule-file" and store.paths and not tree.is_cut:
            yield from _without_files(store, tree, places)
        for item in store.items:
            if item.expires and item.expires[:19] < now[:19]:
                patch, removal = places.removal(store, item)
                evidence = (
                    f"{places.of(store, item)} expired at {item.expires[:19]}: “{clip(one_line(item.text), 80)}”."
                )
                yield AuditFinding("not_loaded", [places.of(store, item)], item.expires, evidence, 0.95, patch, removal)
    yield from _beyond_bytes(stores, places)
    yield from _hidden(stores, places)


def _beyond_cap(store: MemoryStore, places: Places) -> Iterator[AuditFinding]:
    beyond = [item for item in store.items if item.load == "never"]
    if beyond:
        texts = f"from “{clip(one_line(beyond[0].text), 60)}” to “{clip(one_line(beyond[-1].text), 60)}”"
        evidence = f"{plural(len(beyond), 'item')} after line {store.cap} are never loaded, {texts}."
        value = clip(one_line(beyond[-1].text), 200)
        yield AuditFinding("not_loaded", [places.of(store, item) for item in beyond], value, evidence, 0.95)


def _without_files(store: MemoryStore, tree: FolderTree, places: Places) -> Iterator[AuditFinding]:
    start = _pattern_base(store, tree.root)
    matches = [matcher(pattern) for pattern in store.paths]
    if not any(match(path) or _matches_below(match, path, start) for path in tree.files for match in matches):
        evidence = f"No file matches {', '.join(store.paths)}, so {places.name(store.path)} is never loaded."
        items = [places.of(store, item) for item in store.items]
        yield AuditFinding("not_loaded", items, ", ".join(store.paths), evidence, 0.9)


def _pattern_base(store: MemoryStore, root: Path) -> str:
    """Return the folder that the patterns of a rule are relative to: that of its project."""
    path = Path(store.path)
    try:
        parts = path.relative_to(root).parts
    except ValueError:
        return ""
    dotted = next((place for place, part in enumerate(parts) if part.startswith(".")), 0)
    return "".join(f"{part}/" for part in parts[:dotted])


def _matches_below(match: Callable[[str], bool], path: str, start: str) -> bool:
    return bool(start) and path.startswith(start) and match(path.removeprefix(start))


@lru_cache(maxsize=512)
def matcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that tells if a path matches a pattern with **, * and {a,b}."""
    patterns = [_steps_of(one) for one in _expanded(pattern.removeprefix("./").removeprefix("/"))]
    has_slash = "/" in pattern

    def matches(path: str) -> bool:
        steps = path.split("/") if has_slash else [path.rpartition("/")[2]]
        return any(_is_matched(one, steps) for one in patterns)

    return matches


def _expanded(pattern: str) -> list[str]:
    match = _BRACES.search(pattern)
    if match is None or pattern.count("{") > 4:
        return [pattern]
    return [
        one
        for part in match[1].split(",")
        for one in _expanded(pattern[: match.start()] + part + pattern[match.end() :])
    ]


def _steps_of(pattern: str) -> list[str]:
    """Return the steps of a pattern. Each is a pattern for one name, or `**` for any number of folders."""
    steps = (f"{pattern}**" if pattern.endswith("/") else pattern).split("/")
    pairs = (["**"] if step == "**" else ["**", step.replace("**", "*")] if "**" in step else [step] for step in steps)
    return [step for pair in pairs for step in pair]


def _is_matched(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Return True if a pattern matches a whole path. The time is proportional to the product of their lengths."""
    reached = {0}
    for step in pattern:
        if step == "**":
            reached = set(range(min(reached), len(path) + 1)) if reached else reached
        else:
            reached = {place + 1 for place in reached if place < len(path) and fnmatchcase(path[place], step)}
    return len(path) in reached


def _beyond_bytes(stores: Sequence[MemoryStore], places: Places) -> Iterator[AuditFinding]:
    """Yield AGENTS.md files that Codex cuts."""
    for store in stores:
        size = len(store.text.encode())
        if Path(store.path).name == "AGENTS.md" and size > CODEX_BYTES:
            cut = store.text.encode()[:CODEX_BYTES].count(b"\n") + 1
            beyond = [places.of(store, item) for item in store.items if item.line > cut]
            evidence = f"{places.name(store.path)} has {size:,} bytes. Codex loads {CODEX_BYTES:,}, up to line {cut}."
            yield AuditFinding("not_loaded", beyond, f"{size} bytes", evidence, 0.8)


def _hidden(stores: Sequence[MemoryStore], places: Places) -> Iterator[AuditFinding]:
    """Yield AGENTS.md files next to AGENTS.override.md, which Codex loads in their place."""
    names = {store.path for store in stores}
    for store in stores:
        path = Path(store.path)
        if path.name == "AGENTS.md" and str(path.with_name("AGENTS.override.md")) in names:
            evidence = f"Codex loads AGENTS.override.md in place of {places.name(store.path)}."
            yield AuditFinding("not_loaded", [places.name(store.path)], "AGENTS.override.md", evidence, 0.8)
