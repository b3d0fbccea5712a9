"""Secrets as people write them: `people.txt` has a kind of notation and a text with a hole in each line."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path
from random import Random
from string import ascii_letters, ascii_uppercase, digits
from typing import NamedTuple
from uuid import UUID

HERE = Path(__file__).parent
HOLE = re.compile(r"\{([A-Z])([0-9]*)\}")
WORDS = ("amber", "kettle", "harbor", "marble", "violet", "cobble", "lantern", "willow", "magnet", "saddle", "turnip")
MIXED = ascii_letters + digits


class Written(NamedTuple):
    """A text with a secret."""

    notation: str
    text: str
    secret: str


def password(random: Random) -> str:
    """A password that a person or a program chose."""
    first, second = random.choice(WORDS), random.choice(WORDS)
    number, sign = str(random.randrange(10, 9999)), random.choice("!#$%*&?+-_.@")
    leet = first.translate(str.maketrans("aeo", "43o")).capitalize()
    return random.choice(
        [
            first.capitalize() + second.capitalize() + number + sign,
            first.capitalize() + sign + number + second,
            leet + sign + second + number,
            f"{first}-{second}-{number}",
            first.capitalize() + number + sign,
            "!" + first.capitalize() + number,
            "".join(random.choices(MIXED, k=random.choice((10, 12, 14)))),
            "".join(random.choices(MIXED + "!#%*_-+", k=random.choice((12, 16)))),
            first[:3] + number + second[:3].upper() + sign,
            first + number,
            "-".join(random.choice(WORDS).capitalize() for _ in range(3)) + number[:1],
        ]
    )


def secret(kind: str, length: int, random: Random) -> str:
    match kind:
        case "P":
            return password(random)
        case "W":
            return random.choice(WORDS) + str(random.randrange(10, 99))
        case "B":
            return b64encode(random.randbytes(length)).decode()
        case "U":
            return str(UUID(int=random.getrandbits(128), version=4))
    alphabets = {"H": digits + "abcdef", "T": ascii_uppercase + "234567"}
    return "".join(random.choices(alphabets.get(kind, MIXED + random.choice(("", "_-"))), k=length))


def people(seed: int) -> list[Written]:
    """The texts, each with a secret in its hole."""
    random, texts = Random(seed), []
    for line in (HERE / "people.txt").read_text(encoding="utf-8").splitlines():
        notation, text = line.split("\t", 1)
        text = text.replace("\\n", "\n").replace("\\t", "\t")
        hole = HOLE.search(text)
        assert hole is not None, text
        made = secret(hole[1], int(hole[2] or 0), random)
        texts.append(Written(notation, text[: hole.start()] + made + text[hole.end() :], made))
    return texts
