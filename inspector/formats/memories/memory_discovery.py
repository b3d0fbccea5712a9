"""Memory stores of this machine: the user's, those of a project and its parents, and those of the agents."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from glob import iglob
from itertools import islice
from pathlib import Path

from inspector.core.limits import limit
from inspector.formats.memories.memory_items import MemoryStore
from inspector.formats.memories.memory_opening import damaged_store, memories_in, open_memories
from inspector.formats.memories.memory_readers import plugin_places
from inspector.formats.memories.rule_files import RULE_FILES
from inspector.formats.reading.source import UnreadableError


def _variable(name: str, default: str) -> str:
    return os.environ.get(name) or default


def _user_patterns() -> tuple[str, ...]:
    """Return patterns of the user's rule files, notes and databases."""
    claude, codex = _variable("CLAUDE_CONFIG_DIR", "~/.claude"), _variable("CODEX_HOME", "~/.codex")
    managed = "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
    return (
        f"{managed}/CLAUDE.md",
        f"{claude}/CLAUDE.md",
        f"{claude}/rules/*.md",
        f"{claude}/projects/*/memory",
        f"{claude}/agent-memory/*",
        f"{codex}/AGENTS.override.md",
        f"{codex}/AGENTS.md",
        f"{codex}/memories",
        f"{_variable('GEMINI_CLI_HOME', '~')}/.gemini/GEMINI.md",
        f"{_variable('QWEN_HOME', '~/.qwen')}/QWEN.md",
        f"{_variable('XDG_CONFIG_HOME', '~/.config')}/opencode/AGENTS.md",
        f"{_variable('OPENCLAW_STATE_DIR', '~/.openclaw')}/workspace/memory",
        f"{_variable('MEM0_DIR', '~/.mem0')}/history.db",
        "~/.claude-mem/claude-mem.db",
        "~/.basic-memory/memory.db",
        "~/.letta/sqlite.db",
        "~/.letta/agents/*/memory",
        f"{_variable('LETTA_LOCAL_BACKEND_DIR', '~/.letta/lc-local-backend')}/memfs/*/memory",
        "~/.serena/memories",
        "~/.npm/_npx/*/node_modules/@modelcontextprotocol/server-memory/dist/memory.json*",
        *((os.environ["MEMORY_FILE_PATH"],) if os.environ.get("MEMORY_FILE_PATH") else ()),
    )


def project_root(folder: Path) -> Path:
    """Return the folder of the repository that a folder is in, or the folder itself."""
    home = Path.home()
    for parent in (folder, *folder.parents):
        if (parent / ".git").exists():
            return parent
        if parent == home:
            break
    return folder


def parent_rule_files(folder: Path) -> Iterator[Path]:
    """Yield the rule files above a folder that are loaded in it, up to the home folder or the root of the disk."""
    home = Path.home()
    names = [kind.pattern for kind in RULE_FILES if "*" not in kind.pattern and "/" not in kind.pattern]
    for parent in folder.parents:
        if parent == home or parent == Path(parent.anchor):
            return
        yield from (path for name in (*names, ".claude/CLAUDE.md") if (path := parent / name).is_file())


def user_memories() -> list[MemoryStore]:
    """Return the stores in the user's folders."""
    stores: list[MemoryStore] = []
    for pattern in (*_user_patterns(), *plugin_places()):
        expanded = os.path.expanduser(pattern)  # noqa: PTH111  a pattern
        for path in islice(sorted(iglob(expanded)), limit("memory_files")):  # noqa: PTH207  the same
            stores += _opened(Path(path))
    return stores


def discover_memories(folder: Path) -> list[MemoryStore]:
    """Return the stores that an agent in a folder may read: the user's, those of its parents, and its own."""
    stores = user_memories()
    for path in parent_rule_files(folder):
        stores += _opened(path)
    paths = {os.path.realpath(store.path) for store in stores}
    inside = [store for store in memories_in(folder)[0] if os.path.realpath(store.path) not in paths]
    return [*stores, *inside]


def _opened(path: Path) -> list[MemoryStore]:
    try:
        return open_memories(path)
    except UnreadableError as error:
        return damaged_store(error)
