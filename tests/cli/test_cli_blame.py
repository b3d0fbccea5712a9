"""`inspector blame`: where a reply's values and sentences were stated."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import HOSTILE, call, inspect, written
from tests.cli.commands import RAW
from tests.cli.loopback_models import environment, last_line_with, model, text_in
from tests.engine.summaries.endpoint import Endpoint, fails, serving

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


def village(seed: int, size: int) -> tuple[dict[str, Any], int]:
    """A conversation of rows read by a tool and told by the user, one of which the last reply depends on."""
    rng = random.Random(seed)
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You keep the keys of the village."}]
    keys = [f"KEY-{number}" for number in rng.sample(range(10_000, 99_999), size)]
    cause = rng.randrange(size)
    place = 0
    for number, key in enumerate(keys):
        row = f"The key of the {'mill' if number == cause else rng.choice(NAMES[:6])} is {key}."
        if rng.random() < 0.5:
            messages.append({"role": "user", "content": row})
            messages.append({"role": "assistant", "content": "Noted."})
            place = len(messages) - 1 if number == cause else place
            continue
        messages.append({"role": "user", "content": f"Look up row {number}, please."})
        messages.append({"role": "assistant", "content": "", "tool_calls": [call(number, "read_row", row=number)]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": row})
        place = len(messages) if number == cause else place
    messages.append({"role": "user", "content": "Which key opens the door by the river?"})
    rule = last_line_with("mill")
    messages.append({"role": "assistant", "content": str(rule(messages))})
    return {"model": "gpt-4o", "messages": messages}, place


def search(path: Path, endpoint: Endpoint, *words: object) -> dict[str, Any]:
    ended = inspect("blame", path, "--yes", "--json", "--max-cost", 9, *words, **environment(endpoint.url))
    return dict(ended.json)


@pytest.mark.parametrize("seed", range(6))
def test_a_model_finds_the_single_cause_of_a_reply_in_few_calls(tmp_path: Path, seed: int) -> None:
    log, place = village(seed, 5 + 7 * seed)
    with serving(model(last_line_with("mill"))) as endpoint:
        result = search(written(tmp_path / "s.json", log), endpoint, "--model")
    assert (result["necessary"], result["sufficient"], result["errors"]) == ([place], [place], [])
    assert 0 < result["calls"] <= 4 * math.log2(len(log["messages"])) + 10
    assert result["cost"] > 0 and result["confirmed"] == {"sufficient": 1.0, "necessary": 0.0}


UNQUOTED = {
    "The miller prefers mornings.": "The cart leaves at six.",
    "Snow was seen on the pass.": "All roads are closed today.",
    "The bridge was repaired.": "Two barrels may cross.",
}
"""Causes, and the replies to them, which repeat none of their words."""


def unquoted(seed: int) -> tuple[dict[str, Any], int]:
    """A conversation whose reply depends on one message and does not quote it; some rows are read by several calls."""
    rng = random.Random(seed)
    size, (words, reply) = rng.randrange(5, 40), rng.choice(list(UNQUOTED.items()))
    cause, place = rng.randrange(size), 0
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You keep the village."}]
    for number in range(size):
        row = words if number == cause else f"The {rng.choice(NAMES)} has {rng.randrange(9)} doors."
        if rng.random() < 0.5:
            messages += [{"role": "user", "content": row}, answer("Noted.")]
            place = len(messages) - 1 if number == cause else place
            continue
        ids = [100 * number + part for part in range(rng.randrange(1, 4))]
        stating = rng.choice(ids)
        messages.append({"role": "user", "content": f"Look up row {number}."})
        messages.append(
            {"role": "assistant", "content": "", "tool_calls": [call(one, "read_row", row=one) for one in ids]}
        )
        for one in ids:
            text = row if one == stating else f"Part {one} is empty."
            messages.append({"role": "tool", "tool_call_id": f"call_{one}", "content": text})
            place = len(messages) if number == cause and one == stating else place
    return {"model": "gpt-4o", "messages": [*messages, {"role": "user", "content": "What next?"}, answer(reply)]}, place


@pytest.mark.parametrize("seed", range(4))
def test_a_cause_that_the_reply_does_not_quote_is_found_in_few_calls(tmp_path: Path, seed: int) -> None:
    log, place = unquoted(seed)

    def rule(messages: list[dict[str, Any]]) -> str:
        text = text_in(messages)
        return next((reply for words, reply in UNQUOTED.items() if words in text), "Nothing is planned.")

    with serving(model(rule)) as endpoint:
        result = search(written(tmp_path / "s.json", log), endpoint, "--model")
    assert (result["necessary"], result["sufficient"], result["errors"]) == ([place], [place], [])
    assert result["calls"] <= 4 * math.log2(len(log["messages"])) + 10


def test_of_two_messages_that_say_the_same_one_is_enough_and_both_must_go(tmp_path: Path) -> None:
    log, place = village(3, 9)
    row = next(line for line in map(str, (one["content"] for one in log["messages"])) if "of the mill" in line)
    log["messages"][1:1] = [{"role": "user", "content": row}, {"role": "assistant", "content": "Noted."}]
    with serving(model(last_line_with("mill"))) as endpoint:
        result = search(written(tmp_path / "s.json", log), endpoint, "--model")
    assert result["necessary"] == [2, place + 2]
    assert sorted([result["sufficient"], *result["alternatives"]]) == [[2], [place + 2]]
    assert result["confirmed"] == {"sufficient": 1.0, "necessary": 0.0}


@pytest.mark.parametrize("count", [3, 4, 6])
def test_several_messages_that_say_the_same_are_alternatives_up_to_a_bound(tmp_path: Path, count: int) -> None:
    log, _ = village(3, 9)
    row = next(line for line in map(str, (one["content"] for one in log["messages"])) if "of the mill" in line)
    log["messages"][1:1] = [{"role": "user", "content": row}, answer("Noted.")] * (count - 1)
    with serving(model(last_line_with("mill"))) as endpoint:
        path = written(tmp_path / "s.json", log)
        result = search(path, endpoint, "--model")
        ended = inspect("blame", path, "--model", "--yes", "--max-cost", 9, **environment(endpoint.url))
    sets = [result["sufficient"], *result["alternatives"]]
    assert len(sets) == min(count, 4) and all(len(one) == 1 for one in sets)
    assert len({one[0] for one in sets}) == len(sets), "no message is in two of them"
    assert len(result["necessary"]) == count, "only without all of them is the reply another one"
    assert {one[0] for one in sets} <= set(result["necessary"])
    assert ended.out.count("Also enough:") == len(sets) - 1
    assert "No message alone is necessary. Only without all of these it is another reply:" in ended.out


def test_two_pairs_of_messages_are_two_alternatives(tmp_path: Path) -> None:
    def both(messages: list[dict[str, Any]]) -> str:
        text = text_in(messages)
        pairs = (("It is summer", "market day"), ("The king visits", "no fog"))
        return "The gate opens at 7." if any(all(word in text for word in pair) for pair in pairs) else "It stays shut."

    rows = [
        "It is summer now.",
        "The king visits us.",
        "The ferry is blue.",
        "Today is market day.",
        "There is no fog.",
    ]
    with serving(model(both)) as endpoint:
        result = search(written(tmp_path / "s.json", sentences("The gate opens at 7.", *rows)), endpoint, "--model")
    assert sorted([result["sufficient"], *result["alternatives"]]) == [[1, 7], [3, 9]]
    assert len(result["necessary"]) == 2 and not set(result["necessary"]) <= {1, 7}
    assert not set(result["necessary"]) <= {3, 9}


def handbook(paragraphs: int, cause: int, rule: str) -> str:
    """A long text of sections and paragraphs, one of which is the rule."""
    pieces = []
    for number in range(paragraphs):
        if number % 5 == 0:
            pieces.append(f"## Chapter {number // 5}")
        pieces.append(
            rule if number == cause else f"The {NAMES[number % 10]} has {number} doors.\nThey are painted green."
        )
    return "\n\n".join(pieces)


def leaves_at_six(messages: list[dict[str, Any]]) -> str:
    return "The cart leaves at six." if "prefers mornings" in text_in(messages) else "The cart leaves at noon."


@pytest.mark.parametrize(("paragraphs", "cause", "role"), [(12, 0, "user"), (40, 17, "system"), (90, 89, "tool")])
def test_the_paragraph_of_a_long_message_is_found(tmp_path: Path, paragraphs: int, cause: int, role: str) -> None:
    rule = "In all seasons, the miller prefers mornings."
    text = handbook(paragraphs, cause, rule)
    log = sentences("The cart leaves at six.", "The ferry is blue.", "The mill is old.")
    long: list[dict[str, Any]] = [{"role": role, "content": text}]
    if role == "user":
        long.append(answer("Noted."))
    if role == "tool":
        asked = {"role": "user", "content": "Read it."}
        long = [asked, {"role": "assistant", "content": "", "tool_calls": [call(1, "read_file", path="a.md")]}]
        long.append({"role": "tool", "tool_call_id": "call_1", "content": text})
    log["messages"][0:0] = long
    with serving(model(leaves_at_six)) as endpoint:
        path = written(tmp_path / "s.json", log)
        result = search(path, endpoint, "--model")
    place = 3 if role == "tool" else 1
    assert (result["sufficient"], result["necessary"]) == ([place], [place])
    (part,) = result["parts"]
    line = text.split("\n").index(rule) + 1
    expected = {"message": place, "section": f"## Chapter {cause // 5}", "first": line, "last": line, "text": rule}
    assert part == expected | {"necessary": True}
    assert result["calls"] <= 4 * math.log2(len(log["messages"])) + 10 + 2 * math.log2(paragraphs) + 3


def test_two_paragraphs_that_are_needed_and_a_request_of_several_paragraphs(tmp_path: Path) -> None:
    def both(messages: list[dict[str, Any]]) -> str:
        text = text_in(messages)
        return "The gate opens at 7." if "summer" in text and "market day" in text else "The gate stays shut."

    text = handbook(20, 3, "It is summer now.") + "\n\nToday is market day.\n\nAnd now?"
    log = {"model": "gpt-4o", "messages": [{"role": "user", "content": text}, answer("The gate opens at 7.")]}
    with serving(model(both)) as endpoint:
        result = search(written(tmp_path / "s.json", log), endpoint, "--model")
        ended = inspect("blame", tmp_path / "s.json", "--model", "--yes", **environment(endpoint.url))
    assert (result["sufficient"], result["necessary"]) == ([], [])
    assert [part["text"] for part in result["parts"]] == ["It is summer now.", "Today is market day."]
    assert "The reply is the same without any earlier message." in ended.out
    assert "## Chapter 0 · It is summer now." in ended.out


def test_a_repeated_paragraph_is_not_necessary(tmp_path: Path) -> None:
    rule = "In all seasons, the miller prefers mornings."
    text = f"{handbook(12, 2, rule)}\n\n{rule}"
    log = {
        "model": "gpt-4o",
        "messages": [{"role": "system", "content": text}, *sentences("The cart leaves at six.", "Row.")["messages"]],
    }
    with serving(model(leaves_at_six)) as endpoint:
        (part,) = search(written(tmp_path / "s.json", log), endpoint, "--model")["parts"]
    assert (part["text"], part["necessary"]) == (rule, False)


def test_a_reply_can_need_two_messages_and_none(tmp_path: Path) -> None:
    def both(messages: list[dict[str, Any]]) -> str:
        text = "\n".join(str(one.get("content")) for one in messages)
        return "The gate opens at 7." if "summer" in text and "market day" in text else "The gate stays shut."

    rows = ["It is summer now.", "The ferry is blue.", "Today is market day.", "The mill is old."]
    with serving(model(both)) as endpoint:
        two = search(written(tmp_path / "s.json", sentences("The gate opens at 7.", *rows)), endpoint, "--model")
    assert two["sufficient"] == [1, 5] and two["necessary"] in ([1], [5])
    with serving(model(lambda _: "The gate opens at 7.")) as endpoint:
        none = search(written(tmp_path / "t.json", sentences("The gate opens at 7.", *rows)), endpoint, "--model")
    assert (none["sufficient"], none["necessary"]) == ([], [])


def test_an_expected_text_is_explained_and_its_absence_is_said(tmp_path: Path) -> None:
    log, place = village(2, 8)
    path = written(tmp_path / "s.json", log)
    with serving(model(last_line_with("mill"))) as endpoint:
        by_text = search(path, endpoint, "--expect", "key of the MILL")
        missing = search(path, endpoint, "--expect", "granite")
    assert by_text["necessary"] == [place]
    assert missing["necessary"] is None and "not the expected one" in missing["errors"][0]


def test_a_search_that_fails_says_why_and_is_not_paid_again(tmp_path: Path) -> None:
    path = written(tmp_path / "s.json", village(4, 12)[0])
    with serving(
        model(last_line_with("mill")), model(last_line_with("mill")), fails(401, {"message": "x"})
    ) as endpoint:
        ended = inspect("blame", path, "--model", "--yes", "--json", **environment(endpoint.url))
        assert ended.code == 1 and "API key" in ended.json["errors"][0] and ended.json["necessary"] is None
        before = len(endpoint.requests)
        endpoint.then(model(last_line_with("mill")))
        again = search(path, endpoint, "--model")
        assert again["calls"] == len(endpoint.requests) - before
        kept = search(path, endpoint, "--model")
    assert again["necessary"] == kept["necessary"] and kept["calls"] == 0 and kept["cost"] == 0


def test_samples_decide_by_most(tmp_path: Path) -> None:
    log, place = village(5, 6)
    with serving(model(last_line_with("mill"))) as endpoint:
        result = search(written(tmp_path / "s.json", log), endpoint, "--model", "-n", 3)
    assert result["necessary"] == [place] and result["calls"] % 3 == 0


def test_a_model_is_not_asked_without_consent(tmp_path: Path) -> None:
    path = written(tmp_path / "s.json", village(1, 6)[0])
    with serving(model(last_line_with("mill"))) as endpoint:
        ended = inspect("blame", path, "--model", **environment(endpoint.url))
    assert ended.code == 2 and "--yes is missing" in ended.err and endpoint.requests == []


def test_a_search_stops_at_the_agreed_number_of_calls_and_goes_on_when_it_is_made_again(tmp_path: Path) -> None:
    words = [f"Lamp {number} is lit at {number}." for number in range(12)]

    def all_of_them(messages: list[dict[str, Any]]) -> str:
        text = text_in(messages)
        return "The ship may enter." if all(word in text for word in words) else "It waits outside."

    path = written(tmp_path / "s.json", sentences("The ship may enter.", *words))
    with serving(model(all_of_them)) as endpoint:
        ended = inspect("blame", path, "--model", "--yes", "--max-cost", 9, **environment(endpoint.url))
        (most,) = map(int, re.findall(r"Up to (\d+) calls to", ended.err))
        assert ended.code == 1 and len(endpoint.requests) == most
        stopped = f"Stopped after {most} of at most {most} calls: the reply depends on several messages"
        assert stopped in " ".join(ended.out.split())
        result = search(path, endpoint, "--model")
        assert 0 < result["calls"] == len(endpoint.requests) - most <= most and result["errors"] == []
    assert result["sufficient"] == [1 + 2 * number for number in range(len(words))] and len(result["necessary"]) == 1
