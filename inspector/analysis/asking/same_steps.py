"""Measure how often a model takes the same step under presets as with the uncompressed context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from inspector.analysis.asking.asked_contexts import AskedContext, preset_windows
from inspector.analysis.asking.asking_run import AskedCall, AskedReply
from inspector.analysis.asking.step_agreement import is_same_step
from inspector.analysis.replay import NONE, Rate
from inspector.core.conversation import Session
from inspector.core.json_objects import Fraction, json_object
from inspector.engine.compression import Preset
from inspector.engine.facts import FactIndex
from inspector.engine.summaries import ModelSettings
from inspector.engine.window import Window
from inspector.llm.tokens import Sizes

ASKED_TURNS = 8
"""Default number of turns that are asked."""
_NEWEST = 6
"""Newest messages of a window: a reply that states nothing from before them shows nothing about a memory."""
ITSELF = "the model itself"
"""Name of the row that compares two replies to the same uncompressed context."""


@json_object("Same step", "name same asked share low high")
@dataclass(frozen=True, slots=True)
class SameSteps:
    """Share of turns whose reply under a preset is the same step as with the uncompressed context."""

    name: Annotated[str, "a preset, or `the model itself` for two replies to the same uncompressed context"]
    same: Annotated[int, "turns with the same step"]
    asked: Annotated[int, "turns with both replies"]

    @property
    def share(self) -> Fraction | None:
        return round(self.same / self.asked, 4) if self.asked else None

    @property
    def low(self) -> Annotated[Fraction, "lower end of the 95% interval (Wilson)"]:
        return round(self._interval[0], 4)

    @property
    def high(self) -> Annotated[Fraction, "upper end"]:
        return round(self._interval[1], 4)

    @property
    def _interval(self) -> tuple[float, float]:
        return Rate(self.same, self.asked).interval


def telling_turns(session: Session, index: FactIndex, count: int, agent: str) -> list[int]:
    """Return turns whose replies state something from before the newest messages, spread over the session.

    Args:
        session: The session.
        index: Its facts.
        count: Maximum number of turns.
        agent: Agent whose turns are chosen.
    """
    last: dict[int, int] = {}
    replies = {place: turn for turn, place in enumerate(session.turns(agent), 1)}
    telling = []
    for place, message in enumerate(session.messages):
        facts = index.facts_of(message) if message.kind != "notice" else None
        if facts is None:
            continue
        if (turn := replies.get(place)) is not None:
            terms = {index.facts[fact].term for fact in facts.needs}
            if any(0 <= last.get(term, -1) < place - _NEWEST for term in terms):
                telling.append(turn)
        last |= dict.fromkeys(facts.terms, place)
    others = [turn for turn in replies.values() if turn not in set(telling)]
    chosen = _spread(telling, count)
    return sorted([*chosen, *_spread(others, count - len(chosen))])


def _spread(turns: Sequence[int], count: int) -> list[int]:
    """Return some of the turns in equal distances, the last one included."""
    if count <= 0:
        return []
    if len(turns) <= count:
        return list(turns)
    return [turns[len(turns) - 1 - number * len(turns) // count] for number in range(count)][::-1]


@dataclass(frozen=True)
class StepQuestions:
    """The calls that compare presets with the uncompressed context of the same turns."""

    calls: Sequence[AskedCall]
    pairs: Mapping[str, Sequence[tuple[AskedCall, AskedCall]]]
    """Calls to compare, by name of the row: the uncompressed context first."""
    turns: Sequence[int]

    def rows(self, replies: Mapping[AskedCall, AskedReply]) -> list[SameSteps]:
        """Return the shares of same steps, that of the model itself first.

        Args:
            replies: Replies by call; failed ones are not counted.
        """
        return [SameSteps(name, *_same_counts(pairs, replies)) for name, pairs in self.pairs.items()]


def _same_counts(
    pairs: Sequence[tuple[AskedCall, AskedCall]], replies: Mapping[AskedCall, AskedReply]
) -> tuple[int, int]:
    both = [(replies[first], replies[second]) for first, second in pairs if first in replies and second in replies]
    both = [(first, second) for first, second in both if not (first.problem or second.problem)]
    return sum(is_same_step(first.step, second.step) for first, second in both), len(both)


def step_questions(
    session: Session,
    sizes: Sizes,
    presets: Sequence[Preset],
    turns: Sequence[int],
    agent: str,
    settings: ModelSettings,
    most: int,
) -> StepQuestions:
    """Return the calls for some turns under some presets.

    Args:
        session: The session.
        sizes: Its token counts.
        presets: Presets to compare with the uncompressed context.
        turns: Turns to ask.
        agent: Agent of the turns.
        settings: The model.
        most: Maximum number of tokens of a reply.
    """
    whole = preset_windows(session, sizes, NONE, turns, agent)
    windows = {preset.name: preset_windows(session, sizes, preset, turns, agent) for preset in presets}
    pairs: dict[str, list[tuple[AskedCall, AskedCall]]] = {ITSELF: [], **{name: [] for name in windows}}
    calls = []
    for turn in turns:
        base, again = (_step_call("uncompressed", turn, whole[turn], whole[turn], settings, most, n) for n in (1, 2))
        calls += [base, again]
        pairs[ITSELF].append((base, again))
        for name, by_turn in windows.items():
            call = _step_call(name, turn, by_turn[turn], whole[turn], settings, most, 1)
            calls.append(call)
            pairs[name].append((base, call))
    return StepQuestions(calls, pairs, turns)


def _step_call(
    name: str, turn: int, window: Window, whole: Window, settings: ModelSettings, most: int, sample: int
) -> AskedCall:
    context = AskedContext(f"{name}, turn {turn}", window, whole)
    return AskedCall(context.label, sample, context.body(settings, most), window.total, most)


def same_step_lines(rows: Sequence[SameSteps]) -> Iterator[str]:
    """Yield a line for each row: name, share, interval."""
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        share = f"{row.same} of {row.asked}" if row.asked else "no reply"
        yield f"  {row.name:<{width}}  {share:>9}   {row.low:.2f}–{row.high:.2f}"
