"""Share of made-up secrets that are redacted, and of harmless texts that are changed."""

from __future__ import annotations

from inspector.analysis.redaction import Redactor
from tests.analysis.redaction.second_corpus import BENIGN, Corpus


def redacted(text: str) -> str:
    redactor = Redactor()
    redactor.collect(text)
    return str(redactor.value_of(text))


def test_at_least_95_of_100_secrets_of_the_promised_kinds_are_redacted() -> None:
    planted = Corpus(2).secrets()
    missed = [row for row in planted if row.secret in redacted(row.text)]
    assert len(planted) > 300
    assert len(missed) <= 0.05 * len(planted), [f"{row.kind}: {row.text}" for row in missed]


def test_at_most_5_of_100_harmless_texts_are_changed() -> None:
    changed = [text for text in BENIGN if redacted(text) != text]
    assert len(changed) <= 0.05 * len(BENIGN), changed
