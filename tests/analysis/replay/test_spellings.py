"""Names in any spelling are sought in the context of each reply; what was read before is not read again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.message_search import readable_text
from inspector.analysis.replay import spellings
from inspector.analysis.replay.spellings import Spellings
from inspector.analysis.tool_activity import fact_end
from inspector.core.conversation import Session
from tests.store.made import chain

WORDS = ("src/retry_queue.py", "Retry Queue", "max-size", "MAX_SIZE", "x", "ǅ straße", "–", "nothing")
FACTS = ("src/retry_queue.py", "retryQueue", "maxSize", "Straße", "absent", "-")


def spelled(session: Session, position: int, fact: str) -> bool:
    """The definition: whether a message before the reply contains the letters of the fact, or of its short name."""
    names = ["".join(filter(str.isalnum, name.casefold())) for name in (fact, fact_end(fact))]
    place = session.messages[position].parent
    while 0 <= place < position:
        text = "".join(filter(str.isalnum, readable_text(session.messages[place]).casefold()))
        if any(name and name in text for name in names):
            return True
        position, place = place, session.messages[place].parent
    return False


@given(
    texts=st.lists(st.sampled_from(WORDS), min_size=2, max_size=9),
    parents=st.lists(st.integers(-1, 9), min_size=9, max_size=9),
    questions=st.lists(st.tuples(st.integers(0, 8), st.sampled_from(FACTS)), max_size=20),
    most=st.sampled_from([1, 12, 1_000]),
)
def test_spellings_are_those_of_the_definition(
    texts: list[str], parents: list[int], questions: list[tuple[int, str]], most: int
) -> None:
    log = chain(*texts)
    messages = [replace(message, parent=parents[place]) for place, message in enumerate(log.messages)]
    session = replace(log, messages=tuple(messages))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spellings, "_MAX_LETTERS", most)
        searched = Spellings(session)
        for position, fact in questions:
            place = position % len(messages)
            assert searched.before(place, fact) == spelled(session, place, fact)
