"""`eval`: strategies on recordings with known answers, which do not depend on the built-in patterns for facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Annotated, Any

import click

from inspector.analysis.experiments import (
    BUDGETS,
    DEPTHS_OF_SEARCH,
    MIN_ANSWER_SHARE,
    Counts,
    DialogueChecks,
    Evaluation,
    SearchResult,
    SearchTally,
    Tracking,
    dialogue_json,
    dialogue_key,
    dialogue_of_json,
    evaluate_dialogues,
    evaluate_searches,
    search_services,
)
from inspector.cli.arguments import open_library
from inspector.cli.cluster_pool import cluster_option
from inspector.cli.command_errors import GATE, CommandError, UsageError
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import common, redact_option
from inspector.cli.output import echo, echo_json, paint, progress, warn, width
from inspector.cli.redacted_rows import redacted_rows
from inspector.cli.result_journal import ResultJournal, journal_option, journal_pool
from inspector.cli.schema.values import Missed, json_output
from inspector.cli.text.searches_text import searched_lines
from inspector.cli.text.tracking_text import budget_text, tracking_lines
from inspector.core.json_objects import Fraction, Tokens
from inspector.core.text import clip, clipped, lines_of, listed, pad, percent, plural
from inspector.engine.retrieval import embedder_from_environment
from inspector.engine.strategies import STRATEGIES
from inspector.engine.window import at_turn
from inspector.formats import (
    BEAM_ABILITIES,
    BEAM_UNANSWERED,
    Dialogue,
    UnreadableError,
    find,
    read_beam,
    read_dialogues,
)
from inspector.library import exact_sizes

_NAME = 17
_BESIDE_CATEGORIES = 65
"""Columns of the table next to the categories of questions."""
_MAX_SKIPPED = 20
"""Maximum number of unreadable conversations in a folder that are named."""
_MEASURES = (
    "evidence: all turns that answer a question are in the window, verbatim. answers: at least {least:.0%} of an "
    "answer's words are in it, for the answers of which the whole dialogue contains as many. "
)


@dataclass(frozen=True)
class _Benchmark:
    """A benchmark: the reader of its files, and the names of its categories of questions."""

    name: str
    read: Callable[[Path], list[Dialogue]]
    titles: Mapping[str, str]
    """Column titles of the categories."""
    unanswered: str
    """Category of the questions that the dialogue does not answer."""
    about: str
    """Meaning of the columns, with a place for the minimum share of words."""
    file: str = ""
    """Name of the files in a folder that contain dialogues; empty for any."""

    @property
    def answered(self) -> Mapping[str, str]:
        """Titles of the categories with answers."""
        return {name: title for name, title in self.titles.items() if name != self.unanswered}


_LOCOMO = _Benchmark(
    "LoCoMo",
    read_dialogues,
    {"1": "several", "2": "time", "3": "infer", "4": "single", "5": "advers."},
    "5",
    _MEASURES + "Categories of questions: several turns, time, inference, single turn.",
)
_BEAM = _Benchmark(
    "BEAM",
    read_beam,
    BEAM_ABILITIES,
    BEAM_UNANSWERED,
    _MEASURES + "Updates, contradictions, orders, instructions and preferences need their statements, each in one "
    "paragraph or line: the newest value, both claims, the events in order, the sentence in the user's words. "
    "Times need both points. abstain: questions that were never answered, for which no place in the window has as many "
    "words of the question; an empty window always abstains, so they are no part of the answers.",
    "chat.json",
)


@json_output(inline="tracking")
class BudgetTrackingOutput:
    """Correlations over the strategies at one budget."""

    tracking: Tracking
    budget: Annotated[float, "a share of the dialogue up to 1, else tokens"]


@json_output()
class SearchDepthOutput:
    """Relevant turns among the first results."""

    k: Annotated[int, "number of results considered"]
    hits: Annotated[int, "relevant turns among them"]
    recall: Annotated[Fraction | None, "of the turns; null without turns"]
    interval: Annotated[Sequence[float], "Wilson score interval of 95%: from and to"]


@json_output()
class SearchTallyOutput:
    """The questions of one category."""

    questions: Annotated[int, "that name turns of the dialogue"]
    turns: Annotated[int, "named turns"]
    depths: Sequence[SearchDepthOutput]


@json_output()
class SearchedOutput:
    """One search method over all dialogues."""

    search: Annotated[str, "bm25 and embedding, each without and with neighbours, and fused: both with neighbours"]
    all: SearchTallyOutput
    categories: Annotated[Mapping[str, SearchTallyOutput], "by category, including adversarial questions"]


@json_output(
    "paths dialogues=result.dialogues questions=result.questions tokens least=result.least whole=result.whole embedder"
    " searches rows=result.cells idle=result.idle tracking=result.tracking budgets missed"
)
class EvaluationOutput:
    """Strategies on LoCoMo dialogues or BEAM conversations."""

    paths: Annotated[Sequence[str], "of the files read"]
    result: Evaluation
    tokens: Annotated[Tokens, "of all dialogues"]
    embedder: Annotated[str | None, "the embedding model; null without one"]
    searches: Annotated[Sequence[SearchedOutput], "the turns that answer a question among the results of a search"]
    budgets: Sequence[BudgetTrackingOutput]
    missed: Missed


@click.group(name="eval")
def evaluate() -> None:
    """Test strategies on recordings with known answers."""


def _options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the argument and the options that all benchmarks share."""
    options = (
        click.argument("path", type=click.Path(path_type=Path)),
        click.option(
            "--strategy",
            "-s",
            "strategies",
            multiple=True,
            type=click.Choice(list(STRATEGIES)),
            metavar="NAME",
            help="A strategy to test; may be repeated. Default: all.",
        ),
        click.option(
            "--budget",
            "budgets",
            multiple=True,
            metavar="N",
            help="Target size: a share of each dialogue (30%) or tokens (8000). May be repeated. Default: "
            + ", ".join(f"{share:.0%}" for share in BUDGETS)
            + ".",
        ),
        click.option(
            "--least",
            type=click.FloatRange(0, 1, min_open=True),
            default=MIN_ANSWER_SHARE,
            show_default=True,
            metavar="SHARE",
            help="Minimum share of an answer's words in the window.",
        ),
        click.option(
            "--fail-untracked",
            is_flag=True,
            help="Exit with 3 if retention tracks the answers no better than the share of tokens does.",
        ),
        journal_option("Write each finished dialogue to this file, and skip the dialogues in it."),
        cluster_option,
        redact_option,
        common,
    )
    for option in reversed(options):
        command = option(command)
    return command


@evaluate.command()
@_options
def locomo(path: Path, **options: Any) -> int:
    """Test which questions compressed LoCoMo dialogues can still answer.

    PATH is a file of dialogues with questions, or a folder of such files. Compresses each dialogue with each strategy
    to each budget, and searches it for the turns that answer its questions. Stored data and files are not changed, and
    no model is called.
    """
    return _print_evaluation(_LOCOMO, path, **options)


@evaluate.command()
@_options
def beam(path: Path, **options: Any) -> int:
    """Test which questions compressed BEAM conversations can still answer.

    PATH is the folder of a conversation with chat.json and probing_questions, a folder of such folders, or a chat.json.
    Compresses each conversation with each strategy to each budget, and searches it for what the answers are made of:
    facts, newest values, both sides of a contradiction, events in order, instructions, preferences, times. Stored data
    and files are not changed, and no model is called.
    """
    return _print_evaluation(_BEAM, path, **options)


def _print_evaluation(
    benchmark: _Benchmark,
    path: Path,
    *,
    strategies: Sequence[str],
    budgets: Sequence[str],
    least: float,
    fail_untracked: bool,
    journal: Path | None,
    cluster: str | None,
    db: Path | None,
    as_json: bool,
) -> int:
    if not least > 0:
        raise UsageError(f"--least takes a share above 0 and up to 1, not {least}.")
    shares = tuple(dict.fromkeys(map(_budget_of, budgets))) or BUDGETS
    files = _files_in(benchmark, path)
    embedder = embedder_from_environment()
    model, dialogues = getattr(embedder, "name", ""), list(chain.from_iterable(map(itemgetter(1), files)))
    with open_library(db) as lib, progress() as on_progress:
        windows = [at_turn(dialogue.session, exact_sizes(dialogue.session, lib.store)) for dialogue in dialogues]
        searches = evaluate_searches(dialogues, embedder)
        checks = DialogueChecks(strategies, shares, least, partial(search_services, model))
        kept = ResultJournal(journal, dialogue_json, dialogue_of_json)
        pairs = list(zip(dialogues, windows, strict=True))
        keys = [dialogue_key(dialogue, (window.total, checks.keys, least, model)) for dialogue, window in pairs]
        with journal_pool(kept, keys, cluster, "dialogue") as pool, HeldInterrupt() as interrupt:
            result = evaluate_dialogues(pairs, checks, partial(on_progress, "compressing"), pool, interrupt)
    tokens = sum(map(attrgetter("total"), windows))
    missed = list(_missed_in(result)) if fail_untracked else []
    if as_json:
        output = EvaluationOutput(
            paths=list(map(str, dict(files))),
            result=result,
            tokens=tokens,
            embedder=model or None,
            searches=list(map(_searched, searches)),
            budgets=[
                BudgetTrackingOutput(tracking=result.tracking_at(budget), budget=budget) for budget in result.budgets
            ],
            missed=missed,
        )
        echo_json(redacted_rows(output))
    else:
        lines = [*_lines_of(benchmark, result, tokens), *searched_lines(searches, benchmark.titles, model)]
        echo("\n".join(redacted_rows(lines)))
    for sentence in missed:
        warn(sentence)
    return GATE if missed else 0


def _budget_of(text: str) -> float:
    """Parse a budget: a share of a dialogue from 0 to 1, or more than one token. Raises UsageError."""
    try:
        number = float(text.strip().removesuffix("%").replace(",", "").replace("_", ""))
    except ValueError:
        number = 0.0
    is_share = text.strip().endswith("%")
    if (is_share and 0 < number <= 100) or (not is_share and number >= 2 and number.is_integer()):
        return number / 100 if is_share else number
    raise UsageError(f"--budget takes a share such as 30% or a number of tokens such as 8000, not {text!r}.")


def _files_in(benchmark: _Benchmark, path: Path) -> list[tuple[Path, list[Dialogue]]]:
    """Return the dialogues of each file. Other files in a folder are ignored. Raises CommandError."""
    if not path.exists():
        raise CommandError(f"{path} does not exist.")
    files, problems = [], list[UnreadableError]()
    for file in find(path):
        if path.is_dir() and benchmark.file not in ("", file.name):
            continue
        try:
            files.append((file, benchmark.read(file)))
        except UnreadableError as error:
            problems.append(error)
    for problem in problems[:_MAX_SKIPPED] if benchmark.file or not path.is_dir() else ():
        if not files:
            raise problem
        warn(f"{problem} Skipped.")
    if not files:
        raise CommandError(f"{path} contains no dialogues of {benchmark.name}.")
    return files


def _missed_in(result: Evaluation) -> Iterator[str]:
    tracking = result.tracking
    if tracking.retained is None or tracking.tokens is None:
        yield "Too few rows to rank. Add strategies or budgets."
    elif tracking.retained <= tracking.tokens:
        yield (
            f"Retention tracks the answers' words no better than the share of tokens does: {tracking.retained:.2f} "
            f"against {tracking.tokens:.2f}."
        )


def _searched(search: SearchResult) -> SearchedOutput:
    tallies = {name: _search_tally(tally) for name, tally in search.categories.items()}
    return SearchedOutput(search=search.name, all=_search_tally(search.total), categories=tallies)


def _search_tally(tally: SearchTally) -> SearchTallyOutput:
    depths = [
        SearchDepthOutput(
            k=depth,
            hits=rate.repeated,
            recall=round(rate.repeated / rate.count, 4) if rate.count else None,
            interval=[round(end, 4) for end in rate.interval],
        )
        for depth, rate in zip(DEPTHS_OF_SEARCH, tally.rates, strict=True)
    ]
    return SearchTallyOutput(questions=tally.questions, turns=tally.turns, depths=depths)


def _lines_of(benchmark: _Benchmark, result: Evaluation, tokens: int) -> Iterator[str]:
    whole = sum(result.whole.values(), Counts())
    head = f"{plural(result.dialogues, 'dialogue')}, {tokens:,} tokens, {plural(result.questions, 'question')}"
    yield paint(clip(head, width()), "strong")
    basis = (
        f"{_counted(whole.with_answer, 'answer has its words', 'answers have their words')} in the whole dialogue, "
        f"{_counted(whole.with_evidence, 'question names', 'questions name')} the turns that answer them"
    )
    yield from (paint(line, "dim") for line in lines_of(basis, width()))
    yield ""
    if result.cells:
        yield from _table(benchmark, result)
        yield ""
        yield from tracking_lines(result)
    else:
        yield "No strategy removes anything from these dialogues, so there is nothing to compare."
    yield ""
    notes = [benchmark.about.format(least=result.least)]
    if result.idle:
        notes.append(f"No effect on these dialogues: {listed(result.idle)}.")
    for note in notes:
        yield from (paint(line, "dim") for line in lines_of(note, width()))


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _table(benchmark: _Benchmark, result: Evaluation) -> Iterator[str]:
    """Yield a line per strategy and budget, with the categories if they fit."""
    titled = {name: title for name, title in benchmark.answered.items() if name in result.whole}
    categories = titled if width() >= _BESIDE_CATEGORIES + 8 * len(titled) else {}
    titles = "".join(f"{title:>8}" for title in categories.values())
    abstains = any(cell.tally.unanswerable for cell in result.cells)
    names = f"{'strategy':<{_NAME}}{'budget':>7}{'left':>6}{'retained':>9}{'related':>8}{'evidence':>9}{'answers':>8}"
    names += f"{'abstain':>8}{titles}" if abstains else titles
    yield paint(clipped(names, width()), "dim")
    for cell in result.cells:
        tally = cell.tally
        parts = "".join(_cell_text(cell.categories[number].answer_share, 8) for number in categories)
        figures = f"{budget_text(cell.budget):>7}{_cell_text(cell.tokens, 6)}{_cell_text(cell.retained, 9)}"
        figures += f"{_cell_text(cell.related, 8)}{_cell_text(tally.evidence_share, 9)}"
        figures += f"{_cell_text(tally.answer_share, 8)}"
        figures += f"{_cell_text(tally.abstained_share, 8)}{parts}" if abstains else parts
        yield clipped(f"{pad(cell.strategy, _NAME)}{figures}", width())


def _cell_text(share: float | None, room: int) -> str:
    return ("–" if share is None else percent(share)).rjust(room)
