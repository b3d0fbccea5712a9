"""A verdict in the room that there is: clauses leave whole, the least weighty first."""

from __future__ import annotations

from inspector.core.text import cells
from inspector.library.diagnosis import Clause, Verdict

LEAD = Clause((("compacted", "warn"), (" at turn 26: 153,703 → 15,956", "plain")))
NEEDED = Clause((("at 4 later turns", "bad"), (" something it had lost was needed", "plain")), 1)
FACTS = Clause(((" (keepers-sheet.md, 2026-10-25 00:10:00)", "plain"),), 2, "")
KEY = Clause((("r", "key"), (" goes there", "plain")), 1, " · ")
SENTENCE = Verdict("compacted", (LEAD, NEEDED, FACTS, KEY))


def test_a_sentence_is_its_clauses() -> None:
    assert SENTENCE.text == (
        "compacted at turn 26: 153,703 → 15,956; at 4 later turns something it had lost was needed "
        "(keepers-sheet.md, 2026-10-25 00:10:00) · r goes there"
    )
    assert "".join(text for text, _ in SENTENCE.spans) == SENTENCE.text


def test_clauses_leave_whole_and_the_least_weighty_first() -> None:
    assert SENTENCE.within() == SENTENCE
    assert SENTENCE.within(60).clauses == (LEAD, NEEDED, KEY)
    assert SENTENCE.within(50, 1).clauses == (LEAD,)


def test_what_never_leaves_is_cut_between_its_words() -> None:
    short = SENTENCE.within(24, 1)
    assert short.text == "compacted at turn 26:…"
    assert cells(short.text) <= 24
