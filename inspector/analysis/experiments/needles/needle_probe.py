"""Probe strategies: insert needles at given depths, compress the window repeatedly and search for the needles.

No model is called. A needle counts as retained as long as the window contains its value. The first pass gives the grid
of depths and strategies; all passes together give the curve of retained needles. Before each further pass new turns are
added, the same ones for every strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Annotated, Any, Literal

from inspector.analysis.experiments.needles.insert import InsertedNeedle, SeededWindow, insert_needles
from inspector.analysis.experiments.needles.needles import KINDS
from inspector.analysis.experiments.needles.synthetic import NeedleGenerator
from inspector.analysis.replay import Archive
from inspector.core.conversation import Message, Problem
from inspector.core.json_objects import Fraction, Tokens
from inspector.engine.compression import ArchivedGroups, Policy, Preset, recall, with_recall
from inspector.engine.facts import RetainedFact
from inspector.engine.strategies import STRATEGIES, Services, draft_plan, initial_values, recall_settings
from inspector.engine.window import Plan, Window, apply, archived_ids, problems

_State = Literal["retained", "recoverable", "lost"]
"""State of a needle.

retained     in the window
recoverable  removed from the window, but in an archive that the strategy retrieves from
lost         neither
"""

DEPTHS = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
_PASSES = 10
_GROWTH = 0.25
"""New tokens before each further pass, as a share of the seeded window."""
_MAX_NEW = 50_000
"""Maximum of those tokens: a quarter of a typical context window."""


@dataclass(frozen=True)
class Candidate:
    """A strategy to probe, with its settings. Without a strategy, nothing is compressed."""

    name: str
    strategy: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings. Missing ones are derived from the first window and used in all passes."""

    @classmethod
    def of(cls, preset: Preset) -> Candidate:
        """Return the candidate for a preset. The preset's threshold is ignored."""
        if not preset.enabled:
            return cls(preset.name)
        is_fixed = isinstance(preset.threshold, int)
        policy = Policy.of(preset) if is_fixed else Policy.of(preset, threshold=Policy.threshold)
        return cls(preset.name, preset.strategy, policy.own_settings if is_fixed else policy.settings)


@dataclass(frozen=True)
class ProbePass:
    """One compression of a course."""

    before: Tokens
    """Tokens of the window before it."""
    after: Tokens
    states: tuple[_State, ...]
    """The state of each needle after it."""
    note: Annotated[str, "note of the strategy"] = ""
    """Why it compressed less than its target, in one sentence; else empty."""
    problems: tuple[Problem, ...] = ()
    """New problems that a provider would have with the window."""


@dataclass(frozen=True)
class ProbeRun:
    """One candidate through all passes."""

    contender: Candidate
    settings: Mapping[str, Any]
    """All settings of its strategy."""
    passes: tuple[ProbePass, ...]

    @property
    def valid(self) -> bool:
        return not any(step.problems for step in self.passes)


@dataclass(frozen=True)
class Probe:
    """Result of a probe: the needles and their states in each run."""

    needles: tuple[InsertedNeedle, ...]
    depths: tuple[Fraction, ...]
    tokens: Annotated[Tokens, "of the window including the needles"]
    courses: tuple[ProbeRun, ...]

    def at_depth(self, course: ProbeRun, depth: float, passes: int = 1) -> RetainedFact:
        """Return a cell of the grid: the states of the needles at one depth.

        Args:
            course: Run of a candidate.
            depth: Requested depth of the needles.
            passes: Number of passes after which they are counted.
        """
        return self.tally(course, passes, (insertion.depth == depth for insertion in self.needles))

    def of_class(self, course: ProbeRun, cls: str, passes: int = 1) -> RetainedFact:
        return self.tally(course, passes, (insertion.needle.cls == cls for insertion in self.needles))

    def curve(self, course: ProbeRun) -> tuple[RetainedFact, ...]:
        """Return the states of all needles after each pass."""
        return tuple([_count_states(step.states) for step in course.passes])

    def tally(self, course: ProbeRun, passes: int, selection: Iterable[bool]) -> RetainedFact:
        return _count_states(compress(course.passes[passes - 1].states, selection))

    @property
    def classes(self) -> tuple[str, ...]:
        """Classes of the needles, in order."""
        return tuple(dict.fromkeys(insertion.needle.cls for insertion in self.needles))


def _count_states(states: Iterable[_State]) -> RetainedFact:
    places = list(states)
    return RetainedFact(places.count("retained"), places.count("recoverable"), places.count("lost"))


def candidates() -> tuple[Candidate, ...]:
    """Return a candidate for every strategy, with its initial settings."""
    return tuple([Candidate(name, name) for name in STRATEGIES])


def run_probe(
    window: Window,
    contenders: Sequence[Candidate] = (),
    depths: Sequence[float] = DEPTHS,
    passes: int = _PASSES,
    seed: int = 0,
    services: Services | None = None,
    classes: Sequence[str] = tuple(KINDS),
    on_progress: Callable[[int, int], None] | None = None,
) -> Probe:
    """Probe every candidate on a copy of the window. Deterministic.

    Args:
        window: Window to insert needles into.
        contenders: Candidates to probe; empty for all strategies.
        depths: Depths from 0 (oldest) to 1 (newest).
        passes: Number of compressions.
        seed: Seed of the random values.
        services: Services that strategies can use, for example a summarizer.
        classes: Classes of the needles.
        on_progress: Called after each candidate with the number of finished candidates and the total.

    Raises:
        InsertionError: If nothing can be inserted into the window.
        ValueError: If a depth is outside of 0 to 1, or if there is less than one pass.
    """
    if passes < 1:
        raise ValueError(f"passes must be at least 1, not {passes}")
    if wrong := [depth for depth in depths if not 0 <= depth <= 1]:
        raise ValueError(f"a depth must be between 0 (the oldest end) and 1, not {wrong[0]}")
    bed = insert_needles(window, depths, seed, classes)
    arrivals = _Arrivals(bed, seed)
    courses: list[ProbeRun] = []
    all_of_them = tuple(contenders) or candidates()
    for contender in all_of_them:
        courses.append(_course(bed, contender, arrivals, passes, services or Services()))
        if on_progress:
            on_progress(len(courses), len(all_of_them))
    return Probe(bed.needles, tuple(depths), bed.window.total, tuple(courses))


class _Arrivals:
    """New turns between the passes. They are generated once and shared by all candidates."""

    def __init__(self, bed: SeededWindow, seed: int) -> None:
        window = bed.window
        self.measure = window.sizes.measure
        self.amount = min(int(_GROWTH * window.total), _MAX_NEW)
        inventor = NeedleGenerator(seed, window.context.dialect, window.agent, frozenset(window.ids))
        self.exchanges = inventor.exchanges()
        self.portions: list[tuple[tuple[Message, ...], tuple[int, ...]]] = []
        self.all_messages: set[Message] = set()
        """All messages generated so far. They contain no needles."""

    def portion(self, number: int) -> tuple[tuple[Message, ...], tuple[int, ...]]:
        """Return the messages before the pass after the `number`-th, in whole exchanges, with their tokens."""
        while len(self.portions) < number:
            messages: list[Message] = []
            tokens: list[int] = []
            while not messages or sum(tokens) < self.amount:
                messages += next(self.exchanges)
                tokens += map(self.measure, messages[len(tokens) :])
            self.portions.append((tuple(messages), tuple(tokens)))
            self.all_messages.update(messages)
        return self.portions[number - 1]

    def after(self, window: Window, number: int) -> Window:
        """Return the window followed by the `number`-th portion, as of a later turn."""
        messages, tokens = self.portion(number)
        replies = sum(message.role == "assistant" for message in messages)
        return replace(
            window,
            messages=(*window.messages, *messages),
            tokens=(*window.tokens, *tokens),
            turn=window.turn + replies,
        )


def _course(bed: SeededWindow, contender: Candidate, arrivals: _Arrivals, passes: int, services: Services) -> ProbeRun:
    """Run all passes: add new turns, compress the window and search for the needles."""
    settings = _settings_for(contender, bed.window)
    search = _Search(bed, arrivals)
    steps: list[ProbePass] = []
    plans: list[Plan] = []
    archived: list[Message] = []
    after = bed.window
    for number in range(passes):
        before = arrivals.after(after, number) if number else after
        plan = draft_plan(before, contender.strategy, settings, services) if contender.strategy else None
        after = apply(before, plan) if plan else before
        if plan:
            plans.append(plan)
            ids = set(archived_ids(plan))
            archived += [message for message in before.messages if message.id in ids]
        sent = with_recall(after, recall(after, ArchivedGroups(archived), recall_settings(plans), services))
        earlier = {problem.text for problem in problems(before)}
        new = tuple(problem for problem in problems(sent) if problem.text not in earlier)
        steps.append(ProbePass(before.total, sent.total, search.states(sent, plan), plan.note if plan else "", new))
    return ProbeRun(contender, settings, tuple(steps))


def _settings_for(contender: Candidate, window: Window) -> dict[str, Any]:
    if not contender.strategy:
        return {}
    return initial_values(STRATEGIES[contender.strategy].settings, window) | dict(contender.settings)


class _Search:
    """Searches the windows of one run for needles. Each message is searched once."""

    def __init__(self, bed: SeededWindow, arrivals: _Arrivals) -> None:
        self.bed = bed
        self.arrivals = arrivals
        self.archive = Archive()
        self.by_message: dict[Message, frozenset[int]] = {
            message: frozenset(bed.hosts.get(message.id, ())) for message in bed.window.messages
        }

    def states(self, window: Window, plan: Plan | None = None) -> tuple[_State, ...]:
        """Return the state of each needle in the window that results from the plan."""
        if plan and not plan.has_failed:
            self.archive.follow([plan])
        retained = frozenset[int]().union(*map(self.needles_in, window.messages))
        within_reach = {
            number for message_id in self.archive.within_reach for number in self.bed.hosts.get(message_id, ())
        }
        return tuple(self.state(number, retained, within_reach) for number in range(len(self.bed.needles)))

    def state(self, number: int, retained: frozenset[int], within_reach: set[int]) -> _State:
        return "retained" if number in retained else "recoverable" if number in within_reach else "lost"

    def needles_in(self, message: Message) -> frozenset[int]:
        """Return the needles that a message contains."""
        numbers = self.by_message.get(message)
        if numbers is None:
            numbers = frozenset() if message in self.arrivals.all_messages else frozenset(self.search(message.text))
            self.by_message[message] = numbers
        return numbers

    def search(self, text: str) -> Iterator[int]:
        return (number for number, insertion in enumerate(self.bed.needles) if insertion.needle.within(text))
