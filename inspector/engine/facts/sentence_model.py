"""A linear model that confirms or rejects the classes that cue phrases give to sentences.

Cue phrases cannot tell "never commit to main" from "never stop dreaming". The model scores the words of a sentence, its
shape, its source and the classes that the rules found. It rejects constraints, decisions and tasks that score low, and
adds constraints, decisions and tasks of users and system prompts that score high without a cue phrase.

The weights in `sentence_weights.json` are those of a logistic regression, which `tests/benchmarks/sentence_weights.py`
fits. The file contains common words and pairs of them, and states what it was fitted with.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise, repeat
from math import exp, sqrt
from struct import Struct
from typing import get_args

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


def token_kind(token: str) -> str:
    """Return a word in lowercase, a sign, or the kind of any other token."""
    low = token.lower().replace("’", "'")
    if _WORD.fullmatch(low):
        return "<code>" if token[1:] != token[1:].lower() and not token.isupper() else low
    if _NUMBER.fullmatch(token):
        return "<num>"
    return token if len(token) == 1 and not token.isalnum() else "<code>"


def raw_tokens(sentence: str) -> list[str]:
    """Return the words, signs, code and other runs of a sentence."""
    return _TOKEN.findall(sentence[:_MAX_LENGTH])


def shape_features(sentence: str) -> Iterator[str]:
    """Yield the features of a sentence that do not depend on its words."""
    start = sentence[:1]
    yield "low" if start.islower() else "up" if start.isupper() else "sign"
    yield f"letters={8 * _letters_in(sentence) // max(1, len(sentence))}"
    if start.isdigit() or start in "/#*L":
        yield "code-start" if _CODE_START.match(sentence) else "other-start"
    if start == '"' and _JSON_START.match(sentence):
        yield "json"
    if ":" in sentence:
        if _LABEL_START.match(sentence):
            yield "label"
        if _POSITION_START.match(sentence):
            yield "position"


def _letters_in(sentence: str) -> int:
    """Return the number of letters and spaces."""
    if sentence.isascii():
        return len(sentence.encode().translate(None, _NO_LETTERS))
    return sum(map(str.isalpha, sentence)) + sentence.count(" ")


_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha() and chr(code) != " ")


def end_of(sentence: str) -> str:
    """Return the last character of a sentence, or "a" for any letter or digit."""
    return sentence[-1:] if not sentence[-1:].isalnum() else "a"


def size_of(words: int) -> int:
    """Return the class of the length of a sentence with so many words."""
    return bisect(_SIZES, words)


class _Kinds(dict[str, str]):
    """Kinds of tokens. Words without a weight share one kind. Tokens recur, so most kinds are kept."""

    def __init__(self, known: Collection[str]) -> None:
        self.known = known

    def __missing__(self, token: str) -> str:
        kind = token_kind(token)
        if kind not in self.known and kind[0].isalpha():
            kind = "<w>"
        if len(self) >= _MAX_KINDS:
            self.clear()
        self[token] = kind
        return kind


_MAX_KINDS = 1 << 14


class _OfSource(dict[str, int]):
    """Weights of the features that count once for every source and once for their own, both together."""

    def __init__(self, source: Source, weights: Mapping[str, int]) -> None:
        self.source, self.weights = source, weights

    def __missing__(self, name: str) -> int:
        value = self[name] = self.weights.get(name, 0) + self.weights.get(f"{self.source}|{name}", 0)
        return value


class _Model:
    """The weights, prepared to be added up.

    The weights of a feature are one number: 32 bits for each of the four classes, in hundredths, and a 1 above them.
    One sum adds up all classes, and counts the features.
    """

    def __init__(self) -> None:
        """Read the weights."""
        content = orjson.loads(files("inspector.engine.facts").joinpath(WEIGHTS_FILE).read_bytes())
        self.classes: tuple[SentenceClass, ...] = tuple(content["classes"])
        self.bias: tuple[float, ...] = tuple(content["bias"])
        self.weights: dict[str, int] = {
            name: one + (two << 32) + (three << 64) + (four << 96) + (1 << 128)
            for name, (one, two, three, four) in content["weights"].items()
        }
        self.pairs = {tuple(name.split(" ")): value for name, value in self.weights.items() if " " in name}
        self.kinds = _Kinds(self.weights.keys())
        self.sources = {source: _OfSource(source, self.weights) for source in get_args(Source)}

    def sums(self, sentence: str, source: Source, hits: Iterable[SentenceClass]) -> tuple[list[int], int]:
        """Return the sums of the weights of a sentence by class, and the number of features that have weights."""
        tokens = list(map(self.kinds.__getitem__, raw_tokens(sentence)))
        first, distinct = tokens[0] if tokens else "", set(tokens)
        weight, own = self.weights.get, self.sources[source]
        words = sum([token[0].isalpha() or token[0] == "<" for token in tokens])
        total = _ZEROS + weight(f"{source}|", 0) + weight(f"size={size_of(words)}", 0)
        total += own[f"1={first}"] + own[f"end={end_of(sentence)}"] + sum([own[f"hit={name}"] for name in set(hits)])
        total += sum(map(own.__getitem__, distinct)) + sum(map(self.pairs.get, set(pairwise(tokens)), repeat(0)))
        if len(tokens) > 1:
            total += weight(f"2={first} {tokens[1]}", 0)
        total += sum([weight(name, 0) for name in shape_features(sentence) if name not in distinct])
        *sums, count = _FIELDS.unpack(total.to_bytes(_FIELDS.size, "little"))
        return [field - _ZERO for field in sums], count


_FIELDS = Struct("<5I")
_ZERO = 1 << 31
"""Offset of each class, so that no sum is negative."""
_ZEROS = _ZERO + (_ZERO << 32) + (_ZERO << 64) + (_ZERO << 96)


@lru_cache(maxsize=1)
def _model() -> _Model:
    return _Model()


def class_probabilities(
    sentence: str, source: Source, hits: Iterable[SentenceClass] = ()
) -> dict[SentenceClass, float]:
    """Return the probability of each class for a sentence."""
    model = _model()
    sums, count = model.sums(sentence, source, hits)
    scale = SCALE / 100 / sqrt(max(1, count))
    return {
        name: 1 / (1 + exp(-(bias + scale * total)))
        for name, bias, total in zip(model.classes, model.bias, sums, strict=True)
    }


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
