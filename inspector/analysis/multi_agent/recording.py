"""Record agents that share a memory in a form that opens as a session (`formats/orchestration.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

VERSION = 1


class _ShownEntry(Protocol):
    @property
    def ids(self) -> Sequence[str]: ...


class _ShownPrompt(Protocol):
    """The prompt of one agent for one request, for example a `SharedInjection`."""

    @property
    def agent_id(self) -> str: ...

    @property
    def request(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def entries(self) -> Sequence[_ShownEntry]: ...


def collaboration_record(
    contributions: Sequence[Mapping[str, Any]], injections: Sequence[_ShownPrompt]
) -> dict[str, Any]:
    """Return the contributions and injections of an `Orchestrator`'s `collaboration` as JSON.

    Each contribution is stored with the prompt that produced it: the latest prompt of its agent that shows nothing
    later than the contribution. A prompt that produced no contribution is stored alone.
    """
    numbers = {str(message.get("id")): number for number, message in enumerate(contributions)}
    prompts: dict[str, list[tuple[int, int]]] = {}
    for place, injection in enumerate(injections):
        newest = max(_numbers_shown(injection, numbers), default=-1)
        prompts.setdefault(injection.agent_id, []).append((place, newest))
    steps: list[tuple[int, int, dict[str, Any]]] = []
    alone: list[tuple[str, int, int]] = []
    for number in reversed(range(len(contributions))):
        message = contributions[number]
        agent = str(message.get("agent_id") or "")
        waiting = prompts.get(agent, [])
        while waiting and waiting[-1][1] >= number:
            alone.append((agent, *waiting.pop()))
        prompt = injections[waiting.pop()[0]] if waiting else None
        steps.append((number, 1, _step(agent, prompt, message)))
    alone += [(agent, *row) for agent, rows in prompts.items() for row in rows]
    steps += [(newest, 2, _step(agent, injections[place], None)) for agent, place, newest in alone]
    steps.sort(key=lambda step: step[:2])
    return {"inspector": "collaboration", "version": VERSION, "steps": [step for _, _, step in steps]}


def _numbers_shown(injection: _ShownPrompt, numbers: Mapping[str, int]) -> Iterable[int]:
    return (numbers[name] for entry in injection.entries for name in entry.ids if name in numbers)


def _step(agent: str, injection: _ShownPrompt | None, message: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "agent_id": agent,
        "request": injection.request if injection else "",
        "injected": injection.text if injection else "",
        "contribution": dict(message) if message is not None else None,
    }
