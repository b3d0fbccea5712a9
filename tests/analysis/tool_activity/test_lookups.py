"""What a reply had to look up again is told from what it only says: for that, it must have had it from somewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from inspector.analysis.tool_activity import Lookups
from inspector.core.conversation import Message
from inspector.engine.facts import FactClass, Need
from inspector.llm.providers import message_from_raw


def call_of(place: int, name: str, arguments: dict[str, Any]) -> list[Message]:
    """Return a reply that calls a tool, and the result of the call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"c{place}", "type": "function", "function": function}
    result: dict[str, Any] = {"role": "tool", "tool_call_id": f"c{place}", "content": "openGate: 7 lines"}
    reply: dict[str, Any] = {"role": "assistant", "content": "I look.", "tool_calls": [call]}
    return [message_from_raw(f"m{place}{n}", raw, "openai") for n, raw in enumerate((reply, result))]


def answer(call: str, content: str) -> Message:
    """Return a result of a call."""
    return message_from_raw(f"r{call}", {"role": "tool", "tool_call_id": call, "content": content}, "openai")


def asks(name: str, arguments: dict[str, Any], cls: FactClass, fact: str) -> bool:
    """Whether the second of two equal calls looks up a fact again."""
    log = [*call_of(0, name, arguments), *call_of(1, name, arguments)]
    return Lookups(log).is_refetched(2, Need(fact, cls, 3, "m0"))


@pytest.mark.parametrize(
    ("name", "arguments", "cls", "fact", "is_lookup"),
    [
        ("Read", {"file_path": "/srv/tides/plan.csv"}, "path", "/srv/tides/plan.csv", True),
        ("Grep", {"pattern": "openGate", "path": "src"}, "symbol", "openGate", True),
        ("fetch_page", {"url": "https://tides.example/plan"}, "url", "https://tides.example/plan", True),
        ("Bash", {"command": "cd /srv && sed -n '1,40p' tides/plan.csv"}, "path", "tides/plan.csv", True),
        ("Bash", {"command": "FOO=1 grep -n gate tides/plan.csv | head -3"}, "path", "tides/plan.csv", True),
        ("Bash", {"command": "make all\ncat tides/plan.csv"}, "path", "tides/plan.csv", True),
        ("exec_command", {"cmd": "git show main:tides/plan.csv"}, "path", "tides/plan.csv", True),
        ("Bash", {"command": "python sheet.py tides/plan.csv | tail -5"}, "path", "tides/plan.csv", False),
        ("Bash", {"command": "sed -i s/a/b/ tides/plan.csv"}, "path", "tides/plan.csv", False),
        ("Bash", {"command": "cat notes.md; rm tides/plan.csv"}, "path", "tides/plan.csv", False),
        ("Bash", {"command": "gh api repos/o/tides/pulls/7 --jq .title"}, "path", "repos/o/tides/pulls/7", True),
        ("Bash", {"command": "gh api repos/o/tides/x -f body='openGate set it'"}, "symbol", "openGate", False),
        ("Bash", {"command": "curl -X POST https://tides.example/plan"}, "url", "https://tides.example/plan", False),
        ("Edit", {"file_path": "a.py", "old_string": "openGate()", "new_string": "x"}, "symbol", "openGate", False),
        ("Bash", {"command": "git show 7f3ab91c"}, "id", "7f3ab91c", False),
        ("Read", {"file_path": "/srv/other.csv"}, "path", "/srv/tides/plan.csv", False),
    ],
)
def test_only_a_call_that_asks_for_a_fact_looks_it_up(
    name: str, arguments: dict[str, Any], cls: FactClass, fact: str, is_lookup: bool
) -> None:
    assert asks(name, arguments, cls, fact) is is_lookup


def test_words_look_nothing_up() -> None:
    reply = message_from_raw("m1", {"role": "assistant", "content": "It is in tides/plan.csv."}, "openai")
    log = [*call_of(0, "Read", {"file_path": "tides/plan.csv"}), reply]
    assert not Lookups(log).is_refetched(2, Need("tides/plan.csv", "path", 3, "m0"))


@pytest.mark.parametrize(
    ("before", "now", "is_again"),
    [
        ("/srv/tides/plan.csv", "/srv/tides/plan.csv", True),
        ("tides/plan.csv", "/srv/tides/plan.csv", True),
        ("/srv/rain/tides/plan.csv", "/srv/snow/tides/plan.csv", False),
        ("/srv/ebb-tides/plan.csv", "tides/plan.csv", False),
    ],
)
def test_only_what_was_read_before_is_read_again(before: str, now: str, is_again: bool) -> None:
    log = [*call_of(0, "Read", {"file_path": before}), *call_of(1, "Read", {"file_path": now})]
    assert Lookups(log).is_refetched(2, Need("tides/plan.csv", "path", 3, "m0")) is is_again


def test_a_search_for_other_words_in_a_folder_does_not_fetch_the_folder_again() -> None:
    first, second = ({"pattern": word, "path": "/srv/tides/src"} for word in ("openGate", "harbour lights"))
    log = [*call_of(0, "Grep", first), *call_of(1, "Grep", second)]
    assert not Lookups(log).is_refetched(2, Need("/srv/tides/src", "path", 3, "m0"))


@pytest.mark.parametrize(
    ("before", "now", "is_again"),
    [
        ("    12→    self.openGate(7)\n    13→    wait()", "src/gate.py:12:    self.openGate(7)", True),
        ("12-    self.openGate(7)", "3:def openGate(level):\n12:    self.openGate(7)", True),
        ("    12→    self.openGate(7)", "src/lock.py:40:lock.openGate()", False),
        ("    12→    self.openGate(7)", "No matches found", False),
    ],
)
def test_a_name_is_fetched_again_only_with_a_line_that_was_read_before(before: str, now: str, is_again: bool) -> None:
    first, old = call_of(0, "Read", {"file_path": "src/gate.py"})
    reply, _ = call_of(1, "Grep", {"pattern": "openGate", "path": "src"})
    log = [first, answer("c0", before), reply, answer("c1", now)]
    assert Lookups(log).is_refetched(2, Need("openGate", "symbol", 3, old.id)) is is_again
    assert not Lookups(log[:3]).is_refetched(2, Need("openGate", "symbol", 3, old.id)), "its result is not recorded"


def test_the_lines_that_were_read_before_a_reply_do_not_depend_on_the_replies_asked_before() -> None:
    first, old = call_of(0, "Read", {"file_path": "src/gate.py"})
    late, read = call_of(1, "Grep", {"pattern": "openGate", "path": "src"})
    last, _ = call_of(2, "Grep", {"pattern": "openGate", "path": "doc"})
    log = [first, answer("c0", "wait()"), late, read, last, answer("c2", "openGate: 7 lines")]
    lookups, need = Lookups(log), Need("openGate", "symbol", 3, old.id)
    assert [lookups.is_refetched(place, need) for place in (4, 2, 4)] == [True, False, True]


def test_a_path_in_a_list_of_files_or_of_a_call_that_failed_was_not_read() -> None:
    read = {"file_path": "/srv/tides/plan.csv"}
    listed = call_of(0, "Bash", {"command": "ls /srv/tides/plan.csv"})
    need = Need("/srv/tides/plan.csv", "path", 3, "m0")
    assert not Lookups([*listed, *call_of(1, "Read", read)]).is_refetched(2, need)
    reply, result = call_of(0, "Read", read)
    assert not Lookups([reply, replace(result, is_error=True), *call_of(1, "Read", read)]).is_refetched(2, need)


@pytest.mark.parametrize(
    ("content", "is_again"),
    [("<content>\n\n(End of file)\n</content>", False), ("<content>\n1: 7 m\n</content>", True)],
)
def test_a_file_that_was_empty_then_was_not_read(content: str, is_again: bool) -> None:
    read = {"file_path": "/srv/tides/plan.csv"}
    reply, _ = call_of(0, "Read", read)
    empty = message_from_raw("m01", {"role": "tool", "tool_call_id": "c0", "content": content}, "openai")
    log = [reply, empty, *call_of(1, "Read", read)]
    assert Lookups(log).is_refetched(2, Need("/srv/tides/plan.csv", "path", 3, "m0")) is is_again
