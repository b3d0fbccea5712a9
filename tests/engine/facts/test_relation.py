"""Which sentences and values a rewritten text states, in any layout."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inspector.engine.facts.relation import RelatedText, sentence_of
from inspector.engine.facts.value_sources import source_words
from inspector.engine.facts.word_presence import may_relate, may_restate

SUMMARY = """## Rules
- The board's feed must stay as docs/board-feed.md has it; its firmware cannot be updated before 18 May.
- No offsets and no Z in anything that people see.
- **Unit tests only**: never start the whole suite without being asked.
- Lose at most 90 parking places, keep all twelve streets.
"""


def restates(text: str, sentence: str) -> bool:
    return RelatedText(text).restates(sentence_of(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "The feed must stay as docs/board-feed.md has it, columns and line ends included.",
        "please no offsets or Z in anything people see, the keepers read it as a name",
        "At most 90 parking places are to be lost.",
    ],
)
def test_the_same_in_other_words_is_told(sentence: str) -> None:
    assert restates(SUMMARY, sentence)
    assert restates(" ".join(SUMMARY.split()), sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Anything that people see has offsets and a Z.",
        "At most 80 parking places are to be lost.",
        "At most 90 parking places are to be lost, and 30 % of the trees.",
        "Write the plan into docs/board-feed.md as well.",
        "Stay there.",
        "",
    ],
)
def test_the_opposite_another_number_and_a_shared_path_are_not(sentence: str) -> None:
    assert not restates(SUMMARY, sentence)


def test_an_enumeration_and_words_in_another_order_state_no_sentence() -> None:
    rule, names = (
        "The feed must stay as docs/board-feed.md has it.",
        [f"src/board/part{number}.py" for number in range(20)],
    )
    assert not restates(", ".join([*names, rule.rstrip("."), *names]), rule)
    assert restates(" ".join(f"- {point}" for point in [*names, rule, *names]), rule)
    pump = "Each pump of the northern harbour runs dry at noon."
    assert restates("At noon each pump of the northern harbour runs dry.", pump)
    assert not restates("noon harbour dry of runs at northern pump each", pump)


def test_without_a_summary_nothing_is_told() -> None:
    assert not restates("", "The feed must stay as it is now.")


SOURCE = "We looked around.\nThe importer src/timetable/importer.py rounds departures down, and HB-20417 stays.\nDone."


@pytest.mark.parametrize(
    ("text", "is_related"),
    [
        ("src/timetable/importer.py rounds all departures down", True),
        ("departures are rounded in\n\n- importer.py\n- and elsewhere", True),
        ("src/timetable/importer.py, src/timetable/archive.py, HB-20417", False),
        ("It was about src/timetable/importer.py.", False),
        ("src/timetable/importer.py opens the archive of letters", False),
        ("departures are rounded down" + " by ferry and by bus" * 4 + " in src/timetable/importer.py", False),
        ("departures are rounded down", False),
        ("", False),
    ],
)
def test_a_value_is_related_near_the_words_that_it_belongs_to(text: str, is_related: bool) -> None:
    words = source_words(SOURCE, "src/timetable/importer.py")
    assert RelatedText(text).relates("src/timetable/importer.py", [words]) is is_related


def test_the_words_of_a_value_are_those_of_its_sentence_or_else_those_around_it() -> None:
    assert source_words(SOURCE, "HB-20417") == {"import", "round", "departur", "down", "stay"}
    assert source_words("The ferries sail at\n23:30\nfrom the island.", "23:30") == {"fer", "sail", "island"}
    assert source_words("Nothing of it.", "src/timetable/importer.py") == frozenset()


@given(st.text(), st.text())
def test_any_text_may_be_asked_for_anything(text: str, value: str) -> None:
    assert RelatedText(text).relates(value, [source_words(text, value)]) in (True, False)
    assert RelatedText(text).restates(sentence_of(value)) in (True, False)


@given(st.lists(st.sampled_from(["The", "pump", "must", "not", "run", "at", "noon", "dry.", "src/pump.py", "17"])))
def test_line_breaks_have_no_meaning(words: list[str]) -> None:
    lines, line = RelatedText("\n".join(words)), RelatedText(" ".join(words))
    for sentence in ("The pump must not run dry at noon.", "The pump must run dry at noon.", "Pumps run dry at 17."):
        assert lines.restates(sentence_of(sentence)) is line.restates(sentence_of(sentence))
    assert list(lines.words_near("src/pump.py")) == list(line.words_near("src/pump.py"))


def test_words_that_would_be_near_a_value_in_any_order_do_not_relate_it() -> None:
    source = source_words("The pump P-77 of the harbour leaks oil at noon.", "P-77")
    filler = [f"crew{chr(97 + number % 26)} boards ship" for number in range(90)]
    scattered = "harbour leaks pump oil noon ".join(f"{part} " for part in filler)
    assert not RelatedText(f"{scattered} P-77 {scattered}").relates("P-77", [source])
    assert RelatedText(f"{' '.join(filler)}. The harbour pump P-77 leaks. {' '.join(filler)}").relates("P-77", [source])


def test_a_value_that_is_often_stated_with_its_words_is_not_near_them_by_chance() -> None:
    source = source_words("The pump P-77 of the harbour leaks oil at noon.", "P-77")
    report = "The harbour pump P-77 leaks. Crews board the other ships of the island, and nothing else happens. "
    assert RelatedText(report * 9).relates("P-77", [source])
    listed = "harbour pump leaks oil noon. Crews board the other ships of the island. " * 9
    assert not RelatedText(f"{listed} P-77 {listed}").relates("P-77", [source])


def test_a_part_of_a_value_elsewhere_is_not_the_value() -> None:
    text = f"The strategy of the ferry is late. {'Crews board the ship. ' * 3}See ferry/strategy.go for tides."
    [near] = RelatedText(text).words_near("strategy.go")
    assert "tid" in near and "lat" not in near


def test_a_few_of_many_words_of_a_source_relate_a_value() -> None:
    words = source_words(f"P-77 {' '.join(f'w{chr(97 + n)}ork' for n in range(26))} harbour pump leaks noon", "P-77")
    assert len(words) > 20 and RelatedText("At noon the harbour pump P-77 leaks.").relates("P-77", [words])
    assert not RelatedText("The harbour pump P-77 is dry.").relates("P-77", [words])


def test_all_words_of_a_short_sentence_are_in_its_order() -> None:
    point = "Run affected tests and fix issues"
    assert restates("First run the tests, then fix issues.", point)
    assert not restates("The issues of the tests have a run.", point)


def test_a_text_that_says_a_sentence_has_enough_of_its_words() -> None:
    sentence = sentence_of("Never write to the staging database before the nightly backup has ended.")
    said = "We must never write to the staging database before the nightly backup ends."
    assert RelatedText(said).restates(sentence) and may_restate(said.lower(), sentence)
    assert not may_restate("the staging area is empty", sentence)
    words = frozenset(("staging", "databas", "backup"))
    assert may_relate("the staging database", words)
    assert not may_relate("the staging area", words)
