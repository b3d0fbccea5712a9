"""Keep important old messages word for word and summarise the rest.

Important are tool calls with their results, errors, messages with a marking word, and pinned messages. If they exceed
the target, they are reduced in steps, each only as far as necessary: mask old tool results, trim long ones, shorten the
summary, summarise tool work (older half first), and finally summarise marked messages and errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from inspector.core.conversation import Message
from inspector.engine.strategies.fitting import ERROR, MARK, WORK, condense_in_steps, note_excess, size_left
from inspector.engine.strategies.knobs import knob, recent_knob, state_knob, target_knob
from inspector.engine.strategies.mask_observations import mask
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.recent import recent
from inspector.engine.strategies.services import Services
from inspector.engine.strategies.signals import WORDS, Signals, signals
from inspector.engine.strategies.trim_outputs import trim
from inspector.engine.window import Plan, Window

_LONGEST, _HEAD = 2_000, 0.6
"""Length in characters to which tool outputs are trimmed, and the fraction of it to keep from the start."""


@dataclass(frozen=True)
class SelectiveSettings:
    keep_recent: int = recent_knob(20, "Number of newest messages to keep verbatim.")
    ratio: float = knob(0.3, "Size of the summary as a share of its source.", low=0.01, high=0.9, step=0.05)
    target: int = target_knob(
        "Tokens of the window above which important messages are shortened too, tool results first."
    )
    words: str = knob(WORDS, "Words that mark a message as important, separated by commas.")
    tools: bool = knob(True, "True to keep tool calls and their results as far as they fit.")
    tools_always: bool = knob(False, "True to keep them verbatim even if they do not fit.")
    state_tokens: int = state_knob()


def selective(window: Window, settings: SelectiveSettings, services: Services) -> Plan:
    """Summarise unimportant old messages, and reduce important ones if the window exceeds the target."""
    newest = recent(window, settings.keep_recent)
    base = PlanBuilder(window)
    older = [members for members in base.candidates(summaries=True) if members[0] not in newest]
    reasons = important(window, older, settings)
    base.keep(newest, f"among the newest {settings.keep_recent:,} messages")
    _keep_important(base, older, reasons)
    steps = _steps(older, reasons, settings)
    talk = sorted(chain.from_iterable([members for members in older if members[0] not in reasons]))
    builder = base.fork()
    if not _hopeless(base, talk, newest, settings):
        builder.condense(talk, settings.ratio, services)
        _shorten(builder, newest, settings.target, settings)
    if not builder.failure and size_left(builder) > settings.target:
        _shorten(base, newest, 0, settings)
        builder = condense_in_steps(base, steps, settings.ratio, services, settings.target)
    note_excess(builder, settings.target)
    return builder.finish("selective", settings)


def _steps(older: Sequence[Sequence[int]], reasons: Mapping[int, str], settings: SelectiveSettings) -> list[list[int]]:
    """Return growing lists of messages to summarise: talk, then tool work, then marked messages and errors.

    The older half of each kind comes before the newer.
    """
    works = [members for members in older if reasons.get(members[0]) == WORK and not settings.tools_always]
    marked = [members for members in older if reasons.get(members[0]) in (ERROR, MARK)]
    steps = [[members for members in older if members[0] not in reasons]]
    for kind in (works, marked):
        for part in (kind[: len(kind) // 2], kind[len(kind) // 2 :]):
            if part:
                steps.append([*steps[-1], *part])
    return [sorted(chain.from_iterable(step)) for step in steps]


def _hopeless(base: PlanBuilder, talk: Sequence[int], newest: frozenset[int], settings: SelectiveSettings) -> bool:
    """Return True if even an empty summary would not meet the target, so that writing one to try is pointless."""
    trial = base.fork()
    trial.drop(talk, "tried")
    _shorten(trial, newest, settings.target, settings)
    return size_left(trial) > settings.target


def important(window: Window, groups: Sequence[Sequence[int]], settings: SelectiveSettings) -> dict[int, str]:
    """Return the reason why a group is important, by the position of its first message, for groups that are.

    Args:
        window: The window.
        groups: Groups to judge.
        settings: Marking words, and which kinds are important.
    """
    marks = signals(window, settings.words)
    candidates = [members for members in groups if window.messages[members[0]].kind != "summary"]
    reasons = {
        members[0]: _why_kept([window.messages[i] for i in members], [marks[i] for i in members], settings)
        for members in candidates
    }
    return {place: reason for place, reason in reasons.items() if reason}


def _why_kept(members: Sequence[Message], marks: Sequence[Signals], settings: SelectiveSettings) -> str:
    """Return the reason why a group is important, or "". A call without a result does not count as work."""
    works = any(message.role == "tool" for message in members)
    has_failed = any(mark.error for mark in marks)
    if works and (settings.tools_always or (settings.tools and not has_failed)):
        return WORK
    if has_failed:
        return ERROR
    return MARK if any(mark.marked for mark in marks) else ""


def _keep_important(builder: PlanBuilder, groups: Sequence[Sequence[int]], reasons: Mapping[int, str]) -> None:
    for reason in set(reasons.values()):
        builder.keep(chain.from_iterable([members for members in groups if reasons.get(members[0]) == reason]), reason)


def _shorten(builder: PlanBuilder, newest: frozenset[int], target: int, settings: SelectiveSettings) -> None:
    """Mask old results until the target is met, oldest first; then trim long ones."""
    excess = builder.total - target
    if excess <= 0 or settings.tools_always:
        return
    window, reason = builder.window, f"shortened to meet {settings.target:,} tokens"
    results, marks = builder.results(), signals(window, settings.words)
    old = [index for index in results if index not in newest and not marks[index].error]
    excess -= mask(builder, old, reason, excess)
    whole = [index for index in results if window.ids[index] not in builder.rewrites]
    trim(builder, whole, _LONGEST, _HEAD, reason, excess)
