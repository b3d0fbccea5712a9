"""The folders in which tools keep their sessions, following the tools' own environment variables."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_DEEPEST = 8
"""Maximum depth of subfolders that are searched."""
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
"""Editors of the VS Code family. Each has a separate settings folder, in which its extensions keep their files."""


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """Location of one tool's sessions, which are files of one format."""

    tool: str
    """Name of the tool as its vendor spells it."""
    folders: Callable[[], Iterable[Path]] = tuple
    """Returns the tool's folders on this machine, whether they exist or not. `~` is the home folder."""
    patterns: tuple[str, ...] = ()
    """Patterns for the end of a file's path. A `*` never matches a `/`."""
    skips: frozenset[str] = frozenset()
    """Names of folders that contain other files."""
    indexes: frozenset[str] = frozenset()
    """Names of files that list the sessions."""
    files: Callable[[], Iterable[Path]] = tuple
    """Returns files that the user has configured, whatever their names."""
    deepest: int = _DEEPEST
    """Maximum depth of subfolders that are searched."""
    in_projects: bool = False
    """True if the folders and files are relative to the folder of each project."""


def current_folders() -> list[Path]:
    """Return the current folder, and its parents except the home folder and everything above it."""
    try:
        folder, home = Path.cwd(), Path.home()
    except (OSError, RuntimeError):
        return []
    around = [folder, *folder.parents]
    return [path for path in around if path not in (home, *home.parents) or path == folder]


def _home(variable: str, default: str) -> Path:
    """Return the folder in an environment variable, or else a folder in the home folder."""
    return Path(os.environ.get(variable) or f"~/{default}")


def capture_folder() -> Path:
    """Return the folder in which `inspector record` keeps its logs."""
    from platformdirs import user_data_path  # slow to import

    return user_data_path("inspector", appauthor=False) / "captures"


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


def claude_folders() -> list[Path]:
    """Return the folders with the transcripts of Claude Code, which may begin with `~`."""
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
    return [around / folder for around in current_folders()[:1]] or [folder]


def _llm_folder() -> Path:
    return Path(os.environ.get("LLM_USER_PATH") or _settings_folder("io.datasette.llm"))


def _aider_files() -> list[Path]:
    return [Path(os.environ.get("AIDER_CHAT_HISTORY_FILE") or ".aider.chat.history.md")]


OWN_PLACES: Mapping[str, tuple[SessionPlace, ...]] = {
    "claude-code": (SessionPlace("Claude Code", claude_folders, ("*.jsonl",), frozenset({"subagents"})),),
    "capture": (SessionPlace("inspector record", lambda: [capture_folder()], ("*.jsonl",)),),
    "codex": (SessionPlace("Codex", _codex_folders, ("rollout-*.jsonl",)),),
    "gemini-cli": (
        SessionPlace(
            "Gemini CLI",
            lambda: [Path(os.environ.get("GEMINI_CLI_HOME") or "~", ".gemini", "tmp")],
            ("chats/session-*.json", "chats/session-*.jsonl"),
        ),
    ),
    "copilot-cli": (
        SessionPlace(
            "Copilot CLI",
            lambda: [_home("COPILOT_HOME", ".copilot") / name for name in ("session-state", "history-session-state")],
            ("*/events.jsonl", "*-*-*-*-*.jsonl", "session_*.json"),
        ),
    ),
    "opencode": (
        SessionPlace(
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
    ),
    "pi": (
        SessionPlace("pi", _pi_folders, ("*.jsonl",)),
        SessionPlace("OpenClaw", lambda: [_home("OPENCLAW_STATE_DIR", ".openclaw")], ("agents/*/sessions/*.jsonl",)),
    ),
    "droid": (SessionPlace("Droid", lambda: [Path("~/.factory/sessions")], ("*.jsonl",)),),
    "cursor": (
        SessionPlace(
            "Cursor",
            lambda: [Path("~/.cursor/projects")],
            ("agent-transcripts/*.jsonl", "agent-transcripts/*/*.jsonl"),
            frozenset({"subagents"}),
        ),
    ),
    "openhands-sdk": (SessionPlace("OpenHands", _openhands_folders, ("*/base_state.json",), frozenset({"events"})),),
    "openhands": (SessionPlace("OpenHands", lambda: [Path("~/.openhands/sessions")], ("*/events/0.json",)),),
    "kimi": (SessionPlace("Kimi Code", _kimi_folders, ("agents/*/wire.jsonl", "context.jsonl")),),
    "cline": (
        SessionPlace(
            "Cline",
            _cline_folders,
            ("*/api_conversation_history.json", "*/*.messages.json"),
            frozenset({"checkpoints"}),
        ),
    ),
    "copilot-chat": (
        SessionPlace(
            "Copilot Chat", lambda: _editor_folders("workspaceStorage"), ("chatSessions/*.json", "chatSessions/*.jsonl")
        ),
        SessionPlace(
            "Copilot Chat", lambda: _editor_folders("globalStorage/emptyWindowChatSessions"), ("*.json", "*.jsonl")
        ),
    ),
    "qwen-code": (SessionPlace("Qwen Code", lambda: [_home("QWEN_HOME", ".qwen")], ("chats/*.jsonl",)),),
    "goose": (SessionPlace("Goose", _goose_folders, ("sessions.db", "*.jsonl")),),
    "openclaw": (
        SessionPlace("OpenClaw", lambda: [_home("OPENCLAW_STATE_DIR", ".openclaw")], ("openclaw-agent.sqlite",)),
    ),
    "letta-code": (
        SessionPlace(
            "Letta Code", lambda: [_home("LETTA_TRANSCRIPT_ROOT", ".letta/transcripts")], ("*/*/transcript.jsonl",)
        ),
    ),
    "kiro": (SessionPlace("Kiro", lambda: [Path.home() / ".kiro" / "sessions" / "cli"], ("*.jsonl",)),),
    "amp": (SessionPlace("Amp", lambda: [_home("XDG_DATA_HOME", ".local/share") / "amp" / "threads"], ("T-*.json",)),),
    "continue": (
        SessionPlace(
            "Continue",
            lambda: [_home("CONTINUE_GLOBAL_DIR", ".continue") / "sessions"],
            ("*.json",),
            indexes=frozenset({"sessions.json"}),
        ),
    ),
    "inspect-eval": (SessionPlace("Inspect", _inspect_folders, ("*.eval", "2*-*-*T*_*.json"), deepest=2),),
    "llm": (
        SessionPlace("llm", lambda: [_llm_folder()], ("logs.db",), frozenset({"templates", "plugins", "fragments"})),
    ),
    "aider": (SessionPlace("aider", files=_aider_files, in_projects=True),),
    "specstory": (SessionPlace("SpecStory", lambda: [Path(".specstory/history")], ("*.md",), in_projects=True),),
}
"""Places of the formats of this package, by the name of the format."""
