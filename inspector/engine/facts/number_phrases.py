"""Read numbers with their surrounding words: amounts, dates, values of keys, and counts.

Only numbers directly before or after a word are read. Table columns are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from inspector.core.text import lazy_pattern
from inspector.engine.facts.lexicon import (
    CURRENCIES,
    LABELS,
    LINKS,
    LISTED,
    MONTHS,
    NO_ADJECTIVES,
    SCALES,
    SINGULARS,
    UNITS,
    WORDLESS,
    YEAR_CUES,
)
from inspector.engine.facts.terms import MONTH_NAMES, is_distinctive, is_telling, is_year, plain_value
from inspector.engine.facts.word_facts import Key, WordFact, date, number

_NUMBER = lazy_pattern(
    r"""([0-9](?<![\w.,][0-9])
         (?: (?<!:[0-9])(?=[0-9.,]*+[ ]?[A-Za-z°%])           # 412 files
            | (?<=[A-Za-z.:=*][ ][0-9])                    # week 13, total: 5
            | (?<=[$€£¥:"'+−~≈#-][0-9])
              (?: (?<=[A-Za-z:=][ ][+−-][0-9])             # level -250
                | (?<=[A-Za-z][ ][~≈#][0-9])               # line ~40, PR #12
                | (?<=[$€£¥][0-9])                         # €41.20
                | (?<=["']:[0-9]) | (?<=[:=]["'][0-9])        # "amount":42.53, amount="20.00"
                | (?<=[:=][ ]["'][0-9]) )                  # "amount": "20.00"
          )[0-9.,]*+)(?:st|nd|rd|th|([%°][CF]?))?(?!(?![ap]m\b)[/\w-]|:\S)
         (?=(?:[ ]?([A-Za-z°%µ$€£¥][\w°²³/%-]{0,30})(,?)(?:[ ]([\w'-]{1,30}))?(?:,?[ ]([0-9]{4})\b)?)?)""",
    re.VERBOSE,
)
"""A number next to a word, and the text after it: a unit or word, a comma that ends it, a second word, a year.

The text before the number is checked at its first digit, so matching takes linear time.
"""
_BEFORE = lazy_pattern(
    r"""([$€£¥]?)([+−-]?)[~≈#]?(["'*`]{0,2})[ ]?["'*`]{0,2}([:=]?)[ ]?(["'*`]{0,2})([\w.$€£¥-]{0,40})"""
    r"""["'*`]{0,2}(?:[ ]["'*`]{0,2}([\w.]{1,30}))?"""
)
"""Matched against the reversed text before a number, so that parts are listed from right to left.

The parts are a currency symbol, a sign, an opening quotation mark, a colon or an equals sign, the quotation mark that
closes the key, and two words. All of them are optional. Example: the text before 42 in `total: $42`.
"""
_YEAR = lazy_pattern(r",? ((?:19|20)\d\d)\b")
_KEY = lazy_pattern(r"[A-Za-z_][\w.-]{0,60}")
_POINTED = lazy_pattern(r"\d{1,3}(?:\.\d{3}){2,}")
"""A large number with points as thousands separators: "1.490.400"."""
_PLURAL = lazy_pattern(r"[a-z][a-z-]{2,24}(?<=[^sui]s)")
_ADJECTIVE = lazy_pattern(r"[a-z][a-z-]{2,24}")
_LIMIT = lazy_pattern("limit|timeout|count|max|lines|depth|page|context")
_EXITS = frozenset(("exit", "with"))
"""Words before "code" and the status of a program: "exit code 1", "exited with code 1"."""
_YEAR_DIGITS = 4
_MINUS = frozenset("-−")
_TELLING_BEFORE = frozenset({*CURRENCIES, *SCALES, *MONTHS, *LABELS})
"""Words before a number that can make it something other than a count."""
_HALVES = {"am": 0, "pm": 12}
"""Hour offset of each half of the day."""
_TELLING_AFTER = frozenset({"of", *CURRENCIES, *SCALES, *MONTHS, *_HALVES})
"""Words after a number that can make it something other than a count."""


class _Place(NamedTuple):
    """A number with its surrounding words."""

    value: str
    """The number without separators."""
    digits: str
    unit: str
    """Noun that is counted, or ""."""
    symbol: str
    """Currency symbol before the number."""
    link: str
    """Colon or equals sign after the word before, which is then a key; `"` after a quoted key."""
    before: str
    earlier: str
    after: str
    later: str
    """Second word after the number. Both are empty if a clause ends before them."""
    year: str


def numbers_in(text: str, *, is_said: bool = True) -> Iterator[tuple[str, WordFact]]:
    """Yield the facts of the numbers in a text, each with its spelling in the text.

    `is_said` is True for text written by participants. In code and tool output, "$1" is a shell argument rather than
    money.
    """
    size, backwards = len(text), ""
    for match in _NUMBER.finditer(text):
        groups = match.groups("")
        digits = groups[0].rstrip(".,")
        if digits.count(".") > 1 and not _POINTED.fullmatch(digits):
            continue
        after, later = _words_behind(groups, len(digits))
        unit = _unit_of(groups[1] or after, later) or _unit_of_one(match, digits, after)
        start = match.start()
        if after.lower() not in _TELLING_AFTER and _stands_alone(text[max(0, start - 3) : start]):
            fact = _so_many(digits, unit)
        else:
            backwards = backwards or text[::-1]
            fact = _in_context(match, _BEFORE.match(backwards, size - start), digits, unit, after, later)
        if fact and not _is_argument(fact.key, digits, is_said and text[max(0, start - 2) : start] not in _EXPANDED):
            yield groups[0], fact
    yield from _ranges_in(text)


_RANGE = lazy_pattern(r"[-–](?<=[0-9][-–])([0-9]{1,7})(?:st|nd|rd|th)?(?![\w-]|[.:,][0-9])(?=(?:,? ([0-9]{4})\b)?)")
"""End of a range such as "12-40". Starts with the dash, because `re` would try a pattern at every number."""
_RANGE_BEGINS = lazy_pattern(r"([A-Za-z]{3,20})\.?(?: [~#]?|#)([0-9]{1,7})(?:st|nd|rd|th)?\Z")
_FOLLOWING = lazy_pattern(r"(?:, and |, | and | & |/)([0-9]{1,7})")
"""Text between two ranges of the same kind, and the start of the second: "lines 3-5 and 9-12"."""
_BEFORE_DASH = 32


def _ranges_in(text: str) -> Iterator[tuple[str, WordFact]]:
    """Yield ranges with the word before them: "lines 12-40", "May 3-5, 2026"."""
    label, end = "", -1
    for match in _RANGE.finditer(text):
        start = match.start()
        ahead = _RANGE_BEGINS.search(text[max(0, start - _BEFORE_DASH) : start])
        if label and (following := _FOLLOWING.fullmatch(text[end : min(start, end + _BEFORE_DASH)])):
            word, first, last = label, following[1], match[1]
        elif ahead:
            word, first, last = ahead[1], ahead[2], match[1]
        else:
            label = ""
            continue
        label, end = word, match.end()
        spelling = f"{first}{match[0]}"
        if month := _month_of(word):
            for day in filter(_is_day, (int(first), int(last))):
                yield spelling, _whole_day(day, month, match[2] or "")
        elif int(first) < int(last) and (word.lower() in LABELS or word.lower().removesuffix("s") in LABELS):
            yield spelling, number(f"{word.lower()} {first}-{last}", plain_value(first), word.lower())


def _is_day(number: int) -> bool:
    return 1 <= number <= _MAX_DAYS


def _words_behind(groups: tuple[str, ...], size: int) -> tuple[str, str]:
    """Return the two words after a number, given the length of its digits; empty if a clause ends before them."""
    number_text, own_unit, after, comma, later, _ = groups
    if size < len(number_text) and not own_unit:
        return "", ""
    return after, "" if comma else later


def _unit_of_one(match: re.Match[str], digits: str, word: str) -> str:
    """Return the counted noun if it is singular or has an optional plural: "1 file", "3 row(s)"; otherwise ""."""
    if digits == "1" and word in SINGULARS:
        return word
    return f"{word}s" if word and match.string.startswith("(s)", match.end(3)) else ""


def _in_context(
    match: re.Match[str], ahead: re.Match[str] | None, digits: str, unit: str, after: str, later: str
) -> WordFact | None:
    """Return the fact of a number according to its context. `ahead` is the `_BEFORE` match of the preceding text."""
    assert ahead, "each part of it may be missing"
    symbol, sign, opening, link, closing, before, earlier = ahead.groups("")
    before, earlier = before[::-1], earlier[::-1]
    if day := _ordinal(match, before, after):
        return day
    context = symbol or link or _has_context(digits, before.lower(), earlier, after.lower())
    if not (unit or context):
        return None
    digits = _add_sign(digits, sign, before)
    if not context:
        return _so_many(digits, unit)
    if opening and not link:  # the words before it are outside of the quotation
        before = ""
    elif link:
        link = closing or link
    after = _unless_size(match, after)
    year = _year_of(match, after)
    return _fact_at(_Place(plain_value(digits), digits, unit, symbol, link, before, earlier, after, later, year))


def _unless_size(match: re.Match[str], after: str) -> str:
    """Return the word after a number, or "" for a month that is followed by a day: the number is then a file size."""
    return (
        ""
        if after[:1].isupper() and after.lower() in MONTHS and _DAY_BEHIND.match(match.string, match.end(3))
        else after
    )


def _is_argument(key: Key, digits: str, is_prose: bool) -> bool:
    """Return True if the number is a shell argument, or a list position in code or tool output."""
    cls, text = key
    if cls == "date":
        return not is_prose and text.startswith("the ")
    return cls == "amount" and len(digits) == 1 and text.startswith("USD") and not (is_prose and digits != "0")


_EXPANDED = ('"$', "=$", "{$")
"""Characters before a digit that make it an argument of a shell."""


def _ordinal(match: re.Match[str], before: str, after: str) -> WordFact | None:
    """Return the fact of an ordinal day without a month, such as "the 9th"."""
    if before != "the":
        return None
    if after and (after == "of" or after not in NO_ADJECTIVES):
        return None
    ending = match.string[match.end(1) : match.end(1) + 2]
    if ending not in ("st", "nd", "rd", "th") or not 1 <= int(match[1]) <= _MAX_DAYS:
        return None
    return date(f"the {match[1]}{ending}")[0]


_MAX_DAYS = 31
_DAY_BEHIND = lazy_pattern(r" {1,2}\d{1,2}(?=\s)")
"""A day after the name of its month, as in file listings: "4096 Mar 29". The number before the month is a size."""


def _fact_at(place: _Place) -> WordFact | None:
    return (
        _amount(place)
        or _day(place)
        or _option(place)
        or _keyed(place)
        or _scaled(place)
        or _so_many(place.digits, place.unit)
    )


def _add_sign(digits: str, sign: str, before: str) -> str:
    """Return the digits with their minus sign, unless it is the dash of a range: "3-4 days" is not minus four."""
    return f"-{digits}" if sign in _MINUS and not before[-1:].isdecimal() else digits


def _has_context(digits: str, before: str, earlier: str, after: str) -> bool:
    """Return True if the lowercase words around a number can make it something other than a count."""
    return (
        before in _TELLING_BEFORE
        or after in _TELLING_AFTER
        or ((before in YEAR_CUES or before == "the") and len(digits) == _YEAR_DIGITS)
        or (before in LINKS and earlier.lower() in LABELS)
        or (before == "in" and earlier == "ending")
        or before.startswith("--")
        or (before == "code" and earlier.lower() in _EXITS)
    )


def _year_of(match: re.Match[str], after: str) -> str:
    """Return the year after a number, directly or after one word."""
    dated = None if after else _YEAR.match(match.string, match.end())
    return dated[1] if dated else match[6] or ""


@lru_cache(maxsize=1 << 12)
def _stands_alone(before: str) -> bool:
    """Return True if the three characters before a number show that no word, sign or key belongs to it."""
    ahead = _BEFORE.match(before[::-1])
    assert ahead, "each part of it may be missing"
    symbol, sign, _, link, _, word, _ = ahead.groups("")
    return not (symbol or sign or link or word) and ahead.end(6) < len(before)


@lru_cache(maxsize=1 << 14)
def _so_many(digits: str, unit: str) -> WordFact | None:
    """Return the fact of a count; None if the unit is empty."""
    if not unit:
        return None
    value = plain_value(digits)
    return number(f"{value} {unit}", value, *reversed(unit.split()))


def _is_titled(word: str) -> bool:
    """Return True for a capitalised plural of a commonly counted noun: "14 Steps"."""
    return word[0].isupper() and word[-1] == "s" and word[:-1].lower() in SINGULARS


@lru_cache(maxsize=1 << 14)
def _unit_of(word: str, later: str) -> str:
    """Return the noun that a number counts, from the words after it ("files", "°C", "working days"), or ""."""
    if not word:
        return ""
    if word in UNITS or (word not in WORDLESS and _PLURAL.fullmatch(word)) or _is_titled(word):
        return word
    if not later or word in NO_ADJECTIVES or word in WORDLESS or not _ADJECTIVE.fullmatch(word):
        return ""
    return f"{word} {later}" if later not in WORDLESS and _PLURAL.fullmatch(later) else ""


def _amount(place: _Place) -> WordFact | None:
    """Return an amount of money: "EUR 1.62 million" is "EUR 1620000"."""
    after = place.after.lower()
    scale = SCALES.get(after, 0)
    currency = CURRENCIES.get(place.symbol or place.before.lower()) or CURRENCIES.get(place.later if scale else after)
    if not currency:
        return None
    value = _times_ten(place.value, scale)
    own = f"amount {currency} {value}"
    term = f"number {value}" if is_distinctive(value) else own
    return WordFact(("amount", f"{currency} {value}"), (term, own), need=term if is_telling(value) else own)


def _times_ten(value: str, zeros: int) -> str:
    """Multiply a plain value by a power of ten."""
    whole, _, rest = value.partition(".")
    return plain_value(f"{whole}{rest[:zeros].ljust(zeros, '0')}.{rest[zeros:]}".rstrip("."))


def _day(place: _Place) -> WordFact | None:
    """Return a date in words: "29 March 2026", "March 29, 2026", "March 2026" or "since 2019"."""
    digits = place.digits
    if not digits.isdecimal() or len(digits) > _YEAR_DIGITS:
        return None
    if place.after.lower() in _HALVES:
        return date(f"{int(digits) % 12 + _HALVES[place.after.lower()]:02}:00")[0]
    number, month = int(digits), _month_of(place.later if place.after == "of" else place.after)
    before = _month_of(place.before)
    if (month or before) and 1 <= number <= _MAX_DAYS:
        return _whole_day(number, month or before, place.year or (place.later if month else place.earlier))
    return _month_or_year(place, before) if is_year(digits) else None


def _month_or_year(place: _Place, month: int) -> WordFact | None:
    """Return a year, with the month before it if `month` is not 0."""
    if month:
        return None if place.earlier[:1].isdecimal() else date(f"{place.digits}-{month:02}")[0]
    if place.before == "the":
        return date(place.digits)[0] if place.after[:1].isupper() else None
    return date(place.digits)[0] if place.before.lower() in YEAR_CUES and place.earlier != "ending" else None


def _month_of(word: str) -> int:
    """Return the number of a month, or 0. In lowercase, "may" and "march" are verbs."""
    return MONTHS.get(word.rstrip(".").lower(), 0) if word[:1].isupper() else 0


def _whole_day(number: int, month: int, year: str) -> WordFact:
    return date(f"{year}-{month:02}-{number:02}" if is_year(year) else f"{number} {MONTH_NAMES[month - 1]}")[0]


def _keyed(place: _Place) -> WordFact | None:
    """Return a value with its name: `"price": 189.0`, "week 13", "the total is 3845"."""
    value, unit, key = place.value, place.unit, place.before
    if place.link:
        return _set(place) if _KEY.fullmatch(key) and key.lower() not in LISTED else None
    label = key.lower().rstrip(".")
    if label == "in" and place.earlier == "ending":
        return number(f"ending in {value}", value, "ending")
    if label in LINKS:
        label = place.earlier.lower()
    if label not in LABELS or (label in UNITS and place.earlier[:1].isdecimal()):
        return None
    return number(f"{label} {value} {unit}".rstrip(), value, label)


def _option(place: _Place) -> WordFact | None:
    """Return an exit code, or the value of an option that does not limit the output: "--port 8123"."""
    name, value = place.before.lower(), place.value
    if name == "code" and place.earlier.lower() in _EXITS and value != "0":
        return number(f"exit code {value}", value, "exit")
    if not name.startswith("--") or _LIMIT.search(name) or not _KEY.fullmatch(name, 2):
        return None
    return number(f"{name[2:]} {value}", value, name[2:])


def _set(place: _Place) -> WordFact | None:
    """Return the value of a key that is followed by a colon or an equals sign."""
    value, unit, key = place.value, place.unit, place.before
    if place.link == ":" and ((_begins_sentence(key) and not unit) or (is_year(value) and _month_of(place.after))):
        return None
    return number(f"{key} = {value} {unit}".rstrip(), value, key, unit.rpartition(" ")[2] or key)


def _begins_sentence(key: str) -> bool:
    """Return True for a capitalised word, whose colon usually introduces a sentence rather than a value."""
    return key[0].isupper() and key[1:].islower()


def _scaled(place: _Place) -> WordFact | None:
    """Return a large number with a scale word: "1.8 million"."""
    scale = SCALES.get(place.after.lower(), 0)
    if not scale:
        return None
    return WordFact(("number", f"{place.value} {place.after.lower()}"), (f"number {_times_ten(place.value, scale)}",))
