"""Facts in single words: paths, URLs, ids, times, keys with their values, and names.

A text is split into words at white space, quotation marks and brackets. Words longer than any fact are skipped, so that
a run of a million letters only costs its length.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from inspector.engine.facts.classes import FactClass
from inspector.engine.facts.lexicon import (
    CODE_HOSTS,
    EXTENSIONS,
    FILES,
    HEX_COLOUR,
    MODEL,
    NAME_BEGINNINGS,
    NO_IDS,
    NO_NAMES,
    POSITIONS,
    ROOTS,
    TIMED,
    TOPS,
    UNITS,
    is_constant,
    is_host,
    is_range,
)
from inspector.engine.facts.terms import day_terms, is_distinctive, is_telling, name_term, named_value, plain_value

MAX_WORD_LENGTH = 300
"""Maximum length of a word that can be a fact, except for URLs, in characters."""
_MAX_ADDRESS_LENGTH = 2_000


Sure = Literal[0, 1, 2]
"""Where a word that looks like a fact is one. A plain number, because it is compared for every word."""
ANYWHERE: Sure = 0
SAID: Sure = 1
"""In written text. In code and tool output, such words are too common."""
NOWHERE: Sure = 2
"""Not a fact by itself, but it repeats one that was stated elsewhere: a bare number."""


Key = tuple[FactClass, str]
"""A fact: its class and normalised value."""


class WordFact(NamedTuple):
    """A fact stated or mentioned by a word."""

    key: Key
    terms: tuple[str, ...]
    """Terms that identify it: its own first, then others that it states as well."""
    sure: Sure = ANYWHERE
    need: str = ""
    """Term whose use proves knowledge of the fact, if it is not the first of `terms`."""


def number(text: str, value: str, *names: str) -> WordFact:
    """Return the fact of a plain value.

    Args:
        text: Normalised text of the fact.
        value: Value without separators.
        names: Key and unit, which identify a value that is not distinctive.
    """
    if is_distinctive(value):
        need = "" if is_telling(value) else named_value(names[0], value)
        return WordFact(("number", text), (f"number {value}",), need=need)
    return WordFact(("number", text), tuple(dict.fromkeys([named_value(name, value) for name in names])))


# "https://docs.python.org/3/library/re.html#syntax"
_URL = re.compile(r"(?i)(https?|ftp|wss?|file|git|ssh|s3|postgres(?:ql)?|redis|mongodb)://([^/?#\s]+)([^\s]*)")
_EMAIL = re.compile(r"(?!git@)[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_DAY = re.compile(r"(\d{4})[-/:.](\d{1,2})[-/:.](\d{1,2})")
_TURNED = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
# "2026-03-29T14:05:00.250Z", and a time of day: "14:05:00.250+02:00"
_DATE_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt_](\d\d):(\d\d)(?::(\d\d))?(?:[.,]\d{1,9})?(?:[Zz]|[+-]\d\d:?\d\d)?")
_CLOCK = re.compile(r"(?!0:)([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?:[.,]\d{1,9})?(?:[A-Za-z]{1,2}|[+-]\d\d:?\d\d)?")
_MONTH = re.compile(r"(19\d\d|20\d\d)-(0[1-9]|1[0-2])")
_KEYED = re.compile(r"([A-Za-z_][\w.-]{0,60})(?:=|:)([+-]?\d[\d.,]*)([A-Za-z%°µ]{0,5})")
_NUMBER = re.compile(r"([+-]?\d[\d.,]*?)([%°]?[A-Za-z%µ]{0,5})")
# "v2.10.0-rc.1", "v1.4"
_VERSION = re.compile(r"v?(\d{1,4}\.\d{1,5}\.\d{1,6}(?:[-+.]?[A-Za-z0-9]{1,12}){0,3})|v(\d{1,3}\.\d{1,3})")
_SPAN = re.compile(r"(\d{1,4})-([a-z]{3,9})")
"""A length in one word: "3-week"."""
_ADDRESS = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?")
_UUID = re.compile(r"(?i)(?:[\w-]{1,40}[-_:])?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HEX = re.compile(r"0x[0-9a-fA-F]{4,64}|(?=[0-9a-f]{0,63}[0-9])(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}")
_CAPITAL_ID = re.compile(r"(?=[^\d]*\d)[A-Z][A-Z0-9]{0,9}(?:[-_/][A-Z0-9]{1,12}){1,5}|[A-Z]{3,8}\d{2,8}")
_LOCATOR = re.compile(
    r"(?!\d{1,4}[A-Z]{1,3}\Z)(?=[A-Z]*\d)(?=\d*[A-Z])(?:[A-Z]{1,8}\d+[A-Z]|\d+[A-Z])[A-Z0-9]{0,10}(?<![23]D)"
)
"""Capitals mixed with digits, as in booking numbers: "X4TR9Q"."""
_DIGIT_ID = re.compile(r"\d{3,8}(?:-\d{2,8}){1,5}|\d{2,6}-[A-Z]{1,3}\d{0,4}")
_PREFIXED_ID = re.compile(r"[a-z]{2,12}[_-](?=[A-Za-z]*\d)(?=[0-9a-z]*[A-Z0-9])[A-Za-z0-9]{6,64}")
_KEBAB_ID = re.compile(r"[a-z]{1,20}\d{0,4}(?:-[a-z0-9]{1,20}){1,8}")
_UNIQUE = re.compile(r"(?:\A|-)(?=[a-z]*\d)(?:\d{5,}|(?=\d*[a-z])[a-z0-9]{5,})(?:-|\Z)")
"""A part of an id that is neither a word nor a round number."""
_USER_ID = re.compile(r"[a-z]{2,20}(?:_[a-z]{2,20}){0,4}_(?!\d*00\Z)\d{3,12}")
# "toolu_01A09q90qw90lq917835lq9"
_RANDOM_ID = re.compile(r"(?:[A-Za-z]{1,8}_)?(?=[^\d]*\d[^\d]*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9]{16,80}")
_MIN_LOCATOR_LENGTH = 6
_MIN_RANDOM_LENGTH = 16
"""Minimum length of an id that is only recognisable by its mix of letters and digits."""
_LINE = re.compile(r"(?::\d{1,7}){1,2}(?:-\d{1,7})?\Z")
_STEPS = re.compile(r"(?:[A-Za-z]:)?[\w.@+~%$#/-]{1,300}")
_DIVIDED = re.compile(r"[./\\]")
_DRIVE = re.compile(r"[A-Za-z]:")
_FOUND_IN = re.compile(r"([^:=]{2,200}?\.\w{1,10})(?::\d{1,7}:(?:\d{1,5}:)?|-\d{1,7}-)(.*)")
"""A path, a line number and the line, as printed by `grep`."""
_LETTER = re.compile(r"[^\W\d_]")
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,9})\Z")
NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)*")
_HUMP = re.compile(r"[a-z][A-Z]\w")
_PARTED = re.compile(r"[A-Z]\w+\.[a-z]\w+")
_UNDERLINED = re.compile(r"[A-Za-z0-9]_+[A-Za-z0-9]|__[a-z]|\A_[a-z]{3}")


def find_facts(word: str) -> tuple[WordFact, ...]:
    """Return the facts of a word. Most words have none."""
    core = word.lstrip(",:;!?=#").rstrip(".,:;!?=")
    if core.isalpha():
        return () if core.islower() else _names(core) or _paths(core)
    if not _TELLING.search(core) and not core.isupper():
        return ()
    if "://" in core:
        return _urls(core[:_MAX_ADDRESS_LENGTH])
    if len(core) > MAX_WORD_LENGTH and not core.isdecimal():
        return ()
    if word[0] == "#" and HEX_COLOUR.match(word):
        return ()
    if core.lstrip("+-").replace(".", "", 1).replace(",", "").isdecimal():
        return _bare_number(core, is_ticket=word.startswith("#"))
    return _mixed(core)


def _mixed(core: str) -> tuple[WordFact, ...]:
    if core.isidentifier():  # without the punctuation of URLs, paths, numbers and lists
        may_be_id = _DIGIT.search(core) and not is_constant(core)
        return (_ids(core) if may_be_id else ()) or _names(core)
    if "," in core:
        return _split(core, ",")
    if core.startswith(_DIGESTS):
        return find_facts(core.partition(":")[2])
    return _with_digits(core) if _DIGIT.search(core) else _without_digits(core)


_DIGESTS = ("sha256:", "sha512:", "sha1:", "md5:")


def _without_digits(core: str) -> tuple[WordFact, ...]:
    return _emails(core) or _paths(core) or _names(core) or _split(core)


def _with_digits(core: str) -> tuple[WordFact, ...]:
    if "=" in core:
        return _numbers(core) or _split(core)
    if core[0].isdecimal():
        core = _LISTING.sub("", core) if core.count("-") > 1 else core
        if facts := _times(core):
            return facts
    if "." in core and (":" in core or "-" in core) and (match := _FOUND_IN.fullmatch(core)):
        return read_word(match[1]) + read_word(match[2])
    return _any_of(core)


def _any_of(core: str) -> tuple[WordFact, ...]:
    return _emails(core) or _ids(core) or _paths(core) or _numbers(core) or _names(core) or _split(core)


read_word = lru_cache(maxsize=1 << 14)(find_facts)
_TELLING = re.compile(r"[\d@./\\_=&,:]|[a-z][A-Z]")
"""Matches every word that states a fact, except words in all capitals."""
_DIGIT = re.compile("[0-9]")
_LISTING = re.compile(r"\d{1,7}[:-](?=\d{4}-\d\d-\d\d[T_]?)")
"""Line number as printed by `grep` before a line of a log."""


def _bare_number(digits: str, *, is_ticket: bool = False) -> tuple[WordFact, ...]:
    if is_ticket and len(digits) > 1:
        return (WordFact(("id", digits), (f"id {digits}",), SAID),)
    value = plain_value(digits)
    if not is_distinctive(value):
        return ()
    need = "" if is_telling(value) else named_value("", value)
    return (WordFact(("number", value), (f"number {value}",), NOWHERE, need),)


def _urls(core: str) -> tuple[WordFact, ...]:
    match = _URL.search(core)
    if not match:
        return ()
    scheme, host, rest = match.groups()
    text = f"{scheme.lower()}://{host.lower()}{rest.rstrip('.,:;!?/')}"
    return (WordFact(("url", text), (f"url {text}",)),)


def _emails(core: str) -> tuple[WordFact, ...]:
    if "@" not in core or not _EMAIL.fullmatch(core):
        return ()
    text = core.lower()
    return (WordFact(("email", text), (f"email {text}",)),)


def _times(core: str) -> tuple[WordFact, ...]:
    if ":" in core and (facts := _moment(core)):
        return facts
    if match := _DAY.fullmatch(core):
        year, month, day = match.groups()
    elif match := _TURNED.fullmatch(core):
        first, sign, second, year = match.groups()
        day, month = (second, first) if sign == "/" and int(first) <= 12 else (first, second)
    else:
        return date(core) if _MONTH.fullmatch(core) else ()
    return date(f"{year}-{int(month):02}-{int(day):02}") if (1 <= int(month) <= 12 and 1 <= int(day) <= 31) else ()


def _moment(core: str) -> tuple[WordFact, ...]:
    if match := _DATE_TIME.fullmatch(core):
        year, month, day, hour, minute, second = match.groups()
        if 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
            return date(f"{year}-{month}-{day} {hour}:{minute}{f':{second}' if second else ''}")
    if core != "15:04:05" and (match := _CLOCK.fullmatch(core)):  # that is a layout in Go
        hour, minute, second = match.groups()
        return date(f"{int(hour):02}:{minute}{f':{second}' if second else ''}")
    return ()


def date(text: str) -> tuple[WordFact, ...]:
    return (WordFact(("date", text), day_terms(text)),)


def _ids(core: str) -> tuple[WordFact, ...]:
    """Return the fact of a word that is a unique id: a hash, a uuid, an order number."""
    unique = _is_hash(core) or (_is_numbered(core) if core[0].isdecimal() else _is_lettered(core))
    return _known_by("id", core) if unique and core.lower() not in NO_IDS and not MODEL.fullmatch(core) else ()


def _is_hash(core: str) -> bool:
    if _CAPITAL_ID.fullmatch(core) if core[0].isupper() else _HEX.fullmatch(core):
        return True
    if core.isupper() and len(core) >= _MIN_LOCATOR_LENGTH and _LOCATOR.fullmatch(core):
        return core.rstrip("0123456789") not in UNITS
    return len(core) >= _MIN_RANDOM_LENGTH and bool(_UUID.fullmatch(core) or _RANDOM_ID.fullmatch(core))


def _is_numbered(core: str) -> bool:
    parted = "-" in core and not is_range(core) and _DIGIT_ID.fullmatch(core)
    return bool(parted or _ADDRESS.fullmatch(core))


def _is_lettered(core: str) -> bool:
    if core[0].isupper() or ("-" not in core and "_" not in core):
        return False
    kebab = _KEBAB_ID.fullmatch(core) and _UNIQUE.search(core)
    return bool(kebab or _PREFIXED_ID.fullmatch(core) or _USER_ID.fullmatch(core))


def _known_by(cls: FactClass, text: str) -> tuple[WordFact, ...]:
    return (WordFact((cls, text), (f"{cls} {text.lower()}",)),)


def _paths(core: str) -> tuple[WordFact, ...]:
    """Return the fact of a word that is a path, a file name, or a URL without a scheme."""
    if not _DIVIDED.search(core) and core not in FILES:
        return ()
    text = _plain_path(core)
    steps = text.split("/")
    if not _STEPS.fullmatch(text) or not _LETTER.search(text):
        return ()
    host = steps[0].lower()
    if is_host(host) if len(steps) == 1 else "." in host and host.rpartition(".")[2] in TOPS:
        text = text.rstrip("/").lower()
        sure = (ANYWHERE, SAID)[host in CODE_HOSTS or len(steps) > 1]  # in code these are imports
        return (WordFact(("url", text), (f"url https://{text}", f"url http://{text}"), sure),)
    if not _is_path(text, steps):
        return ()
    if _EXPORTED.search(steps[-1]):  # os/exec.Cmd
        return (WordFact(("symbol", text), name_terms(steps[-1]), SAID),)
    text = _undiffed(text.rstrip("/")) or "/"
    return (WordFact(("path", text), (f"path {text}",)),)


def _undiffed(text: str) -> str:
    """Return a path without the `a/` or `b/` prefix of diffs."""
    return text[2:] if text[:2] in ("a/", "b/") and _EXTENSION.search(text) else text


_EXPORTED = re.compile(r"\.([A-Z][a-z]\w{0,40})\Z")
"""End of a name that a Go package exports."""


def _plain_path(core: str) -> str:
    """Return a path with forward slashes, without a line number and a leading `./`."""
    text = _LINE.sub("", core) if ":" in core else core
    if _DRIVE.match(text) or text.startswith("\\\\"):
        text = text.replace("\\", "/")
    while text.startswith("./"):
        text = text[2:]
    return text


def _is_path(text: str, steps: list[str]) -> bool:
    last = steps[-1]
    extension = _EXTENSION.search(last)
    if len(steps) == 1:
        return last in FILES or (extension is not None and _is_file(last, extension))
    if text.startswith(("../", "~/")):
        return True
    if text.startswith("/"):
        return bool(extension) or len(steps) > 3 or steps[1] in ROOTS or "__" in steps[1]
    return bool(extension) or last in FILES or _is_folder(text, steps)


def _is_file(name: str, extension: re.Match[str]) -> bool:
    return extension[1].lower() in EXTENSIONS and len(name) > len(extension[0]) and name.lower() not in NO_NAMES


def _is_folder(text: str, steps: list[str]) -> bool:
    first = steps[0]
    if _DRIVE.fullmatch(first) or (first.startswith(".") and len(first) > 2):
        return True
    return (not steps[-1] and len(first) > 1) or (len(steps) > 3 and text.islower())


def _numbers(core: str) -> tuple[WordFact, ...]:
    """Return the fact of a version, a key with its value, a value with its unit, or a bare number."""
    if core[0] not in "v0123456789+-~≈±" or "=" in core:
        match = _KEYED.fullmatch(core)
        if not match:
            return ()
        key, digits, unit = match.groups()
        if key.lower() in POSITIONS:
            return ()
        value = plain_value(digits.rstrip(".,"))
        text = f"{key} = {value}{f' {unit}' if unit else ''}"
        return (number(text, value, key, unit or key),)
    return _version(core) or _measure(core)


def _version(core: str) -> tuple[WordFact, ...]:
    match = _VERSION.fullmatch(core)
    if not match or core in NO_IDS:
        return ()
    version = match[1] or match[2]
    return (WordFact(("number", version), (f"number {version}",)),)


def _measure(core: str) -> tuple[WordFact, ...]:
    if (match := _SPAN.fullmatch(core)) and match[2] in TIMED:
        return (number(f"{match[1]} {match[2]}", match[1], match[2]),)
    if match := _NUMBER.fullmatch(core.lstrip("~≈±")):
        value, unit = plain_value(match[1].rstrip(".,")), match[2]
        if unit in UNITS:
            return (number(f"{value} {unit}", value, unit),)
        return _bare_number(value) if not unit else ()
    return ()


def _names(core: str) -> tuple[WordFact, ...]:
    """Return the fact of a name that only occurs in code: with an underscore, or a capital within a word."""
    if len(core) < 4 or core in NO_NAMES or not NAME.fullmatch(core) or _is_no_code(core):
        return ()
    if ("_" in core and _UNDERLINED.search(core)) or _HUMP.search(core) or _PARTED.fullmatch(core):
        return (WordFact(("symbol", core), name_terms(core), SAID),)
    return (WordFact(("symbol", core), (name_term(core),), NOWHERE),) if core.isupper() else ()


def _is_no_code(name: str) -> bool:
    """Return True for words with emphasis underscores, and names of people or places with a capital in the middle."""
    if name[0] == "_" == name[-1]:
        return name[1] != "_"
    if "." in name and name.lower() in NO_NAMES:
        return True
    return name.startswith(NAME_BEGINNINGS) and len(_HUMP.findall(name)) == 1 and name.isalpha()


def name_terms(name: str) -> tuple[str, ...]:
    """Return the term of a name and that of its last part: `report.clock()` also states `clock()`."""
    _, dot, last = name.rpartition(".")
    return (name_term(name), name_term(last)) if dot and len(last) > 3 else (name_term(name),)


def _split(core: str, sign: str = "") -> tuple[WordFact, ...]:
    """Return the facts of the parts of a word such as a query string or a setting whose value is a path."""
    sign = sign or next((sign for sign in "=&@" if sign in core), "")
    if not sign:
        return ()
    facts = (fact for part in core.split(sign) for fact in read_word(part))
    return tuple({fact.key: fact for fact in facts}.values())
