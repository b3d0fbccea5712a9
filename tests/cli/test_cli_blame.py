"""`inspector blame`: where a reply's values and sentences were stated."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import HOSTILE, call, inspect, written
from tests.cli.commands import RAW

NAMES = ["harbour", "granary", "belfry", "orchard", "quarry", "ferry", "mill", "chapel", "tannery", "brewery"]


def planted(seed: int) -> tuple[dict[str, Any], int, str, str]:
    """A conversation whose last reply states a value of one earlier message, and a value of none."""
    rng = random.Random(seed)
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You keep the keys of the village."}]
    ids = [f"KEY-{number}" for number in rng.sample(range(10_000, 99_999), 13)]
    rows = [f"The key of the {name} is {key}." for name, key in zip(rng.sample(NAMES, 10), ids, strict=False)]
    place = rng.randrange(10)
    for number, row in enumerate(rows):
        messages.append({"role": "user", "content": f"Look up row {number}, please."})
        messages.append({"role": "assistant", "content": "", "tool_calls": [call(number, "read_row", row=number)]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": row})
    messages.append({"role": "user", "content": "Which key do I need?"})
    messages.append({"role": "assistant", "content": f"You need {ids[place]}, and {ids[12]} as a spare."})
    return {"model": "gpt-4o", "messages": messages}, 4 + 3 * place, ids[place], ids[12]


@pytest.mark.parametrize("seed", range(12))
def test_a_value_is_traced_to_the_message_that_states_it(tmp_path: Path, seed: int) -> None:
    session, number, value, invented = planted(seed)
    sources = inspect("blame", written(tmp_path / "s.json", session), "--json").json["sources"]
    by_text = {source["text"]: source for source in sources if source["kind"] == "value"}
    assert [place["message"] for place in by_text[value]["places"]] == [number]
    assert by_text[value]["places"][0]["tool"] == "read_row"
    assert by_text[value]["in_window"]
    assert (by_text[invented]["stated"], by_text[invented]["places"]) == (False, [])


def sentences(reply: str, *earlier: str) -> dict[str, Any]:
    turns = [{"role": role, "content": text} for text in earlier for role in ("user", "assistant")]
    for turn in turns[1::2]:
        turn["content"] = "Noted."
    return {"model": "gpt-4o", "messages": [*turns, {"role": "user", "content": "And now?"}, answer(reply)]}


def answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def test_a_sentence_is_traced_in_other_words_and_an_opposite_one_is_not(tmp_path: Path) -> None:
    told = ("Never change the schema of the orders table.", "The invoices are sent on Friday by the night job.")
    log = sentences("The invoices are sent by the night job on Friday. Paint the old bridge green tomorrow.", *told)
    rows = inspect("blame", written(tmp_path / "s.json", log), "--json").json["sources"]
    assert [[place["message"] for place in row["places"]] for row in rows if row["kind"] == "statement"] == [[3], []]
    opposite = sentences("We change the schema of the orders table.", *told)
    (row,) = inspect("blame", written(tmp_path / "t.json", opposite), "--json").json["sources"]
    assert "states" not in [place["relation"] for place in row["places"]]


def test_text_output_lists_what_is_stated_and_what_is_not(tmp_path: Path) -> None:
    session, number, value, invented = planted(3)
    ended = inspect("blame", written(tmp_path / "s.json", session))
    before, nowhere = ended.out.split("Stated nowhere before")
    assert value in before and f"#{number} read_row" in before
    assert invented in nowhere and value not in nowhere.split("sentence")[0]


def test_a_reply_is_chosen_by_turn_or_by_number(tmp_path: Path) -> None:
    path = written(tmp_path / "s.json", planted(1)[0])
    by_turn, by_number = (inspect("blame", path, *words, "--json").json for words in (["--turn", 2], ["--message", 6]))
    assert by_turn == by_number
    assert (by_turn["turn"], by_turn["message"]) == (2, 6)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--message", 5], "Message 5 is not a reply of a model."),
        (["--message", 999], "There is no message 999."),
        (["--message", 6, "--turn", 2], "--message cannot be combined with --turn."),
        (["--turn", 12], "There is no reply to the current context."),
        (["--turn", 99], "There is no turn 99."),
    ],
)
def test_what_is_no_reply_is_refused_in_a_sentence(tmp_path: Path, words: list[Any], sentence: str) -> None:
    ended = inspect("blame", written(tmp_path / "s.json", planted(1)[0]), *words)
    assert ended.code == 2 and sentence in ended.err


def test_a_session_without_a_reply_is_refused(tmp_path: Path) -> None:
    log = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello?"}]}
    ended = inspect("blame", written(tmp_path / "s.json", log))
    assert ended.code == 1 and "has no reply" in ended.err


def test_hostile_text_reaches_no_terminal(tmp_path: Path) -> None:
    log = sentences(f"The quay {HOSTILE} was painted at /srv/{HOSTILE}/a.txt again.", f"See /srv/{HOSTILE}/a.txt now")
    ended = inspect("blame", written(tmp_path / "s.json", log))
    assert ended.code == 0 and not RAW.search(ended.out)
