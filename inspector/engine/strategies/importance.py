"""Keep the messages with the highest scores that fit into `max_tokens`, in their original order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from inspector.engine.strategies.fitting import note_excess
from inspector.engine.strategies.knobs import knob, target_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.strategies.signals import WORDS, Signals, signals
from inspector.engine.window import Plan, Score, Window

_HALF_BRIEF = 500
"""Size in tokens at which a message gets half of the brevity score."""


def _part(default: float, doc: str) -> float:
    value: float = knob(default, doc, low=0.0, high=10.0, step=0.1)
    return value


@dataclass(frozen=True)
class ImportanceSettings:
    max_tokens: int = target_knob(
        "Maximum tokens of the window. System prompt, tools and protected messages come first."
    )
    recency: float = _part(1.0, "Score of the newest message for its age; the oldest scores 0.")
    speaker: float = _part(1.0, "Score of user messages; replies and tool results score less.")
    marked: float = _part(1.0, "Score of a message with a marking word.")
    error: float = _part(0.8, "Score of a message that reports a failure.")
    decision: float = _part(0.8, "Score of a message with a decision.")
    brevity: float = _part(0.5, "Score of a short message; longer ones score less.")
    words: str = knob(WORDS, "Words that mark a message as important, separated by commas.")


def importance(window: Window, settings: ImportanceSettings, _services: Services) -> Plan:
    """Keep groups by their best message's score. One that does not fit is skipped; among equals, the newer is kept."""
    builder = PlanBuilder(window)
    candidates = builder.candidates()
    scores = totals(window, settings)
    best = [scores[m[0]] if len(m) == 1 else max([scores[index] for index in m]) for m in candidates]
    ranking = sorted(range(len(candidates)), key=best.__getitem__)
    weights = builder.weights(candidates)
    orphan_tokens = builder.size(window.groups.orphans)
    free = settings.max_tokens - (window.total - orphan_tokens - sum(weights))
    leavers: list[Sequence[int]] = []
    for number in reversed(ranking):
        tokens = weights[number]
        if tokens <= free:
            free -= tokens
        else:
            leavers.append(candidates[number])
    builder.drop(chain.from_iterable(leavers), f"scores too low for {settings.max_tokens:,} tokens")
    builder.keep_rest(f"scores high enough for {settings.max_tokens:,} tokens")
    note_excess(builder, settings.max_tokens)
    return builder.finish("importance", settings, _Scores(window, settings))


def totals(window: Window, settings: ImportanceSettings) -> list[float]:
    """Return the score of each message: the sum of its `parts`."""
    last = max(1, len(window.messages) - 1)
    recency, brevity = settings.recency / last, settings.brevity
    speaker, marked, error, decision = settings.speaker, settings.marked, settings.error, settings.decision
    return [
        recency * place
        + speaker * signal.speaker
        + marked * signal.marked
        + error * signal.error
        + decision * signal.decision
        + brevity / (1 + tokens / _HALF_BRIEF)
        for place, (signal, tokens) in enumerate(zip(signals(window, settings.words), window.tokens, strict=True))
    ]


class _Scores(Mapping[str, Score]):
    """Scores of a window's messages, computed on access."""

    def __init__(self, window: Window, settings: ImportanceSettings) -> None:
        self.window = window
        self.settings = settings

    @cached_property
    def places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.window.ids)}

    @cached_property
    def signals(self) -> Sequence[Signals]:
        return signals(self.window, self.settings.words)

    def __getitem__(self, id: str) -> Score:
        place = self.places[id]
        return Score(parts(self.window, self.settings, place, self.signals[place]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.window.ids)


def parts(window: Window, settings: ImportanceSettings, place: int, signal: Signals) -> dict[str, float]:
    """Return the contribution of each criterion to the score of a message.

    Args:
        window: The window.
        settings: Weights of the criteria.
        place: Position of the message.
        signal: Signals of the message.
    """
    return {
        "recency": settings.recency * place / max(1, len(window.messages) - 1),
        "speaker": settings.speaker * signal.speaker,
        "marked": settings.marked * signal.marked,
        "error": settings.error * signal.error,
        "decision": settings.decision * signal.decision,
        "brevity": settings.brevity / (1 + window.tokens[place] / _HALF_BRIEF),
    }
