"""What matters stays word for word, the rest of what is old becomes one summary. Requirement 3.

What matters: tool calls and their results, errors, messages with a marking word, and what is pinned. Where that is
too much for the target, old tool results are masked, then long ones trimmed, and only then does it go into the summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, filterfalse

from inspector.strategies.knobs import knob, recent_knob, target_knob
from inspector.strategies.mask_observations import mask
from inspector.strategies.plan_builder import PlanBuilder
from inspector.strategies.recent import recent
from inspector.strategies.services import Services
from inspector.strategies.signals import WORDS, signals
from inspector.strategies.trim_outputs import trim
from inspector.window import Plan, Window

_LONGEST, _HEAD = 2_000, 0.6
"""How long tool outputs are trimmed: characters, and the share of them that is kept from the beginning."""


@dataclass(frozen=True)
class Settings:
    keep_recent: int = recent_knob(20, "How many of the newest messages stay word for word.")
    ratio: float = knob(0.3, "Size of the summary, as a share of what it stands for.", low=0.01, high=0.9, step=0.05)
    target: int = target_knob("Tokens of the window above which even what matters is shortened, tool results first.")
    words: str = knob(WORDS, "The words that mark a message as important, with commas between them.")
    tools: bool = knob(True, "Whether tool calls and their results stay.")


def selective(window: Window, settings: Settings, services: Services) -> Plan:
    builder = PlanBuilder(window)
    newest = recent(window, settings.keep_recent)
    older = [members for members in builder.candidates(summaries=True) if members[0] not in newest]
    reasons = _important(window, older, settings.words, settings.tools)
    rest = list(filterfalse(lambda members: members[0] in reasons, older))
    builder.keep(newest, f"among the newest {settings.keep_recent:,} messages")
    _keep_important(builder, older, reasons)
    hopeless = bool(reasons) and _hopeless(window, rest, newest, settings.target)
    if not hopeless:
        summarise(builder, rest, settings, services, None if reasons else settings.target)
        _shorten(builder, newest, settings.target)
    if hopeless or (reasons and builder.total > settings.target and not builder.failure):
        builder = _summarise_all(window, older, newest, settings, services)
    if builder.total > settings.target and not builder.note:
        builder.note = f"what may not leave takes more than {settings.target:,} tokens by itself"
    return builder.finish("selective", settings)


def _hopeless(window: Window, rest: Iterable[Sequence[int]], newest: frozenset[int], target: int) -> bool:
    """Whether the target is out of reach even with a summary of no size: then none has to be written to know it."""
    trial = PlanBuilder(window)
    trial.drop(chain.from_iterable(rest), "tried")
    _shorten(trial, newest, target)
    return trial.total > target


def _important(window: Window, groups: Sequence[Sequence[int]], words: str, tools: bool = True) -> dict[int, str]:
    """Why a group matters, by the place of its first message, for those that do."""
    marks = signals(window, words)
    errors = {index for index, mark in enumerate(marks) if mark.error}
    marked = {index for index, mark in enumerate(marks) if mark.marked}
    reasons: dict[int, str] = {}
    for members in groups:
        first = window.messages[members[0]]
        if first.kind == "summary":
            continue
        if not errors.isdisjoint(members):
            reasons[members[0]] = "it tells of an error"
        elif tools and (first.calls or first.role == "tool"):
            reasons[members[0]] = "tool calls and their results"
        elif not marked.isdisjoint(members):
            reasons[members[0]] = "a marking word stands in it"
    return reasons


def _keep_important(builder: PlanBuilder, groups: Sequence[Sequence[int]], reasons: Mapping[int, str]) -> None:
    for reason in set(reasons.values()):
        builder.keep(chain.from_iterable([members for members in groups if reasons.get(members[0]) == reason]), reason)


def summarise(
    builder: PlanBuilder, groups: Sequence[Sequence[int]], settings: Settings, services: Services, fit: int | None
) -> None:
    builder.condense(sorted(index for members in groups for index in members), settings.ratio, services, fit)


def _shorten(builder: PlanBuilder, newest: frozenset[int], target: int) -> None:
    """Mask old results until the target is met, oldest first; then trim what is left of the long ones."""
    excess = builder.total - target
    results = builder.results()
    if excess <= 0:
        return
    messages, reason = builder.window.messages, f"shortened to meet {target:,} tokens"
    old = [index for index in results if index not in newest and not messages[index].is_error]
    excess -= mask(builder, old, reason, excess)
    whole = [index for index in results if messages[index].id not in builder.rewrites]
    trim(builder, whole, _LONGEST, _HEAD, reason, excess)


def _summarise_all(
    window: Window, older: Sequence[Sequence[int]], newest: frozenset[int], settings: Settings, services: Services
) -> PlanBuilder:
    """The last resort: what matters goes into a summary made to fit, and long results of the newest are trimmed."""
    builder = PlanBuilder(window)
    builder.keep(newest, f"among the newest {settings.keep_recent:,} messages")
    summarise(builder, older, settings, services, settings.target)
    _shorten(builder, newest, settings.target)
    return builder
