"""The sentence that tells a fact: the words in their order, whatever stands between them."""

from __future__ import annotations

import pytest

from inspector.core.text import dumps
from inspector.engine.facts import quote
from inspector.llm.providers import message_from_raw
from tests.generated import Ask, recorded

TEXT = (
    "First of all: the heron nests late. It laid 1,440 eggs in src/nests/count_eggs.py, they say! Nothing else.\n"
    "2026-10-24T23:10:00Z,130,oil=21.1C\n2026-10-25T00:10:00Z,132,oil=21.4C\nAt 25.10.2026 00:20 the gate closed. "
    "Then 26 Oct came. On October 27, all was well. It opens at 08:00 again.\n"
)


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        ("the heron nests late", "First of all: the heron nests late."),
        ("1440", "It laid 1,440 eggs in src/nests/count_eggs.py, they say!"),
        ("1,440 eggs", "It laid 1,440 eggs in src/nests/count_eggs.py, they say!"),
        ("src/nests/count_eggs.py", "It laid 1,440 eggs in src/nests/count_eggs.py, they say!"),
        ("eggs of the year: 1,440", "It laid 1,440 eggs in src/nests/count_eggs.py, they say!"),
        ("2026-10-25 00:10:00", "2026-10-25T00:10:00Z,132,oil=21.4C"),
        ("2026-10-25 00:20:00", "At 25.10.2026 00:20 the gate closed."),
        ("2026-10-26 00:30:00", "Then 26 Oct came."),
        ("2026-10-27", "On October 27, all was well."),
        ("2026-11-02 08:00:00", "It opens at 08:00 again."),
        ("2026-12-24", ""),
        ("oil = 21.4 C", "2026-10-25T00:10:00Z,132,oil=21.4C"),
        ("440", ""),
        ("heron late", ""),
        ("nest", ""),
        ("", ""),
    ],
)
def test_a_fact_is_quoted_with_its_sentence(fact: str, sentence: str) -> None:
    assert quote(recorded([Ask(TEXT)]).messages[0], fact) == sentence


def test_a_call_is_quoted_as_a_person_would_write_it() -> None:
    arguments = {"command": "grep -n '2026-10-25T' logs/nests.csv", "limit": 40, "edits": [{"old": "two\n12→three"}]}
    function = {"name": "Bash", "arguments": dumps(arguments)}
    raw = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    message = message_from_raw("m", raw, "openai")
    assert quote(message, "logs/nests.csv") == "Bash grep -n '2026-10-25T' logs/nests.csv"
    assert quote(message, "three") == "three", "without the number of its line"
    assert quote(message, "limit: 40") == "limit: 40"
    function["arguments"] = '{"command": "logs/nes'
    assert quote(message_from_raw("n", raw, "openai"), "logs/nes") == 'Bash {"command": "logs/nes'
