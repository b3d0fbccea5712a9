"""Terms: normalised names that identify a fact in all its spellings.

Two messages state the same fact if they contain the same term. A number is identified by its value if the value is
distinctive, otherwise by its key and value: 3845 is the same 3845 anywhere, but 6 is only the same 6 of the same thing.
So a label that survives without its value does not count as the fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from sys import intern

from inspector.core.text import lazy_pattern

_SEVERAL = 3
"""Number of significant digits (without surrounding zeros) from which a number is identified by its value alone."""
_THOUSANDS = lazy_pattern(r"(?<=\d)[,'](?=\d{3}(?!\d))")
_WORDS = lazy_pattern(r"\w+")
ORDINARY = lazy_pattern(r"[A-Za-z]?[a-z]*")


def plain_value(digits: str) -> str:
    """Return a number without plus sign, thousands separators and redundant zeros: "+1,489,780.50" is "1489780.5"."""
    if digits.isdecimal() and digits[0] != "0":
        return digits
    value = _THOUSANDS.sub("", digits.lstrip("+")).replace(",", ".")
    if value.count(".") > 1:  # 1.490.400, with points as thousands separators
        value = value.replace(".", "")
    if "." in value:
        value = value.rstrip("0").rstrip(".")
    sign = "-" if value.startswith("-") else ""
    value = value.lstrip("-").lstrip("0")
    return sign + (f"0{value}" if not value or value.startswith(".") else value)


def is_distinctive(value: str) -> bool:
    """Return True if a value is unlikely to occur twice by chance: 3845 and 42.53, but not 6, 100 or 2026."""
    if len(value) < _SEVERAL:
        return False
    digits = value.replace(".", "").strip("-0")
    return len(digits) >= _SEVERAL and not is_year(value)


def is_year(value: str) -> bool:
    return len(value) == 4 and value.isdecimal() and "1900" <= value <= "2099"


def is_telling(value: str) -> bool:
    """Return True if stating the value proves knowledge of it: 3845 and 42.53 do, but 306 can be 306 of anything."""
    return is_distinctive(value) and ("." in value or len(value.lstrip("-").rstrip("0")) > _SEVERAL)


_SYNONYMS = {
    "min": "minute",
    "mins": "minute",
    "s": "second",
    "sec": "second",
    "secs": "second",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "metre": "m",
    "meter": "m",
    "percent": "%",
}


@lru_cache(maxsize=1 << 12)
def _stem(key: str) -> str:
    """Normalise a key: "Files", "file" and "files" are the same."""
    word = key.lower().rsplit(".", 1)[-1].replace("_", "").replace("-", "")
    word = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return _SYNONYMS.get(word, word)


def named_value(key: str, value: str) -> str:
    """Return the name of a plain value that is called `key` or counts `key`."""
    return f"number {_stem(key)} {value}"


def day_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a date, a time or both, most complete first. A full date also states its day and its year."""
    if ":" not in text:
        return _terms_of_day(text)
    day, _, time = text.rpartition(" ")
    terms = (f"date {text}",) if time.count(":") < 2 else (f"date {text}", f"date {time[:5]}")
    return (*terms, f"date {time}", *_terms_of_day(day)) if day else terms


@lru_cache(maxsize=1 << 12)
def _terms_of_day(day: str) -> tuple[str, ...]:
    terms = [f"date {day}"]
    if day[4:5] == "-":
        terms.append(f"date {day[:4]}")
    if len(day) == len("2026-03-29") and day[4] == "-":
        terms.append(f"date {int(day[8:])} {MONTH_NAMES[int(day[5:7]) - 1]}")
    return tuple(terms)


MONTH_NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def name_term(name: str) -> str:
    """Return the term of a name from code or of a tool. Names that are also ordinary words keep their brackets."""
    bare = name.removesuffix("()")
    return f"name {name if ORDINARY.fullmatch(bare) else bare}"


@lru_cache(maxsize=1 << 13)
def sentence_words(text: str) -> tuple[str, ...]:
    """Return the words of a sentence, ignoring punctuation, quotation marks and emphasis. Equal words are interned."""
    return tuple(map(intern, _WORDS.findall(text.lower().replace("_", " "))))


def sentence_term(text: str) -> str:
    return f"words {' '.join(sentence_words(text))}"


_SHORT_ID = lazy_pattern(r"id ([0-9a-f]{7,64})")
_PATH, _ID = "path ", "id "


def may_have_aliases(term: str) -> bool:
    """Return True if the term is a path or a hash."""
    return term.startswith((_PATH, _ID))


def find_aliases(terms: Iterable[str]) -> dict[str, str]:
    """Map each path or hash that abbreviates exactly one other to that other.

    `windows.py` maps to `/home/gate/windows.py` if no other path ends like that, and `91f3ba6` to the only hash that
    starts like that.
    """
    all_terms = list(terms)
    hashes = [match[0] for term in all_terms if (match := _SHORT_ID.fullmatch(term))]
    full_hashes = dict(_fullest([*map(tuple, hashes)]))
    paths = [tuple(reversed(term[len(_PATH) :].split("/"))) for term in all_terms if term.startswith(_PATH)]
    same = {"".join(short): "".join(long) for short, long in full_hashes.items()}
    return same | {_joined(short): _joined(long) for short, long in _fullest(paths)}


def rename_groups(
    groups: Mapping[str, int], terms: Iterable[str], before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, int] | None:
    """Return the groups under their new fullest names after aliases changed; None if members moved between groups."""
    names: dict[str, str] = {}
    for term in terms:
        old, new = before.get(term, term), after.get(term, term)
        if names.setdefault(old, new) != new:
            return None
    renamed = {names[name]: number for name, number in groups.items()}
    return renamed if len(renamed) == len(groups) else None


def _joined(steps: Sequence[str]) -> str:
    return _PATH + "/".join(reversed(steps))


def _fullest(names: Iterable[tuple[str, ...]]) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield each sequence with the longest sequence it is a prefix of.

    Sequences whose extensions are not all prefixes of one another are skipped.
    """
    order = sorted(set(names))
    end = [0] * len(order)
    longest = list(range(len(order)))
    for place in range(len(order) - 1, -1, -1):
        name, behind = order[place], place + 1
        while behind < len(order) and order[behind][: len(name)] == name:
            behind = end[behind]
        end[place] = behind
        if behind > place + 1 and end[place + 1] == behind and (end[longest[place + 1]] == behind):
            longest[place] = longest[place + 1]
    return [(name, order[longest[place]]) for place, name in enumerate(order) if longest[place] != place]
