"""The classes of facts, and their weights."""

from __future__ import annotations

import pickle

import pytest

from inspector.engine.facts.classes import CLASSES, NAMES, Weights, fact_class


def test_every_class_has_a_weight_and_says_in_one_line_what_it_is() -> None:
    assert len(CLASSES) == 14
    for about in CLASSES.values():
        assert about.weight > 0
        assert about.about and "\n" not in about.about


def test_weights_are_the_defaults_and_what_is_given_beside_them() -> None:
    weights = Weights({"date": 4.0, "tool": 0.0})
    assert weights["date"] == 4.0
    assert weights["tool"] == 0.0
    assert weights["path"] == CLASSES["path"].weight
    assert list(weights) == list(NAMES)
    assert dict(Weights()) == {name: about.weight for name, about in CLASSES.items()}


def test_weights_do_not_change_with_what_they_were_made_of() -> None:
    given = {"date": 4.0}
    weights = Weights(given)
    given["date"] = 9.0
    assert weights["date"] == 4.0


def test_equal_weights_are_one_key_and_can_be_sent_to_another_process() -> None:
    weights = Weights({"date": 4.0})
    assert {weights: "seen"}[pickle.loads(pickle.dumps(weights))] == "seen"
    assert weights != Weights()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"colour": 1.0}, "no fact class 'colour': choose one of constraint"),
        ({"date": -1.0}, "the weight of date must be from 0 to 1,000, not -1.0"),
        ({"date": 1e308}, r"the weight of date must be from 0 to 1,000, not 1e\+308"),
        ({"date": float("nan")}, "the weight of date must be from 0 to 1,000, not nan"),
        ({"date": float("inf")}, "the weight of date must be from 0 to 1,000, not inf"),
        (dict.fromkeys(NAMES, 0.0), "all weights are 0"),
    ],
)
def test_weights_that_make_no_sense_are_refused_in_words(given: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Weights(given)


def test_a_class_is_found_by_its_name() -> None:
    assert fact_class("id") == "id"
    assert [fact_class(name) for name in ("hash", "money", "quoted")] == ["id", "amount", "quote"]
    assert Weights({"money": 9.0}) == Weights({"amount": 9.0})
    with pytest.raises(ValueError, match="no fact class 'hashes'"):
        fact_class("hashes")
