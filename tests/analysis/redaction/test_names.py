"""Names of home folders: hidden everywhere, but for words that only look like them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.redaction import Redactor, redact
from inspector.formats import load
from tests.cli.calling import written

HOMES = [
    "_/home/annalena/z_",
    "\\\\server\\Users\\annalena\\x",
    "share \\\\\\\\server\\\\Users\\\\annalena",
    "C:\\Documents and Settings\\annalena\\x",
]
STANDS = [
    "alex/lamp-221-fix",
    "Merge branch 'alex/lamp-221' into alex/main",
    "origin/alex/lamp",
    "head=alex%2Flamp-221",
    "alex@laptop:~$ ls",
    "ask @alex about it",
    "https://github.com/alex",
    "drwxr-xr-x 5 alex  staff 160",
    "drwxr-xr-x 5 alex alex 160",
    "cd ~alex",
]
NO_PERSON = ["Alexander", "the alex of it", "alex_lamp", "max(alex, 1)"]


@pytest.mark.parametrize("text", HOMES)
def test_a_home_folder_is_known_on_other_systems(text: str) -> None:
    redactor = Redactor()
    redactor.collect(text)
    assert "annalena" not in redactor.text_of(text)


@pytest.mark.parametrize("text", STANDS)
def test_a_short_name_is_hidden_where_people_stand(text: str) -> None:
    redactor = Redactor()
    redactor.collect("/Users/alex/lamp")
    assert "alex" not in redactor.text_of(text) and "redacted-user-1" in redactor.text_of(text)


@pytest.mark.parametrize("text", NO_PERSON)
def test_a_short_name_is_a_word_elsewhere(text: str) -> None:
    redactor = Redactor()
    redactor.collect("/Users/alex/lamp")
    assert redactor.text_of(text) == text


def test_a_field_that_names_somebody_holds_a_short_name() -> None:
    redactor = Redactor()
    value = {"cwd": "/Users/alex/lamp", "author": "alex", "gitBranch": "alex/lamp", "kind": "alex"}
    redactor.collect(value)
    person = "redacted-user-1"
    assert redactor.value_of(value) == {
        "cwd": f"/Users/{person}/lamp",
        "author": person,
        "gitBranch": f"{person}/lamp",
        "kind": "alex",
    }


def test_what_tools_are_called_by_stays_a_word(tmp_path: Path) -> None:
    parameters = {"type": "object", "properties": {"lantern": {"type": "string"}}, "required": ["lantern"]}
    call = {"id": "c1", "type": "function", "function": {"name": "get_entity", "arguments": '{"lantern": "entity"}'}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "In /home/lantern/x, /Users/example/y and /home/entity/z: the entity, by name."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"entity": {"lantern": 1}} drwx 1 entity entity 8'},
    ]
    tools = [{"type": "function", "function": {"name": "get_entity", "parameters": parameters}}]
    (session,) = load(written(tmp_path / "x.json", {"model": "gpt-4o", "messages": messages, "tools": tools}))
    safe = redact(session).session
    assert list(safe.tools) == tools and safe.messages[1].raw == messages[1]
    text = "In /home/redacted-user-1/x, /Users/redacted-user-2/y and /home/redacted-user-3/z: the entity, by name."
    assert safe.messages[0].text == text
    assert safe.messages[2].text == '{"entity": {"lantern": 1}} drwx 1 redacted-user-3 redacted-user-3 8'


def test_a_server_of_tools_that_is_called_like_somebody_makes_no_word_of_the_name(tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "mcp__annalena__look_up", "parameters": {}}}]
    messages = [{"role": "user", "content": "/home/annalena/x: tell annalena."}]
    (session,) = load(written(tmp_path / "x.json", {"model": "gpt-4o", "messages": messages, "tools": tools}))
    assert "annalena" not in json.dumps([message.raw for message in redact(session).session.messages])
