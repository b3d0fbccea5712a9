"""Which sentences a summary tells in other words, and which it does not."""

from __future__ import annotations

import pytest

from inspector.analysis.context_loss.paraphrase import Paraphrases

SUMMARY = """## Rules
- The board's feed must stay as docs/board-feed.md has it; its firmware cannot be updated before 18 May.
- No offsets and no Z in anything that people see.
- **Unit tests only**: never start the whole suite without being asked.
- Lose at most 90 parking places, keep all twelve streets.
"""


@pytest.mark.parametrize(
    "sentence",
    [
        "The feed must stay as docs/board-feed.md has it, columns and line ends included.",
        "please no offsets or Z in anything people see, the keepers read it as a name",
        "User prefers unit tests only - nothing else.",
        "At most 90 parking places are to be lost.",
    ],
)
def test_the_same_in_other_words_is_told(sentence: str) -> None:
    assert sentence in Paraphrases([SUMMARY])


@pytest.mark.parametrize(
    "sentence",
    [
        "Anything that people see has offsets and a Z.",
        "At most 80 parking places are to be lost.",
        "At most 90 parking places are to be lost, and 30 % of the trees.",
        "Write the plan into docs/board-feed.md as well.",
        "Stay there.",
        "",
    ],
)
def test_the_opposite_another_number_and_a_shared_path_are_not(sentence: str) -> None:
    assert sentence not in Paraphrases([SUMMARY])


def test_without_a_summary_nothing_is_told() -> None:
    assert "The feed must stay as it is now." not in Paraphrases([])
