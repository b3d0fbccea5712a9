"""A linear model that confirms or rejects the classes that cue phrases give to sentences.

Cue phrases cannot tell "never commit to main" from "never stop dreaming". The model scores the words of a sentence, its
shape, its source and the classes that the rules found. It rejects constraints, decisions and tasks that score low, and
adds constraints, decisions and tasks of users and system prompts that score high without a cue phrase.

The weights in `sentence_weights.json` are those of a logistic regression, which `tests/benchmarks/sentence_weights.py`
fits. The file contains common words and pairs of them, and states what it was fitted with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import chain, pairwise
from math import exp, sqrt
from typing import NamedTuple

import orjson

from inspector.core.text import lazy_pattern
from inspector.engine.facts.classes import SentenceClass, Source

WEIGHTS_FILE = "sentence_weights.json"
WEIGHTS_SHA256 = "28f351991175816370d0d2bf248318c3f857c248cfdf567de78e780394401a6a"
"""Checksum of the weights. Stored extracts depend on the digest of this file, so new weights make them obsolete."""
_LEAST_CONFIRMED: Mapping[SentenceClass, float] = {"constraint": 0.38, "decision": 0.1, "task": 0.15}
"""Probability from which a class that the rules found is kept. Errors are always kept."""
_LEAST_TYPED: Mapping[SentenceClass, float] = {**_LEAST_CONFIRMED, "constraint": 0.25}
"""The same for users, whose rules have more forms than the examples."""
_LEAST_ADDED: Mapping[Source, Mapping[SentenceClass, float]] = {
    "rules": {"constraint": 0.55, "decision": 0.7, "task": 0.75},
    "typed": {"constraint": 0.7, "decision": 0.7, "task": 0.75},
}
"""Probability from which a sentence that the rules did not find is of a class, by source.

In replies and outputs, too few of the likeliest sentences are of their class.
"""
_MAX_LENGTH = 300
SCALE = 3.0
"""Norm of the features of a sentence."""
_TOKEN = lazy_pattern(
    r"`[^`\n]{1,80}`|[A-Za-z]{1,40}(?:['’][a-z]{1,3})?(?![\w/\\])|[\w./\\@~-]{0,80}[\w/\\]|[?!:;,(){}\[\]=<>|\"*-]"
)
"""A span of code, a word, another run such as a path, or a sign."""
_WORD = lazy_pattern("[a-z]+(?:'[a-z]+)?")
_NUMBER = lazy_pattern(r"[\d.,]+")
_CODE_START = lazy_pattern(r"\d+[:→|]|//|#|\*|L\d")
_JSON_START = lazy_pattern(r'"[\w-]{1,60}": ')
_LABEL_START = lazy_pattern(r"[A-Z][\w ]{2,30}: ")
_POSITION_START = lazy_pattern(r"[^\s:]{1,200}:\d+:")
_DUTY = lazy_pattern(r"(?<!\bI )(?<!\bwe )\bmust (?:not )?(?!have been\b|say\b|mean\b|match\b)[a-z]")
_BANNED = lazy_pattern(r"\bmust not\b")
_CONCRETE = lazy_pattern(r"`[^`\n]{1,80}`|\d|[\w-]/[\w.-]")
"""A span of code, a number or a path."""
_SUPPOSED = lazy_pattern(r"(?i)\b(?:if|when|raise|error)\b|[{}<>=]")
_PROSE = lazy_pattern(r"[A-Z][\w ,;:()'’%./-]{20,280}[.…]")
"""A printed line of written language."""
_SIZES = (3, 5, 9, 16, 30)


@lru_cache(maxsize=1 << 14)
def _token_kind(token: str) -> str:
    """Return a word in lowercase, a sign, or the kind of any other token."""
    low = token.lower().replace("’", "'")
    if _WORD.fullmatch(low):
        return "<code>" if token[1:] != token[1:].lower() and not token.isupper() else low
    if _NUMBER.fullmatch(token):
        return "<num>"
    return token if len(token) == 1 and not token.isalnum() else "<code>"


def sentence_tokens(sentence: str) -> list[str]:
    """Return the tokens of a sentence: words in lowercase, signs, and the kinds of all others."""
    return list(map(_token_kind, _TOKEN.findall(sentence[:_MAX_LENGTH])))


def sentence_features(
    sentence: str, source: Source, hits: Iterable[SentenceClass], known: Collection[str]
) -> Iterator[str]:
    """Yield the features of a sentence, some of them more than once.

    Args:
        sentence: Cleaned sentence.
        source: Origin of the sentence.
        hits: Classes that the rules found.
        known: Words that may be features. All others are the same.
    """
    tokens = [token if token in known or not token[0].isalpha() else "<w>" for token in sentence_tokens(sentence)]
    yield f"{source}|"
    for feature in chain(_single(tokens, sentence), (f"hit={name}" for name in hits)):
        yield feature
        yield f"{source}|{feature}"
    for one, other in pairwise(tokens):
        yield f"{one} {other}"
    if len(tokens) > 1:
        yield f"2={tokens[0]} {tokens[1]}"
    words = sum(token[0].isalpha() or token[0] == "<" for token in tokens)
    yield f"size={sum(words >= size for size in _SIZES)}"
    yield from _shape(sentence)


def _single(tokens: Sequence[str], sentence: str) -> Iterator[str]:
    """Yield the tokens, the first token, and the end of a sentence."""
    yield from dict.fromkeys(tokens)
    yield f"1={tokens[0] if tokens else ''}"
    yield f"end={sentence[-1:] if not sentence[-1:].isalnum() else 'a'}"


def _shape(sentence: str) -> Iterator[str]:
    """Yield the features of a sentence that do not depend on its words."""
    start = sentence[:1]
    yield "low" if start.islower() else "up" if start.isupper() else "sign"
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    yield f"letters={8 * letters // max(1, len(sentence))}"
    if start.isdigit() or start in "/#*L":
        yield "code-start" if _CODE_START.match(sentence) else "other-start"
    if start == '"' and _JSON_START.match(sentence):
        yield "json"
    if ":" in sentence:
        if _LABEL_START.match(sentence):
            yield "label"
        if _POSITION_START.match(sentence):
            yield "position"


class _Weights(NamedTuple):
    classes: tuple[SentenceClass, ...]
    bias: tuple[float, ...]
    by_feature: Mapping[str, tuple[int, ...]]
    """Weights of each feature, by class, in hundredths."""


@lru_cache(maxsize=1)
def _weights() -> _Weights:
    content = orjson.loads(files("inspector.engine.facts").joinpath(WEIGHTS_FILE).read_bytes())
    return _Weights(tuple(content["classes"]), tuple(content["bias"]), content["weights"])


def class_probabilities(
    sentence: str, source: Source, hits: Iterable[SentenceClass] = ()
) -> dict[SentenceClass, float]:
    """Return the probability of each class for a sentence."""
    weights = _weights()
    known = weights.by_feature
    rows = [
        known[feature]
        for feature in dict.fromkeys(sentence_features(sentence, source, hits, known))
        if feature in known
    ]
    scale = SCALE / 100 / sqrt(max(1, len(rows)))
    sums = map(sum, zip(*rows, strict=True)) if rows else [0] * len(weights.classes)
    scores = [bias + scale * total for bias, total in zip(weights.bias, sums, strict=True)]
    return {name: 1 / (1 + exp(-score)) for name, score in zip(weights.classes, scores, strict=True)}


def confirmed_classes(
    sentence: str,
    source: Source,
    hits: Collection[SentenceClass],
    certain: Collection[SentenceClass] = (),
    *,
    may_add: bool = False,
) -> tuple[SentenceClass, ...]:
    """Return the classes of a sentence: those of the rules that the model confirms, and those that it adds.

    Args:
        sentence: Cleaned sentence.
        source: Origin of the sentence.
        hits: Classes that the rules found.
        certain: Those of them that more than the sentence tells, such as the heading above it.
        may_add: True if the model may add classes.
    """
    if not may_add and not any(name in _LEAST_CONFIRMED for name in hits):
        return tuple(hits)
    likely = class_probabilities(sentence, source, hits)
    binding = ("constraint",) if "constraint" in hits and is_binding(sentence, source) else ()
    least = _LEAST_TYPED if source == "typed" else _LEAST_CONFIRMED
    kept = [name for name in hits if name in (*certain, *binding) or likely[name] >= least.get(name, 0.0)]
    if may_add:
        kept += [name for name, bound in _LEAST_ADDED[source].items() if name not in hits and likely[name] >= bound]
    return tuple(kept)


def is_binding(sentence: str, source: Source) -> bool:
    """Return True for a duty or a ban about a concrete thing, whatever the other words are.

    In tool output, only bans in prose count, because code comments state duties of the code.
    """
    if not _CONCRETE.search(sentence) or _SUPPOSED.search(sentence):
        return False
    if source == "output":
        return bool(_BANNED.search(sentence) and _PROSE.fullmatch(sentence))
    return bool(_DUTY.search(sentence))


def confirmed_sentences(
    ruled: Iterable[tuple[SentenceClass, str]],
    source: Source,
    certain: Iterable[tuple[SentenceClass, str]] = (),
    others: Collection[str] = (),
) -> Iterator[tuple[SentenceClass, str]]:
    """Yield sentences with their classes: those of the rules that the model confirms, and those that it adds.

    Args:
        ruled: Sentences with the classes that the rules found.
        source: Origin of the sentences.
        certain: Sentences whose class more than their words tell, such as the heading above them.
        others: All sentences of a text to which the model may add classes.
    """
    pairs = list(dict.fromkeys(ruled))
    if not pairs and not others:
        return
    hits, sure = defaultdict[str, list[SentenceClass]](list), defaultdict[str, list[SentenceClass]](list)
    for names, of_one in ((hits, pairs), (sure, certain)):
        for cls, sentence in of_one:
            names[sentence].append(cls)
    likely = {
        sentence: confirmed_classes(
            sentence, source, hits.get(sentence, ()), sure.get(sentence, ()), may_add=bool(others)
        )
        for sentence in dict.fromkeys((*hits, *others))
    }
    yield from ((cls, sentence) for cls, sentence in pairs if cls in likely[sentence])
    for sentence, classes in likely.items():
        yield from ((cls, sentence) for cls in classes if cls not in hits.get(sentence, ()))
