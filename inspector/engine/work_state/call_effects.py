"""Effects of a tool call on the work: files that it changes, commands that it runs, tasks, plans, skills, processes.

Tools are recognized by their names and the shape of their arguments, for all agents alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import orjson

from inspector.core.conversation import ToolCall
from inspector.core.text import lazy_pattern, one_line, word_set
from inspector.engine.commands import commands_in, core_words, script_deed
from inspector.engine.work_state.code_effects import change_between, files_in_code
from inspector.engine.work_state.effect_values import CallEffects, ChangeKind, FileChange
from inspector.engine.work_state.instruction_reads import instruction_file, instructions_printed, may_read_instructions
from inspector.engine.work_state.task_calls import task_changes

_MAX_ARGUMENTS = 400_000
_MAX_TEXT = 4_000
"""Characters of an inserted text, a command or a plan that are kept."""
_PATHS = ("file_path", "filePath", "path", "notebook_path", "target_file", "filename", "absolute_path", "relative_path")
_TEXTS = ("content", "contents", "file_text", "new_source", "text")
_NEW = ("new_string", "new_str", "newString", "newText", "replace", "diff", "insert_text", "new_content", "body")
_OLD = ("old_string", "old_str", "oldString", "oldText", "search", "old_content")
_COMMANDS = ("command", "cmd", "script", "code")
_FOLDERS = ("workdir", "cwd", "working_directory", "dir_path", "directory")
_KEEPS = frozenset(("--cached", "--dry-run", "-n"))
"""Options of `git rm` that leave the file."""
_IN_PLACE = frozenset(("sed", "gsed", "perl", "ruby", "yq", "clang-format"))
"""Programs that change the files that they read with the option `-i`."""
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh")
_RUNS = lazy_pattern(r"(?i)bash|shell|exec|terminal|run_?command|(?:^|_)cmd$")
_WRITES = lazy_pattern(r"(?i)write|create|save|edit|replace|patch|insert|notebook|update_file|str_replace|diff")
_READS = lazy_pattern(r"(?i)^(?:read|view|open|grep|glob|search|list|ls|find|get)")
_LOOKS = lazy_pattern(
    r"(?i)^(?:read|grep|glob|ls|view|list_?dir\w*|list_?files|read_?file\w*|search\w*|web_?search|web_?fetch)$"
)
_DELEGATES = lazy_pattern(r"(?i)^(?:task|agent|spawn_?agent|delegate|dispatch_?agent|new_task|subagent)$")
_STOPS = lazy_pattern(
    r"(?i)kill_?(?:shell|bash|terminal|process)|task_?stop|stop_?(?:task|process|agent|bash|shell)|close_?agent"
)
_FINISHERS = word_set("finish attemptcompletion taskcomplete completetask submit")
_PLANNERS = word_set("exitplanmode presentplan planmoderespond")
_ASKERS = word_set("askuserquestion requestuserinput askfollowupquestion askuser")
_SKILLS = word_set("skill useskill activateskill")
_EDITORS = word_set("edit write multiedit notebookedit replace writefile")
_POLLERS = word_set("bashoutput taskoutput agentoutput writestdin agentoutputtool wait")
"""Names of tools, in lower case and without underscores."""
_PATCHED = lazy_pattern(r"^\*\*\* (Update|Add|Delete) File: (.{1,300})$", re.MULTILINE)
_MOVED = lazy_pattern(r"^\*\*\* Move to: (.{1,300})$", re.MULTILINE)
_NESTED = lazy_pattern(r"""\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\\n]|\\.){1,4000}")""")
"""A command in a script that calls other tools: `tools.exec_command({cmd:"git status"})`."""
_POLLED = lazy_pattern(r"""\bwrite_stdin\(\s{0,9}\{[^}]{0,200}?session_id\\?["']?\s{0,9}:\s{0,9}\\?["']?(\d{1,9})""")
"""The process that a script reads from or writes to: `tools.write_stdin({"session_id":53069,…})`."""
_INTERPRETERS = ("ipython", "python", "jupyter", "codeinterpreter", "pythoninterpreter", "executecode")
"""Ends of the names of tools whose code is Python, in lower case and without underscores."""
_KINDS: Mapping[str, ChangeKind] = {"Update": "changed", "Add": "created", "Delete": "deleted"}


class _NamedTool(NamedTuple):
    """A tool, and what its name says about its effects."""

    name: str
    """The name without that of its server."""
    low: str
    """The name in lower case, without underscores."""
    runs: bool
    writes: bool
    reads: bool
    delegates: bool
    stops: bool
    looks: bool

    @property
    def is_silent(self) -> bool:
        """True if calls of the tool only look at something."""
        return self.looks and not (self.runs or self.writes)


@lru_cache(maxsize=1_024)
def _tool_of(full_name: str) -> _NamedTool:
    name = full_name.rpartition("__")[2].rpartition(".")[2] or full_name
    patterns = (_RUNS, _WRITES, _READS, _DELEGATES, _STOPS, _LOOKS)
    return _NamedTool(name, name.lower().replace("_", ""), *(pattern.search(name) is not None for pattern in patterns))


def is_silent_tool(name: str) -> bool:
    """Return True if the results of a tool say nothing about the work unless they fail."""
    tool = _tool_of(name)
    return tool.looks or tool.low.startswith("todo") or tool.low in _EDITORS


def only_looks(name: str) -> bool:
    """Return True if calls of a tool affect nothing, whatever their arguments.

    Tools such as `read_file` may state tasks in addition to the content that they read.
    """
    return name.isalpha() and _tool_of(name).is_silent


def effects_of(call: ToolCall) -> CallEffects:
    """Return what a call does. Accepts any arguments and never raises."""
    tool = _tool_of(call.name)
    name = tool.name
    if tool.is_silent and "task_progress" not in call.arguments and not may_read_instructions(call.arguments):
        return CallEffects(name, call.id)
    arguments = _arguments(call.arguments)
    if reads := _instructions_read(tool, arguments):
        return CallEffects(name, call.id, reads=reads)
    if tasks := task_changes(name, arguments):
        return CallEffects(name, call.id, tasks=tasks)
    if special := _special(tool, arguments):
        return CallEffects(name, call.id, **special)
    if script := _of_script(tool, arguments, call.arguments[:_MAX_ARGUMENTS]):
        return CallEffects(name, call.id, **script)
    if command := _command(tool, arguments, call.arguments):
        patch = command if "*** Begin Patch" in command else ""
        files = tuple(_patched(patch) if patch else _changed_by(command))
        is_background = True in (arguments.get("run_in_background"), arguments.get("is_background"))
        folder = _text_under(arguments, _FOLDERS)
        reads = instructions_printed(command)
        return CallEffects(
            name, call.id, files, "" if patch else command[:_MAX_TEXT], folder, is_background, reads=reads
        )
    return _of_other(call, tool, arguments)


def _of_other(call: ToolCall, tool: _NamedTool, arguments: Mapping[str, Any]) -> CallEffects:
    """Return the effects of a call that runs no command: the files that it changes, or the deed of a server's tool."""
    files = tuple(_written(tool, arguments, call.arguments))
    return CallEffects(tool.name, call.id, files, deed="" if files else _deed_of(call.name, arguments))


def _instructions_read(tool: _NamedTool, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the file of instructions whose text a call of a reading tool asks for."""
    is_reading = tool.low.startswith(("read", "view")) or arguments.get("command") == "view"
    path = instruction_file(_text_under(arguments, _PATHS)) if is_reading and not tool.runs else ""
    return (path,) if path else ()


def _of_script(tool: _NamedTool, arguments: Mapping[str, Any], raw: str) -> dict[str, Any]:
    """Return the effects of code that is no shell line: of Python, or of a script that polls a process."""
    if tool.low.endswith(_INTERPRETERS):
        return {"files": tuple(files_in_code(_text_under(arguments, ("code",))))}
    polled = _POLLED.search(raw) if tool.runs and "write_stdin(" in raw and not _NESTED.search(raw) else None
    return {"stops" if "\\u0003" in raw else "polls": polled[1]} if polled else {}


def _arguments(text: str) -> dict[str, Any]:
    if len(text) > _MAX_ARGUMENTS:
        return {}
    try:
        arguments = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _text_under(arguments: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value), "")


def _special(tool: _NamedTool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the effects of a call of a tool that keeps the agent's own state; empty for any other tool."""
    low = tool.low
    if low in _PLANNERS:
        return {"plan": (_text_under(arguments, ("plan", "response")) or "plan")[:_MAX_TEXT]}
    if low in _FINISHERS:
        return {"finishes": True}
    if low in _ASKERS:
        return {"asks": tuple(_questions(arguments))}
    if low in _SKILLS:
        return {"skill": _text_under(arguments, ("skill", "name", "command", "skill_name"))}
    if low == "toolsearch":
        names = _text_under(arguments, ("query",)).partition("select:")[2].split(",")
        return {"loads": tuple(filter(None, map(str.strip, names)))}
    if tool.stops:
        return {"stops": _id(arguments, ("shell_id", "shellId", "bash_id", "task_id", "id", "target", "session_id"))}
    if low in _POLLERS:
        key = "stops" if arguments.get("chars") == "\x03" else "polls"
        return {key: _id(arguments, ("bash_id", "task_id", "agentId", "agent_id", "session_id", "shell_id"))}
    if tool.delegates:
        text = _text_under(arguments, ("description", "task_name", "prompt", "message", "task"))
        return {"agent": text[:200] or tool.name, "background": arguments.get("run_in_background") is True}
    return {}


def _questions(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the questions of a call that asks the user."""
    rows = arguments.get("questions")
    texts = [row.get("question") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    yield from (text for text in (*texts, arguments.get("question")) if isinstance(text, str))


def _id(arguments: Mapping[str, Any], names: Sequence[str]) -> str:
    values = (arguments.get(name) for name in names)
    return next((str(value) for value in values if isinstance(value, str | int) and value != ""), "")


def _command(tool: _NamedTool, arguments: Mapping[str, Any], raw: str) -> str:
    """Return the command line of a call; "" if it runs none."""
    if tool.runs or not _text_under(arguments, _PATHS):
        commands = (_line_of(arguments.get(key)) for key in _COMMANDS)
        command = next(filter(None, commands), "")
        if command and (tool.runs or " " in command):
            return command
    if not tool.runs:
        return ""
    source = _text_under(arguments, ("input",)) or raw[:_MAX_ARGUMENTS]
    return "\n".join(_unquoted(match[1]) for match in _NESTED.finditer(source))


def _line_of(value: Any) -> str:
    """Return a command as one line: the script of a shell, or the words of a list."""
    if isinstance(value, list):
        words = [str(word) for word in value]
        return words[-1] if len(words) > 2 and words[0] in _SHELLS else " ".join(words)
    return value.strip() if isinstance(value, str) else ""


def _unquoted(text: str) -> str:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text[1:-1]
    return value if isinstance(value, str) else ""


def _written(tool: _NamedTool, arguments: Mapping[str, Any], raw: str) -> Iterator[FileChange]:
    """Yield the files that a call of an editing tool changes."""
    patch = (_text_under(arguments, ("input", "patch", "patchText", "diff")) or raw) if "*** " in raw else ""
    changes = [*_patched(patch.replace("\\n", "\n") if patch is raw else patch)] if patch else []
    path = _text_under(arguments, _PATHS)
    if changes:
        yield from changes
    elif path and not tool.reads:
        yield from _edited(tool, path, arguments)


def _edited(tool: _NamedTool, path: str, arguments: Mapping[str, Any]) -> Iterator[FileChange]:
    if arguments.get("command") == "view":
        return
    edits = arguments.get("edits")
    rows = [row for row in edits if isinstance(row, dict)] if isinstance(edits, list) else [arguments]
    if any(not row.keys().isdisjoint(_NEW) for row in rows):
        old, new = ("\n".join(_text_under(row, names) for row in rows)[:_MAX_TEXT] for names in (_OLD, _NEW))
        yield change_between(path, old, new)
    elif tool.writes or _text_under(arguments, _TEXTS):
        yield FileChange("created", path, _text_under(arguments, _TEXTS)[:_MAX_TEXT])


def _patched(patch: str) -> Iterator[FileChange]:
    matches = list(_PATCHED.finditer(patch[:_MAX_ARGUMENTS]))
    for place, match in enumerate(matches):
        end = matches[place + 1].start() if place + 1 < len(matches) else len(patch)
        body = patch[match.end() : min(end, match.end() + 4 * _MAX_TEXT)]
        if moved := _MOVED.search(body):
            yield FileChange("moved", match[2].strip(), moved[1].strip())
            continue
        old, new = (
            "\n".join(line[1:] for line in body.split("\n") if line.startswith(sign))[:_MAX_TEXT] for sign in "-+"
        )
        yield change_between(match[2].strip(), old, new)._replace(kind=_KINDS[match[1]])


def _changed_by(command: str) -> Iterator[FileChange]:
    """Yield the files that a shell line changes: `rm`, `mv`, `git mv`, `sed -i`, and output to a file."""
    for words, _ in commands_in(command):
        yield from _redirected(words)
        own = words[1:] if words[0] == "git" else words
        targets = [word for word in own[1:] if _is_path(word)]
        yield from _changed_targets(own, targets)


def _changed_targets(words: Sequence[str], targets: Sequence[str]) -> Iterator[FileChange]:
    match words[:1]:
        case ["rm", *_] if not _KEEPS.isdisjoint(words):
            return
        case ["rm" | "unlink" | "rmdir"]:
            yield from (FileChange("deleted", target) for target in targets)
        case ["cp"] if len(targets) == 2 and "." in targets[1].rsplit("/", 1)[-1].lstrip("."):
            yield FileChange("created", targets[1])
        case ["mv"] if len(targets) == 2:
            yield FileChange("moved", targets[0], targets[1])
        case ["touch" | "tee"]:
            yield from (FileChange("created", target) for target in targets)
        case [*_] if targets and _is_in_place(words):
            yield FileChange("changed", targets[-1])


def _is_in_place(words: Sequence[str]) -> bool:
    """Return True if a program changes the file that it reads."""
    options = ("--in-place", "--inplace", *(("-i", "-pi") if words[0] in _IN_PLACE else ()))
    return any(word.startswith(options) for word in words)


def _redirected(words: Sequence[str]) -> Iterator[FileChange]:
    for word, target in pairwise(words):
        if word in (">", ">>", "1>") and _is_path(target) and not target.startswith("/dev/"):
            yield FileChange("changed" if word == ">>" else "created", target)


def _is_path(word: str) -> bool:
    return bool(word) and not word.startswith(("-", "&", "$(")) and "\n" not in word


_CHANGES = lazy_pattern(
    r"(?i)^(?:git (?:-C \S+ )?(?:commit|push|merge|rebase|reset|revert|tag|stash|cherry-pick|rm|mv|branch -[dD]|clean"
    r"|restore)\b|(?:bin/|bundle exec )?rails (?:g|generate|db:)|(?:php )?artisan make:|dotnet ef |ng (?:g|generate) "
    r"|gh (?:pr|issue|release|repo) (?:create|merge|close|edit|delete|comment)\b|(?:npm|pnpm|yarn|bun|pip3?|uv|poetry"
    r"|pipenv|pdm|cargo|gem|bundle|composer|dotnet|brew|apt(?:-get)?|go) (?:-\S+ )*(?:i|install|add|remove|uninstall"
    r"|update|upgrade|publish|get|sync)\b|(?:docker|podman) (?:rm|rmi|push|compose down|volume rm|system prune)\b"
    r"|(?:kubectl|helm|terraform|pulumi|fly|vercel|wrangler) (?:apply|delete|install|upgrade|deploy|destroy|up"
    r"|rollout)\b|(?!(?:cat|bat|less|more|head|tail|grep|rg|ls|find|wc|diff|stat|echo|git|which|man|code"
    r"|vim?) )(?:\S{1,80} ){0,3}\S*(?:deploy|release|publish|migrate)\b(?!.*--(?:help|dry-run))"
    r"|(?:\S{1,80} ){0,2}(?:alembic|flyway|prisma|knex|dbmate|goose|diesel)\b.* (?:upgrade|downgrade|up|down|push|run"
    r"|revert)\b|(?:psql|mysql|sqlite3|mongosh?|redis-cli)\b.*\b(?:drop|delete|truncate|update|insert|alter|flushall"
    r"|create) |(?:aws|gcloud|az|gsutil|rclone|doctl|hcloud|oci|heroku|firebase|supabase|consul|vault|nomad|oc|argocd"
    r"|rabbitmqctl)(?: -\S{1,80})* (?:[\w.-]{1,40} ){0,3}(?:[\w-]{1,40}:)?(?:rb|rm|mb|mv|cp|sync|delete|destroy"
    r"|terminate|drop|purge|remove|create|put|update|set|scale|restart|rollback|promote|revoke|rotate|detach|attach)\b"
    r"|(?:chmod|chown|mkdir|cp|kill|pkill|ln|mogrify|optipng|jpegoptim|rsync|crontab|ffmpeg|dd|mkfs\S*|useradd|usermod"
    r"|ufw) |(?:systemctl|service|launchctl|pm2|supervisorctl)(?: -\S+)* (?:\S+ )?(?:start|stop|restart|reload|enable"
    r"|disable|load|unload|mask)\b|st-flash |esptool\S* |openocd |dfu-util |avrdude |\S{0,60}(?:flash"
    r"|upload)\b(?!.*--(?:help|dry-run))|(?:prettier|eslint|ruff|black|gofmt|clang-format)\b.* (?:--write|--fix|-w"
    r"|-i)\b|(?:python3? )?\S*manage\.py (?:makemigrations|migrate|flush|loaddata|createsuperuser)\b)"
)
"""Start of a command that changes something besides files that `_changed_by` names."""


def changes_something(call: CallEffects) -> bool:
    """Return True if a call changes files, or runs a command that is known to change something."""
    return bool(call.files or call.agent or call.deed) or changes_state(call.command)


def changes_state(command: str) -> bool:
    """Return True if a command line is known to change something. Reading, searching and testing are not."""
    return any(_changes(core_words(words)) for words, _ in commands_in(command)) or any(_changed_by(command))


def _changes(core: Sequence[str]) -> bool:
    """Return True if a command begins as one that changes something, or runs a script that is named after a change."""
    return bool(_CHANGES.match(" ".join(core)) or (script_deed(core) and _TRIES.isdisjoint(core)))


_TRIES = frozenset(("--help", "--dry-run", "-h"))


_ACTS = word_set(
    "create add new update edit modify change set put patch delete remove drop purge archive close reopen resolve "
    "merge send post reply comment notify publish deploy release push commit move rename write save insert replace "
    "append upload assign transition execute run apply install start stop restart cancel submit trigger approve "
    "enable disable rollback invite grant revoke schedule book pay refund"
)
_WORD = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CHANGES_DATA = lazy_pattern(r"(?i)^\s*(?:drop|truncate|delete|alter|update|insert|create|grant)\b")
_MAX_VALUE, _MAX_DEED = 300, 1_000


def _deed_of(name: str, arguments: Mapping[str, Any]) -> str:
    """Return in words what a call of a server's tool changes; "" for a tool of the agent, or one that only looks.

    Args:
        name: Full name of the tool. Names of servers' tools contain "__".
        arguments: Arguments of the call.
    """
    server, _, own = name.removeprefix("mcp__").rpartition("__")
    if not server:
        return ""
    words = [word.lower() for word in _WORD.findall(own)]
    act = next((word for word in words if word in _ACTS), "")
    if not act and not any(map(_CHANGES_DATA.match, _values_in(arguments))):
        return ""
    rest = " ".join(word for word in words if word != act)
    return one_line(f"{act} {rest} {server} {' '.join(_values_in(arguments))}").strip()[:_MAX_DEED]


def _values_in(arguments: Mapping[str, Any]) -> Iterator[str]:
    yield from (value[:_MAX_VALUE] for value in arguments.values() if isinstance(value, str))
