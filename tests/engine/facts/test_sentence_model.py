"""The linear model over the rules: what it confirms, rejects and adds, and the file of its weights."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from math import exp

import orjson
import pytest
from hypothesis import given, strategies as st

from inspector.engine.facts import SentenceClass, SentenceClassifier, Source, text_classes
from inspector.engine.facts.sentence_facts import ruled_sentences
from inspector.engine.facts.sentence_model import (
    SCALE,
    WEIGHTS_FILE,
    WEIGHTS_SHA256,
    class_probabilities,
    confirmed_classes,
    is_binding,
)
from tests.benchmarks.sentence_weights import sentence_features, written_examples

WEIGHTS = files("inspector.engine.facts").joinpath(WEIGHTS_FILE).read_bytes()


def test_the_weights_are_those_that_stored_extracts_depend_on() -> None:
    assert hashlib.sha256(WEIGHTS).hexdigest() == WEIGHTS_SHA256
    assert len(WEIGHTS) < 200_000


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Never let anybody take that joy away from you!", "typed"),
        ("It's important to me that everyone feels at home.", "typed"),
        ("Make sure you rest a little tonight!", "speech"),
        ("That can only be good for the team.", "speech"),
        ("214: // counts each row once and never twice on a second read", "output"),
    ],
)
def test_a_cue_phrase_in_talk_and_in_comments_is_no_rule(text: str, source: Source) -> None:
    assert "constraint" in {cls for cls, _ in ruled_sentences(text, source)}
    assert "constraint" not in text_classes(text, source)


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("Use the existing types in this project.", "constraint"),
        ("do number 4", "decision"),
    ],
)
def test_a_sentence_of_a_user_without_a_cue_phrase_can_have_a_class(text: str, cls: str) -> None:
    assert cls in text_classes(text, "typed")


def test_nothing_is_added_to_a_pasted_document_a_reply_or_an_output() -> None:
    sentence = "do number 4"
    assert text_classes(sentence, "typed")
    assert not text_classes(f"{sentence}\n{'The pump runs at night. ' * 200}", "typed")
    assert not text_classes(sentence, "speech")
    assert not text_classes(sentence, "output")


def test_a_class_that_more_than_the_sentence_tells_is_kept() -> None:
    talk = "That can only be good for the team."
    assert confirmed_classes(talk, "speech", ["constraint"]) == ()
    assert confirmed_classes(talk, "speech", ["constraint"], ["constraint"]) == ("constraint",)
    assert text_classes(f"## Constraints\n- {talk}\n") == {"constraint"}


def test_errors_are_always_kept() -> None:
    assert confirmed_classes("E   KeyError: 'pump'", "output", ["error"]) == ("error",)


def test_sentences_without_words_have_probabilities() -> None:
    for text in ("", "!!!", "§§ ¤¤ ££", "12 34", "长江大桥"):
        assert all(0 < likely < 1 for likely in class_probabilities(text, "typed").values())


def test_most_written_sentences_have_their_class() -> None:
    written = [one for one in written_examples() if one.source in ("typed", "speech")]
    right = sum(
        bool(one.labels & classes) if one.labels else not classes
        for one in written
        for classes in [set(SentenceClassifier(one.text, one.source).classes(one.text))]
    )
    assert right > 0.8 * len(written)


@pytest.mark.parametrize(
    ("text", "source", "hits", "likely"),
    [
        ("Never push to the release branch.", "typed", ["constraint"], (0.97, 0.01, 0.01, 0.00)),
        ("We will keep the old format.", "typed", ["decision"], (0.01, 1.00, 0.02, 0.01)),
        ("Use the existing types.", "typed", [], (0.66, 0.14, 0.01, 0.01)),
        ("do number 4", "typed", [], (0.09, 0.87, 0.00, 0.00)),
        ("Write the missing test for the gauge.", "speech", ["task"], (0.01, 0.01, 1.00, 0.00)),
        ("That can only be good for the team.", "speech", ["constraint"], (0.25, 0.02, 0.03, 0.00)),
        ("You must answer in one sentence.", "rules", ["constraint"], (0.99, 0.00, 0.00, 0.00)),
        ("214: // counts each row once and never twice", "output", ["constraint"], (0.12, 0.00, 0.00, 0.00)),
    ],
)
def test_the_probabilities_of_some_sentences_are_known(
    text: str, source: Source, hits: list[SentenceClass], likely: tuple[float, ...]
) -> None:
    """New weights or features change these. Look at what they do to recordings before writing the new ones down."""
    known = dict(zip(("constraint", "decision", "task", "error"), likely, strict=True))
    assert class_probabilities(text, source, hits) == pytest.approx(known, abs=0.006)


PIECES = (
    "never",
    "we",
    "Low",
    "up",
    "sign",
    "json",
    "must",
    "`run",
    "it`",
    "feed/a.py",
    "42",
    "don't",
    ":",
    '"',
    "*",
    "é",
)
SENTENCES = st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join)


@given(
    SENTENCES, st.sampled_from(["typed", "speech", "rules", "output"]), st.sets(st.sampled_from(["constraint", "task"]))
)
def test_a_probability_follows_from_the_weights_of_the_features(
    text: str, source: Source, hits: set[SentenceClass]
) -> None:
    content = orjson.loads(WEIGHTS)
    known = content["weights"]
    rows = [known[name] for name in dict.fromkeys(sentence_features(text, source, hits, known)) if name in known]
    scale = SCALE / 100 / max(1, len(rows)) ** 0.5
    sums = map(sum, zip(*rows, strict=True))
    scores = [bias + scale * total for bias, total in zip(content["bias"], sums, strict=True)]
    expected = dict(zip(content["classes"], (1 / (1 + exp(-score)) for score in scores), strict=True))
    assert class_probabilities(text, source, hits) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Guideline T-4: trunk to wire must be half the grown crown plus 2.20 m.", "speech"),
        ("And the board must show both hours (note HN-88), so the letter belongs into `clock()`.", "speech"),
        ("Reserve of 8 % of it must not be planned, so 1,490,400 can be.", "output"),
    ],
)
def test_a_duty_about_a_concrete_thing_is_a_rule_whatever_its_other_words_are(text: str, source: Source) -> None:
    assert "constraint" in confirmed_classes(text, source, ["constraint"])


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("48: // readers MUST fill this from `usage`", "output"),
        ("The tide must have been at 4 metres.", "speech"),
        ("If it is lost, the pump must be restarted at 5.", "speech"),
    ],
)
def test_a_comment_a_guess_and_a_case_are_none(text: str, source: Source) -> None:
    assert not is_binding(text, source)
