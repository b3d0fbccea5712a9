"""Background commands, servers and sub-agents: when they start, and when they end."""

from __future__ import annotations

import re

from inspector.engine.work_state.call_effects import CallEffects
from inspector.engine.work_state.result_news import ResultNews
from inspector.engine.work_state.shell_words import commands_in, plain_command
from inspector.engine.work_state.state_items import StateItem, WorkState

_RUNNING = frozenset(("running", "started", "pending", "in_progress"))
_KILLS = re.compile(
    r"(?:^|[;&|(\s])(?:kill|pkill|killall|fuser -k|docker(?:-| )compose (?:down|stop)|docker (?:stop|kill)"
    r"|npx kill-port)\b"
)
_KILLED = re.compile(r"(?:pkill|killall)\s+(?:-\S+\s+)*['\"]?([^'\"|;&]+)")
_DETACHED = re.compile(r"(?:^|[\s;(])(?:nohup|setsid)\s|(?<!&)&\s*$|(?<!&)&\s*\n")


def with_process(state: WorkState, call: CallEffects, news: ResultNews, message: str, turn: int) -> WorkState:
    """Return the state with the process or sub-agent that a call started, if it goes on."""
    if news.failed:
        return state
    if call.agent:
        is_async = bool(news.started) and "agent" in news.answer.lower()
        item = StateItem("running", news.started, call.agent, "sub-agent", news.started, message, turn)
        return state.put(item) if is_async else state
    command = plain_command(call.command)
    is_detached = bool(_DETACHED.search(call.command)) and not _KILLS.search(call.command)
    goes_on = call.background or is_detached or (bool(news.started) and not news.is_over)
    item = StateItem("running", news.started or command[:200], command, "running", news.started, message, turn)
    return state.put(item) if command and goes_on else state


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
