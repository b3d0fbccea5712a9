"""The evidence about what a summary invents: the sentence of the log that is closest to it."""

from __future__ import annotations

from inspector.analysis.replay.summary_statements import statements_of
from inspector.core.conversation import Message
from inspector.engine.work_state import StateFate
from inspector.llm.providers import text_message

LISTING = "Files: " + ", ".join(f"deploy_{number}.log staging migration weekly tests" for number in range(60))


def messages(*texts: str) -> list[Message]:
    return [text_message(f"m{place}", "user", text, "openai") for place, text in enumerate(texts)]


def invented(statement: str, *texts: str) -> tuple[str, str]:
    rows = [StateFate("summary", statement, "invented", "", statement, "s")]
    (found,) = statements_of(7, rows, messages(*texts))
    assert (found.turn, found.fate, found.statement) == (7, "invented", statement)
    return found.before, found.message


def test_the_closest_sentence_is_about_the_same_and_not_the_longest() -> None:
    statement = "The weekly migration was deployed to staging and all tests passed."
    near = "The migration to staging failed in the tests."
    assert invented(statement, "Hello.", f"Look at this. {near} Why?", LISTING) == (near, "m1")
    assert invented(statement, near, "Thanks.", near) == (near, "m2"), "the newest of equal ones"


def test_a_statement_that_nothing_is_like_has_no_evidence() -> None:
    assert invented("Never commit on Fridays without the approval of Bert.", "Hello.", "Run the tests.") == ("", "")
    assert invented("Ask Bert.", "Bert and Ann work here.") == ("", ""), "one word is not enough"


def test_revived_work_has_its_wording_and_state_from_before() -> None:
    rows = [
        StateFate("task", "Write the\nreport", "revived", "dropped", "Next: write the report", "m0"),
        StateFate("rule", "Never push.", "kept", "", "Never push.", "m0"),
    ]
    (found,) = statements_of(3, rows, messages("Drop the report."))
    assert (found.fate, found.statement, found.before, found.message) == (
        *("revived", "Next: write the report", "dropped: Write the report", "m0"),
    )
