"""Evaluate which questions about a dialogue a compressed window can still answer, compared with fact retention.

Each dialogue is compressed once at its end, with each strategy to each budget. The remaining window is searched for the
turns that answer a question and for the words of its answer, which does not depend on the patterns that find facts. A
question with statements needs each of them in one place: a paragraph of a message, or a line of a summary. If the
strategy retrieves archived messages, every question is asked at the end, and the retrieved messages count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any

from inspector.analysis.experiments.dialogues.answer_words import words_of
from inspector.analysis.experiments.dialogues.dialogue_results import CheckResult, DialogueResult
from inspector.analysis.experiments.dialogues.question_checks import (
    Counts,
    QuestionCheck,
    WindowText,
    places_of,
    squeeze,
)
from inspector.analysis.experiments.dialogues.ranks import spearman, spearman_interval
from inspector.core.conversation import Message
from inspector.core.json_objects import Fraction, Tokens, json_object
from inspector.core.work_pool import Cancel, Stop, ThisProcess, WorkCancelled, WorkPool
from inspector.engine.compression import ArchivedGroups, recall
from inspector.engine.facts import FactIndex, kept_in
from inspector.engine.retrieval import EmbeddingError, conversation_index, embedder_from_environment
from inspector.engine.strategies import STRATEGIES, MessageSearch, Services, draft_plan, initial_values, recall_settings
from inspector.engine.window import Window, apply, archived_ids, with_messages
from inspector.formats import Dialogue, Question
from inspector.llm.providers import text_message

BUDGETS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Shares of a dialogue's tokens to which it is compressed."""
MIN_ANSWER_SHARE = 0.75
"""Share of an answer's words that a window must contain."""
_COUNTS = {"amortized": "limit"}
"""Setting that limits the number of messages, for strategies that have no setting with the role "recent"."""
_QUESTION = "the question"
"""Id of the message that asks a question."""
_SHORT = 40
"""Estimated tokens of a turn, to compute how many can be retrieved."""
_OFFERED = 2
"""Factor between that setting and the number of messages kept: at the limit, half of them are removed."""


ByCategory = Annotated[
    Mapping[str, Counts],
    "by category. LoCoMo: 1 several turns, 2 time, 3 inference, 4 a single turn, 5 adversarial; BEAM: ability",
]


@json_object(
    "Evaluated",
    "strategy budget before after tokens retained related reach evidence=tally.evidence_share"
    " answers=tally.answer_share abstained=tally.abstained_share categories failed recalls",
    rounded="tokens retained related reach evidence answers abstained",
)
@dataclass(frozen=True)
class Cell:
    """All dialogues under one strategy and one budget."""

    strategy: str
    budget: Annotated[float, "a share of the dialogue up to 1, else tokens"]
    before: Annotated[Tokens, "of all dialogues"]
    after: Tokens
    retained: Annotated[Fraction, "weighted share of facts, mean over the dialogues"]
    reach: Annotated[Fraction, "same, including recoverable facts"]
    categories: ByCategory
    failed: Annotated[int, "dialogues that could not be compressed"] = 0
    recalls: Annotated[
        bool, "true if archived messages are retrieved for a question; such rows are excluded from the tracking"
    ] = False
    """True if archived messages are retrieved for questions. Retention does not include them."""
    related: Annotated[Fraction, "same as `retained`, without values that are only named"] = 0.0

    @property
    def tokens(self) -> Annotated[Fraction, "remaining share of the tokens"]:
        return self.after / self.before if self.before else 1.0

    @property
    def tally(self) -> Counts:
        return sum(self.categories.values(), Counts())


_Ends = Annotated[
    Sequence[float] | None, "95% interval, from and to, if rows are drawn again; null without a correlation"
]


@json_object(rounded="retained related tokens")
@dataclass(frozen=True, slots=True)
class Tracking:
    """Rank correlations with the share of answers that remain; None if there is nothing to rank."""

    retained: Annotated[float | None, "correlation of retention; null if there is nothing to rank"]
    tokens: Annotated[float | None, "correlation of the remaining share of tokens; null if there is nothing to rank"]
    related: Annotated[float | None, "correlation of the kept relations; null if there is nothing to rank"] = None
    retained_interval: _Ends = None
    related_interval: _Ends = None
    tokens_interval: _Ends = None

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> Tracking:
        cells = [cell for cell in cells if not cell.recalls]
        answers = [cell.tally.answer_share or 0.0 for cell in cells]
        retained, related, tokens = (
            [float(getattr(cell, name)) for cell in cells] for name in ("retained", "related", "tokens")
        )
        return cls(
            spearman(retained, answers),
            spearman(tokens, answers),
            spearman(related, answers),
            spearman_interval(retained, answers),
            spearman_interval(related, answers),
            spearman_interval(tokens, answers),
        )


@dataclass(frozen=True)
class Evaluation:
    """All dialogues under all strategies and budgets."""

    cells: tuple[Cell, ...]
    """One cell per strategy and budget, grouped by strategy."""
    idle: Annotated[tuple[str, ...], "strategies without effect on these dialogues"]
    dialogues: int
    questions: int
    whole: Annotated[ByCategory, "results for the whole dialogues"]
    least: Annotated[Fraction, "minimum share of an answer's words in the window"]

    @property
    def budgets(self) -> tuple[float, ...]:
        return tuple(dict.fromkeys(cell.budget for cell in self.cells))

    @property
    def tracking(self) -> Annotated[Tracking, "over all rows"]:
        """Correlations over all strategies and budgets."""
        return Tracking.of(self.cells)

    def tracking_at(self, budget: float) -> Tracking:
        """Return the correlations over the strategies at one budget, where shares of tokens hardly differ."""
        return Tracking.of([cell for cell in self.cells if cell.budget == budget])


@dataclass(frozen=True)
class DialogueChecks:
    """Settings of an evaluation. Pools send them to other processes, so services are made there."""

    strategies: Sequence[str] = ()
    """Names of the strategies; empty for all."""
    budgets: Sequence[float] = BUDGETS
    """A number up to 1 is a share of a dialogue's tokens, a larger one is a number of tokens."""
    least: float = MIN_ANSWER_SHARE
    """Share of an answer's words that a window must contain."""
    services: Callable[[], Services] = Services
    """Returns the services that strategies can use, for example a search."""

    @property
    def keys(self) -> list[tuple[str, float]]:
        """Each strategy with each budget."""
        return [(name, budget) for name in self.strategies or STRATEGIES for budget in self.budgets]


def evaluate_dialogues(
    dialogues: Sequence[tuple[Dialogue, Window]],
    checks: DialogueChecks,
    on_progress: Callable[[int, int], None] | None = None,
    pool: WorkPool | None = None,
    cancel: Cancel | None = None,
) -> Evaluation:
    """Compress each dialogue with each strategy to each budget, and check its questions. Deterministic.

    Args:
        dialogues: Dialogues with their complete windows.
        checks: How they are compressed and checked.
        on_progress: Called with the number of finished dialogues and the total.
        pool: Workers that check the dialogues; None for this process.
        cancel: Stops the work when it is set.

    Raises:
        WorkError: If workers are lost.
        WorkCancelled: If the work was stopped.
    """
    results: dict[int, DialogueResult] = {}
    for place, result in (pool or ThisProcess()).results(_check_dialogue, checks, dialogues, cancel):
        results[place] = result
        if on_progress:
            on_progress(len(results), len(dialogues))
    if len(results) < len(dialogues):
        raise WorkCancelled
    ordered = [results[place] for place in range(len(dialogues))]
    cells, idle = _cells_of(checks.keys, [column for _, column in ordered])
    questions = sum(len(dialogue.questions) for dialogue, _ in dialogues)
    return Evaluation(cells, idle, len(dialogues), questions, _sums([whole for whole, _ in ordered]), checks.least)


def _check_dialogue(checks: DialogueChecks, entry: tuple[Dialogue, Window], stop: Stop) -> DialogueResult:
    """Return the counts of a whole dialogue, and its results with each strategy to each budget."""
    dialogue, window = entry
    exam, services = _DialogueChecks(dialogue, window, checks.least), checks.services()
    page = exam.read(window.messages)
    whole = exam.mark(window, window.total, (), [page] * len(exam.papers)).categories
    column = []
    for name, budget in checks.keys:
        if stop():
            raise WorkCancelled
        column.append(exam.compress(name, budget, services))
    return whole, column


def search_services(embedder: str) -> Services:
    """Return services with the search of this machine.

    Args:
        embedder: Name of the embedding model that it must have; empty for a search without one.

    Raises:
        EmbeddingError: If another model is configured here.
    """
    model = embedder_from_environment()
    if (name := getattr(model, "name", "")) != embedder:
        raise EmbeddingError(f"A worker embeds texts with {name or 'no model'}, not {embedder or 'without one'}.")
    return Services(search=MessageSearch(conversation_index(model)).search)


def _cells_of(
    keys: Sequence[tuple[str, float]], columns: Sequence[Sequence[CheckResult]]
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Return the cells of strategies that change anything, and the names of the others. A column is a dialogue."""
    rows = dict(zip(keys, zip(*columns, strict=True), strict=True)) if columns else {}
    busy = {name for (name, _), marks in rows.items() if any(mark.changes for mark in marks)}
    idle = dict.fromkeys(name for name, _ in keys if name not in busy)
    return tuple([_cell_of(*key, marks) for key, marks in rows.items() if key[0] in busy]), tuple(idle)


def _cell_of(name: str, budget: float, marks: Sequence[CheckResult]) -> Cell:
    count = len(marks) or 1
    return Cell(
        name,
        budget,
        sum(mark.before for mark in marks),
        sum(mark.after for mark in marks),
        sum(mark.retained for mark in marks) / count,
        sum(mark.reach for mark in marks) / count,
        _sums([mark.categories for mark in marks]),
        sum(mark.failed for mark in marks),
        any(mark.recalls for mark in marks),
        sum(mark.related for mark in marks) / count,
    )


def _sums(tallies: Sequence[Mapping[str, Counts]]) -> dict[str, Counts]:
    categories = sorted({category for tally in tallies for category in tally})
    return {
        category: sum((tally[category] for tally in tallies if category in tally), Counts()) for category in categories
    }


class _DialogueChecks:
    """The questions about one dialogue. Each message is read once for all windows that contain it."""

    def __init__(self, dialogue: Dialogue, window: Window, least: float) -> None:
        self.window = window
        self.log = dialogue.session.messages
        self.least = least
        self.index = FactIndex(dialogue.session)
        self.words = {message: words_of(message.text) for message in self.log}
        has_statements = any(question.statements or question.abstains for question in dialogue.questions)
        self.places = {message: places_of(message) for message in self.log} if has_statements else {}
        whole = self.read(self.log)
        self.papers = [QuestionCheck(question, dialogue, whole, least) for question in dialogue.questions]

    def compress(self, name: str, budget: float, services: Services) -> CheckResult:
        tokens = round(budget * self.window.total) if budget <= 1 else round(budget)
        plan = draft_plan(self.window, name, budget_settings(name, self.window, tokens), services)
        after, archived = apply(self.window, plan), archived_ids(plan)
        settings = recall_settings([plan])
        page = self.read(after.messages)
        if settings is None:
            return self.mark(after, after.total, archived, [page] * len(self.papers), plan.has_failed)
        groups = ArchivedGroups([message for message in self.window.messages if message.id in archived])
        pages, size = [], 0
        for paper in self.papers:
            back = recall(_asked(after, paper.question), groups, settings, services) if paper.is_asked else None
            pages.append(page + self.read([back.message]) if back and back.message else page)
            size += back.tokens if back and back.message else 0
        asked = sum(paper.is_asked for paper in self.papers)
        return self.mark(after, after.total + round(size / max(1, asked)), archived, pages, plan.has_failed)

    def read(self, messages: Sequence[Message]) -> WindowText:
        """Facts and words of messages, to search for answers."""
        new = [message for message in messages if message not in self.words]
        words = frozenset[str]().union(*(self.words.get(message) or words_of(message.text) for message in messages))
        places = [self.places.get(message) or places_of(message) for message in messages] if self.places else []
        quotes = "\n".join(squeeze(message.text) for message in new)
        return WindowText(frozenset(messages), quotes, words, tuple(chain.from_iterable(places)))

    def mark(
        self, after: Window, total: int, archived: Iterable[str], pages: Sequence[WindowText], failed: bool = False
    ) -> CheckResult:
        """Return the mark of a window of `total` tokens; for each question the page that it is answered from."""
        categories: dict[str, Counts] = {}
        for paper, page in zip(self.papers, pages, strict=True):
            category = paper.question.category
            categories[category] = categories.get(category, Counts()) + paper.mark(page, self.least)
        kept = kept_in(self.index, self.log, after.messages, archived)
        changes = tuple(after.messages) != tuple(self.window.messages)
        return CheckResult(
            self.window.total,
            total,
            kept.share,
            kept.reach,
            categories,
            changes,
            failed,
            any(page is not pages[0] for page in pages),
            kept.mean(lambda row: row.retained),
        )


def _asked(window: Window, question: Question) -> Window:
    """Return the window with a question as the current request."""
    message = text_message(_QUESTION, "user", question.text, window.context.dialect)
    return with_messages(window, [*window.messages, message], [*window.tokens, window.sizes.measure(message)])


def budget_settings(name: str, window: Window, tokens: int) -> dict[str, Any]:
    """Return the settings with which a strategy compresses a window to a number of tokens.

    A target is set to the budget. As many of the newest messages are kept as fit in it; if the rest is summarised, the
    newest messages and the summary get half of it each. Retrieval can fill the budget. All other settings keep their
    initial values.

    Args:
        name: Name of the strategy.
        window: Window to compress.
        tokens: Budget.
    """
    strategy = STRATEGIES[name]
    values = initial_values(strategy.settings, window)
    knobs = {knob.name: knob for knob in strategy.knobs}
    if target := strategy.setting("target") or strategy.setting("bound"):
        values[target] = knobs[target].clamp(tokens)
    if "recall" in knobs:
        values["recall"] = knobs["recall"].clamp(tokens)
        values["k"] = knobs["k"].clamp(max(values["k"], tokens // _SHORT))
    summarises = strategy.kind == "summarise"
    if summarises:
        values["ratio"] = knobs["ratio"].clamp(tokens / 2 / max(1, window.total))
    if count := strategy.setting("recent") or _COUNTS.get(name, ""):
        newest = _newest_within(window, tokens // 2 if summarises else tokens)
        if name in _COUNTS:
            newest = min(newest * _OFFERED, len(window.messages) - 1)
        values[count] = knobs[count].clamp(newest)
    return values


def _newest_within(window: Window, tokens: int) -> int:
    """Return the number of newest messages that fit in a number of tokens."""
    total = 0
    for count, size in enumerate(reversed(window.tokens)):
        total += size
        if total > tokens:
            return count
    return len(window.tokens)
