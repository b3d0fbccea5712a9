"""List the facts that a stretch of a log states, apart from the code of `inspector restore` that collects them.

Facts are read from the raw calls, results and texts with rules of this module. Restore is measured by these lists.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.core.conversation import Message, Text, ToolCall

CLASSES = (
    "prompt",
    "command",
    "command that acts",
    "failure",
    "edited file",
    "file read",
    "decision",
    "constraint",
    "task",
    "identifier",
)
_SHELLS = ("bash", "shell", "exec_command", "shell_command", "local_shell", "run_shell_command", "execute_command")
_READERS = ("read", "read_file", "readfile", "view", "view_file", "open_file", "read_many_files")
_EDITORS = ("edit", "write", "multiedit", "notebookedit", "write_file", "replace", "str_replace", "create_file")
_PATHS = ("file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file")
_LOOKERS = frozenset(
    [
        "awk",
        "basename",
        "cat",
        "cd",
        "date",
        "diff",
        "dirname",
        "du",
        "echo",
        "env",
        "file",
        "find",
        "grep",
        "head",
        "history",
        "jq",
        "less",
        "ls",
        "nl",
        "pwd",
        "printenv",
        "printf",
        "ps",
        "rg",
        "sed",
        "sleep",
        "sort",
        "stat",
        "tail",
        "tree",
        "true",
        "type",
        "uniq",
        "wait",
        "wc",
        "which",
        "whoami",
    ]
)
_GIT_LOOKS = frozenset(
    [
        "blame",
        "branch",
        "config",
        "diff",
        "log",
        "ls-files",
        "ls-tree",
        "reflog",
        "remote",
        "rev-parse",
        "show",
        "status",
    ]
)
_NOT_PROMPTS = (
    "<",
    "[Request interrupted",
    "Caveat:",
    "This session is being continued",
    "# AGENTS.md",
    "Base directory",
)
_PROMPT_WORDS, _PROMPT_HEAD = 3, 100
_LINE_WORDS = 60
_LONG_PROMPT = 2_000
"""Characters from which a message of the user is a pasted text, whose sentences are not rules of the user."""
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,300})$", re.MULTILINE)
_EXIT = re.compile(r"(?:exit code:?|exited with code|exit status:?|\"exit_code\":)\s{0,3}(\d{1,3})", re.IGNORECASE)
_CHANGE_FOLDER = re.compile(r"^cd \S{1,300}\s{0,9}(?:&&|;|\n)\s{0,9}")
_COMMENT = re.compile(r"^(?:#[^\n]{0,300}\n){1,5}")
_ASSIGNMENT = re.compile(r"^(?:[A-Z_]{1,40}=\S{0,200} ){1,5}")
_SENTENCE = re.compile(r"[.!?\n]\s{1,9}|\n")
_DECIDES = re.compile(
    r"\b(?:decided to|chose to|chosen|opted (?:for|to)|going with|go with|settled on|we(?:'ll| will) use|"
    r"the (?:decision|choice) is|(?:I'll|we'll|let's|I will) (?:use|keep|skip|leave|"
    r"stay with|stick (?:to|with)|switch to)|"
    r"(?:better|simpler|safer|cleaner) to|instead of|rather than)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:never|always|do not|don't|must not|must|make sure|only ever|avoid|should not|shouldn't|no need to|"
    r"please (?:use|keep|stop))\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"https?://[^\s)>\"'`\]]{6,200}|\b[0-9a-f]{8,40}\b|\b[a-z0-9]+(?:_[a-z0-9]+){2,8}\b|"
    r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+){1,8}\b|(?:[\w.-]{1,60}/){2,12}[\w.-]{2,80}|\b\d{1,3}(?:,\d{3})+\b|\b\d{4,12}\b"
)
_QUOTED = re.compile(r"'[^']{0,2000}'|\"(?:[^\"\\]|\\.){0,2000}\"")
_REJECTED = ("The user doesn't want", "[Request interrupted", "Permission to use", "rejected by user", "User rejected")
_WORD = re.compile(r"[\w./:@%+=-]+")
_NO_FILES = ("-", "'", '"', "/dev", "&")
_TASKS = ("todowrite", "update_plan", "taskcreate", "write_todos", "todo_write")


@dataclass(frozen=True)
class Stated:
    """A fact of the list."""

    cls: str
    text: str
    turn: int
    words: tuple[str, ...] = ()
    """Of a command: the words by which it is recognized."""


@dataclass(frozen=True)
class _Ran:
    call: ToolCall
    arguments: Mapping[str, Any]
    result: str
    is_error: bool
    place: int


def plain(text: str) -> str:
    return " ".join(text.replace("“", '"').replace("”", '"').casefold().split())


def facts_before(messages: Sequence[Message]) -> list[Stated]:
    """Return the facts that the messages before a compaction state; identifiers are listed by `identifiers_used`."""
    own = [one for one in messages if one.kind in ("chat", "copy")]
    ran = list(_ran(own))
    return [*_prompts(own), *_commands(ran), *_files(ran), *_sentences(own), *_tasks(ran)]


def identifiers_used(before: Sequence[Message], context: str, after: Sequence[Message]) -> list[Stated]:
    """Return names that only the replaced messages state, and that a later reply uses before it sees them."""
    old = {name for one in before if one.kind != "summary" for name in _names(one)}
    known = set(_IDENTIFIER.findall(context))
    used = dict[str, int]()
    for place, message in enumerate(after):
        names = _names(message)
        if message.role == "assistant":
            for name in names & old - known:
                if is_missing(name, context):
                    used.setdefault(name, place)
        known.update(names)
    return [Stated("identifier", name, place) for name, place in used.items()]


def is_missing(name: str, text: str) -> bool:
    """Return True if a plain text has no name; a path is known by its last two parts."""
    return plain(name) not in text and ("/" not in name or "://" in name or _ending(name.rstrip("/")) not in text)


def _names(message: Message) -> set[str]:
    """Return the names in a message's own text and in the texts among the arguments of its calls."""
    calls = [part for part in message.parts if isinstance(part, ToolCall)] if message.calls else []
    values = [value for call in calls for value in _arguments(call).values() if isinstance(value, str)]
    spoken = [part.text for part in message.parts if isinstance(part, Text)] if message.role == "assistant" else []
    texts = [*spoken, *values] if message.role == "assistant" else [message.text]
    return set(_IDENTIFIER.findall("\n".join(texts)[:40_000]))


def _ran(messages: Sequence[Message]) -> Iterator[_Ran]:
    results = {one.answers: one for one in messages if one.answers is not None}
    for place, message in enumerate(messages):
        for part in message.parts if message.calls else ():
            if isinstance(part, ToolCall) and part.id in results:
                answer = results[part.id]
                text = answer.text
                codes = _EXIT.findall(text[:400]) or _EXIT.findall(text[-200:])
                failed = answer.is_error or any(code != "0" for code in codes)
                if text.startswith(_REJECTED):
                    continue
                yield _Ran(part, _arguments(part), text, failed, place)


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    try:
        value = json.loads(call.arguments)
    except ValueError:
        return {"input": call.arguments}
    return value if isinstance(value, dict) else {"input": value}


def _prompts(messages: Iterable[Message]) -> Iterator[Stated]:
    seen = set[str]()
    for place, one in enumerate(messages):
        text = one.text.strip() if one.role == "user" and one.answers is None else ""
        if text and not text.startswith(_NOT_PROMPTS) and len(text.split()) >= _PROMPT_WORDS:
            head = plain(text)[:_PROMPT_HEAD]
            if head not in seen:
                seen.add(head)
                yield Stated("prompt", head, place)


def command_of(name: str, arguments: Mapping[str, Any]) -> str:
    """Return the command line of a call of a shell; "" for other calls."""
    if name.casefold() not in _SHELLS:
        return ""
    value = arguments.get("command") or arguments.get("cmd") or ""
    if isinstance(value, list):
        words = [str(word) for word in value]
        value = words[-1] if words[:1] and words[0].rpartition("/")[2] in ("bash", "sh", "zsh") else shlex.join(words)
    return str(value).strip()


def core_words_of_line(line: str) -> list[str]:
    """Return the words of a line of text as those of a command."""
    return [word.rstrip("/").rpartition("/")[2] or word for word in _WORD.findall(line)][:_LINE_WORDS]


def core_words(command: str) -> tuple[str, ...]:
    """Return up to eight words by which a command is recognized: without its folder, variables and redirections."""
    whole = _COMMENT.sub("", _CHANGE_FOLDER.sub("", _COMMENT.sub("", command.strip())))
    line = _ASSIGNMENT.sub("", " ".join(whole.strip().split("\n", 1)[0].split()))
    for cut in (" 2>", " | tail", " | head", " <<", " | grep"):
        line = line.split(cut, 1)[0]
    return tuple(core_words_of_line(line))[:8]


def only_looks(command: str) -> bool:
    """Return True if each part of a command line only prints something."""
    line = " ".join(_CHANGE_FOLDER.sub("", command.strip()).split())
    line = _QUOTED.sub("x", line)
    parts = [part.split() for part in re.split(r"&&|\|\||[;|]", line)]
    return all(
        not words or words[0] in _LOOKERS or (words[0] == "git" and len(words) > 1 and words[1] in _GIT_LOOKS)
        for words in parts
    )


def _commands(ran: Sequence[_Ran]) -> Iterator[Stated]:
    """Yield each command once, with its last result."""
    last = dict[tuple[str, ...], tuple[_Ran, str]]()
    for one in ran:
        command = command_of(one.call.name, one.arguments)
        if command and (words := core_words(command)):
            last.pop(words, None)
            last[words] = one, command
    for words, (one, command) in last.items():
        if one.is_error:
            if not only_looks(command):
                yield Stated("failure", command, one.place, words)
            continue
        if list(_printed(command)):
            continue  # a file read
        yield Stated("command", command, one.place, words)
        if not only_looks(command):
            yield Stated("command that acts", command, one.place, words)


def _files(ran: Sequence[_Ran]) -> Iterator[Stated]:
    edited, read = dict[str, int](), dict[str, int]()
    for one in ran:
        if one.is_error:
            continue
        name = one.call.name.casefold()
        path = next((str(one.arguments[key]) for key in _PATHS if isinstance(one.arguments.get(key), str)), "")
        if name in _EDITORS and path:
            edited[path] = one.place
        elif name in _READERS and path:
            read[path] = one.place
        elif command := command_of(one.call.name, one.arguments):
            read |= dict.fromkeys(_printed(command), one.place)
        edited |= dict.fromkeys(_PATCHED.findall(one.call.arguments.replace("\\n", "\n")), one.place)
    names = {_ending(path) for path in edited}
    for path, place in edited.items():
        yield Stated("edited file", _ending(path), place)
    for ending, place in {_ending(path): place for path, place in read.items()}.items():
        if ending not in names:
            yield Stated("file read", ending, place)


def _printed(command: str) -> Iterator[str]:
    """Yield the files that a simple command prints: `cat FILE`, `sed -n 1,9p FILE`."""
    line = " ".join(_CHANGE_FOLDER.sub("", command.strip()).split("\n", 1)[0].split())
    for part in re.split(r"&&|[;|]", line):
        words = part.split()
        is_print = len(words) > 1 and words[0] in ("cat", "sed", "nl", "head", "tail")
        if is_print and "." in words[-1] and "*" not in words[-1] and not words[-1].startswith(_NO_FILES):
            yield words[-1]


def _ending(path: str) -> str:
    """Return the last two parts of a path, so that files with one name in many folders differ."""
    return "/".join(path.strip().replace("\\", "/").split("/")[-2:]).casefold()


def _sentences(messages: Iterable[Message]) -> Iterator[Stated]:
    seen = set[str]()
    for place, one in enumerate(messages):
        if one.answers is not None or one.kind != "chat" or one.role not in ("assistant", "user"):
            continue
        text = "\n".join(part.text for part in one.parts if isinstance(part, Text))
        if one.role == "user" and (text.startswith(_NOT_PROMPTS) or len(text) > _LONG_PROMPT):
            continue
        cls, cue = ("decision", _DECIDES) if one.role == "assistant" else ("constraint", _FORBIDS)
        for sentence in _SENTENCE.split(text[:20_000]):
            line = plain(sentence)
            if 20 <= len(line) <= 300 and cue.search(line) and line[:80] not in seen:
                seen.add(line[:80])
                yield Stated(cls, line, place)


def _tasks(ran: Sequence[_Ran]) -> Iterator[Stated]:
    """Yield the entries of the last list of tasks, done or not, and tasks created one by one."""
    last, single = list[Stated](), list[Stated]()
    for one in ran:
        name = one.call.name.casefold()
        if name not in _TASKS:
            continue
        rows = one.arguments.get("todos") or one.arguments.get("plan")
        if isinstance(rows, list):
            dicts = [row for row in rows if isinstance(row, dict)]
            last = [Stated("task", plain(str(row.get("content") or row.get("step") or "")), one.place) for row in dicts]
        elif isinstance(one.arguments.get("subject"), str):
            single.append(Stated("task", plain(one.arguments["subject"]), one.place))
    return iter(fact for fact in (*last, *single) if fact.text)
