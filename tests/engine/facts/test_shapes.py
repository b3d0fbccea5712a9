"""Ids, hosts, names and numbers by their shape and by their key: what is one, and what only looks like it."""

from __future__ import annotations

import json

import pytest

from inspector.core.conversation import Role
from inspector.engine.facts import extract
from inspector.llm.providers import message_from_raw
from tests.engine.facts.conversations import message


def facts(text: str, role: Role = "user") -> set[tuple[str, str]]:
    return {(fact.cls, fact.text) for fact in extract(message("m1", text, role))}


def facts_of_call(name: str, **arguments: object) -> set[tuple[str, str]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    raw = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    return {(fact.cls, fact.text) for fact in extract(message_from_raw("m1", raw, "openai"))}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("it is X4TR9Q, I think", ("id", "X4TR9Q")),
        ("My reservation ID is HKTRWQ.", ("id", "HKTRWQ")),
        ("the booking (ID: HKTRWQ)", ("id", "HKTRWQ")),
        ('{"reservation_id": "HKTRW7"}', ("id", "HKTRW7")),
        ('{"reservations": ["QWTRZP", "HKTRW7"]}', ("id", "QWTRZP")),
        ("lamp@sha256:0f3c9d2e4b5a69788796a5b4c3d2e1f0", ("id", "0f3c9d2e4b5a69788796a5b4c3d2e1f0")),
        ("see lamps.org for more", ("url", "lamps.org")),
        ("a 3-week trip", ("number", "3 week")),
        ("wick v2.1 is out", ("number", "2.1")),
        ("it is in Suite 412", ("number", "suite 412")),
        ("the card ending in 4411", ("number", "ending in 4411")),
        ("1 file changed", ("number", "1 file")),
        ("open until 11 PM", ("date", "23:00")),
        ("it comes on the 9th.", ("date", "the 9th")),
        ("2024 August 08: a comet", ("date", "2024-08-08")),
        ("call lamp.Light(wick, 3) first", ("symbol", "lamp.Light()")),
        ("it fails in os/exec.Cmd", ("symbol", "os/exec.Cmd")),
    ],
)
def test_shapes_and_keys_tell_what_a_word_is(text: str, fact: tuple[str, str]) -> None:
    assert fact in facts(text)


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("the base64-encoded text", "id"),
        ("a picture of 1080P or 512MB", "id"),
        ("the ticket is READY", "id"),
        ("we fly to LaGuardia by MasterCard and FedEx", "symbol"),
        ("Next.js and node_modules", "symbol"),
        ("always _one_ lamp", "symbol"),
        ('Plan: {"is_lamp_lit": false, "next_lamp": 3}', "symbol"),
        ('Plan: {"reason": "there is no oil left"}', "quote"),
        ("<HOUSE_RULES>\nBe kind.\n</HOUSE_RULES>", "symbol"),
        ("a.before.at", "url"),
        ("the 9th lamp", "date"),
    ],
)
def test_what_only_looks_like_a_fact_of_a_class_is_none(text: str, cls: str) -> None:
    assert cls not in {name for name, _ in facts(text)}


def test_arguments_of_a_shell_sizes_of_files_and_times_of_curl_are_neither_money_nor_days() -> None:
    printed = facts('awk "{print $1}"\n-rw-r--r-- 1 lamp lamp 22 Sep 4 10:03 wick\n100 10k 0:00:08 --:--:--', "tool")
    assert not {fact for fact in printed if fact[0] == "amount"}
    assert {text for cls, text in printed if cls == "date"} == {"4 September", "10:03"}
    assert ("amount", "USD 1") in facts("it costs $1 a day")


def test_imports_of_code_are_no_addresses_and_what_is_said_is() -> None:
    assert not {fact for fact in facts("import github.com/lamp/wick", "tool") if fact[0] == "url"}
    assert ("url", "github.com/lamp/wick") in facts("see github.com/lamp/wick")


def test_how_much_a_call_wants_to_see_at_once_is_no_fact() -> None:
    assert not {
        fact for fact in facts_of_call("read", path="/yard/a.txt", offset=340, limit=215) if fact[0] == "number"
    }


def test_a_call_that_makes_a_thing_to_do_tells_a_task_and_its_names() -> None:
    one = facts_of_call("TaskCreate", subject="Trim the wick", description="Trim it in trimWick before noon")
    assert {("task", "Trim the wick"), ("task", "Trim it in trimWick before noon"), ("symbol", "trimWick")} <= one
    points = [{"content": "Light lampOne", "status": "completed"}, {"content": "Oil lampTwo", "status": "pending"}]
    several = facts_of_call("TodoWrite", todos=points)
    assert {("symbol", "lampOne"), ("symbol", "lampTwo"), ("task", "Oil lampTwo")} <= several
    assert ("task", "Light lampOne") not in several


def test_messages_of_compilers_tell_the_names_in_them_and_descriptions_those_below() -> None:
    printed = facts("lamp.go:3:1: trimWick undefined\n// lightLamp lights it\n=== RUN   TestWick", "tool")
    assert {("symbol", "trimWick"), ("symbol", "lightLamp"), ("symbol", "TestWick")} <= printed
    assert ("symbol", "trimWick") in facts("class A {\n\tprivate trimWick(now: Date): void {\n", "tool")
