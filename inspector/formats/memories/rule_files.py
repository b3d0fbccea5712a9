"""Rule files of coding agents, such as CLAUDE.md and AGENTS.md: items, imports, and when they are loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import translate
from pathlib import Path

from inspector.core.limits import limit
from inspector.core.text import has_path_end, without_controls
from inspector.formats.memories.markdown_items import Block, blocks_of, frontmatter
from inspector.formats.memories.memory_items import ItemKind, LoadType, MemoryItem, MemoryStore
from inspector.formats.reading.source import UnreadableError

# "@docs/style.md", "@~/.claude/me.md", but neither "me@host.org" nor "`@types/node`"
_IMPORT = re.compile(r"(?<![\w`@/.])@((?:~/|\.{1,2}/|/)?[\w.-][\w./-]{0,300})")
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_TEXT_SUFFIXES = frozenset(
    {".md", ".mdc", ".mdx", ".txt", ".rst", ".adoc", ".json", ".yml", ".yaml", ".toml", ".html", ".cfg", ".ini"}
)
_EVERYWHERE = frozenset({"**", "**/*", "*", "alwaysApply: true", "trigger: always_on"})
"""Patterns and fields of rules that are always loaded."""
_ON_DEMAND = frozenset({"inclusion: manual", "inclusion: auto", "trigger: manual", "trigger: model_decision"})
"""Fields of rules that the user or the model loads."""
_HEAD = 4096
"""Number of bytes by which text is distinguished from binary data."""
_MAX_IMPORTS = 5
"""Maximum depth of imports in Claude Code."""
CODEX_BYTES = 32 << 10
"""Number of bytes of AGENTS.md files that Codex loads by default."""


@dataclass(frozen=True, slots=True)
class RuleFileKind:
    """A kind of rule file, known by the end of its path."""

    pattern: str
    """Pattern for the end of the path, folder by folder."""
    tool: str
    """Program that loads it; "" for several."""
    title: str
    load: LoadType = "always"
    has_imports: bool = False


RULE_FILES: tuple[RuleFileKind, ...] = (
    RuleFileKind("CLAUDE.local.md", "Claude Code", "local rules of Claude Code", has_imports=True),
    RuleFileKind("CLAUDE.md", "Claude Code", "rules of Claude Code", has_imports=True),
    RuleFileKind(".claude/rules/*.md", "Claude Code", "a rule of Claude Code"),
    RuleFileKind(".claude/rules/*/*.md", "Claude Code", "a rule of Claude Code"),
    RuleFileKind("AGENTS.override.md", "Codex", "overriding rules for agents"),
    RuleFileKind("AGENTS.md", "", "rules for agents"),
    RuleFileKind("AGENT.md", "", "rules for agents"),
    RuleFileKind("GEMINI.md", "Gemini CLI", "rules of Gemini CLI", has_imports=True),
    RuleFileKind("QWEN.md", "Qwen Code", "rules of Qwen Code", has_imports=True),
    RuleFileKind(".cursor/rules/*.mdc", "Cursor", "a rule of Cursor", "on demand"),
    RuleFileKind(".cursor/rules/*/*.mdc", "Cursor", "a rule of Cursor", "on demand"),
    RuleFileKind(".cursorrules", "Cursor", "rules of Cursor"),
    RuleFileKind(".github/copilot-instructions.md", "Copilot", "instructions of Copilot"),
    RuleFileKind(".github/instructions/*.instructions.md", "Copilot", "an instruction of Copilot", "on demand"),
    RuleFileKind("copilot-instructions.md", "Copilot", "instructions of Copilot"),
    RuleFileKind(".windsurfrules", "Windsurf", "rules of Windsurf"),
    RuleFileKind(".windsurf/rules/*.md", "Windsurf", "a rule of Windsurf", "on demand"),
    RuleFileKind(".clinerules", "Cline", "rules of Cline"),
    RuleFileKind(".clinerules/*.md", "Cline", "a rule of Cline"),
    RuleFileKind(".roo/rules/*.md", "Roo Code", "a rule of Roo Code"),
    RuleFileKind(".junie/guidelines.md", "Junie", "guidelines of Junie"),
    RuleFileKind(".kiro/steering/*.md", "Kiro", "a steering file of Kiro"),
    RuleFileKind(".goosehints", "goose", "hints of goose"),
    RuleFileKind("CONVENTIONS.md", "aider", "conventions of aider", "on demand"),
)
"""Kinds of rule files; the first that fits counts."""
_LAST_NAME = re.compile("|".join(sorted({translate(kind.pattern.rpartition("/")[2]) for kind in RULE_FILES})))
_IMPORTED = RuleFileKind("", "Claude Code", "an imported rule file", has_imports=True)


def rule_kind(path: str | Path) -> RuleFileKind | None:
    """Return the kind of a rule file by the end of its path, or None."""
    names = str(path).replace("\\", "/").split("/")
    if not _LAST_NAME.match(names[-1]):
        return None
    return next((kind for kind in RULE_FILES if has_path_end(names, kind.pattern)), None)


def text_file(path: str | Path) -> tuple[str, str]:
    """Return the text of a file up to the limit `memory_file`, and what was left out, as a sentence or "".

    Raises:
        UnreadableError: It cannot be read, or is no text.
    """
    most = limit("memory_file")
    try:
        if not Path(path).is_file():
            raise UnreadableError(path, f"{path} is not a file.")
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise UnreadableError(path, f"{path} cannot be read ({error.strerror}).") from error
    if data[:_HEAD].count(0) > len(data[:_HEAD]) // 50:
        raise UnreadableError(path, f"{path} is not a text.")
    cut = f"{path} was read up to {most:,} bytes." if len(data) > most else ""
    return data[:most].decode("utf-8-sig", "replace").replace("\r\n", "\n"), cut


def read_rule_file(path: str | Path, scope: str = "", depth: int = 0) -> list[MemoryStore]:
    """Return a rule file, followed by the files that it imports.

    Args:
        path: The file.
        scope: user, project, local or managed; found out by the path if "".
        depth: Number of imports that lead to it.

    Raises:
        UnreadableError: It cannot be read.
    """
    stores: list[MemoryStore] = []
    _read_into(stores, Path(path), scope, depth, rule_kind(path))
    return stores


def _read_into(
    stores: list[MemoryStore], path: Path, scope: str, depth: int, kind: RuleFileKind | None, importer: str = ""
) -> None:
    text, cut = text_file(path)
    kind = _IMPORTED if kind is None and importer else kind
    store = _store_of(path, text, scope or _scope_of(path), kind, [cut] if cut else [])
    stores.append(store)
    known = {os.path.realpath(other.path) for other in stores}
    for _, _, file in store.imports if depth < _MAX_IMPORTS else ():
        if file and os.path.realpath(file) not in known and len(stores) < limit("memory_files"):
            known.add(os.path.realpath(file))
            try:
                _read_into(stores, Path(file), scope, depth + 1, rule_kind(file), str(path))
            except UnreadableError as error:
                stores[0] = replace(stores[0], problems=[*stores[0].problems, error.sentence])


def _store_of(path: Path, text: str, scope: str, kind: RuleFileKind | None, problems: list[str]) -> MemoryStore:
    fields, _ = frontmatter(text.split("\n"))
    load, paths = _load_of(kind, fields)
    blocks = blocks_of(text)
    most = limit("memory_items")
    items = [item for block in blocks[:most] if (item := _item_of(block, path, scope, load, paths)) is not None]
    if len(blocks) > most:
        problems.append(f"{path} has more than {most:,} items.")
    return MemoryStore(
        str(path),
        "rule-file",
        kind.title if kind else "rules in Markdown",
        items,
        problems=problems,
        scope=scope,
        load=load,
        text=text,
        imports=list(_imports_of(blocks, path)) if kind is None or kind.has_imports else [],
        tool=kind.tool if kind else "",
        paths=paths,
    )


def _item_of(block: Block, path: Path, scope: str, load: LoadType, paths: tuple[str, ...]) -> MemoryItem | None:
    if block.kind == "heading":
        return None
    text = without_controls(block.text)
    kind: ItemKind = "note" if block.kind == "code" else "rule"
    place = f"{path.name}:{block.line}"
    return MemoryItem(
        place, text, scope, kind, load, name=block.heading, path=str(path), line=block.line, end=block.end, about=paths
    )


def _load_of(kind: RuleFileKind | None, fields: Mapping[str, tuple[str, ...]]) -> tuple[LoadType, tuple[str, ...]]:
    """Return when a rule file is loaded, and the patterns of the paths for which it is."""
    written = next((fields[name] for name in ("paths", "globs", "applyTo", "fileMatchPattern") if fields.get(name)), ())
    paths = tuple(name for value in written for part in _split_patterns(value) if (name := part.strip(" \"'")))
    stated = {f"{name}: {value}" for name, values in fields.items() for value in values}
    if _EVERYWHERE & {*paths, *stated}:
        return "always", ()
    if _ON_DEMAND & stated:
        return "on demand", ()
    if paths and kind is not None and "*" in kind.pattern:
        return "by path", paths
    return (kind.load if kind else "always"), ()


def _split_patterns(text: str) -> Iterator[str]:
    """Yield the patterns of a list with commas. A comma in braces does not separate: "src/*.{ts,tsx}"."""
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth <= 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _scope_of(path: Path) -> str:
    if path.name == "CLAUDE.local.md":
        return "local"
    home = Path.home()
    users = (home / ".claude", home / ".codex", home / ".gemini", home / ".config", home / ".qwen")
    if any(folder in path.parents for folder in users):
        return "user"
    return (
        "managed"
        if str(path).startswith(("/etc/claude-code/", "/Library/Application Support/ClaudeCode/"))
        else "project"
    )


def _imports_of(blocks: list[Block], path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the imports in the prose of a file. A word with @ is one if it names a text file, or a file that exists."""
    for block in blocks:
        if block.kind == "code":
            continue
        for number, line in enumerate(block.text.split("\n"), block.line):
            for match in _IMPORT.finditer(_CODE_SPAN.sub("", line)):
                name = match[1].rstrip(".,;:)")
                file = Path(name).expanduser() if name.startswith("~") else path.parent / name
                is_there = _is_file(file)
                if is_there or Path(name).suffix.lower() in _TEXT_SUFFIXES:
                    yield number, name, os.path.normpath(file) if is_there else ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
