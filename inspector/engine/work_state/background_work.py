"""Background commands, servers and sub-agents: when they start, and when they end."""

from __future__ import annotations

import re

from inspector.engine.work_state.call_effects import CallEffects
from inspector.engine.work_state.result_news import ResultNews
from inspector.engine.work_state.shell_words import commands_in, joined, plain_command
from inspector.engine.work_state.state_items import StateItem, WorkState

_RUNNING = frozenset(("running", "started", "pending", "in_progress"))
_KILLS = re.compile(
    r"(?:^|[;&|(\s])(?:kill|pkill|killall|fuser -k|docker(?:-| )compose (?:down|stop)|docker (?:stop|kill)"
    r"|npx kill-port)\b"
)
_KILLED = re.compile(r"(?:pkill|killall)\s+(?:-\S+\s+)*['\"]?([^'\"|;&]+)")
_DETACHED = re.compile(r"(?:^|[\s;(])(?:nohup|setsid)\s|(?<!&)&\s*$|(?<!&)&\s*\n")


def with_process(state: WorkState, call: CallEffects, news: ResultNews, message: str, turn: int) -> WorkState:
    """Return the state with the process or sub-agent that a call started, if it goes on.

    Args:
        state: State before the result of the call.
        call: Effects of the call.
        news: Contents of the result.
        message: Id of the message with the result.
        turn: Turn of the result.
    """
    if news.failed:
        return state
    if call.agent:
        is_async = bool(news.started) and "agent" in news.answer.lower()
        item = StateItem("running", news.started, call.agent, "sub-agent", news.started, message, turn)
        return state.put(item) if is_async else state
    command = _placed_command(call, state)
    is_detached = bool(_DETACHED.search(call.command)) and not _KILLS.search(call.command)
    goes_on = call.background or is_detached or (bool(news.started) and not news.is_over)
    item = StateItem("running", news.started or command[:200], command, "running", news.started, message, turn)
    return state.put(item) if command and goes_on else state


def _placed_command(call: CallEffects, state: WorkState) -> str:
    """Return a command, with the folder that it runs in if the work is in another one; "" for none."""
    command, place, folder = _command_in(call, state)
    return f"cd {place} && {command}" if command and folder and place != folder else command


def starts_of(call: CallEffects, now: WorkState, before: WorkState) -> frozenset[str]:
    """Return the texts that the process of a call has as an item of the state, wherever that is.

    Args:
        call: The call.
        now: The state before the call.
        before: The state in which the item is sought.
    """
    command, place, folder = _command_in(call, now)
    command = command.removesuffix(" &")
    if not command:
        return frozenset()
    is_here = place in (folder, before.text("where", "folder"))
    return frozenset((f"cd {place} && {command}", *([command] if is_here else [])))


def _command_in(call: CallEffects, state: WorkState) -> tuple[str, str, str]:
    """Return the command of a call for comparison, the folder that it runs in, and the folder of the work."""
    folder = state.text("where", "folder")
    place = joined(folder, call.folder) if call.folder else folder
    for words, _ in commands_in(call.command):
        if words[0] in ("cd", "pushd") and len(words) > 1:
            place = joined(place, words[1])
    return plain_command(call.command), place.rstrip("/"), folder.rstrip("/")


def end_processes(state: WorkState, process: str, message: str, word: str, line: str = "") -> WorkState:
    """Return the state without the processes that a message ends.

    Args:
        state: The state before.
        process: Id of a process; "" to find the processes by `line`.
        message: Id of the message.
        word: Their new state. Words such as "running" end nothing.
        line: A shell line, which may stop processes by name. One that stops any other process ends all of them,
            because which one it stops is unknown.
    """
    if word in _RUNNING:
        return state
    if process:
        ending = [item for item in state.of("running") if process in (item.name, item.detail)]
    elif _KILLS.search(line):
        named = [words for match in _KILLED.finditer(line) for words in [match[1].strip()] if words]
        ending = [
            item for item in state.of("running") if not named or any(_is_named(item.text, name) for name in named)
        ]
    else:
        return state
    for item in ending:
        state = state.end(item, message, word)
    return state


def _is_named(command: str, name: str) -> bool:
    return (
        name in command
        or any(name == words[0].rsplit("/", 1)[-1] for words, _ in commands_in(command))
        or (command.split(" ", 1)[0] in name)
    )
