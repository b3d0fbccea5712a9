"""What a provider would refuse at each turn of a session, in time that grows with the session and not with its square.

From turn to turn a window mostly grows at its end, so the windows of many turns are beginnings of one. That one is
looked at once, and each fault tells of which of its beginnings it is one. Only where a window becomes another one (a
compaction, a way that was not taken any further, a plan that holds from there on) everything is looked at anew.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from inspector.conversation import MAIN, Message, Problem, ProviderName
from inspector.library.workbench import Workbench
from inspector.replay import window_of
from inspector.replay.steps import steps
from inspector.window import Window, faults, problem_at, view, with_messages

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
    recorded: list[int] = field(default_factory=list)
    """How many it has without any plans."""

    def whole(self) -> Window:
        """The last turn's window."""
        return with_messages(self.window, self.messages, self.tokens)


class _Told(NamedTuple):
    """A problem in a run of turns, in the order in which problems are told."""

    first: int
    place: int
    number: int
    """Among those of its stretch."""
    last: int
    problem: Problem


def problem_turns(bench: Workbench, provider: ProviderName, agent: str = MAIN) -> dict[Problem, list[_Run]]:
    """What a provider would refuse at any turn of an agent, looked at closely and through the applied plans.

    Each problem comes with the turns that have it, ascending; the context as it now stands is the last turn. They stand
    in the order in which they are met from turn to turn, and in each turn from the top.
    """
    told = sorted(each for stretch in _stretches(bench, agent) for each in _problems_in(stretch, provider))
    runs: dict[Problem, list[_Run]] = {}
    for first, _, _, last, problem in told:
        known = runs.setdefault(problem, [])
        if known and first <= known[-1][1] + 1:
            known[-1] = known[-1][0], max(known[-1][1], last)
        else:
            known.append((first, last))
    return runs


def _settled(messages: Sequence[Message]) -> bool:
    """Whether new messages stand where a compressed window has them: results right behind their call."""
    waiting: Counter[str] = Counter()
    for message in messages:
        if message.role == "system":
            return False
        if message.role != "tool":
            waiting = Counter([call.id for call in message.calls])
        elif message.answers is not None and waiting[message.answers]:
            waiting[message.answers] -= 1
        else:
            return False
    return True


def _problems_in(stretch: _Stretch, provider: ProviderName) -> Iterator[_Told]:
    window = stretch.whole()
    lengths = list(dict.fromkeys(stretch.lengths))
    for number, (place, words, since, until) in enumerate(faults(window, provider, lengths, closely=True)):
        first, last = bisect_left(stretch.lengths, since), bisect_right(stretch.lengths, until) - 1
        problem = problem_at(window, place, words)
        if place >= 0 and first <= last:
            yield _Told(stretch.first + first, place, number, stretch.first + last, problem)
        for turn in (
            range(first, last + 1) if place < 0 else ()
        ):  # an empty window of which nothing was recorded is none
            if stretch.lengths[turn] or stretch.recorded[turn]:
                yield _Told(stretch.first + turn, place, number, stretch.first + turn, problem)


def _stretches(bench: Workbench, agent: str) -> Iterator[_Stretch]:
    """All turns of an agent, in order, in stretches that are as long as can be."""
    session, sizes, plans = bench.session, bench.sizes, bench.plans.get(agent, ())
    since = sorted(plan.turn for plan in plans)
    path: list[int] = []
    stretch: _Stretch | None = None
    holding = 0
    for step in steps(session, agent, joined=False):
        new = [session.messages[position] for position in step.new]
        holds = bisect_right(since, step.turn)
        grows = step.kept == len(path) and holds == holding and (not holds or _settled(new))
        path[step.kept :], holding = step.new, holds
        if stretch and grows:
            stretch.messages += new
            stretch.tokens += [sizes.tokens[position] for position in step.new]
        else:
            if stretch:
                yield stretch
            window = view(window_of(session, sizes, path, step, agent), plans)
            stretch = _Stretch(window, step.turn, list(window.messages), list(window.tokens))
        stretch.lengths.append(len(stretch.messages))
        stretch.recorded.append(len(path))
    if stretch:
        yield stretch
