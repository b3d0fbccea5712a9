"""The older half becomes one summary, and half of what is left again, until it fits. Requirement 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.strategies.aids import Aids
from inspector.strategies.draft import Draft
from inspector.strategies.settings import knob
from inspector.window.plan import Plan
from inspector.window.window import Window


@dataclass(frozen=True)
class Settings:
    max_tokens: int = knob(
        100_000,
        "Tokens that the whole window may take; below that nothing is done.",
        low=0,
        high=2_000_000,
        step=500,
        fit=lambda window: window.total / 2,
    )
    ratio: float = knob(0.2, "Size of the summary, as a share of what it stands for.", low=0.01, high=0.9, step=0.05)


def summarize_half(window: Window, settings: Settings, aids: Aids) -> Plan:
    """Halves by messages, at group edges. However many halves it takes, they end in one summary."""
    draft = Draft(window)
    candidates = draft.candidates(summaries=True)
    taken, total = 0, window.total
    while total > settings.max_tokens and taken < len(candidates):
        taken += half(candidates[taken:])
        total = window.total - round((1 - settings.ratio) * sum(map(draft.size, candidates[:taken])))
    older = sorted(index for members in candidates[:taken] for index in members)
    if any(window.messages[index].kind != "summary" for index in older):
        target = int(settings.ratio * draft.size(older))
        text = aids.summarise([window.messages[index] for index in older], target, window.sizes.counter.count)
        draft.summarise(older, text)
    if total > settings.max_tokens and not draft.note:
        draft.note = f"what may not leave takes more than {settings.max_tokens:,} tokens by itself"
    draft.keep(range(len(window.messages)), "in the newer half")
    return draft.finish("summarize_half", settings)


def half(groups: Sequence[tuple[int, ...]]) -> int:
    """How many of the first groups hold half of the messages of all; at least one."""
    wanted = sum(map(len, groups)) / 2
    held = 0
    for number, members in enumerate(groups, 1):
        held += len(members)
        if held >= wanted:
            return number
    return len(groups)
