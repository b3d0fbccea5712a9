"""Share of made-up secrets that are redacted, and of harmless texts that are changed."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from inspector.analysis.redaction import Redactor
from tests.analysis.redaction.people import people
from tests.analysis.redaction.second_corpus import BENIGN, HEX, MIXED, Corpus

HERE = Path(__file__).parent
HOLE = re.compile(r"\{([A-Z]+)([0-9]*)\}")
PHRASE = "amber kettle sings beneath frozen harbor"
PASSWORDS = ("Br1ckLane!9013", "velvetOtter*3485", "Sn0wdrift_8150", "quietMeadow#3112", "F1recrest.2514")


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


def lines(name: str) -> list[str]:
    """Return the texts of a file with one text in each line, in which a backslash and n stand for a line break."""
    return [line.replace("\\n", "\n") for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def filled(text: str, random: Random) -> tuple[str, str]:
    """Return a text with a secret in its hole, and the secret."""
    hole = HOLE.search(text)
    assert hole is not None, text
    length = int(hole[2] or 0)
    match hole[1]:
        case "P":
            secret = random.choice(PASSWORDS)
        case "W":
            secret = f"marigold{random.randrange(10, 99)}"
        case "PH":
            secret = PHRASE
        case "D":
            secret = "".join(random.choices("0123456789", k=length))
        case "H":
            secret = "".join(random.choices(HEX, k=length))
        case "U":
            secret = "1ef4f797-8335-4428-a001-" + "".join(random.choices(HEX, k=12))
        case _:
            secret = "".join(random.choices(MIXED, k=length or 28))
    return HOLE.sub(lambda _: secret, text, count=1), secret


def test_at_least_95_of_100_secrets_in_the_notations_of_many_tools_are_redacted() -> None:
    random = Random(5)
    planted = [filled(text, random) for text in lines("notations.txt")]
    missed = [text for text, secret in planted if secret in redacted(text)]
    assert len(missed) <= 0.05 * len(planted), missed


def test_at_most_5_of_100_harmless_texts_of_many_tools_are_changed() -> None:
    texts = lines("harmless.txt")
    changed = [text for text in texts if redacted(text) != text]
    assert len(changed) <= 0.05 * len(texts), changed


def test_secrets_as_people_write_them_are_redacted() -> None:
    planted = people(7)
    missed = [row for row in planted if row.secret in redacted(row.text)]
    assert len({row.notation for row in planted}) >= 25 and len(planted) >= 200
    assert len(missed) <= 0.15 * len(planted), [f"{row.notation}: {row.text}" for row in missed]


def test_at_most_5_of_100_innocent_lines_of_the_same_notations_are_changed() -> None:
    texts = lines("innocent.txt")
    changed = [text for text in texts if redacted(text) != text]
    assert len(texts) >= 250
    assert len(changed) <= 0.05 * len(texts), changed
