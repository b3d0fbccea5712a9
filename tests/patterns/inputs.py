"""Texts on which a pattern has the most to do, grown from its own parse tree.

A search takes more than linear time where it can go on in two ways over the same characters, or where it begins anew at
each of them and goes on to the end. So every text is a way to a place in the pattern, a word many times over that a
repeat there matches, or that the pattern begins with, and an end that it does not match.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, NamedTuple

from tests.patterns.steps import REPEATS, SINGLE, C, Characters, Tree, tree_of

OTHERS = "é’–→…一“°\u2028٣ſİK\x00\x1b😀"
"""Beside the characters of ASCII: letters, digits, quotation marks and dashes that are not, and what folds to ASCII."""
CANDIDATES = [*"aAz0 9_-.,:;/=\"'`<>()[]{}|*#@$%+!?&~^\\\n\t\r", *map(chr, range(128)), *OTHERS]
FEW, SOME = 4, 40
"""Of the words that a node matches, how many are tried for each node, and how many for each sequence."""


class Shape(NamedTuple):
    """A text of any size."""

    before: str
    word: str
    behind: str

    def text(self, chars: int, times: int = 24) -> str:
        """At least so many characters, and the word at least so many times."""
        return self.before + self.word * max(times, -(-chars // len(self.word))) + self.behind


@dataclass
class Grower:
    """The words that one pattern can meet."""

    pattern: re.Pattern[Any]
    alphabet: list[str] = field(default_factory=list)
    """One character of each kind that repeats and classes of the pattern tell apart."""
    places: dict[tuple[str, str], None] = field(default_factory=dict)
    """Ways to a repeat, each with a word of its body, or with the beginning of the pattern."""
    tails: dict[str, None] = field(default_factory=dict)
    """What the rest of a sequence matches."""
    known: dict[tuple[int, int], Characters] = field(default_factory=dict)
    groups: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tree, flags = tree_of(self.pattern), self.pattern.flags
        telling: dict[tuple[str, int], Characters] = {}
        named: dict[str, None] = {}
        for op, argument, inner, is_repeated in singles(tree, flags):
            self.known[id(argument), inner] = test = Characters(inner, op, argument)
            if is_repeated or op is not C.LITERAL:
                telling.setdefault((str((op, argument)), inner), test)
                named.update(dict.fromkeys(map(chr, numbers_in(op, argument))))
        kinds: dict[tuple[bool, ...], str] = {}
        for character in [*CANDIDATES, *named]:
            is_word = character.isalnum() or character == "_"
            kinds.setdefault((*[each[character] for each in telling.values()], is_word, character == "\n"), character)
        self.alphabet = list(kinds.values())
        self.walk(tree, flags, "")

    def words(self, tree: Tree, flags: int) -> list[str]:
        """Some words that a sequence matches: the first of each node, then each of the others in its place."""
        ways = [self.of_node(op, argument, flags) for op, argument in tree]
        first = [way[0] for way in ways]
        words = {"".join(first): None}
        for place, way in enumerate(ways):
            for other in way[1:]:
                words["".join([*first[:place], other, *first[place + 1 :]])] = None
        return list(words)[:SOME]

    def of_node(self, op: Any, argument: Any, flags: int) -> list[str]:
        if op in SINGLE:
            if op is C.LITERAL:
                return [chr(argument)]
            test = self.known[id(argument), flags]
            return [each for each in self.alphabet if test[each]] or ["?"]
        if op in REPEATS:
            low, _, tree = argument
            body = self.words(tree, flags)[:FEW]
            return list(
                dict.fromkeys([body[0] * max(low, 1), *(each * max(low, 1) for each in body[1:]), body[0] * low])
            )
        if op is C.SUBPATTERN:
            number, added, removed, tree = argument
            words = self.words(tree, (flags | added) & ~removed)
            if number is not None:
                self.groups[number] = words[0]
            return words
        if op is C.BRANCH:
            return list(dict.fromkeys(word for way in argument[1] for word in self.words(way, flags)[:FEW]))
        if op is C.ATOMIC_GROUP:
            return self.words(argument, flags)
        if op is C.GROUPREF:
            return [self.groups.get(argument, "")]
        return [""]

    def walk(self, tree: Tree, flags: int, before: str) -> None:
        """Note each repeat with a way to it, and each beginning of a sequence."""
        here = before
        for index, (op, argument) in enumerate(tree):
            if op in REPEATS:
                for word in self.words(argument[2], flags):
                    self.places[here, word] = None
            for word in self.words(tree[: index + 1], flags)[:FEW]:
                self.places["", word] = None
                self.places[before, word] = None
            for part, inner in parts(op, argument, flags):
                self.walk(part, inner, here)
            self.tails.update(dict.fromkeys(self.words(tree[index:], flags)[:1]))
            here += self.of_node(op, argument, flags)[0]

    def shapes(self, most: int, drawn: int) -> Iterator[Shape]:
        """Every character; `most` pairs of them; `most` words, each at its place; and `drawn` from all of these."""
        draw = random.Random(1)
        places = [place for place in self.places if place[1]]
        words = list(dict.fromkeys([word for _, word in places] + self.alphabet))
        ends = ["", "\x00", "\n", *self.alphabet, *[f"{tail}\x00" for tail in self.tails]]
        ways = list(dict.fromkeys(["", *[way for way, _ in places]]))
        pairs = [first + second for first, second in permutations(self.alphabet, 2)]
        yield from [Shape("", word, end) for word in self.alphabet for end in ends[:3]]
        yield from [Shape("", pair, "") for pair in draw.sample(pairs, min(most, len(pairs)))]
        grown = [Shape(way, word, end) for way, word in places for end in ends[:2]]
        yield from draw.sample(grown, min(most, len(grown)))
        for _ in range(drawn):
            word = "".join(draw.choices(words, k=draw.choice((1, 1, 2, 3, 4))))
            yield Shape(draw.choice(ways), word, draw.choice(ends))


def singles(tree: Tree, flags: int, is_repeated: bool = False) -> Iterator[tuple[Any, Any, int, bool]]:
    """What matches one character, with its flags, and whether it stands in a repeat by itself."""
    for op, argument in tree:
        if op in SINGLE:
            yield op, argument, flags, is_repeated
        for part, inner in parts(op, argument, flags):
            yield from singles(part, inner, op in REPEATS and len(part) == 1)


def parts(op: Any, argument: Any, flags: int) -> Iterator[tuple[Tree, int]]:
    """The sequences within a node, with the flags that hold there."""
    if op in REPEATS:
        yield argument[2], flags
    elif op is C.SUBPATTERN:
        yield argument[3], (flags | argument[1]) & ~argument[2]
    elif op is C.BRANCH:
        yield from ((way, flags) for way in argument[1])
    elif op is C.ATOMIC_GROUP:
        yield argument, flags
    elif op in (C.ASSERT, C.ASSERT_NOT):
        yield argument[1], flags


def numbers_in(op: Any, argument: Any) -> list[int]:
    """The characters that a node names, by their numbers."""
    if op in (C.LITERAL, C.NOT_LITERAL):
        return [argument]
    if op is C.IN:
        ranges = [[value] if kind is C.LITERAL else value for kind, value in argument if kind in (C.LITERAL, C.RANGE)]
        return [number for each in ranges for number in each]
    return []
