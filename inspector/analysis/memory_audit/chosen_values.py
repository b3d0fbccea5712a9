"""Values of which a project chooses one for a purpose, and the sentences that choose or reject them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from inspector.analysis.memory_audit.action_words import is_verb
from inspector.analysis.memory_audit.marked_words import MOVES, WordMark, marked_words
from inspector.analysis.memory_audit.project_choices import CHOICES, OPPOSITES
from inspector.analysis.memory_audit.same_words import first_part, joined_phrases
from inspector.analysis.memory_audit.typed_values import (
    OF_REGIONS,
    REGIONS,
    TYPED,
    WITH_VERSIONS,
    has_typed,
    typed_value,
)
from inspector.analysis.memory_audit.word_classes import CONCEPTS
from inspector.core.text import lazy_pattern, said_in, word_set
from inspector.engine.facts import content_words, stem


class ChosenValue(NamedTuple):
    """A value that a sentence chooses or rejects."""

    choice: str
    value: str
    is_rejected: bool
    is_command: bool
    """True if it is the first word of a command in code."""
    action: str
    """What such a command does: "test" for `npm run test`; "" for none."""
    is_in_command: bool
    """True if it is a word of such a command."""
    span: tuple[int, int]
    """Index of its first word, and the index after its last word."""


class _Choice(NamedTuple):
    name: str
    needs_topic: bool
    near: Sequence[frozenset[str]]
    known: frozenset[str]


class ValueSentence(NamedTuple):
    """The values of a sentence, and the stems of its other words by place."""

    values: Sequence[ChosenValue]
    stems: Sequence[str]
    """"" for words that mean nothing here."""
    clauses: Sequence[int]
    """Number of the clause of each word."""
    shows: bool = False
    """True if it is about what is shown: "Prices are shown with two decimals"."""
    is_total: bool = False
    """True if it allows no other value: "Only use pnpm"."""
    verbs: frozenset[int] = frozenset()
    """Places of main verbs, which do not narrow a choice: "land" of "Land pull requests with a merge commit"."""

    def topics(self, choice: str) -> frozenset[str]:
        """Return the stems of what the clauses with a choice are about besides its values."""
        own = [value.span for value in self.values if value.choice == choice]
        others = [value.span for value in self.values if needs_topic_of(choice) and needs_topic_of(value.choice)]
        taken = {place for span in (*own, *others) for place in range(*span)}
        taken |= frozenset[int]() if needs_topic_of(choice) else self.verbs
        clauses = {self.clauses[start] for start, _ in own}
        known = context_of(choice)
        return frozenset(
            word
            for place, word in enumerate(self.stems)
            if word and place not in taken and word not in known and self.clauses[place] in clauses
        )


SHOWS = lazy_pattern(r"(?i)(?<![`\w.])(?:shows?|shown|displays?|displayed|renders?|rendered|prints?|printed)\b")
_MAX_PHRASE = 3
_MAX_BARE = 3
"""Maximum number of words of a sentence that only names a value."""


@lru_cache(maxsize=1 << 14)
def _root(word: str) -> str:
    """Return what the forms of a word share: "answ" of "answer" and of "answers"."""
    return stem(stem(word)) if word.isalpha() else word


def _roots(words: str) -> frozenset[str]:
    return frozenset(map(_root, words.split()))


_NAMED = _roots(
    "variable function file folder directory class component constant method parameter argument property prop "
    "field key column table type interface enum hook route endpoint url branch test module package id "
    "attribute selector style event flag option command query schema json model service struct trait macro"
)
"""Stems of things that have names."""
_BARE = word_set("use prefer uses prefers always only write")
_CUTS = word_set("because since so although though e.g i.e which even before after unless")
_PAST = word_set("was were formerly previously")
_TOTAL = word_set("only everywhere exclusively")
_WEAK = _roots(
    "use used using need come keep kept make made have take write written add prefer favor favour must should ensure "
    "always live put go goes return note pass code store stored save saved place follow belong hold contain avoid "
    "forbidden required mandatory only just first via please run ran happen manage managed handle handled do done "
    "new default project repo repository app application everything thing stuff tool library we set up choose "
    "pick stick target base based build built open name named call called library format formatted file files "
    "directly current currently existing own standard ui end start begin host hosted create declare "
    "draw give given cut take taken define defined represent present utility class module "
    "through developer development local locally team further notice until toolkit slice message client request "
    "way case word words string strings value values kind type library framework package http "
    "style require required compatible stay support supported keyword upload mood tense instead rather "
    "output stdout object two one three four line talk me off between against their its react go user return them "
    "moved migrated switched converted upgraded january february march april june july august september october "
    "november december "
    "shown full site everywhere anywhere note important tip remember reminder rule convention policy style management "
    "main primary preferred favorite favourite manager system engine solution stack single introduce adopt utilize "
    "utilise employ leverage apply opt hold best most like enjoy want usual answer"
)
"""Stems of words without which a choice is about the same."""
_BUILT = _roots("compile compiled service code app build built source minimum later newer higher deployment")
"""Stems of what is built with the version of a language, and of building it."""
_INSTALLING = {"ci": "install", "i": "install"}
"""Subcommands that install packages, by their short names."""
_SAME = {_root(word): _root(name) for word, name in CONCEPTS.items()}
_DOERS = word_set("we you they")
_BEFORE_VERBS = word_set("always never please must should not to")
_BEFORE_PARTICIPLES = word_set("is are be been gets get")
_PARTICIPLE = ("ed", "en", "wn", "lt", "pt", "de", "ne")


@cache
def _choice_table() -> tuple[Mapping[str, _Choice], Mapping[str, Sequence[tuple[str, str]]]]:
    """Return the choices by name, and the choice and value of each form."""
    choices: dict[str, _Choice] = {}
    forms: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in CHOICES.strip().split("\n"):
        head, _, values = line.partition(": ")
        name, _, near = head.rstrip("]").partition(" [")
        plain = name.rstrip("*")
        near, _, known = near.partition("~")
        parts = [_roots(part) for part in near.split("&") if part.strip()]
        choices[plain] = _Choice(plain, name.endswith("*"), parts, _roots(known))
        for value in values.split(" | "):
            first, _, rest = value.strip().partition("=")
            for form in rest.split(", ") if rest else [first]:
                forms[_key(form.strip().split(" "))].append((plain, first))
    for words in OPPOSITES.split(", "):
        choices[words] = _Choice(words, True, (), frozenset())
        for word in words.split():
            forms[_key([word])].append((words, word))
    choices |= {name: _Choice(name, False, (), _roots("resource")) for name in TYPED}
    for name in WITH_VERSIONS:
        choices[f"{name} version"] = _Choice(f"{name} version", False, (), _roots(name) | _BUILT)
    return choices, forms


@cache
def _first_words() -> frozenset[str]:
    """Return the first words of all forms. Most sentences have none."""
    return frozenset(form.split(" ", 1)[0] for form in _choice_table()[1]) | WITH_VERSIONS


_Near = Sequence[frozenset[str]]


@cache
def _signs() -> Mapping[str, Mapping[str, _Near]]:
    """Return what a sentence with a value needs besides, by the first part of the value and by its choice.

    The first part of ".module.css" is "module".
    """
    choices, forms = _choice_table()
    signs: dict[str, dict[str, _Near]] = {name: {f"{name} version": ()} for name in WITH_VERSIONS}
    signs |= {name: dict.fromkeys(TYPED, (OF_REGIONS,)) for name in REGIONS}
    for form, rows in forms.items():
        own = signs.setdefault(first_part(form), {})
        for name, _ in rows:
            own[name] = [frozenset(map(first_part, words)) for words in choices[name].near]
    return signs


def may_choose(sentence: str) -> frozenset[str]:
    """Return the choices of which a sentence may name values. Looking for their first words is much cheaper."""
    said = said_in(sentence)
    hits = [(name, near) for word in said for name, near in _signs_of(word)]
    if not hits or len(said) <= _MAX_BARE or not MOVES.isdisjoint(said):
        return frozenset(name for name, _ in hits)
    counts = Counter(name for name, _ in hits)
    words = said.union(map(_root, said))
    return frozenset(name for name, near in hits if counts[name] > 1 or not any(map(words.isdisjoint, near)))


@lru_cache(maxsize=1 << 13)
def _signs_of(word: str) -> Sequence[tuple[str, _Near]]:
    return [sign for name in {word, _root(word)} for sign in _signs().get(name, {}).items()]


def _key(words: Sequence[str]) -> str:
    return " ".join(map(_root, words))


@cache
def context_of(choice: str) -> frozenset[str]:
    """Return the stems of words that any sentence about a choice may have."""
    row = _choice_table()[0][choice]
    near = () if row.needs_topic else row.near
    known = (_WEAK - _NAMED if choice == "naming" else _WEAK).union(_roots(row.name.lower()), row.known, *near)
    return known | {_SAME.get(word, word) for word in known - _WEAK}


def needs_topic_of(choice: str) -> bool:
    """Return True if values of a choice exclude each other only for one thing: "on Mondays"."""
    return _choice_table()[0][choice].needs_topic


@lru_cache(maxsize=1 << 13)
def value_sentence(sentence: str) -> ValueSentence:
    """Return the values that a sentence chooses or rejects."""
    words, marks = marked_words(joined_phrases(sentence))
    roots = [_root_of_form(word) for word in words]
    if not _first_words() & {*roots, *words} and not has_typed(words):
        return ValueSentence((), (), ())
    content, cut = _stems_of_words(words, marks)
    described = _described_words(marks) if sentence.startswith("`") else 0
    values = [
        value
        for value in _choice_values(words, roots, marks)
        if (value.span[0] not in cut or words[value.span[0]] in _CUTS) and value.span[0] >= described
    ]
    clauses = [mark.clause for mark in marks]
    is_total, verbs = not _TOTAL.isdisjoint(words), frozenset(_places_of_verbs(words, marks))
    return ValueSentence(values, content, clauses, SHOWS.search(sentence) is not None, is_total, verbs)


def _places_of_verbs(words: Sequence[str], marks: Sequence[WordMark]) -> Iterator[int]:
    """Yield the places of main verbs: of a demand, or after "is"."""
    for place, word in enumerate(words):
        before = words[place - 1] if place and marks[place - 1].clause == marks[place].clause else ""
        if marks[place].is_code:
            continue
        if before in _BEFORE_PARTICIPLES:
            if word.endswith(_PARTICIPLE):
                yield place
        elif before in _DOERS or ((not before or before in _BEFORE_VERBS) and is_verb(word)):
            yield place


@lru_cache(maxsize=1 << 13)
def _root_of_form(word: str) -> str:
    """Return the root of a word; for a path in a folder that is a value, that folder: `tests/` of `tests/unit`."""
    folder = f"{word.partition('/')[0]}/"
    return folder if "/" in word and folder in _first_words() else _root(word)


def _described_words(marks: Sequence[WordMark]) -> int:
    """Return the number of words of the command that a sentence begins with; 0 for a single word."""
    ends = (place for place, mark in enumerate(marks) if place and (mark.is_first or not mark.is_code))
    end = next(ends, len(marks))
    return end if end > 1 else 0


def _stems_of_words(words: Sequence[str], marks: Sequence[WordMark]) -> tuple[list[str], set[int]]:
    """Return the stems of words, "" without a meaning, and the places of those that give a reason or a time."""
    content: list[str] = []
    cut: set[int] = set()
    is_cut = False
    past = {mark.clause for word, mark in zip(words, marks, strict=True) if word in _PAST and not mark.is_code}
    for number, (word, mark) in enumerate(zip(words, marks, strict=True)):
        is_cut = word in _CUTS or mark.clause in past or (is_cut and mark.clause == marks[number - 1].clause)
        cut.update([number] if is_cut else ())
        root = "" if is_cut else _topic_root(word, mark)
        is_path = mark.is_code and "/" in word and "." not in word.partition("/")[0].strip(".")
        content.append(word if is_path else root)
    return content, cut


def _topic_root(word: str, mark: WordMark) -> str:
    """Return the root of a word that may say what a sentence is about; "" for another."""
    if mark.is_code or not word[:1].isalpha() or word.endswith("ly"):
        return ""
    own = word.removesuffix("'s")
    root = _root(own.rstrip("/")) if content_words(own) else ""
    return _SAME.get(root, root)


def _choice_values(words: Sequence[str], stems: Sequence[str], marks: Sequence[WordMark]) -> Iterator[ChosenValue]:
    _, forms = _choice_table()
    present = frozenset(stems)
    named = [row for word in present - _WEAK for row in forms.get(word, ())]
    both = _compared_choices(
        named, has_moved=not MOVES.isdisjoint(words), is_bare=len(words) <= _MAX_BARE and words[0] in _BARE
    )
    place = 0
    while place < len(stems):
        if typed := typed_value(words, place):
            name, value, end = typed
            yield ChosenValue(name, value, marks[place].is_rejected, False, "", False, (place, end))
            if name in TYPED:
                place = end
                continue
        hits, end = _forms_at(stems, present, place, both)
        for name, value in hits:
            if name == "package manager" and _is_registry(words, place):
                continue
            action = _action_of(words, marks, place, end)
            is_inner = bool(action) or _is_inner(marks[place])
            yield ChosenValue(name, value, marks[place].is_rejected, bool(action), action, is_inner, (place, end))
        place = end


def _is_registry(words: Sequence[str], place: int) -> bool:
    """Return True if "npm" is where packages are published: "published to npm"."""
    return place > 0 and words[place - 1] in ("to", "on") and MOVES.isdisjoint(words) and "publish" in " ".join(words)


def _forms_at(
    stems: Sequence[str], present: frozenset[str], place: int, both: Collection[str]
) -> tuple[Sequence[tuple[str, str]], int]:
    """Return the choices and values of the longest form at a place, and its end."""
    forms = _choice_table()[1]
    is_first = stems[place] in _first_words()
    for length in range(min(_MAX_PHRASE, len(stems) - place) if is_first else 0, 0, -1):
        rows = forms.get(" ".join(stems[place : place + length]), ())
        if hits := [row for row in rows if row[0] in both or _is_near(row[0], present)]:
            return hits, place + length
    return (), place + 1


def _is_near(choice: str, words: frozenset[str]) -> bool:
    return all(words & near for near in _choice_table()[0][choice].near)


def _compared_choices(rows: Sequence[tuple[str, str]], *, has_moved: bool, is_bare: bool) -> Collection[str]:
    """Return the choices whose values need no other sign: there are two, a change, or nothing else: "Use tabs"."""
    names = [name for name, _ in dict.fromkeys(rows)]
    return {name for name in names if has_moved or names.count(name) > 1} | {*names[:is_bare]}


def _is_inner(mark: WordMark) -> bool:
    return mark.is_code and not mark.is_first


def _action_of(words: Sequence[str], marks: Sequence[WordMark], place: int, end: int) -> str:
    """Return the word after the first one of a command in code, "test" of `npm run test`; "" for no command."""
    if not (marks[place].is_first and _goes_on(marks, end)):
        return ""
    action = words[end + (words[end] == "run" and _goes_on(marks, end + 1))]
    return _INSTALLING.get(action, action)


def _goes_on(marks: Sequence[WordMark], place: int) -> bool:
    return place < len(marks) and marks[place].is_code and not marks[place].is_first
