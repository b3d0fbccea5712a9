"""What is set side by side, and how it is worked out in a thread: two replays, and then what tells them apart."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from inspector.compression import Preset
from inspector.conversation import Session
from inspector.library import Library, Opener, Workbench
from inspector.models import price_of
from inspector.replay import RECORDED, Compaction, Comparison, Frame, Lane, ReplayCancelled, Side
from inspector.replay.compare import compare
from inspector.ui.screens.replay.progress import ReplayProgress, progress_of, replay_run
from inspector.ui.widgets.title import Busy

SIDES: tuple[Side, Side] = ("left", "right")
_OFTEN = 0.15
"""Seconds between two words on how far it is."""


@dataclass(frozen=True)
class Half:
    """One side: whose context of which session, under which preset, and what it is called."""

    name: str
    bench: Workbench
    agent: str
    preset: Preset


Halves = tuple[Half, Half]
Stop = Callable[[], bool]
Tell = Callable[[Busy], None]
Begin = Callable[[Tell, Stop], Halves]
"""Gives both sides, in a thread: what has to be opened for them is opened there. Raises ReplayCancelled."""


@dataclass(frozen=True)
class Sight:
    """Both replays side by side, first without their facts where those were not read yet."""

    halves: Halves
    films: tuple[ReplayProgress, ReplayProgress]
    found: Comparison
    finished: bool

    @property
    def count(self) -> int:
        """Turns of the longer side; the last is the context as it now stands."""
        return len(self.found.turns)

    @property
    def one(self) -> bool:
        """Whether both sides are of one session."""
        return self.found.left.session is self.found.right.session

    @cached_property
    def names(self) -> tuple[str, str]:
        """What the sides are called, told apart by a number where they are called the same."""
        one, other = (half.name for half in self.halves)
        return (one, other) if one != other else (f"1 {one}", f"2 {other}")

    @cached_property
    def scale(self) -> int:
        """Tokens of the largest window of both sides."""
        return max((frame.total for film in self.films for frame in film.frames), default=0) or 1

    @cached_property
    def places(self) -> tuple[dict[str, int], dict[str, int]]:
        """Where each message stands in its side's log, by its id."""
        left = _places(self.found.left.session)
        return left, left if self.one else _places(self.found.right.session)

    @cached_property
    def regretted(self) -> tuple[frozenset[int], frozenset[int]]:
        """The turns of each side whose reply needed what was lost."""
        left, right = (frozenset(regret.turn for regret in film.replay.regrets) for film in self.films)
        return left, right

    def frame(self, side: int, turn: int) -> Frame | None:
        return self.films[side].frame(turn)

    def compaction(self, side: int, turn: int) -> Compaction | None:
        return self.films[side].compaction(turn)


def _places(session: Session) -> dict[str, int]:
    return {message.id: place for place, message in enumerate(session.messages)}


def sights(begin: Begin, stop: Stop, tell: Tell) -> Iterator[Sight]:
    """Both sides as soon as they are replayed; then once more with their facts, where those are still to be read.

    Raises ReplayCancelled, NotOpened, ValueError for a preset that cannot be meant, OSError for a lost source.
    """
    halves = begin(tell, stop)
    known = all(half.bench.session in half.bench.facts for half in halves)
    for with_facts in (True,) if known else (False, True):
        yield _sight(halves, with_facts, stop, tell)


def _sight(halves: Halves, with_facts: bool, stop: Stop, tell: Tell) -> Sight:
    whole = sum(half.bench.turns(half.agent) + 1 for half in halves)
    films: list[ReplayProgress] = []
    lanes: list[Lane] = []
    done = count(1)

    def follow() -> None:
        if stop():
            raise ReplayCancelled
        tell(Busy("replaying", next(done) / whole))

    for half in halves:
        film = _filmed(half, with_facts, follow)
        films.append(film)
        facts = half.bench.fact_index() if with_facts else None
        lanes.append(Lane(half.bench.session, half.bench.sizes, film.replay, facts))
    tell(Busy("comparing"))
    found = compare(lanes[0], lanes[1], stop=stop)
    made = Sight(halves, (films[0], films[1]), found, with_facts)
    _ = made.scale, made.places, made.regretted
    return made


def _filmed(half: Half, with_facts: bool, follow: Callable[[], None]) -> ReplayProgress:
    """One side, replayed; `follow` is called after each frame."""
    bench, session = half.bench, half.bench.session
    facts = bench.fact_index() if with_facts else None
    price = price_of(session.model)
    run = replay_run(bench, half.agent, half.preset, price, facts)
    for _ in run.frames():
        follow()
    return progress_of(run, bench, half.preset, price, finished=with_facts)


def now_and_then(tell: Tell, clock: Callable[[], float] = time.monotonic) -> Tell:
    """Tells at once what is new, and how far it is only now and then."""
    last: dict[str, float] = {}

    def hear(busy: Busy) -> None:
        if clock() - last.get(busy.what, float("-inf")) > _OFTEN:
            last[busy.what] = clock()
            tell(busy)

    return hear


def two_presets(one: Half, other: Half) -> Begin:
    """Two sides that are open already."""
    return lambda _tell, _stop: (one, other)


def two_sessions(targets: tuple[str, str], library: Library | None, limit: int) -> Begin:
    """Two recordings as they were recorded, each by its first agent."""

    def begin(tell: Tell, stop: Stop) -> Halves:
        one, other = (_recording(target, library, limit, tell, stop) for target in targets)
        return one, other

    return begin


def _recording(target: str, library: Library | None, limit: int, tell: Tell, stop: Stop) -> Half:
    """Open and count a session. Raises NotOpened and ReplayCancelled."""

    def hear(what: str, done: int, whole: int) -> None:
        if stop():
            raise ReplayCancelled
        tell(Busy(what, done / whole if whole else None))

    opener = Opener(limit=limit) if library is None else library.opener(limit)
    bench, _ = opener.open(target, hear)
    return Half(bench.session.title or bench.session.id, bench, bench.session.agents[0], RECORDED)
