"""What makes a sentence a constraint, a decision, a task or an error, and that all who ask are told the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from inspector.engine.facts import (
    SentenceClass,
    Source,
    decides_or_fails,
    extract,
    message_classes,
    sentence_classes,
    source_of,
    text_classes,
)
from inspector.engine.facts.cue_tables import joined, mark_table
from inspector.engine.strategies.signals import signals
from inspector.engine.summaries.extractive.gist import make
from inspector.engine.summaries.summary_sections import Heading
from inspector.memory.tiers import persist_reasons
from tests.engine.facts.conversations import message
from tests.generated import Reply, window_of

SENTENCES: Mapping[SentenceClass, tuple[str, ...]] = {
    "constraint": (
        "You must keep the old column names.",
        "Never push to the release branch.",
        "Please don't touch the archive folder.",
        "Do not rename the public functions.",
        "The export may not take longer than an hour.",
        "Only admins may delete a ledger.",
        "At most 3 retries per request.",
        "Use at least 12 characters for each key.",
        "Write access is not allowed from the outside.",
        "A signature is required before the order is sent.",
        "The names have to stay unique.",
        "Make sure the backup runs first.",
        "Avoid new dependencies.",
        "Always quote the source of a number.",
        "It is important that the totals agree.",
        "The report is due on Friday at the latest.",
        "Say nothing about the price.",
    ),
    "decision": (
        "We decided to drop the second index.",
        "Decision: the ledger stays in one file.",
        "We agreed to ship on Thursday.",
        "We're going with the smaller model.",
        "We chose SQLite for the store.",
        "I picked the blue layout.",
        "We settled on weekly releases.",
        "The offer is accepted.",
        "Let's use the second shard.",
        "We will use Redis.",
        "I'll keep the old names.",
        "Instead of Redis we take SQLite.",
        "We use a queue instead of a lock.",
        "We are switching to weekly backups.",
        "The plan is to keep both feeds until May.",
        "They opted for the longer route.",
    ),
    "task": (
        "TODO: read the second file.",
        "To do: translate the labels.",
        "The next step is the migration.",
        "The export is still to be written.",
        "The tests still need a fixture.",
        "Two rows are still missing.",
        "The review is pending.",
        "The second half is unfinished.",
        "The rename is not done.",
        "The changes are not committed yet.",
        "Not yet implemented: the second page.",
        "Nothing is pushed so far, and nothing is done.",
        "Follow-up: tell the depot.",
        "The ledger remains to be checked.",
        "Open question: who signs the order?",
        "- [ ] write the second test",
    ),
    "error": (
        "Connection refused by the server.",
        "ValueError: no row 4711 in the table",
        "It raised a KeyError on the second row.",
        "The worker crashed after an hour.",
        "The build failed on the second machine.",
        "The upload failed with a bad checksum.",
        "Permission denied while opening the ledger.",
        "Access was denied at the gate.",
        "No such file in the archive.",
        "The command not found was make.",
        "The request timed out twice.",
        "It ended with exit code 2.",
        "fatal: no branch named next",
        "error: the lock is taken",
        "Traceback (most recent call last)",
        "The tests failed while reading the feed.",
    ),
}
PLAIN: Mapping[SentenceClass, tuple[str, ...]] = {
    "constraint": (
        "I must have missed it.",
        "You must be the new one?",
        "Don't worry about the rest.",
        "I don't know the answer.",
        "We never saw that file before.",
        "The reason must be the cache.",
        "Let me make sure of that later.",
        "He always arrives in the evening.",
        "The only copy lies in the cellar.",
        "I have to look at the feed.",
        "Is that allowed at all?",
        "The most important harbour is in the north.",
        "It had never been opened.",
        "A mustard field stands behind the house.",
        "I should read it once more.",
    ),
    "decision": (
        "He has not decided whether to go.",
        "Let's take a look at the feed.",
        "I'll take care of it.",
        "I'll look at the second file.",
        "We plan a feast for the evening.",
        "It was neither here nor there.",
        "I read the log instead of the file.",
        "We will see what comes of it.",
        "They use a bridge in the summer.",
        "I am going to read the file.",
        "Who decides on the route?",
        "I will keep you posted.",
        "The plan is good.",
        "She took the train.",
        "We move along the river.",
    ),
    "task": (
        "The rest is here.",
        "He came next.",
        "It is still warm.",
        "The work is done.",
        "Progress was quick this week.",
        "I have not seen it yet.",
        "The remains of the wall are old.",
        "An open window faces the yard.",
        "Nothing is lost.",
        "All points are ticked off.",
        "- [x] write the first test",
        "The later train is full.",
        "She stepped on the pier.",
        "To do that is easy.",
        "It was finished in May.",
    ),
    "error": (
        "There were no errors.",
        "The error page is blue.",
        "0 errors, 12 tests passed.",
        "We handle errors in one place.",
        "An exception to the rule is the north gate.",
        "Failure is a good teacher.",
        "If it fails, try again.",
        "raise ValueError('no row')",
        "The function raises errors for bad input.",
        "She denied it.",
        "I refused the offer.",
        "The exit is on the left.",
        "He found no such thing there.",
        "It exited with exit code 0.",
        "The time was out of joint.",
    ),
}
"""Sentences with words of each class that are not of it."""
HEADINGS: Mapping[SentenceClass, Heading] = {
    "constraint": "Constraints",
    "decision": "Decisions",
    "task": "Open tasks",
    "error": "Errors",
}


def cases(table: Mapping[SentenceClass, tuple[str, ...]]) -> Iterator[tuple[SentenceClass, str]]:
    return ((cls, sentence) for cls, sentences in table.items() for sentence in sentences)


of_a_class = pytest.mark.parametrize(("cls", "sentence"), [*cases(SENTENCES)])
not_of_it = pytest.mark.parametrize(("cls", "sentence"), [*cases(PLAIN)])


def test_there_are_enough_sentences_to_tell() -> None:
    assert min(map(len, [*SENTENCES.values(), *PLAIN.values()])) >= 15


@of_a_class
def test_a_sentence_is_of_its_class(cls: SentenceClass, sentence: str) -> None:
    assert cls in sentence_classes(sentence)


@not_of_it
def test_a_sentence_that_only_sounds_like_a_class_is_not_of_it(cls: SentenceClass, sentence: str) -> None:
    assert cls not in sentence_classes(sentence)


@pytest.mark.parametrize("sentence", [sentence for table in (SENTENCES, PLAIN) for _, sentence in cases(table)])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_facts_summaries_signals_and_tiers_agree_on_a_sentence(sentence: str, role: str) -> None:
    said = message("m1", sentence, "user" if role == "user" else "assistant")
    classes = set(sentence_classes(sentence, source_of(said)))

    heading = make(said).lines[0][0]
    assert heading == next(
        (HEADINGS[cls] for cls in HEADINGS if cls in classes), "Goal" if role == "user" else "Results"
    )

    marks = signals(window_of(Reply(sentence)))[-1]
    assert (marks.decision, marks.error) == ("decision" in classes, "error" in classes)

    kept_for = {"a constraint": "constraint", "a decision": "decision", "an error": "error"}
    believed = {kept_for[reason] for reason in persist_reasons(said) if reason in kept_for}
    assert believed == classes - {"task"} - ({"constraint"} if role == "assistant" else set())

    assert message_classes(said) == text_classes(sentence, source_of(said)) == classes
    if "Traceback" not in sentence:  # facts take its last line, which says what the error is
        assert {fact.cls for fact in extract(said)} & HEADINGS.keys() == classes


@pytest.mark.parametrize(
    ("line", "classes"),
    [
        ("E   KeyError: 'harbour'", {"error"}),
        ("3 failed, 4 passed", {"error"}),
        ("0 errors, 4 passed", set()),
        ('raise ValueError("no row")', set()),
        ("# TODO: read the second file", {"task"}),
        ("Nobody may write to the old feed any more.", {"constraint"}),
        ("In May it was decided to close the old feed.", {"decision"}),
        ("We will use Redis.", set()),
        ("must = 3", set()),
    ],
)
def test_of_what_a_tool_prints_only_prose_and_lines_that_tell_of_failures_count(
    line: str, classes: set[SentenceClass]
) -> None:
    assert set(sentence_classes(line, "output")) == classes
    assert text_classes(line, "output") == classes
    assert {fact.cls for fact in extract(message("m1", line, "tool"))} & HEADINGS.keys() == classes


def test_points_below_a_heading_are_tasks_for_facts_and_summaries() -> None:
    text = "Remaining work:\n- count the rest\n- [x] count some"
    said = message("m1", text)
    assert [fact.text for fact in extract(said) if fact.cls == "task"] == ["count the rest"]
    assert [line[1] for line in make(said).lines if line[0] == "Open tasks"] == ["- count the rest"]


@pytest.mark.parametrize("text", ["", "no", "x" * 700 + " must not", "must not"])
def test_what_is_too_short_or_too_long_for_a_sentence_is_of_no_class(text: str) -> None:
    assert sentence_classes(text) == ()


def test_joined_tables_of_cue_phrases_match_as_both_do() -> None:
    one = mark_table(("must|never", r"\bmust\b"), ("never", r"\bnever\b"))
    both = joined(one, mark_table(("never", r"\bnot ever\b"), ("should", r"\bshould\b")))
    assert list(both) == ["must", "never", "should"] and len(both) == 3
    assert [bool(both["never"].search(text)) for text in ("You MUST", "Never", "not ever", "should")] == [
        *(True, True, True, False)
    ]
    assert list(both.only(["should"]).items()) == [("should", both["should"])]
    with pytest.raises(KeyError):
        both["may"]


_DECIDING = (
    "We decided to keep the cache.",
    "## Decisions\n- keep the old cache for now\n- drop the second queue",
    "Traceback (most recent call last):",
    "The build failed with exit code 2.",
    "You must never push to main.",
    "- [ ] rename the module\nNext: test it",
    "Nothing of note. İt rained.",
)


@pytest.mark.parametrize("source", ["speech", "typed", "rules"])
@pytest.mark.parametrize("text", [*_DECIDING, "\n\n".join(_DECIDING)])
def test_a_decision_and_an_error_are_found_alone_as_among_all_classes(text: str, source: Source) -> None:
    classes = text_classes(text, source)
    assert decides_or_fails(text, source) == ("decision" in classes, "error" in classes)
