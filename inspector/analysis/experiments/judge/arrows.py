"""Check that a judge of compactions puts texts into the order that is known in advance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.analysis.experiments.intervals import mean_interval
from inspector.analysis.experiments.judge.continuation import continuation
from inspector.analysis.experiments.judge.faithfulness import sound_part, summary_message
from inspector.analysis.experiments.judge.variants import JudgeCase, Variant
from inspector.core.json_objects import json_object
from inspector.engine.facts import FactIndex, kept_in

Judge = Callable[[JudgeCase, str], float]
"""Returns the score of a text in place of the replaced messages of a compaction, from 0 to 1."""
Relation = Literal[">", ">=", "="]
"""Order of two scores. `=` and `>=` allow a difference of two hundredths."""
Outcome = Literal["held", "violated", "unclear"]
"""Outcome of an arrow.

held      the interval of the difference agrees with the arrow
violated  the interval of the difference contradicts the arrow
unclear   neither
"""

_TOLERANCE = 0.02
"""Difference up to which scores count as equal where they may be equal."""
_EXACT = 1e-9
ARROWS: tuple[tuple[Variant, Relation, Variant], ...] = (
    ("recorded", "=", "one line"),
    ("recorded", "=", "other breaks"),
    ("recorded", ">=", "extractive"),
    ("recorded", ">", "facts"),
    ("extractive", ">", "facts"),
    ("facts", ">", "values"),
    ("values", ">", "mentions"),
    ("mentions", ">", "shuffled"),
    ("shuffled", ">", "hollow"),
    ("recorded", ">", "values"),
    ("recorded", ">", "shuffled"),
    ("recorded", ">", "negated"),
    ("recorded", ">", "swapped"),
    ("newest value", ">=", "outdated value"),
    ("hollow", "=", "other session"),
    ("remark", ">", "invented rule"),
    ("remark", ">", "invented result"),
    ("remark", ">", "revived work"),
)
"""The order that any judge must reproduce, as pairs of texts."""


@json_object("JudgedText", rounded="score")
@dataclass(frozen=True, slots=True)
class VariantScore:
    """The mean score of a text."""

    text: Variant
    score: Annotated[float, "mean over the compactions, from 0 to 1"]
    compactions: Annotated[int, "with this text"]


@json_object(
    "Arrow",
    "better relation worse difference low high held unclear violated compactions outcome",
    about="Two texts in their order.",
)
@dataclass(frozen=True, slots=True)
class ArrowResult:
    """The order of two texts, as a judge scores them."""

    better: Variant
    relation: Relation
    worse: Variant
    difference: Annotated[float, "mean of the score of `better` minus that of `worse`"]
    low: Annotated[float, "lower end of the 95% interval of the difference, by session"]
    high: Annotated[float, "upper end"]
    held: Annotated[int, "compactions whose scores are in this order"]
    violated: Annotated[int, "compactions whose scores are in another order"]
    compactions: Annotated[int, "with both texts"]
    outcome: Outcome

    @property
    def unclear(self) -> Annotated[int, "compactions whose scores are equal although one should be higher"]:
        return self.compactions - self.held - self.violated


@json_object(keys="compactions sessions texts arrows")
@dataclass(frozen=True, slots=True)
class JudgeReport:
    """The scores that a judge gives to texts whose order is known, and that order."""

    compactions: int
    sessions: int
    texts: Sequence[VariantScore]
    arrows: Sequence[ArrowResult]


Scores = Mapping[Variant, float]


def summary_judge() -> Judge:
    """Return a judge of what a text keeps, of what it lets an agent do next, and of what it invents.

    Its score is the mean of the retained share of the facts and the answered share of the questions for going on, times
    the faithfulness of the text. A fact does not count where only an invented or contradicted statement has it.
    """
    retention = retention_judge()

    def score(case: JudgeCase, text: str) -> float:
        if case.transition is None:
            return retention(case, text)
        sound, faithful = sound_part(case.transition, text)
        kept = retention(case, sound)
        answered = continuation(case.transition, text)
        quality = kept if answered is None else (kept + answered) / 2
        return quality * faithful

    return score


def retention_judge() -> Judge:
    """Return the judge that Tune and Replay use: the weighted share of the facts that a text retains."""
    indexes: dict[str, FactIndex] = {}

    def score(case: JudgeCase, text: str) -> float:
        index = indexes.get(case.session.id)
        if index is None:
            indexes.clear()
            index = indexes[case.session.id] = FactIndex(case.session)
        return kept_in(index, case.log, [summary_message(text)]).share

    return score


def judge_texts(
    cases: Iterable[JudgeCase],
    judge: Judge,
    foreign: str = "",
    on_progress: Callable[[int, int], None] | None = None,
) -> JudgeReport:
    """Score the texts of compactions and compare their order with the known one.

    Args:
        cases: Compactions, those of one session next to each other.
        judge: The judge under test.
        foreign: Summary of another session for the first compaction. The others use the last one of another session.
        on_progress: Called with the number of scored texts of a compaction and the number of all its texts.

    Raises:
        OSError: If a recording can no longer be read.
    """
    by_session: dict[str, list[Scores]] = {}
    last = ("", foreign)
    other = foreign
    for case in cases:
        if case.session.id != last[0]:
            other, last = last[1], (case.session.id, "")
        texts, scores = case.texts(other), dict[Variant, float]()
        for name, text in texts.items():
            if on_progress:
                on_progress(len(scores), len(texts))
            scores[name] = judge(case, text)
        by_session.setdefault(case.session.id, []).append(scores)
        last = case.session.id, case.summary.text
    return report_of(list(by_session.values()))


def report_of(sessions: Sequence[Sequence[Scores]]) -> JudgeReport:
    """Return the report on scores that were given to the compactions of some sessions."""
    rows = [scores for session in sessions for scores in session]
    names = dict.fromkeys(name for scores in rows for name in scores)
    texts = []
    for name in names:
        known = [scores[name] for scores in rows if name in scores]
        texts.append(VariantScore(name, sum(known) / len(known), len(known)))
    results = (_arrow(sessions, *arrow) for arrow in ARROWS)
    return JudgeReport(len(rows), len(sessions), texts, [result for result in results if result is not None])


def _arrow(
    sessions: Sequence[Sequence[Scores]], better: Variant, relation: Relation, worse: Variant
) -> ArrowResult | None:
    groups = [[one[better] - one[worse] for one in session if better in one and worse in one] for session in sessions]
    groups = [group for group in groups if group]
    flat = [difference for group in groups for difference in group]
    if not flat:
        return None
    interval = mean_interval(groups)
    outcomes = [_outcome(relation, difference, difference) for difference in flat]
    return ArrowResult(
        *(better, relation, worse, interval.mean, interval.low, interval.high),
        *(outcomes.count("held"), outcomes.count("violated"), len(flat)),
        _outcome(relation, interval.low, interval.high),
    )


def _outcome(relation: Relation, low: float, high: float) -> Outcome:
    if relation == "=":
        if low >= -_TOLERANCE and high <= _TOLERANCE:
            return "held"
        return "violated" if low > _TOLERANCE or high < -_TOLERANCE else "unclear"
    margin = _TOLERANCE if relation == ">=" else -_EXACT
    return "held" if low > -margin else "violated" if high < -abs(margin) else "unclear"
