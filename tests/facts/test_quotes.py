"""The sentence that tells a fact: the words in their order, whatever stands between them."""

from __future__ import annotations

import pytest

from inspector.facts import quote
from tests.generated import Ask, recorded

TEXT = "First of all: the heron nests late. It laid 1,440 eggs in src/nests/count_eggs.py, they say! Nothing else."


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        ("the heron nests late", "First of all: the heron nests late."),
        ("1440", "It laid 1,440 eggs in src/nests/count_eggs.py, they say!"),
        ("1,440 eggs", "It laid 1,440 eggs in src/nests/count_eggs.py, they say!"),
        ("src/nests/count_eggs.py", "It laid 1,440 eggs in src/nests/count_eggs.py, they say!"),
        ("eggs of the year: 1,440", "It laid 1,440 eggs in src/nests/count_eggs.py, they say!"),
        ("440", ""),
        ("heron late", ""),
        ("nest", ""),
        ("", ""),
    ],
)
def test_a_fact_is_quoted_with_its_sentence(fact: str, sentence: str) -> None:
    assert quote(recorded([Ask(TEXT)]).messages[0], fact) == sentence
