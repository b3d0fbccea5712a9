"""Write the actions before a compaction as dense lines: commands with their last results, and files by folder."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.analysis.context_loss.fact_lines import LostStep, quotation
from inspector.analysis.tool_activity import Action, Actions
from inspector.core.conversation import Message, ToolCall
from inspector.core.text import clipped_words, ends, one_line
from inspector.engine.commands import commands_in
from inspector.engine.facts import StatedTexts
from inspector.engine.work_state import CallEffects, WorkState, effects_of

_MAX_COMMAND, _MAX_LOOK, _MAX_RESULT = 160, 90, 50
_MIN_COMMAND, _ROOM_FOR_RESULT = 110, 120
"""Characters of a command where many were lost, and those from which there is room for a result too."""
_MAX_NAMES, _MAX_LOOKS = 10, 5
"""Names of files, and commands that only look at something, on one line."""
_LOOKS = frozenset(
    [
        "awk",
        "cat",
        "cd",
        "cut",
        "date",
        "diff",
        "du",
        "echo",
        "fd",
        "file",
        "find",
        "grep",
        "head",
        "jq",
        "ls",
        "nl",
        "ps",
        "pwd",
        "rg",
        "sed",
        "sleep",
        "sort",
        "stat",
        "tail",
        "test",
        "tree",
        "true",
        "type",
        "uniq",
        "wc",
        "which",
        "xargs",
    ]
)
"""Commands that only look at something. Their results can be read again at little cost."""
_GIT_LOOKS = frozenset(
    ["blame", "branch", "diff", "log", "ls-files", "ls-tree", "remote", "rev-parse", "show", "status"]
)
_WRITES = (">", ">>", "-i", "-delete", "-exec")
_FAILURES = ("exit ", "error", "failed")
"""Beginnings of the outcome of a command that did not succeed, whatever its result says."""
_SIZE = re.compile(r"(?:\(?no output\)?|empty|[\d,]{1,12} (?:lines?|characters?|pictures?))$", re.IGNORECASE)
"""An outcome that tells only how long a result is."""
_UNCHECKED = re.compile(r"\|\| ?(?:true|:)$")
"""End of a command that succeeds in any case."""
_FAILED = re.compile(r"(?i)(?<!\b0 )\b(?:failed|failures?|errors?)\b")
_WORD = re.compile(r"\w")
_FRAME = re.compile(r"(?i)(?:chunk id|wall time|process exited|original token count|output|exit code)\b|<|\[")
"""Beginning of a line that a tool adds to the result of a command."""
_ENTERED = re.compile(r"\Acd (\S{1,300})\s{0,9}(?:&&|;|\n)\s{0,9}")
_COMMENT = re.compile(r"(?m)^[ \t]{0,20}#[^\n]{0,400}$")
_NO_FILE = re.compile(r"[<>*|$]|^/dev/")
_TAIL = re.compile(r"(?: 2>&1| ?\| ?(?:head|tail)(?: -n)?(?: ?-?\d{1,5})?){1,4}$")
"""End of a command that only shortens its output."""


@dataclass(frozen=True, slots=True)
class _CommandRun:
    """The last run of a command."""

    command: str
    folder: str
    result: str
    turn: int
    is_look: bool


def action_steps(
    messages: Sequence[Message], turns: Mapping[str, int], state: WorkState, context: StatedTexts, room: int
) -> Iterator[tuple[str, LostStep]]:
    """Yield commands that succeeded and files that were read, each with the text that names it in a context.

    A later run of a command supersedes the earlier ones. Commands that change or check something precede the others,
    and newer ones precede older ones.

    Args:
        messages: Messages that were removed, oldest first.
        turns: Turn of each message, by its id.
        state: State of the work after the messages.
        context: The new context. What it names is not grouped with others.
        room: Characters for all commands together. Where many were lost, each one is clipped.
    """
    folder = state.text("where", "folder")
    runs, read = _runs_and_reads(messages, turns, folder)
    known = {item.name for item in state.of("failure")}
    last = [run for run in reversed(runs.values()) if run and run.command not in known]
    yield from _command_steps(last, context, room)
    yield from _read_steps(read, {item.name for item in state.of("file")}, folder, context)


def _runs_and_reads(
    messages: Sequence[Message], turns: Mapping[str, int], folder: str
) -> tuple[dict[str, _CommandRun | None], dict[str, int]]:
    """Return the last run of each command, None if it failed, and the last turn in which each file was read."""
    actions, read, runs = Actions(messages), dict[str, int](), dict[str, _CommandRun | None]()
    parts = (part for message in messages if message.calls for part in message.parts)
    calls = {call.id: effects_of(call) for call in parts if isinstance(call, ToolCall)}
    for message in messages:
        if message.answers is None or not (action := actions.of(message)):
            continue
        turn = turns.get(message.id, 0)
        files = dict.fromkeys(_files_read(actions, message), turn)
        for path in files:
            read.pop(path, None)
        read |= files
        effects = calls.get(message.answers)
        if effects and effects.command and not (files and action.kind == "run"):
            key, run = _run_of(effects, action, message, turn, folder)
            runs.pop(key, None)
            runs[key] = run
    return runs, read


def _files_read(actions: Actions, message: Message) -> list[str]:
    return [] if message.is_error else [one.resource for one in actions.reads_of(message)]


def _command_steps(runs: Sequence[_CommandRun], context: StatedTexts, room: int) -> Iterator[tuple[str, LostStep]]:
    lost = sum(context.value(run.command) is None for run in runs)
    share = max(_MIN_COMMAND, min(_MAX_COMMAND, room // max(1, lost)))
    looks, texts = list[_CommandRun](), set[str]()
    for run in runs:
        words = _command_words(run, share)
        if words in texts:  # differs from a newer one only where it is clipped
            continue
        texts.add(words)
        if run.is_look and context.value(run.command) is None:
            looks.append(run)
        else:
            yield run.command, LostStep("command", run.turn, _run_line(run, share))
    for start in range(0, len(looks), _MAX_LOOKS):
        group = looks[start : start + _MAX_LOOKS]
        commands = (_command_words(run, min(share, _MAX_LOOK)) for run in group)
        line = f"{_turns([run.turn for run in group])}: {', '.join(commands)}"
        yield line, LostStep("command", group[0].turn, line)


def _run_of(
    effects: CallEffects, action: Action, message: Message, turn: int, folder: str
) -> tuple[str, _CommandRun | None]:
    """Return the text by which runs of one command are recognized, and the run; None if it failed."""
    command, place = effects.command.lstrip(), effects.folder
    if match := _ENTERED.match(command):
        command, place = command[match.end() :], posixpath.join(place, match[1].strip("'\""))
    if folder and folder != "/":
        command = command.replace(f"{folder.rstrip('/')}/", "")
    command = _TAIL.sub("", one_line(_COMMENT.sub("", command)))
    place = "" if place.rstrip("/") == folder.rstrip("/") else place
    is_look = only_looks(command)
    key = f"{place}\n{command}"
    if message.is_error or action.outcome.lower().startswith(_FAILURES):
        return key, None
    result = _result_of(action, message)
    if _UNCHECKED.search(command) and _FAILED.search(result):
        return key, None
    return key, _CommandRun(command, place, "" if is_look else result, turn, is_look)


def only_looks(command: str) -> bool:
    """Return True if each command of a shell line only prints something."""
    return all(_is_look(words) for words, _ in commands_in(command))


def _is_look(words: Sequence[str]) -> bool:
    if any(word in _WRITES for word in words):
        return False
    return words[0] in _LOOKS or (words[0] == "git" and len(words) > 1 and words[1] in _GIT_LOOKS)


def _result_of(action: Action, message: Message) -> str:
    """Return the result of a command in a few words: its outcome, or else its last line."""
    if action.outcome and not _SIZE.match(action.outcome):
        return action.outcome
    lines = [line for line in message.text[-400:].splitlines() if _WORD.search(line) and not _FRAME.match(line.strip())]
    return one_line(lines[-1]) if lines and not _SIZE.match(lines[-1].strip()) else ""


def _run_line(run: _CommandRun, room: int) -> str:
    result = f" → {quotation(run.result, _MAX_RESULT)}" if run.result and room >= _ROOM_FOR_RESULT else ""
    return f"{_turns([run.turn])}: {_command_words(run, room)}{result}"


def _command_words(run: _CommandRun, room: int) -> str:
    place = f" in {one_line(run.folder)}" if run.folder else ""
    return f"`{clipped_words(run.command, room)}`{place}"


def _turns(turns: Sequence[int]) -> str:
    """Return the turns of a line: "turn 4", or "turns 4 to 9"."""
    first, last = min(turns), max(turns)
    return f"turn {last:,}" if first == last else f"turns {first:,} to {last:,}"


def _read_steps(
    read: Mapping[str, int], changed: set[str], folder: str, context: StatedTexts
) -> Iterator[tuple[str, LostStep]]:
    """Yield the files that were read and not changed, by folder, the newest first."""
    groups = dict[str, list[tuple[str, int]]]()
    for path, turn in reversed(list(read.items())):
        place, _, name = one_line(path).removeprefix(f"{folder.rstrip('/')}/").rpartition("/")
        if path in changed or not name or _NO_FILE.search(path):
            continue
        if context.value(name):
            yield name, LostStep("read", turn, name)
            continue
        group = groups.setdefault(place, [])
        if len(group) == _MAX_NAMES:
            yield _reading(place, group)
            group = groups[place] = []
        group.append((name, turn))
    for place, group in groups.items():
        yield _reading(place, group)


def _reading(place: str, group: Sequence[tuple[str, int]]) -> tuple[str, LostStep]:
    when, last = _turns([turn for _, turn in group]), max(turn for _, turn in group)
    names = ", ".join(ends(name, 80) for name, _ in group)
    line = f"{when}: {ends(place, 120)}/{names}" if len(group) == 1 and place else f"{when}: {names}"
    if place and len(group) > 1:
        line = f"{when}, in {ends(place, 120)}: {names}"
    return line, LostStep("read", last, line)
