"""Outputs of the commands that test strategies on recordings with known answers."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from inspector.cli.schema.values import Missed, Share, Tokens


class TallyRecord(TypedDict):
    """How many questions can be answered from a window."""

    with_evidence: Annotated[int, "questions that name turns of the dialogue"]
    evidence: Annotated[int, "those of them all of whose turns are in the window, word for word"]
    with_answer: Annotated[int, "questions whose answer's words are in the whole dialogue"]
    answers: Annotated[int, "those of them whose answer's words are in the window"]


class TrackingRecord(TypedDict):
    """Spearman's rank correlation with the share of answers whose words are in the window, from -1 to 1."""

    retained: Annotated[float | None, "of what retention says; null where there is nothing to rank"]
    tokens: Annotated[float | None, "of the share of tokens that is left; null where there is nothing to rank"]


class BudgetTrackingRecord(TrackingRecord):
    """The correlations over the strategies at one budget."""

    budget: Annotated[float, "a share of the dialogue up to 1, else tokens"]


ByCategory = Annotated[
    Mapping[str, TallyRecord], "by category: 1 several turns, 2 time, 3 inference, 4 a single turn, 5 adversarial"
]


class EvaluatedRecord(TypedDict):
    """All dialogues under one strategy and one budget."""

    strategy: str
    budget: Annotated[float, "a share of the dialogue up to 1, else tokens"]
    before: Annotated[Tokens, "of all dialogues"]
    after: Tokens
    tokens: Annotated[Share, "of the tokens that is left"]
    retained: Annotated[Share, "of the facts, by weight; the mean over the dialogues"]
    reach: Annotated[Share, "the same, with those that the policy can bring back"]
    evidence: Annotated[Share | None, "of the questions whose evidence is in the window; null where none names any"]
    answers: Annotated[Share | None, "of the questions whose answer's words are; null where there are none"]
    categories: ByCategory
    failed: Annotated[int, "dialogues that could not be compressed"]
    recalls: Annotated[bool, "whether what was archived comes back for a question; such rows are not in the tracking"]


class SearchDepthRecord(TypedDict):
    """What is among the first results."""

    k: Annotated[int, "results that are looked at"]
    hits: Annotated[int, "turns that are among them"]
    recall: Annotated[Share | None, "of the turns; null where there are none"]
    interval: Annotated[Sequence[float], "Wilson's, of 95 %: from and to"]


class SearchTallyRecord(TypedDict):
    """The questions of one category."""

    questions: Annotated[int, "that name turns of the dialogue"]
    turns: Annotated[int, "that they name"]
    depths: Sequence[SearchDepthRecord]


class SearchedRecord(TypedDict):
    """One kind of search over all dialogues."""

    search: Annotated[str, "bm25 and embedding, each alone and with neighbours, and fused: both with neighbours"]
    all: SearchTallyRecord
    categories: Annotated[Mapping[str, SearchTallyRecord], "by category, adversarial questions with those they name"]


class EvalLocomoOutput(TypedDict):
    """Strategies on LoCoMo dialogues."""

    paths: Annotated[Sequence[str], "of the files that were read"]
    dialogues: int
    questions: int
    tokens: Annotated[Tokens, "of all dialogues"]
    least: Annotated[Share, "of an answer's words that has to be in a window"]
    whole: Annotated[ByCategory, "what the whole dialogues hold"]
    embedder: Annotated[str | None, "the model by which meaning is searched; null where there is none"]
    searches: Annotated[Sequence[SearchedRecord], "the turns that answer a question among the results of a search"]
    rows: Sequence[EvaluatedRecord]
    idle: Annotated[Sequence[str], "strategies that find nothing to do in these dialogues"]
    tracking: Annotated[TrackingRecord, "over all rows"]
    budgets: Sequence[BudgetTrackingRecord]
    missed: Missed
