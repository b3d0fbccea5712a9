"""What a provider would refuse at each turn of a session, in time that grows with the session and not with its square.

From turn to turn a window mostly grows at its end, so the windows of many turns are beginnings of one. That one is
looked at once, and each fault tells of which of its beginnings it is one. Only where a window becomes another one (a
compaction, a way that was not taken any further, a plan that holds from there on) everything is looked at anew.
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
"""The first and the last of turns without a gap."""


@dataclass
class _Stretch:
    """Turns that follow each other, whose windows are beginnings of the last one's."""

    window: Window
    """Of the first turn."""
    first: int
    messages: list[Message]
    """Of the last turn's window."""
    tokens: list[int]
    lengths: list[int] = field(default_factory=list)
    """How many messages each turn's window has."""
    totals: list[int] = field(default_factory=list)
    """How many tokens each turn's window has."""
    recorded: list[int] = field(default_factory=list)
    """How many it has without any plans."""

    def whole(self) -> Window:
        """The last turn's window."""
        return with_messages(self.window, self.messages, self.tokens)


class _ProblemSpan(NamedTuple):
    """A problem in a run of turns, in the order in which problems are told."""

    first: int
    place: int
    number: int
    """Among those of its stretch."""
    last: int
    problem: Problem


def problem_turns(bench: Workbench, provider: ProviderName, agent: str = MAIN) -> dict[Problem, list[_Run]]:
    """What a provider would refuse at any turn of an agent, through the applied plans.

    Each problem comes with the turns that have it, ascending; the context as it now stands is the last turn. They stand
    in the order in which they are met from turn to turn, and in each turn from the top.
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
    """Those of `problem_turns` that a request had which the provider reported usage for.

    Through a plan a window was never sent, so from its turn on nothing is taken.
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
    """The turns whose windows are larger than the model's."""
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
        ):  # an empty window of which nothing was recorded is none
            if stretch.lengths[turn] or stretch.recorded[turn]:
                yield _ProblemSpan(stretch.first + turn, place, number, stretch.first + turn, problem)


def _stretches(bench: Workbench, agent: str) -> Iterator[_Stretch]:
    """All turns of an agent, in order, in stretches that are as long as can be."""
    session = bench.session
    cursor = WindowCursor(session.context, bench.sizes, limit=bench.limit, agent=agent, originals=session.by_id)
    cursor.reset(bench.plans.get(agent, ()))
    stretch: _Stretch | None = None
    for step in context_steps(session, agent):
        length = cursor.stable_length = len(cursor)
        advance_to_step(cursor, session, step)
        if stretch and cursor.stable_length == length:
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
