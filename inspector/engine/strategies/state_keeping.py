"""Put the state of the work before a summary, as the conversation states it: not written by a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.core.conversation import Message, Session
from inspector.engine import work_state
from inspector.engine.strategies.services import Services, Summariser
from inspector.engine.window import Window
from inspector.llm.providers import text_message

_CHARS_PER_TOKEN = 4
_LARGEST_SHARE = 0.5
"""Largest share of a summary that the state may take."""


def with_state(window: Window, settings: Any, services: Services) -> Services:
    """Return services whose summaries begin with the state of the work, if the settings of a strategy ask for it.

    Args:
        window: The window to compress.
        settings: Settings of the strategy.
        services: Services for the strategy.
    """
    tokens = getattr(settings, "state_tokens", 0)
    return replace(services, summarise=_StateKeeper(window, tokens, services.summarise)) if tokens else services


@dataclass
class _StateKeeper:
    """A summariser that puts the state of the work before each summary, within the summary's target."""

    window: Window
    most: int
    summarise: Summariser
    _states: list[work_state.WorkState] = field(default_factory=list)

    def __call__(self, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        if not self._states:
            self._states.append(_state_of(self.window))
        gone = {message.id for message in messages}
        kept = {message.id for message in self.window.messages if message.role != "system"} - gone
        block = _bounded_block(self._states[0], kept, min(self.most, int(_LARGEST_SHARE * target)), count)
        room = max(1, target - count(block))
        text = self.summarise([_without_state(message) for message in messages], room, count)
        return f"{block}{text}" if text.strip() else text


def _bounded_block(state: work_state.WorkState, kept: Collection[str], most: int, count: Callable[[str], int]) -> str:
    """Return the state that kept messages do not repeat, as text of at most this many tokens; "" if no line fits."""
    chars = most * _CHARS_PER_TOKEN
    while lines := work_state.state_block(state, chars, kept):
        block = f"{lines}\n"
        if (tokens := count(block)) <= most:
            return block
        chars = min(chars - 1, chars * most // tokens)
    return ""


def _without_state(message: Message) -> Message:
    """Return an earlier summary without its state, which is outdated; any other message unchanged."""
    text = message.text if message.kind == "summary" else ""
    rest = work_state.without_block(text)
    return message if rest == text else text_message(message.id, "user", rest, message.dialect, kind="summary")


def _state_of(window: Window) -> work_state.WorkState:
    """Return the state at the end of a window, from all messages of its log up to the last one."""
    log = tuple(window.originals.values())
    last = next((message.id for message in reversed(window.messages) if message.id in window.originals), None)
    end = next((place for place, message in enumerate(log) if message.id == last), -1)
    if end < 0:
        return work_state.fold(window.messages)
    log = log[: end + 1]
    if all(message.parent < place for place, message in enumerate(log)) and any(one.parent >= 0 for one in log):
        return work_state.WorkHistory(Session("", "", "", log), window.agent).at(end)
    return work_state.fold(message for message in log if message.agent == window.agent)
