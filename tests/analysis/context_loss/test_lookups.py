"""What a reply had to look up again is told from what it only says: for that, it must have had it from somewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.analysis.context_loss import is_refetched
from inspector.engine.facts import FactClass, Need
from inspector.llm.providers import message_from_raw


def asks(name: str, arguments: dict[str, Any], cls: FactClass, fact: str) -> bool:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    reply = message_from_raw("m1", {"role": "assistant", "content": "I look.", "tool_calls": [call]}, "openai")
    return is_refetched(reply, Need(fact, cls, 3, "m0"))


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
    assert not is_refetched(reply, Need("tides/plan.csv", "path", 3, "m0"))
