"""Text that a user pasted or quoted: its sentences are not the user's, and it may hide those that are."""

from __future__ import annotations

import pytest

from inspector.engine.work_state.pasted_text import without_code
from inspector.engine.work_state.user_words import read_user_words

LOG = "\n".join(f"09:{number // 60:02}:{number % 60:02} WARN queue {number} is slow" for number in range(2_000))


def rules(text: str) -> tuple[str, ...]:
    return read_user_words(text).rules


@pytest.mark.parametrize("pasted", [LOG, f"```\n{LOG}\n```", LOG.replace("\n", " ")], ids=["lines", "code", "one line"])
def test_rules_at_both_ends_of_a_long_message_are_read(pasted: str) -> None:
    text = f"Never restart the broker.\n{pasted}\nAnd do not touch broker.toml."
    assert rules(text) == ("Never restart the broker.", "And do not touch broker.toml.")


@pytest.mark.parametrize(
    "quoted",
    [
        "> Mia: never push to release!\n> Tom: you must not deploy on Mondays.",
        "On Tuesday Mia wrote:\n  > Do not use the staging host.",
        "```\ndo not write to /srv/cache\n```",
        "~~~log\nNever delete the lock file\n~~~",
        "[10:02] Mia: never push to release!\n10:03 Tom: You must not deploy on Mondays.",
        "<mia> do not use the staging host",
        "2026-03-01 10:02:44 Mia Berg: Never delete the lock file.",
    ],
)
def test_quoted_sentences_are_no_rules_of_the_user(quoted: str) -> None:
    assert rules(f"This is what they wrote.\n\n{quoted}\n\nOnly edit src/mail.py.") == ("Only edit src/mail.py.",)


def test_labels_are_not_names_of_a_chat() -> None:
    assert rules("Scope: mail\nDo not touch src/auth.py\nNote: never log passwords.") == (
        "Do not touch src/auth.py",
        "Note: never log passwords.",
    )


def test_a_fence_that_is_not_closed_hides_nothing() -> None:
    assert rules("The error is\n```\nKeyError: 'x'\nDo not touch src/auth.py.") == ("Do not touch src/auth.py.",)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\n```py\nb\n```\nc", "a\n\nc"),
        ("a\n````\n```\nb\n```\n````\nc", "a\n\nc"),
        ("```\na\n```\n```\nb\n```", ""),
        ("a ``` b", "a ``` b"),
    ],
)
def test_code_between_fences_is_left_out(text: str, kept: str) -> None:
    assert without_code(text).replace("\n\n", "\n").strip() == kept.replace("\n\n", "\n").strip()


def test_rows_of_data_are_no_rules() -> None:
    rows = "\n".join(f"Cell {number} holds {number}.5; do not read cell {number} again." for number in range(30))
    assert rules(f"{rows}\nNever round the values.") == ("Never round the values.",)
