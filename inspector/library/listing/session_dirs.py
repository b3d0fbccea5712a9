"""Locate the folders in which supported tools keep their sessions, following the tools' own environment variables."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import repeat
from pathlib import Path

from inspector.formats import FORMATS

_DEEPEST = 8
"""Maximum depth of subfolders that are searched."""
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
"""Editors of the VS Code family. Each has a separate settings folder, in which its extensions keep their files."""
_AIDER, _SPECSTORY = ".aider.chat.history.md", ".specstory/history"


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """Location of one tool's sessions."""

    tool: str
    """Name of the tool as its vendor spells it."""
    format: str
    folders: Callable[[], Iterable[Path]]
    """Returns the tool's folders on this machine, whether they exist or not."""
    patterns: tuple[str, ...]
    """Patterns for the end of a file's path. A `*` never matches a `/`."""
    skips: frozenset[str] = frozenset()
    """Names of folders that contain other files."""
    indexes: frozenset[str] = frozenset()
    """Names of files that list the sessions."""
    files: Callable[[], Iterable[Path]] = tuple
    """Returns files that the user has configured, whatever their names."""
    deepest: int = _DEEPEST


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """A file in a tool's folder: most likely one session, or a database of several."""

    path: Path
    place: SessionPlace
    mtime: float
    """Time of the last change, as Unix time in seconds."""
    bytes: int


def placed_files() -> Iterator[PlacedFile]:
    """Yield the files of all tools, in no particular order. No file is opened, and inaccessible ones are skipped."""
    for place in _PLACES:
        if place.format in FORMATS:
            named = [*filter(None, map(_placed, map(_real, place.files()), repeat(place)))]
            yield from named
            paths = {file.path for file in named}
            for folder in dict.fromkeys(map(_real, place.folders())):
                yield from (file for file in _files_in(folder, place) if file.path not in paths)


def project_files(folders: Iterable[Path]) -> Iterator[PlacedFile]:
    """Yield the session files of tools that keep them in the project's folder, for the given folders."""
    history = Path(os.environ.get("AIDER_CHAT_HISTORY_FILE") or _AIDER)
    all_folders = dict.fromkeys(folders)
    for path in dict.fromkeys(folder / _real(history) for folder in all_folders):
        if file := _placed(path, _AIDER_PLACE):
            yield file
    for folder in all_folders:
        yield from _files_in(folder / _SPECSTORY, _SPECSTORY_PLACE)


def tool_names() -> list[str]:
    """Return the names of all supported tools, as their vendors spell them, sorted."""
    return sorted({place.tool for place in _all_places()}, key=str.lower)


def knows_tool(name: str) -> bool:
    """Return True if the name or format of a supported tool starts with a lower-case text."""
    return any(is_called(place, {name}) for place in _all_places())


def is_called(place: SessionPlace, names: Collection[str]) -> bool:
    """Return True if the tool's name or format starts with one of some lower-case texts."""
    return any(own.startswith(name) for own in (place.tool.lower(), place.format) for name in names)


def _all_places() -> tuple[SessionPlace, ...]:
    return (*_PLACES, _AIDER_PLACE, _SPECSTORY_PLACE)


def here() -> list[Path]:
    """Return the current folder, and its parents except the home folder and everything above it."""
    try:
        folder, home = Path.cwd(), Path.home()
    except (OSError, RuntimeError):
        return []
    around = [folder, *folder.parents]
    return [path for path in around if path not in (home, *home.parents) or path == folder]


def _real(folder: Path) -> Path:
    try:
        return folder.expanduser()
    except RuntimeError:  # unknown user
        return folder


def _files_in(folder: Path, place: SessionPlace) -> Iterator[PlacedFile]:
    yield from _matching(folder, folder, place, place.deepest)


def _placed(path: Path, place: SessionPlace) -> PlacedFile | None:
    """Return a file that the user named; None if it does not exist or is empty."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    is_some = stat.S_ISREG(status.st_mode) and status.st_size > 0
    return PlacedFile(path, place, status.st_mtime, status.st_size) if is_some else None


def _matching(root: Path, folder: Path, place: SessionPlace, depth: int) -> Iterator[PlacedFile]:
    """Yield the session files in a folder and its subfolders. Links to folders are not followed."""
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
    except (OSError, ValueError):
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth and entry.name not in place.skips:
                    yield from _matching(root, Path(entry.path), place, depth - 1)
            elif _fits(root, entry, place) and entry.is_file():
                status = entry.stat()
                if status.st_size:
                    yield PlacedFile(Path(entry.path), place, status.st_mtime, status.st_size)
        except OSError:
            continue


def _fits(root: Path, entry: os.DirEntry[str], place: SessionPlace) -> bool:
    """Return True if the end of a file's path matches one of the patterns, folder by folder."""
    if entry.name in place.indexes:
        return False
    names = entry.path[len(str(root)) :].replace("\\", "/").strip("/").split("/")
    for pattern in place.patterns:
        parts = pattern.split("/")
        if len(parts) <= len(names) and all(map(fnmatchcase, names[-len(parts) :], parts)):
            return True
    return False


def _home(variable: str, default: str) -> Path:
    """Return the folder in an environment variable, or else a folder in the home folder."""
    return Path(os.environ.get(variable) or f"~/{default}")


def _settings_folder(name: str) -> Path:
    """Return the folder of a program's user settings on this operating system."""
    if sys.platform == "darwin":
        return Path("~/Library/Application Support", name)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or "~/AppData/Roaming", name)
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config", name)


def _editor_folders(*parts: str) -> list[Path]:
    users = [_settings_folder(name) / "User" for name in _EDITORS]
    if portable := os.environ.get("VSCODE_PORTABLE"):
        users.append(Path(portable, "user-data", "User"))
    users += [Path(f"~/{server}/data/User") for server in (".vscode-server", ".vscode-remote", ".cursor-server")]
    return [user / part for user in users for part in parts]


def _claude_folders() -> list[Path]:
    if folder := os.environ.get("CLAUDE_CONFIG_DIR"):
        return [Path(folder, "projects")]
    return [Path("~/.claude/projects"), Path("~/.config/claude/projects")]


def _codex_folders() -> list[Path]:
    home = _home("CODEX_HOME", ".codex")
    return [home / "sessions", home / "archived_sessions"]


def _pi_folders() -> list[Path]:
    if folder := os.environ.get("PI_CODING_AGENT_SESSION_DIR"):
        return [Path(folder)]
    return [_home("PI_CODING_AGENT_DIR", ".pi/agent") / "sessions"]


def _cline_folders() -> list[Path]:
    extensions = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
    names = [f"globalStorage/{name}/tasks" for name in extensions]
    data = _home("CLINE_DIR", ".cline") / "data"
    return [*_editor_folders(*names), data / "tasks", data / "sessions"]


def _kimi_folders() -> list[Path]:
    return [_home("KIMI_CODE_HOME", ".kimi-code") / "sessions", _home("KIMI_SHARE_DIR", ".kimi") / "sessions"]


def _openhands_folders() -> list[Path]:
    if folder := os.environ.get("OPENHANDS_CONVERSATIONS_DIR"):
        return [Path(folder)]
    return [_home("OPENHANDS_PERSISTENCE_DIR", ".openhands") / "conversations"]


def _goose_folders() -> list[Path]:
    if root := os.environ.get("GOOSE_PATH_ROOT"):
        return [Path(root, "data", "sessions")]
    return [_home("XDG_DATA_HOME", ".local/share") / "goose" / "sessions"]


def _opencode_folder() -> Path:
    return _home("XDG_DATA_HOME", ".local/share") / "opencode"


def _opencode_database() -> list[Path]:
    """Return the configured database, a full path or one relative to opencode's folder; empty for the default."""
    name = os.environ.get("OPENCODE_DB", "")
    return [_opencode_folder() / name] if name and name != ":memory:" else []


def _inspect_folders() -> list[Path]:
    folder = Path(os.environ.get("INSPECT_LOG_DIR") or "logs")
    return [around / folder for around in here()[:1]] or [folder]


def _llm_folder() -> Path:
    return Path(os.environ.get("LLM_USER_PATH") or _settings_folder("io.datasette.llm"))


_AIDER_PLACE = SessionPlace("aider", "aider", here, (_AIDER,))
_SPECSTORY_PLACE = SessionPlace("SpecStory", "specstory", here, ("*.md",))
_PLACES = (
    SessionPlace("Claude Code", "claude-code", _claude_folders, ("*.jsonl",), frozenset({"subagents"})),
    SessionPlace("Codex", "codex", _codex_folders, ("rollout-*.jsonl",)),
    SessionPlace(
        "Gemini CLI",
        "gemini-cli",
        lambda: [Path(os.environ.get("GEMINI_CLI_HOME") or "~", ".gemini", "tmp")],
        ("chats/session-*.json", "chats/session-*.jsonl"),
    ),
    SessionPlace(
        "Copilot CLI",
        "copilot-cli",
        lambda: [_home("COPILOT_HOME", ".copilot") / name for name in ("session-state", "history-session-state")],
        ("*/events.jsonl", "*-*-*-*-*.jsonl", "session_*.json"),
    ),
    SessionPlace(
        "opencode",
        "opencode",
        lambda: [_opencode_folder()],
        ("opencode.db", "opencode-*.db", "storage/session/*/ses*.json"),
        frozenset(
            {
                *("log", "snapshot", "tool-output", "bin", "repos", "worktree"),
                *("message", "part", "session_diff", "todo"),
            }
        ),
        files=_opencode_database,
    ),
    SessionPlace("pi", "pi", _pi_folders, ("*.jsonl",)),
    SessionPlace("Droid", "droid", lambda: [Path("~/.factory/sessions")], ("*.jsonl",)),
    SessionPlace(
        "Cursor",
        "cursor",
        lambda: [Path("~/.cursor/projects")],
        ("agent-transcripts/*.jsonl", "agent-transcripts/*/*.jsonl"),
        frozenset({"subagents"}),
    ),
    SessionPlace("OpenHands", "openhands-sdk", _openhands_folders, ("*/base_state.json",), frozenset({"events"})),
    SessionPlace("OpenHands", "openhands", lambda: [Path("~/.openhands/sessions")], ("*/events/0.json",)),
    SessionPlace("Kimi Code", "kimi", _kimi_folders, ("agents/*/wire.jsonl", "context.jsonl")),
    SessionPlace(
        "Cline",
        "cline",
        _cline_folders,
        ("*/api_conversation_history.json", "*/*.messages.json"),
        frozenset({"checkpoints"}),
    ),
    SessionPlace(
        "Copilot Chat",
        "copilot-chat",
        lambda: _editor_folders("workspaceStorage"),
        ("chatSessions/*.json", "chatSessions/*.jsonl"),
    ),
    SessionPlace(
        "Copilot Chat",
        "copilot-chat",
        lambda: _editor_folders("globalStorage/emptyWindowChatSessions"),
        ("*.json", "*.jsonl"),
    ),
    SessionPlace("Qwen Code", "qwen-code", lambda: [_home("QWEN_HOME", ".qwen")], ("chats/*.jsonl",)),
    SessionPlace("Goose", "goose", _goose_folders, ("sessions.db", "*.jsonl")),
    SessionPlace("OpenClaw", "pi", lambda: [_home("OPENCLAW_STATE_DIR", ".openclaw")], ("agents/*/sessions/*.jsonl",)),
    SessionPlace(
        "OpenClaw", "openclaw", lambda: [_home("OPENCLAW_STATE_DIR", ".openclaw")], ("openclaw-agent.sqlite",)
    ),
    SessionPlace(
        "Letta Code",
        "letta-code",
        lambda: [_home("LETTA_TRANSCRIPT_ROOT", ".letta/transcripts")],
        ("*/*/transcript.jsonl",),
    ),
    SessionPlace("Kiro", "kiro", lambda: [Path.home() / ".kiro" / "sessions" / "cli"], ("*.jsonl",)),
    SessionPlace("Amp", "unknown", lambda: [_home("XDG_DATA_HOME", ".local/share") / "amp" / "threads"], ("T-*.json",)),
    SessionPlace(
        "Continue",
        "continue",
        lambda: [_home("CONTINUE_GLOBAL_DIR", ".continue") / "sessions"],
        ("*.json",),
        indexes=frozenset({"sessions.json"}),
    ),
    SessionPlace("Inspect", "inspect-eval", _inspect_folders, ("*.eval", "2*-*-*T*_*.json"), deepest=2),
    SessionPlace("llm", "llm", lambda: [_llm_folder()], ("logs.db",), frozenset({"templates", "plugins", "fragments"})),
)
