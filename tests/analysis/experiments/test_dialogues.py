"""What compressed dialogues can still answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.analysis.experiments import DialogueChecks, Evaluation, evaluate_dialogues, evaluate_searches
from inspector.analysis.experiments.dialogues.answer_words import tells, words_of
from inspector.analysis.experiments.dialogues.evaluation import budget_settings
from inspector.analysis.experiments.dialogues.ranks import spearman
from inspector.engine.retrieval import Embedder, WordLlamaEmbedder, conversation_index
from inspector.engine.strategies import STRATEGIES, MessageSearch, Services
from inspector.engine.window import at_turn
from inspector.formats import read_beam, read_dialogues
from inspector.llm.tokens import estimate_sizes
from tests.dialogues import beam_folder, dialogue
from tests.formats.written import write_json


def evaluation(
    tmp_path: Path, *strategies: str, budgets: tuple[float, ...] = (0.3,), embedder: Embedder | None = None
) -> Evaluation:
    dialogues = read_dialogues(write_json(tmp_path / "x", [dialogue(), dialogue(days=8, name="conv-2")]))
    windows = [(entry, at_turn(entry.session, estimate_sizes(entry.session))) for entry in dialogues]
    services = Services(search=MessageSearch(conversation_index(embedder)).search)
    return evaluate_dialogues(windows, DialogueChecks(strategies, budgets, services=lambda: services))


def test_the_whole_dialogue_holds_what_it_answers(tmp_path: Path) -> None:
    whole = evaluation(tmp_path, "deletion").whole
    assert (whole["4"].with_evidence, whole["4"].evidence, whole["4"].with_answer, whole["4"].answers) == (4, 4, 4, 4)
    assert (whole["1"].with_evidence, whole["1"].with_answer) == (0, 2), "evidence that names no turn is none"
    assert (whole["3"].with_evidence, whole["3"].with_answer) == (0, 0), "words that were never said are not looked for"
    assert (whole["5"].with_evidence, whole["5"].with_answer) == (0, 0), "adversarial questions are not asked"


def test_what_left_the_window_no_longer_answers(tmp_path: Path) -> None:
    [cell] = evaluation(tmp_path, "deletion").cells
    single = cell.categories["4"]
    assert (single.evidence, single.answers) == (2, 2), "the teacher is told on the last day, the canoe on the first"
    assert 0.2 < cell.tokens < 0.34
    assert cell.categories["2"].evidence == 0, "all turns of the evidence have to be there"


def test_the_words_of_a_summary_count(tmp_path: Path) -> None:
    [cell] = evaluation(tmp_path, "sliding_window", budgets=(0.9,)).cells
    assert (
        cell.categories["4"].answers > evaluation(tmp_path, "deletion", budgets=(0.3,)).cells[0].categories["4"].answers
    )


def test_strategies_that_find_nothing_to_do_have_no_row(tmp_path: Path) -> None:
    result = evaluation(tmp_path, "mask_observations", "deletion")
    assert result.idle == ("mask_observations",)
    assert {cell.strategy for cell in result.cells} == {"deletion"}


def test_a_budget_in_tokens_is_the_same_for_every_dialogue(tmp_path: Path) -> None:
    [cell] = evaluation(tmp_path, "token_window", budgets=(400,)).cells
    assert 600 < cell.after <= 800


@pytest.mark.parametrize("name", ["token_window", "fifo", "deletion", "importance", "head_tail", "amortized"])
@pytest.mark.parametrize("budget", [0.2, 0.6])
def test_what_is_dropped_to_a_budget_meets_it(tmp_path: Path, name: str, budget: float) -> None:
    [cell] = evaluation(tmp_path, name, budgets=(budget,)).cells
    assert budget / 2 < cell.tokens < budget + 0.12, "what is protected, or the first few, stand beside it"


@pytest.mark.parametrize("name", STRATEGIES)
def test_settings_for_a_budget_are_within_their_bounds(tmp_path: Path, name: str) -> None:
    [entry] = read_dialogues(write_json(tmp_path / "x", [dialogue()]))
    window = at_turn(entry.session, estimate_sizes(entry.session))
    for tokens in (0, 2, window.total // 3, 10 * window.total):
        values = budget_settings(name, window, tokens)
        for knob in STRATEGIES[name].knobs:
            if isinstance(values[knob.name], int | float) and not isinstance(knob.default, bool):
                assert knob.low <= values[knob.name] <= knob.high


def test_the_same_arguments_give_the_same_result(tmp_path: Path) -> None:
    assert evaluation(tmp_path, "sliding_window", "importance") == evaluation(tmp_path, "sliding_window", "importance")


def test_tracking_ranks_rows(tmp_path: Path) -> None:
    tracking = evaluation(tmp_path, "deletion", budgets=(0.1, 0.3, 0.5, 0.9)).tracking
    assert tracking.tokens is not None and tracking.tokens > 0.7
    assert evaluation(tmp_path, "deletion").tracking.retained is None, "one row has no order"


def test_what_was_archived_comes_back_for_its_question(tmp_path: Path) -> None:
    result = evaluation(tmp_path, "vector_swap", "token_window", budgets=(400,), embedder=WordLlamaEmbedder())
    swap, window = result.cells
    assert (swap.categories["4"].evidence, window.categories["4"].evidence) == (4, 2), "the canoe comes back"
    assert swap.after <= 800 and swap.recalls and not window.recalls
    assert result.tracking.retained is None, "what comes back is no part of retention: one row is left"


@pytest.mark.parametrize("embedder", [None, WordLlamaEmbedder()])
def test_a_search_finds_the_turns_that_answer(tmp_path: Path, embedder: WordLlamaEmbedder | None) -> None:
    dialogues = read_dialogues(write_json(tmp_path / "x", [dialogue(), dialogue(days=8, name="conv-2")]))
    results = evaluate_searches(dialogues, embedder)
    assert [result.name for result in results][-1] == ("fused" if embedder else "bm25, neighbours")
    for result in results:
        tally = result.categories["4"]
        assert (tally.questions, tally.turns, len(tally.hits)) == (4, 4, 3)
        assert list(tally.hits) == sorted(tally.hits) and tally.hits[0] >= 2, "who bought is found by the canoe's day"
        assert (result.categories["2"].turns, "3" in result.categories) == (4, False), (
            "turns that are not there are none"
        )
        assert result.total.questions == sum(entry.questions for entry in result.categories.values())
    assert results == evaluate_searches(dialogues, embedder)


def test_words_have_one_form() -> None:
    assert words_of("The Seventh's 7th of January, Jan's seven dogs and buses") == {
        "seventh", "7", "jan", "dog", "buse",
    }  # fmt: skip
    assert words_of("No, it was not.") == frozenset()
    assert words_of("café CAFÉ glass") == {"café", "glass"}


def test_an_answer_needs_its_share_of_words() -> None:
    assert tells({"red"}, words_of("a red canoe"), 0.5)
    assert not tells({"red"}, words_of("a red canoe"), 0.51)
    assert not tells({"red"}, frozenset(), 0.5)


def test_rank_correlation() -> None:
    assert spearman([1, 2, 3], [10, 20, 90]) == pytest.approx(1)
    assert spearman([1, 2, 3], [9, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 2, 2, 3], [1, 3, 2, 4]) == pytest.approx(0.9487, abs=1e-4)
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert spearman([], []) is None
    assert spearman([1, 2], [2, 1]) is None


def test_a_question_with_statements_needs_each_in_one_place_and_the_newest_value(tmp_path: Path) -> None:
    dialogues = read_beam(beam_folder(tmp_path))
    session = dialogues[0].session
    window = at_turn(session, estimate_sizes(session))
    result = evaluate_dialogues([(dialogues[0], window)], DialogueChecks(["deletion"], [0.5]))
    assert {name: (counts.with_answer, counts.answers) for name, counts in result.whole.items()} == {
        "information_extraction": (1, 1),
        "knowledge_update": (1, 1),
        "contradiction_resolution": (1, 1),
        "event_ordering": (2, 2),
        "preference_following": (1, 1),
        "abstention": (0, 0),
    }, "the order that never was is no answer"
    newest_half = {name: counts.answers for name, counts in result.cells[0].categories.items()}
    assert newest_half["knowledge_update"] == 1, "the newest value came late"
    assert newest_half["contradiction_resolution"] == 0, "one of both claims is gone"
    assert newest_half["information_extraction"] == newest_half["preference_following"] == 0
    assert result.cells[0].categories["knowledge_update"].evidence == 1, "the value that was replaced is no evidence"
