"""Find the problems for which a provider would reject the request of each turn, in linear time.

From turn to turn a window mostly grows at its end, so the windows of many turns are prefixes of a single one. That one
is checked once, and each problem states the prefixes that it affects. Everything is checked again only if the window
changes otherwise: after a compaction, a rewind, or a plan that takes effect.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from inspector.analysis.replay import advance_to_step, context_steps
from inspector.core.conversation import MAIN, Message, Problem, ProviderName
from inspector.engine.window import Window, WindowCursor, faults, problem_at, size_problems, with_messages
from inspector.library.bench.workbench import Workbench

_Run = tuple[int, int]
"""First and last of consecutive turns."""


@dataclass
class _Stretch:
    """Consecutive turns whose windows are prefixes of the last one."""

    window: Window
    """Window of the first turn."""
    first: int
    messages: list[Message]
    """Messages of the last turn's window."""
    tokens: list[int]
    lengths: list[int] = field(default_factory=list)
    """Number of messages in each turn's window."""
    totals: list[int] = field(default_factory=list)
    """Number of tokens in each turn's window."""
    recorded: list[int] = field(default_factory=list)
    """Number of messages in each turn's window without plans."""

    def whole(self) -> Window:
        """Return the last turn's window."""
        return with_messages(self.window, self.messages, self.tokens)


class _ProblemSpan(NamedTuple):
    """A problem in consecutive turns, in sort order."""

    first: int
    place: int
    number: int
    """Number of the problem within its stretch."""
    last: int
    problem: Problem


def problem_turns(bench: Workbench, provider: ProviderName, agent: str = MAIN) -> dict[Problem, list[_Run]]:
    """Return the problems for which a provider would reject any turn of an agent, with the applied plans.

    Problems are in the order in which they first occur, and from top to bottom within a turn.

    Args:
        bench: Open session.
        provider: Provider whose rules apply.
        agent: Agent of the windows.

    Returns:
        For each problem, the ranges of affected turns in ascending order. The last turn is the current context.
    """
    problems = sorted(
        row
        for stretch in _stretches(bench, agent)
        for row in (*_sizes_in(stretch, provider), *_problems_in(stretch, provider))
    )
    runs: dict[Problem, list[_Run]] = {}
    for first, _, _, last, problem in problems:
        spans = runs.setdefault(problem, [])
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = spans[-1][0], max(spans[-1][1], last)
        else:
            spans.append((first, last))
    return runs


def accepted_problems(
    bench: Workbench, runs: Mapping[Problem, Sequence[_Run]], agent: str = MAIN
) -> frozenset[Problem]:
    """Return the problems in requests that the provider evidently accepted, because it reported usage for them.

    Windows with a plan were never sent, so turns from the first plan on are not considered.

    Args:
        bench: Open session.
        runs: Result of `problem_turns`.
        agent: Agent of the windows.
    """
    messages, replies = bench.session.messages, bench.session.turns(agent)
    last = min((plan.turn - 1 for plan in bench.plans.get(agent, ())), default=len(replies))
    sent = [turn for turn, reply in enumerate(replies[: max(0, last)], 1) if messages[reply].usage]
    return frozenset(
        problem
        for problem, spans in runs.items()
        if any(bisect_left(sent, first) < bisect_right(sent, until) for first, until in spans)
    )


def _sizes_in(stretch: _Stretch, provider: ProviderName) -> Iterator[_ProblemSpan]:
    """Yield the turns whose windows exceed the model's limit."""
    for turn, total in enumerate(stretch.totals, stretch.first):
        for problem in size_problems(total, stretch.window.limit, provider):
            yield _ProblemSpan(turn, -2, 0, turn, problem)


def _problems_in(stretch: _Stretch, provider: ProviderName) -> Iterator[_ProblemSpan]:
    window = stretch.whole()
    lengths = list(dict.fromkeys(stretch.lengths))
    for number, (place, words, since, until) in enumerate(faults(window, provider, lengths)):
        first, last = bisect_left(stretch.lengths, since), bisect_right(stretch.lengths, until) - 1
        problem = problem_at(window, place, words)
        if place >= 0 and first <= last:
            yield _ProblemSpan(stretch.first + first, place, number, stretch.first + last, problem)
        for turn in (
            range(first, last + 1) if place < 0 else ()
        ):  # an empty window counts only if something was recorded in it
            if stretch.lengths[turn] or stretch.recorded[turn]:
                yield _ProblemSpan(stretch.first + turn, place, number, stretch.first + turn, problem)


def _stretches(bench: Workbench, agent: str) -> Iterator[_Stretch]:
    """Yield all turns of an agent in order, in stretches that are as long as possible."""
    session = bench.session
    cursor = WindowCursor(session.context, bench.sizes, limit=bench.limit, agent=agent, originals=session.by_id)
    cursor.reset(bench.plans.get(agent, ()))
    stretch: _Stretch | None = None
    for step in context_steps(session, agent):
        length = cursor.stable_length = len(cursor)
        advance_to_step(cursor, session, step)
        if stretch and cursor.stable_length == length and cursor.limit == stretch.window.limit:
            stretch.messages += cursor.messages[length:]
            stretch.tokens += cursor.tokens[length:]
        else:
            if stretch:
                yield stretch
            window = cursor.window()
            stretch = _Stretch(window, step.turn, list(window.messages), list(window.tokens))
        stretch.lengths.append(len(cursor))
        stretch.totals.append(cursor.total)
        stretch.recorded.append(len(cursor.log))
    if stretch:
        yield stretch
