"""Comparison of two rules by their words, numbers, code and polarity."""

from __future__ import annotations

from functools import lru_cache

from inspector.analysis.memory_audit.word_classes import concept_of
from inspector.core.text import cued_pattern, lazy_pattern, said_in, word_set
from inspector.engine.facts import content_words, is_negated, stem_set

_EXACT_WORDS = lazy_pattern(r"`([^`]+)`|(\d[\w.:%-]*)")
_RATHER = cued_pattern(
    r"(?i)\b(?:instead of|rather than|over)\b|(?:,| ?[—–]| -) (?:not|no)\b", "instead rather over not no"
)
_PROPER = lazy_pattern(r"(?<=[a-z,] )[A-Z]\w*")
_PLAIN_WORDS = lazy_pattern(r"\w+")
_HYPHEN = lazy_pattern(r"(?<=[a-z])-(?=[a-z])")
REASON = cued_pattern(r"(?i)\b(?:so|because|since|to avoid|in order)\b.{0,120}", "so because since to in")
"""The reason after a rule, which is no part of what it is about."""
UPPER = cued_pattern(
    r"(?i)\b(?:under|below|at most|maximum|less|fewer|shorter|smaller|up to|within|no more)\b",
    "under below at maximum less fewer shorter smaller up within no",
)
LOWER = cued_pattern(
    r"(?i)\b(?:over|above|at least|minimum|more|longer|larger|exceeds?)\b",
    "over above at minimum more longer larger exceed exceeds",
)
_WEAK = stem_set(
    "use used using need come keep kept makes make made have take write written add prefer favor favour "
    "must should ensure always live lives put goes go return returns note noted pass passed through "
    "code store stored place follow belong belongs hold holds contain contains avoid skip forbidden prohibited "
    "disallowed banned allowed required mandatory only just first each every via please under below above "
    "shorter smaller fewer less maximum longer larger least minimum exceed stay introduce carry bring "
    "something anything"
)
"""Stems that say little about a rule, or that `agree` compares in another way."""
_FORBIDDING = word_set(
    "never not don dont no avoid without cannot nothing none nor ban banned forbidden prohibited disallowed refrain "
    "stop instead rather over out t optional optionally"
) | {"nobody"}
_NUMBERS = word_set("two three four five six seven eight nine ten twelve twenty")
_SKIPS = ("skip", "omit")
_MAX_COMPARED = 2_000
"""Maximum length in characters of a text that is compared by its words."""
_PHRASES = (
    (word_set("workspace all"), lazy_pattern(r"(?<=test )--(?:workspace|all)\b"), "whole"),
    (
        word_set("server"),
        lazy_pattern(r"(?i)\b(?:start|run|launch) (?:the |a )?(?:dev|development|test|mock) server\b"),
        "launch devserver",
    ),
    (word_set("server"), lazy_pattern(r"(?i)\b(?:dev|development|test|mock) server\b"), "devserver"),
    (word_set("also"), lazy_pattern(r",? also (?=for\b)"), " "),
    (
        word_set("generated"),
        lazy_pattern(r"(?i)\b(\w{2,40}) (?:that|which) (?:was|were|is|are) generated\b(?: by \w{1,40})?"),
        r"generated \1",
    ),
    (word_set("time times give gives"), lazy_pattern(r"(?i)\b(?:times? out|gives? up)\b"), "timeout"),
    (word_set("pull"), lazy_pattern(r"(?i)\bpull[ -]requests?\b"), "pr"),
    (word_set("hand"), lazy_pattern(r"(?i)\bby hand\b"), "manually"),
    (
        word_set("keep"),
        lazy_pattern(r"(?i)^keep ([^,.;]{2,60}?) out of (?:the )?(?:repo(?:sitory)?|git|version control)\b"),
        r"never commit \1",
    ),
    (word_set("hand hands handed"), lazy_pattern(r"(?i)\bhand(?:s|ed)? over\b"), "escalate"),
    (word_set("force"), lazy_pattern(r"(?i)\bforce[- ]push\b"), "forcepush"),
    (word_set("signed"), lazy_pattern(r"(?i)\bsigned-off-by(?: lines?| trailers?)?"), "sign off"),
    (word_set("commit"), lazy_pattern(r"(?i)\bcommit messages?\b"), "commit"),
    (word_set("end ends"), lazy_pattern(r"(?i)\bends? with\b"), "suffix"),
    (word_set("go goes"), lazy_pattern(r"(?i)\bgo(?:es)? live\b"), "are published"),
    (
        word_set("log logs logged"),
        lazy_pattern(r"(?i)\blog(?:s|ged)? in(?:to)?\b(?! (?:json|xml|utc|plain|structured)\b)"),
        "login",
    ),
    (word_set("clean cleans cleaned"), lazy_pattern(r"(?i)\bclean(?:s|ed)? up\b"), "delete"),
    (word_set("get gets"), lazy_pattern(r"(?i)\bget(?:s)? up\b"), "wake"),
    (
        word_set("go goes"),
        lazy_pattern(r"(?i)\bgo(?:es)? (?:straight|directly) (?:to|into)\b"),
        "are pushed directly to",
    ),
    (word_set("used"), lazy_pattern(r"(?i)\b(?:that|which) (?:is|are) (?:no longer|not|never) used\b"), "unused"),
)
"""Words one of which a text with a phrase has, the phrase, and the word in its place."""
_CUES = frozenset[str]().union(*(cues for cues, _, _ in _PHRASES))


def joined_phrases(text: str) -> str:
    """Return a text with one word in the place of some phrases: "pr" for "pull request"."""
    if text.isalpha() or not (hits := _CUES & said_in(text)):
        return text
    for cues, phrase, word in _PHRASES:
        if not cues.isdisjoint(hits):
            text = phrase.sub(word, text)
    return text


_NOT_ABOVE = cued_pattern(
    r"(?i)\b(?:not|never|no) (?:(?:be|have|take) )?"
    r"(?:(?:longer|more|larger|greater|bigger|higher)(?: than)?|exceed)(?= \d)",
    "longer more larger greater bigger higher exceed",
)
_NOT_BELOW = cued_pattern(
    r"(?i)\b(?:not|never|no) (?:(?:be|have|take) )?(?:less|fewer|shorter|smaller|lower)(?: than)?(?= \d)",
    "less fewer shorter smaller lower",
)


def with_plain_bounds(text: str) -> str:
    """Return a text with "at most 40" for "not more than 40", and "at least 40" for "not less than 40"."""
    return _NOT_BELOW.sub("at least", _NOT_ABOVE.sub("at most", text))


@lru_cache(maxsize=1 << 14)
def key_words(text: str) -> frozenset[str]:
    """Return the stems of the words that tell a rule from another, with one stem for words of one meaning."""
    plain = _RATHER.sub(" ", joined_phrases(text))
    words = content_words(_HYPHEN.sub(" ", plain) if "-" in plain else plain) - _WEAK
    return frozenset(map(concept_of, words))


def compared_words(text: str) -> frozenset[str]:
    """Return the key words of a text and its code; none of a long text."""
    return key_words(text) | _exact_words(text) if len(text) < _MAX_COMPARED else frozenset()


@lru_cache(maxsize=1 << 14)
def _exact_words(text: str) -> frozenset[str]:
    """Return the code and the numbers of a text."""
    return frozenset(group for match in _EXACT_WORDS.findall(text) for group in match if group)


def agree(one: str, other: str) -> bool:
    """Return True if two texts have the same numbers, code, names, polarity, preference and no opposite bounds."""
    counts = [_NUMBERS & said_in(text) for text in (one, other)]
    negated = [is_negated(_RATHER.sub(" ", text)) for text in (one, other)]
    return (
        _contains_exact(one, other)
        and _contains_exact(other, one)
        and counts[0] == counts[1]
        and negated[0] == negated[1]
        and _is_forbidding(one) == _is_forbidding(other)
        and not _prefer_another(one, other)
        and not _have_opposite_bounds(one, other)
    )


def _is_forbidding(text: str) -> bool:
    """Return True if a text has a word that forbids or leaves open. "Use it to skip tests" has none."""
    return not _FORBIDDING.isdisjoint(said_in(text)) or text.lower().startswith(_SKIPS)


def _prefer_another(one: str, other: str) -> bool:
    """Return True if both texts prefer something, and not the same."""
    chosen = [_RATHER.split(text)[0] for text in (one, other) if _RATHER.search(text)]
    preferred = [key_words(text) | _exact_words(text) for text in chosen]
    return len(preferred) == 2 and preferred[0] != preferred[1]


def _contains_exact(text: str, other: str) -> bool:
    """Return True if a text has the numbers, code and names of another: "rooms of Git", "rooms of GitHub"."""
    words = {*_PLAIN_WORDS.findall(text.lower())}
    return all(word in text for word in _exact_words(other)) and all(
        name.lower() in words for name in _PROPER.findall(other)
    )


def _have_opposite_bounds(one: str, other: str) -> bool:
    """Return True if one text names a maximum and the other a minimum."""
    bounds = [(bool(UPPER.search(text)), bool(LOWER.search(_RATHER.sub(" ", text)))) for text in (one, other)]
    return bounds[0] != bounds[1] and all(map(any, bounds))


@lru_cache(maxsize=1 << 12)
def first_part(word: str) -> str:
    """Return the first part of a name that is a word by itself: "module" of ".module.css"."""
    match = _PLAIN_WORDS.search(word)
    return match[0] if match else word
