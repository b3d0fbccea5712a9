"""Background commands, servers and sub-agents: when they start, and when they end."""

from __future__ import annotations

import re

from inspector.engine.work_state.call_effects import CallEffects
from inspector.engine.work_state.result_news import ResultNews
from inspector.engine.work_state.shell_words import commands_in, plain_command
from inspector.engine.work_state.state_items import StateItem, WorkState

_RUNNING = frozenset(("running", "started", "pending", "in_progress"))
_KILLS = re.compile(r"(?:^|[;&|(\s])(?:kill|pkill|killall|fuser -k|docker(?:-| )compose (?:down|stop)|docker (?:stop|kill)|npx kill-port)\b")
_KILLED = re.compile(r"(?:pkill|killall)\s+(?:-\S+\s+)*['\"]?([^'\"|;&]+)")
_DETACHED = re.compile(r"(?:^|[\s;(])(?:nohup|setsid)\s|(?<!&)&\s*$|(?<!&)&\s*\n")


def with_process(state: WorkState, call: CallEffects, news: ResultNews, message: str, turn: int) -> WorkState:
    """Return the state with the process that a call started, if its result says that it goes on."""
    goes_on = news.started and (call.background or "running" in news.answer.lower() or "agent" in news.answer.lower())
    if call.agent and goes_on:
        item = StateItem("running", news.started, call.agent, "sub-agent", news.started, message, turn)
        return state.put(item)
    is_detached = bool(_DETACHED.search(call.command)) and not _KILLS.search(call.command)
    if not call.command or news.failed or not (call.background or is_detached or _goes_on(call, news)):
        return state
    command = plain_command(call.command)
    name = news.started or command[:200]
    return state.put(StateItem("running", name, command, "running", news.started, message, turn)) if command else state


def _goes_on(call: CallEffects, news: ResultNews) -> bool:
    return bool(news.started) and not news.is_over and call.polls == ""


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
        found = [item for item in state.of("running") if process in (item.name, item.detail)]
    elif _KILLS.search(line):
        named = [words for match in _KILLED.finditer(line) for words in [match[1].strip()] if words]
        found = [item for item in state.of("running") if not named or any(_is_named(item.text, name) for name in named)]
    else:
        return state
    for item in found:
        state = state.end(item, message, word)
    return state


def _is_named(command: str, name: str) -> bool:
    return name in command or any(name == words[0].rsplit("/", 1)[-1] for words, _ in commands_in(command)) or (
        command.split(" ", 1)[0] in name
    )
